import type { Figure } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { evaluate, type Problem } from '../../src/ik/problem/problem.js';
import { randomQuat, randomTriple } from './random-figure.js';

/** Goals of each type and form on bone 7, their targets in the world and on bone 5. */
export const goalKinds: Readonly<Record<string, (random: () => number, figure: Figure) => Goal>> = {
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
  'position with a mask, target in the world': (random) => ({
    type: 'position',
    bone: 7,
    point: randomTriple(random),
    target: randomTriple(random),
    mask: [1, 0, 0.6],
  }),
  'position with a mask, target on the figure': (random) => ({
    type: 'position',
    bone: 7,
    point: randomTriple(random),
    target: { bone: 5, point: randomTriple(random) },
    mask: [0.3, 1, 0],
  }),
  'orientation with a mask, target in the world': (random) => ({
    type: 'orientation',
    bone: 7,
    offset: randomQuat(random),
    target: randomQuat(random),
    mask: [1, 0.5, 0],
    weight: 0.4,
  }),
  'orientation with a mask, target on the figure': (random) => ({
    type: 'orientation',
    bone: 7,
    target: { bone: 5, offset: randomQuat(random) },
    mask: [0, 1, 0.7],
  }),
  'points-at with an up axis': (random) => ({
    type: 'points-at',
    bone: 7,
    axis: randomTriple(random),
    target: randomTriple(random, 3),
    up: { axis: randomTriple(random), direction: randomTriple(random) },
  }),
  'look-at': (random) => ({
    type: 'look-at',
    bone: [7, 5],
    axis: randomTriple(random),
    target: randomTriple(random, 3),
    up: { axis: randomTriple(random) },
    chain: [
      { bone: 7, share: 1 },
      { bone: 6, share: 0.5 },
      { bone: 5, share: 0.2 },
      { bone: 0, share: 2 },
    ],
  }),
  'pole, target in the world': (random) => ({
    type: 'pole',
    bone: 7,
    middle: 6,
    start: 2,
    target: randomTriple(random, 2),
  }),
  'pole, target on the figure': (random) => ({
    type: 'pole',
    bone: 7,
    middle: 5,
    start: 1,
    target: { bone: 3, point: randomTriple(random, 2) },
  }),
  'distance from a target in the world': (random) => ({
    type: 'distance',
    bone: 7,
    point: randomTriple(random),
    target: randomTriple(random, 2),
    distance: 0.7,
  }),
  'distance from a target on the figure': (random) => ({
    type: 'distance',
    bone: 7,
    target: { bone: 5, point: randomTriple(random, 2) },
    distance: 0.7,
  }),
  'a plane of the world': (random) => ({
    type: 'plane',
    bone: 7,
    point: randomTriple(random),
    target: { point: randomTriple(random), normal: randomTriple(random, 3) },
  }),
  'a plane on the figure': (random) => ({
    type: 'plane',
    bone: 7,
    point: randomTriple(random),
    target: { bone: 5, point: randomTriple(random), normal: randomTriple(random) },
  }),
  'a half-space, violated': (random) => ({
    type: 'half-space',
    bone: 7,
    point: randomTriple(random),
    target: { bone: 5, point: randomTriple(random), normal: randomTriple(random) },
    clearance: 30,
  }),
  'a pose relative to another bone': (random) => ({
    type: 'relative-pose',
    bone: 7,
    point: randomTriple(random),
    offset: randomQuat(random),
    target: { bone: 5, point: randomTriple(random), offset: randomQuat(random) },
    positionMask: [1, 1, 0.5],
    orientationMask: [0.2, 1, 1],
  }),
  'centre of mass at a target': (random) => ({
    type: 'center-of-mass',
    target: randomTriple(random),
    mask: [1, 0.3, 1],
  }),
  'centre of mass over an edge of a support': (random) => ({
    type: 'center-of-mass',
    support: [
      [9, 0, -30],
      [9, 0, 30],
      [10, 0, random()],
    ],
    up: [0.1, 1, 0],
  }),
  'centre of mass over a corner of a support': (random) => ({
    type: 'center-of-mass',
    support: [
      [9, 0, 0],
      [30, random(), 20],
      [30, 0, -20],
    ],
  }),
  'posture of all joints': () => ({ type: 'posture' }),
  'posture of some joints about a pose': (random, figure) => ({
    type: 'posture',
    bones: [1, 3, 4, 6, 7],
    stiffness: [1, 2, 0.5, 3, 0.1],
    reference: Float64Array.from({ length: figure.dof }, () => 2 * random() - 1),
  }),
  'a mirror in the middle': (random) => ({
    type: 'mirror',
    bone: 7,
    of: 5,
    points: [[0, 0, 0], randomTriple(random), randomTriple(random)],
  }),
  'a mirror in the world': (random) => ({
    type: 'mirror',
    bone: 7,
    of: 5,
    plane: { point: randomTriple(random), normal: randomTriple(random) },
  }),
};

/** Whether f bends too sharply at a pose for differences: angles near the cut of a logarithm, or directions from close by. */
export function tooSharp(problem: Problem, pose: Float64Array, nearTheCut: number): boolean {
  evaluate(problem, pose);
  return problem.goals.some(({ unit }, n) => unit === 'angle' && problem.norms[n] > nearTheCut);
}
