import { describe, expect, test } from 'vitest';
import { createFigure, createPose } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { motionFromPoses } from '../../src/motion/index.js';
import { createLiveRetargeter, retargetMotion, retargetPose } from '../../src/retarget/index.js';
import { createLegOrientations, longestReach, solveLeg } from '../../src/retarget/pose/leg.js';
import { createRetargeter } from '../../src/retarget/retargeter.js';
import { matrixFromRotationVector } from '../../src/rotation/index.js';
import { random } from '../robot/support.js';

const human = createHumanFigure();
/** The same with knees that are balls. */
const free = createFigure({
  bones: human.bones.map(({ name, parent, rest, joint, limit }) => ({
    name,
    parent: parent < 0 ? null : human.bones[parent].name,
    rest,
    ...(/LowerLeg$/.test(name) ? { joint: { type: 'ball' } as const } : { joint, ...(limit && { limit }) }),
  })),
});

const times = (m: ArrayLike<number>, v: ArrayLike<number>): number[] =>
  [0, 3, 6].map((r) => m[r] * v[0] + m[r + 1] * v[1] + m[r + 2] * v[2]);
const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe.each([
  ['hinges', human],
  ['balls', free],
])('a leg with knees that are %s', (_, figure) => {
  const [leg] = createRetargeter(human, figure).alignment.legs;
  const signed = random(1);
  const draw = (): number => 0.5 * (signed() + 1);
  const orientation = (size: number): Float64Array =>
    matrixFromRotationVector(
      [0, 1, 2].map(() => size * (draw() - 0.5)),
      new Float64Array(9),
    );
  const point = (size: number): Float64Array => Float64Array.from([0, 1, 2].map(() => size * (draw() - 0.5)));

  test('brings its ankle to any place that it reaches, and points at others; thigh and shank stay rotations', () => {
    const carried = createLegOrientations();
    const out = createLegOrientations();
    let reached = 0;
    let skew = 0;
    for (let n = 0; n < 600; n++) {
      carried.thigh.set(orientation(2));
      carried.shank.set(orientation(2));
      const hip = point(1);
      const target = Float64Array.from(point(1.2), (x, k) => hip[k] + x);
      solveLeg(leg, carried, hip, target, 2 * (draw() - 0.5), out);
      for (const m of [out.thigh, out.shank]) {
        const columns = [0, 1, 2].map((c) => [m[c], m[c + 3], m[c + 6]]);
        for (let a = 0; a < 3; a++) {
          for (let b = 0; b < 3; b++) {
            const dot = columns[a].reduce((sum, x, k) => sum + x * columns[b][k], 0);
            skew = Math.max(skew, Math.abs(dot - (a === b ? 1 : 0)));
          }
        }
      }
      const ankle = times(out.thigh, leg.knee).map((x, k) => x + times(out.shank, leg.ankle)[k] + hip[k]);
      const length = distance(hip, target);
      const inRange = distance(hip, ankle);
      if (Math.abs(inRange - length) < 1e-9) {
        expect(distance(ankle, target)).toBeLessThan(1e-8);
        reached++;
      } else {
        // As long as it can be, or as short.
        const along = target.map((x, k) => hip[k] + ((x - hip[k]) * inRange) / length);
        expect(distance(ankle, along)).toBeLessThan(1e-8);
        const carriedLine = times(carried.thigh, leg.knee).map(
          (x, k) => x + times(carried.shank, leg.ankle)[k],
        );
        const longest = longestReach(leg, Math.hypot(...carriedLine));
        if (length > inRange) expect(inRange).toBeGreaterThan(longest - 0.05 * leg.reach);
      }
    }
    expect(skew).toBeLessThan(1e-12);
    expect(reached).toBeGreaterThan(150);
  });

  test('a leg that is asked for what it has stays as it is', () => {
    const { hinge } = leg;
    let change = 0;
    const carried = createLegOrientations();
    const out = createLegOrientations();
    for (let n = 0; n < 200; n++) {
      carried.thigh.set(orientation(3));
      const flexion = 0.3 + 1.5 * draw();
      const axis = hinge === undefined ? leg.kneeAxis : hinge.shankAxis;
      const bend = matrixFromRotationVector(axis.map((x) => flexion * x));
      const from = hinge === undefined ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : hinge.thighFromShank;
      const local = [0, 3, 6].flatMap((r) =>
        [0, 1, 2].map((c) => from[r] * bend[c] + from[r + 1] * bend[c + 3] + from[r + 2] * bend[c + 6]),
      );
      carried.shank.set(
        [0, 3, 6].flatMap((r) =>
          [0, 1, 2].map(
            (c) =>
              carried.thigh[r] * local[c] +
              carried.thigh[r + 1] * local[c + 3] +
              carried.thigh[r + 2] * local[c + 6],
          ),
        ),
      );
      const hip = point(1);
      const target = Float64Array.from(
        times(carried.thigh, leg.knee).map((x, k) => x + times(carried.shank, leg.ankle)[k] + hip[k]),
      );
      solveLeg(leg, carried, hip, target, 0, out);
      for (const name of ['thigh', 'shank'] as const)
        for (let i = 0; i < 9; i++) change = Math.max(change, Math.abs(out[name][i] - carried[name][i]));
    }
    expect(change).toBeLessThan(1e-7);
  });
});

test('a leg without a shank is carried: poses are finite, offline and live', () => {
  const short = createFigure({
    bones: free.bones.map(({ name, parent, rest, joint, limit }) => ({
      name,
      parent: parent < 0 ? null : free.bones[parent].name,
      rest: name === 'leftFoot' ? { ...rest, position: [0, 0, 0] as const } : rest,
      joint,
      ...(limit && { limit }),
    })),
  });
  const retargeter = createRetargeter(human, short);
  expect(retargeter.alignment.legs.map(({ name }) => name)).toEqual(['right']);
  const poses = [0, 1, 2, 3].map((f) => createPose(human).map((x, i) => (i > 5 ? 0.1 * f : x)));
  const motion = motionFromPoses(human, [0, 0.1, 0.2, 0.3], poses);
  const { report } = retargetMotion(retargeter, motion);
  expect(report.summary.frames).toBeGreaterThan(3);
  const out = createPose(short);
  const live = createLiveRetargeter(retargeter);
  for (const [f, pose] of poses.entries()) retargetPose(live, pose, 0.1 * f, out);
  expect(out.every(Number.isFinite)).toBe(true);
});
