import * as fc from 'fast-check';
import { DomainError, FigureError, GoalError } from 'poise';
import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitViolation,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { aimBoneAt, pointsAtInObject, pointsAtInWorld, pointsAtRotation } from 'poise/ik';
import { quat, rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { randomFigure, randomPose, randomTriple, testRandom } from '../support/random-figure.js';

const direction = fc
  .tuple(
    ...([0, 1, 2].map(() => fc.double({ min: -1, max: 1, noNaN: true })) as [
      fc.Arbitrary<number>,
      fc.Arbitrary<number>,
      fc.Arbitrary<number>,
    ]),
  )
  .filter((v) => Math.hypot(...v) > 1e-3);

const unit = (v: readonly number[]): number[] => v.map((x) => x / Math.hypot(...v));
const gap = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

function at(figure: Figure, pose: Float64Array): FigureState {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state;
}

describe('pointsAtRotation', () => {
  it('takes one direction to the other by the smallest rotation', () => {
    fc.assert(
      fc.property(direction, direction, (a, b) => {
        const q = pointsAtRotation(a, b);
        expect(gap(quat.rotate(q, unit(a)), unit(b))).toBeLessThan(1e-14);
        expect(Math.abs(quat.norm(q) - 1)).toBeLessThan(4e-16);
        // Smallest: the axis is across both, and the angle is that between them.
        expect(Math.abs(vec3.dot([q[0], q[1], q[2]], unit(a)))).toBeLessThan(1e-14);
        expect(q[3]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('is accurate from parallel to antiparallel', () => {
    for (const angle of [0, 1e-300, 1e-160, 1e-16, 1e-8, 1e-4, 0.1, 1, 3, Math.PI - 1e-4, Math.PI - 1e-8]) {
      const q = pointsAtRotation([1, 0, 0], [Math.cos(angle), Math.sin(angle), 0]);
      const half = Math.atan2(q[2], q[3]);
      expect(Math.abs(2 * half - angle)).toBeLessThanOrEqual(4e-16 * Math.max(angle, 1e-300));
    }
    // Near pi the direction itself is known to 1e-16 across, which is all that is left of the angle to pi.
    const q = pointsAtRotation([1, 0, 0], [-1, 1e-12, 0]);
    expect(gap(quat.rotate(q, [1, 0, 0]), [-1, 1e-12, 0])).toBeLessThan(4e-16);
  });

  it('rotates exactly opposite directions by pi, deterministically', () => {
    for (const v of [
      [1, 0, 0],
      [0, -3, 0],
      [1, 2, 3],
      [1e-9, 1, 1e-9],
    ]) {
      const opposite = v.map((x) => -x);
      const q = pointsAtRotation(v, opposite);
      expect(gap(quat.rotate(q, unit(v)), unit(opposite))).toBeLessThan(1e-15);
      expect(q).toEqual(pointsAtRotation(v, opposite));
    }
  });

  it('refuses a direction of length zero', () => {
    expect(() => pointsAtRotation([0, 0, 0], [1, 0, 0])).toThrow(DomainError);
  });
});

describe('the two options of the lecture notes agree where both apply', () => {
  it('[T R ...] R_object equals T R_world T^-1 [T R ...], for targets in the world and on the figure', () => {
    const random = testRandom(5);
    for (let n = 0; n < 200; n++) {
      const figure = randomFigure(random, 8, false);
      const state = at(figure, randomPose(figure, random, 3));
      const bone = 1 + Math.floor(7 * random());
      const axis = randomTriple(random);
      const other = (bone + 1 + Math.floor(6 * random())) % 8;
      const target =
        random() < 0.5 ? randomTriple(random, 2) : { bone: other, point: randomTriple(random, 0.5) };
      const inWorld = pointsAtInWorld(state, bone, axis, target);
      const constraint = rigid.fromQuatPosition(pointsAtInObject(state, bone, axis, target), [0, 0, 0]);
      const inObject = rigid.compose(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), constraint);
      expect(gap(Array.from(inWorld), inObject)).toBeLessThan(1e-13);
      // And both point: the axis in world, against the line of sight.
      const goal =
        'length' in target
          ? target
          : rigid.transformPoint(
              state.worldFromBone.subarray(12 * target.bone, 12 * target.bone + 12),
              target.point,
            );
      const sight = vec3.subtract(goal, rigid.toPosition(inObject));
      expect(gap(unit(rigid.transformVector(inObject, axis)), unit(sight))).toBeLessThan(1e-12);
      // The joint stays where it was.
      expect(
        gap(
          rigid.toPosition(inWorld),
          rigid.toPosition(state.worldFromBone.subarray(12 * bone, 12 * bone + 12)),
        ),
      ).toBeLessThan(1e-14);
    }
  });
});

describe('aimBoneAt', () => {
  const figure = createHumanFigure();
  const calf = boneIndex(figure, 'leftLowerLeg');
  const thigh = boneIndex(figure, 'leftUpperLeg');
  const ankle = { bone: boneIndex(figure, 'rightFoot') };

  it('points a ball joint exactly: left thigh at right ankle, within its limits', () => {
    const pose = createPose(figure);
    const state = at(figure, pose);
    const result = aimBoneAt(state, pose, thigh, [0, -1, 0], ankle);
    expect(result.angle).toBeLessThan(1e-14);
    expect(result.limited).toBe(false);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('keeps to the limits of the joint and reports them: a knee does not bend sideways to the other ankle', () => {
    const pose = createPose(figure);
    const state = at(figure, pose);
    const before = pose.slice();
    const result = aimBoneAt(state, pose, calf, [0, -1, 0], ankle);
    expect(result.angle).toBeGreaterThan(0.3);
    expect(limitViolation(figure, pose)).toBe(0);
    // Only the knee may have moved.
    pose.forEach((x, i) => {
      if (figure.boneOfCoordinate[i] !== calf) expect(x).toBe(before[i]);
    });
  });

  it('reports a limit that stops it, at the limit', () => {
    const pose = createPose(figure);
    const state = at(figure, pose);
    const head = boneIndex(figure, 'head');
    const result = aimBoneAt(state, pose, head, [0, 0, 1], [0, 1.6, -3]);
    expect(result.limited).toBe(true);
    expect(result.angle).toBeGreaterThan(1);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('refuses a bone that cannot rotate and a target at the joint', () => {
    const rail = createFigure({ bones: [{ name: 'rail', joint: { type: 'slider', axis: [1, 0, 0] } }] });
    const still = createPose(rail);
    expect(() => aimBoneAt(at(rail, still), still, 0, [1, 0, 0], [0, 1, 0])).toThrow(GoalError);
    const pose = createPose(figure);
    const state = at(figure, pose);
    expect(() => aimBoneAt(state, pose, calf, [0, -1, 0], { bone: calf })).toThrow(GoalError);
    const o = 12 * calf + 9;
    const joint = Array.from(state.worldFromBone.subarray(o, o + 3));
    expect(() => aimBoneAt(state, pose, calf, [0, -1, 0], joint)).toThrow(DomainError);
    for (const odd of [99, 'calf', 1.5]) {
      expect(() => aimBoneAt(state, pose, odd, [0, -1, 0], ankle)).toThrow(FigureError);
      expect(() => pointsAtInObject(state, odd, [0, -1, 0], ankle)).toThrow(FigureError);
      expect(() => pointsAtInWorld(state, odd, [0, -1, 0], ankle)).toThrow(FigureError);
    }
    expect(() => pointsAtInObject(state, calf, [0, -1, 0], [0, Number.NaN, 0])).toThrow(GoalError);
  });
});
