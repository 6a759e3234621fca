/** Energy, and the places of centres of mass. */
import { conjugate, cross, dot, plus, rotate } from '../../rigid/vectors.js';
import type { Bone, Scene } from '../scene.js';
import type { BodyState } from '../states.js';

export interface Energy {
  readonly kinetic: number;
  /** Zero at y = 0. */
  readonly potential: number;
}

/** Of all bodies together, J. */
export function energyOf(scene: Scene, states: readonly BodyState[]): Energy {
  let [kinetic, potential] = [0, 0];
  let body = 0;
  for (const { bones } of scene.figures) {
    for (const bone of bones) {
      const state = states[body++];
      kinetic += kineticEnergy(bone, state);
      potential += bone.mass * scene.gravity * centerOf(bone, state)[1];
    }
  }
  return { kinetic, potential };
}

function kineticEnergy({ mass, center, inertia }: Bone, { rotation, velocity, spin }: BodyState): number {
  const moved = plus(velocity, cross(spin, rotate(rotation, center)));
  const [x, y, z] = rotate(conjugate(rotation), spin);
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const rotational = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
  return 0.5 * (mass * dot(moved, moved) + rotational);
}

/** What the damping of joints and the drag of roots take, W: the torque of a joint is its damping times the angular velocity relative to the body above. */
export function dampingPower(scene: Scene, states: readonly BodyState[]): number {
  let power = 0;
  let first = 0;
  for (const { bones } of scene.figures) {
    bones.forEach(({ parent, damping }, b) => {
      const { velocity, spin } = states[first + b];
      const turn = parent < 0 ? spin : plus(spin, states[first + parent].spin, -1);
      power += damping.move * dot(velocity, velocity) + damping.turn * dot(turn, turn);
    });
    first += bones.length;
  }
  return power;
}

export function centerOf({ center }: Bone, { position, rotation }: BodyState): number[] {
  return plus(position, rotate(rotation, center));
}
