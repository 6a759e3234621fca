import { threadTime } from '@poise/test-support/thread-time';
import { createRagdoll } from 'poise/dynamics';
import {
  type BoneData,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
} from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { testRandom } from '../../support/random-figure.js';

/** A free root and `count` balls below it; `parentOf` says where each hangs. */
function tree(count: number, parentOf: (bone: number) => number, hasTips = true): Figure {
  const bones: BoneData[] = Array.from({ length: count }, (_, b) => ({
    name: `bone ${b}`,
    ...(b > 0 && { parent: `bone ${parentOf(b)}` }),
    rest: { position: [0.02 * (b % 3), 0.1, 0.01 * (b % 5)] },
    joint: { type: b === 0 ? 'free' : 'ball' },
    ...(hasTips && { tip: [0.01 * (b % 4), 0.1, 0] as const }),
  }));
  return createFigure({ name: 'tree', bones });
}

describe('passive damping', () => {
  test('is that of the subtree and of the rest of the tree, summed bone by bone', () => {
    const draw = testRandom(7);
    const figure = tree(60, (b) => Math.floor(draw() * b));
    const { damping, figure: made, height } = createRagdoll(figure, { settlingTime: 0.5 });
    const state = createState(made);
    forwardKinematics(state, createPose(made));
    const frame = (b: number) => state.worldFromBone.subarray(12 * b, 12 * b + 12);
    for (const { index, coordinate } of made.bones.slice(1)) {
      const isInside = (b: number): boolean => b === index || (b > index && isInside(made.parents[b]));
      const reducedInertia = [true, false].map((side) => {
        const bodies = made.bones.filter((bone) => isInside(bone.index) === side);
        const masses = bodies.map(({ mass = 0 }) => mass);
        const centers = bodies.map((bone) =>
          rigid.transformPoint(frame(bone.index), bone.centerOfMass ?? [0, 0, 0]),
        );
        const mass = masses.reduce((a, b) => a + b, 0);
        const mean = [0, 1, 2].map((k) => centers.reduce((sum, c, n) => sum + (masses[n] * c[k]) / mass, 0));
        const spread = centers.reduce((sum, c, n) => sum + masses[n] * vec3.distance(c, mean) ** 2, 0);
        const own = bodies.reduce(
          (sum, { inertia = [0, 0, 0] }) => sum + inertia[0] + inertia[1] + inertia[2],
          0,
        );
        const joint = rigid.toPosition(frame(index));
        const distance = vec3.distance(mean, joint) ** 2;
        return Math.max(own / 2 + spread + mass * distance, mass * (0.12 * height) ** 2);
      });
      const [inside, outside] = reducedInertia;
      const expected = 1 / (1 / inside + 1 / outside) / 0.5;
      for (let k = 0; k < 3; k++) expect(damping[coordinate + k] / expected).toBeCloseTo(1, 9);
    }
  });
});

/** Processor time of a call, ms. */
function timeOf(call: () => void): number {
  const start = threadTime();
  call();
  return threadTime() - start;
}

describe('the time to make a ragdoll', () => {
  test.each([
    ['a chain', 500, (b: number) => b - 1, true],
    ['a star', 500, () => 0, true],
    // Ends that are sought among all bones took 150 times as long.
    ['a chain without tips', 500, (b: number) => b - 1, false],
  ])('grows with the number of bones, and not with its square: %s', (_, count, parentOf, hasTips) => {
    const [small, large] = [tree(count, parentOf, hasTips), tree(16 * count, parentOf, hasTips)];
    // Collections of garbage and a busy machine only add to a time: the least of each, of as many as it takes.
    let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let run = 0; run < 12 && !(run >= 4 && long / short < 36); run++) {
      short = Math.min(
        short,
        timeOf(() => createRagdoll(small)),
      );
      long = Math.min(
        long,
        timeOf(() => createRagdoll(large)),
      );
    }
    // 16 times the bones; sums over all other bones for each bone took 51 to 64 times as long.
    expect(long / short).toBeLessThan(36);
  });
});
