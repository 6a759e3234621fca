import { expect, test } from 'vitest';
import { clampToLimits, createPose, limitViolation } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import {
  chainOf,
  type PointGoal,
  placeChain,
  reachPoints,
  writeGoalJacobian,
} from '../../src/retarget/pose/chain.js';
import { createJointWriter } from '../../src/retarget/pose/joint-writer.js';

const figure = createHumanFigure();
const bone = (name: string): number => figure.bones.findIndex((each) => each.name === name);
const chain = chainOf(figure, bone('leftUpperLeg'), bone('leftFoot'));
const end = chain.path[chain.path.length - 1];
const UP = [0, 1, 0];
const LENGTH = 0.8;

/** Numbers from 0 to 1, the same in each run (Park and Miller 1988). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function at(world: Float64Array, { point }: PointGoal): number[] {
  const o = 12 * end;
  return [0, 1, 2].map(
    (r) =>
      world[o + 3 * r] * point[0] +
      world[o + 3 * r + 1] * point[1] +
      world[o + 3 * r + 2] * point[2] +
      world[o + 9 + r],
  );
}

const goals: PointGoal[] = [
  { point: [0, 0, 0], target: [0, 0, 0], horizontal: 0.03, vertical: 0.03 },
  { point: [0.02, -0.05, 0.12], target: [0, 0, 0], horizontal: 1, vertical: 1 },
  { point: [0.05, -0.05, -0.03], target: [0, 0, 0], horizontal: 0, vertical: 0.2 },
];

test('derivatives of weighted points are the finite differences', () => {
  const random = createRandom();
  const joints = createJointWriter(figure);
  const m = 3 * goals.length;
  const jacobian = new Float64Array(m * chain.coordinates.length);
  const weighted = (pose: Float64Array): number[] => {
    placeChain(joints, chain, pose);
    return goals.flatMap((goal) =>
      at(joints.world, goal).map((x, k) => ((k === 1 ? goal.vertical : goal.horizontal) * x) / LENGTH),
    );
  };
  for (let round = 0; round < 20; round++) {
    const pose = createPose(figure);
    for (const i of chain.coordinates) pose[i] = 2 * (random() - 0.5);
    placeChain(joints, chain, pose);
    writeGoalJacobian(joints, chain, goals, UP, LENGTH, pose, jacobian);
    chain.coordinates.forEach((i, c) => {
      const [more, less] = [1e-6, -1e-6].map((step) => {
        const moved = pose.slice();
        moved[i] += step;
        return weighted(moved);
      });
      for (let k = 0; k < m; k++) expect(jacobian[m * c + k]).toBeCloseTo((more[k] - less[k]) / 2e-6, 7);
    });
  }
});

test('a sole comes to where it is in another pose within the limits, and no limit is left', () => {
  const random = createRandom();
  const joints = createJointWriter(figure);
  const randomPose = (): Float64Array => {
    const pose = createPose(figure);
    for (const i of chain.coordinates) pose[i] = 2 * (random() - 0.5);
    clampToLimits(figure, pose);
    return pose;
  };
  const points = [
    [0, -0.07, -0.04],
    [0, -0.07, 0.13],
  ];
  let reached = 0;
  for (let round = 0; round < 200; round++) {
    const from = randomPose();
    const to = randomPose().map((q, i) => from[i] + 0.3 * (q - from[i]));
    placeChain(joints, chain, to);
    const targets = points.map((point): PointGoal => {
      const goal = { point, target: [0, 0, 0], horizontal: 1, vertical: 1 };
      return { ...goal, target: at(joints.world, goal) };
    });
    if (reachPoints(joints, chain, targets, UP, LENGTH, from) < 1e-3) reached++;
    expect(limitViolation(figure, from)).toBeLessThan(1e-9);
  }
  expect(reached / 200).toBeGreaterThan(0.98);
});
