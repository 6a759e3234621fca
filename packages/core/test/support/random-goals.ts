import type { Figure } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { randomQuat, randomTriple } from './random-figure.js';

/** A goal of each type on bone 7, its target in the world and on bone 5. */
export const goalKinds: Readonly<Record<string, (random: () => number) => Goal>> = {
  'position, target in the world': (random) => ({
    type: 'position',
    bone: 7,
    point: randomTriple(random),
    target: randomTriple(random),
    weight: 2.5,
  }),
  'position, target on the figure': (random) => ({
    type: 'position',
    bone: 7,
    point: randomTriple(random),
    target: { bone: 5, point: randomTriple(random) },
  }),
  'orientation, target in the world': (random) => ({
    type: 'orientation',
    bone: 7,
    offset: randomQuat(random),
    target: randomQuat(random),
    weight: 0.3,
  }),
  'orientation, target on the figure': (random) => ({
    type: 'orientation',
    bone: 7,
    target: { bone: 5, offset: randomQuat(random) },
  }),
  'points-at, target in the world': (random) => ({
    type: 'points-at',
    bone: 7,
    axis: randomTriple(random),
    origin: randomTriple(random, 0.2),
    target: randomTriple(random, 3),
  }),
  'points-at, target on the figure': (random) => ({
    type: 'points-at',
    bone: 7,
    axis: randomTriple(random),
    target: { bone: 5, point: randomTriple(random, 2) },
  }),
};

/** Whether only joints that the goal cannot feel stand between its bone and the bone that carries its target. */
export function rigidlyTied(figure: Figure, bone: number, goal: Goal): boolean {
  if (!('bone' in goal.target)) return false;
  const body = (start: number): number => {
    let b = start;
    const tied = goal.type === 'orientation' ? ['fixed', 'slider'] : ['fixed'];
    while (tied.includes(figure.bones[b].joint.type) && figure.bones[b].parent >= 0)
      b = figure.bones[b].parent;
    return b;
  };
  return body(bone) === body(Number(goal.target.bone));
}
