import { ARTICULATED, C } from '../articulated.js';
import { placeBones } from '../place.js';
import type { Actor } from './actor.js';
import { writeBoneVelocities } from './tree-motion.js';
import { placeTreeSystem } from './tree-system.js';

/** m from a bone's origin at which its turning counts as a speed. */
const TURNING_ARM = 0.2;

/** Brings all of an actor to its pose and velocities: bones, inertias, energies, speed. */
export function placeActor({ pose, nu, work }: Actor, gravity: Float64Array): void {
  placeBones(work.dynamics, pose);
  placeTreeSystem(work.tree);
  writeBoneVelocities(work.dynamics, nu, work.boneVelocity);
  work.placed = true;
  weigh(work, nu, gravity);
}

/** Energies, drift and speed by the bones' velocities. */
function weigh(work: Actor['work'], nu: Float64Array, gravity: Float64Array): void {
  const { dynamics, tree, boneVelocity: motion, drift } = work;
  const { moments, state, armature } = dynamics;
  const { rigid } = tree;
  let twice = 0;
  let potential = 0;
  let speed = 0;
  let [px, py, pz] = [0, 0, 0];
  for (let b = 0; 6 * b < motion.length; b++) {
    const o = 6 * b;
    const i = ARTICULATED * b;
    const h = 3 * b;
    const x = motion[o];
    const y = motion[o + 1];
    const z = motion[o + 2];
    const u = motion[o + 3];
    const v = motion[o + 4];
    const w = motion[o + 5];
    const mass = rigid[i + C];
    // w x h: momentum is m v + w x h, and twice the energy w . A w + 2 v . (w x h) + m v^2
    const cx = y * moments[h + 2] - z * moments[h + 1];
    const cy = z * moments[h] - x * moments[h + 2];
    const cz = x * moments[h + 1] - y * moments[h];
    px += mass * u + cx;
    py += mass * v + cy;
    pz += mass * w + cz;
    twice +=
      rigid[i] * x * x +
      rigid[i + 1] * y * y +
      rigid[i + 2] * z * z +
      2 * (rigid[i + 3] * x * y + rigid[i + 4] * x * z + rigid[i + 5] * y * z) +
      2 * (u * cx + v * cy + w * cz) +
      mass * (u * u + v * v + w * w);
    const e = 12 * b + 9;
    for (let k = 0; k < 3; k++)
      potential -= gravity[k] * (mass * state.worldFromBone[e + k] + moments[h + k]);
    const fast = Math.sqrt(u * u + v * v + w * w) + TURNING_ARM * Math.sqrt(x * x + y * y + z * z);
    if (!(fast <= speed)) speed = fast;
  }
  for (let i = 0; i < nu.length; i++) twice += armature[i] * nu[i] * nu[i];
  work.kinetic = 0.5 * twice;
  work.potential = potential;
  work.speed = speed;
  drift[0] = px / work.mass;
  drift[1] = py / work.mass;
  drift[2] = pz / work.mass;
}

/**
 * Takes from an actor's motion what energy it has beyond `most`: first order as the step is, it would make some out of turning limbs. Of a figure
 * whose root is free the centre of mass goes on as it did, of another all slows down.
 */
export function holdEnergy(actor: Actor, most: number, gravity: Float64Array): void {
  const { figure, nu, work } = actor;
  const excess = work.kinetic + work.potential - most;
  if (!(excess > 0)) return;
  const { drift, mass, dynamics } = work;
  const free = figure.bones[0].joint.type === 'free' && !figure.parents.includes(-1, 1);
  const drifting = free ? 0.5 * mass * (drift[0] ** 2 + drift[1] ** 2 + drift[2] ** 2) : 0;
  const inner = work.kinetic - drifting;
  if (!(inner > 0)) return;
  const scale = Math.sqrt(Math.max(0, 1 - excess / inner));
  for (let i = 0; i < nu.length; i++) nu[i] *= scale;
  if (free) {
    // The root's velocity is in its rest axes: columns of its position.
    const { columnsNu } = dynamics.state;
    for (let i = 0; i < 3; i++) {
      const c = 6 * i + 3;
      const along = columnsNu[c] * drift[0] + columnsNu[c + 1] * drift[1] + columnsNu[c + 2] * drift[2];
      nu[i] += (1 - scale) * along;
    }
  }
  writeBoneVelocities(dynamics, nu, work.boneVelocity);
  weigh(work, nu, gravity);
}
