import {
  createRagdoll,
  createSimulation,
  type MotorGains,
  type Simulation,
} from '../../../src/dynamics/index.js';
import { createPose, type Figure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';

export const human: Figure = createHumanFigure();
export const ragdoll = createRagdoll(human);
export const DT = 1 / 120;
export const DEGREE = Math.PI / 180;

/** The built-in human on a floor. */
export function standing(): Simulation {
  const { figure, shapes, exclude, damping } = ragdoll;
  return createSimulation([{ figure, shapes, exclude, damping }], {
    world: [{ type: 'plane', friction: 0.8 }],
  });
}

/** Every joint of the built-in human swings, each at its own phase; the root is fixed. */
export function swinging(time: number, hertz: number, size: number): Float64Array {
  const pose = createPose(human);
  for (const { joint, coordinate, dof, index } of human.bones) {
    if (joint.type === 'free') continue;
    for (let k = 0; k < dof; k++) {
      // Some joints reach no further than rest to one side: start from a little inside, one way for all.
      pose[coordinate + k] = size * (Math.sin(2 * Math.PI * hertz * time + index) + 1.5);
    }
  }
  return pose;
}

/** Largest relative excess of a drive's force over its bound. */
export function overload(
  forces: Float64Array,
  { maxForce }: MotorGains,
  weightOf: (i: number) => number,
): number {
  let worst = 0;
  for (const { coordinate, dof, joint } of human.bones) {
    const groups =
      joint.type === 'free'
        ? [
            [0, 1, 2],
            [3, 4, 5],
          ]
        : Array.from({ length: dof }, (_, k) => [k]);
    for (const group of groups) {
      const size = Math.hypot(...group.map((k) => forces[coordinate + k]));
      const max = weightOf(coordinate + group[0]) * maxForce[coordinate + group[0]];
      worst = Math.max(worst, max > 0 ? size / max - 1 : size);
    }
  }
  return worst;
}
