import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkPose,
  clampToLimits,
  createFigure,
  createPose,
  createState,
  forwardKinematics,
  limitViolation,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createRandom, expectSameBits, randomPose, within } from './support.js';

const human = createHumanFigure();

describe('clampToLimits', () => {
  test('a clamped pose has no violation, and clamping again changes nothing', () => {
    const coordinate = fc.oneof(
      fc.double({ min: -4, max: 4, noNaN: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 5e-324, 1e-300, 1e300, -1e300),
    );
    fc.assert(
      fc.property(fc.array(coordinate, { minLength: human.dof, maxLength: human.dof }), (values) => {
        const pose = Float64Array.from(values);
        clampToLimits(human, pose);
        expect(limitViolation(human, pose)).toBe(0);
        const again = Float64Array.from(pose);
        expect(clampToLimits(human, again)).toBe(false);
        expectSameBits(again, pose);
      }),
      { numRuns: 300 },
    );
  });

  test('allowed poses are unchanged to the bit; returns whether a coordinate changed', () => {
    const random = createRandom(600);
    for (let n = 0; n < 200; n++) {
      const pose = randomPose(human, random, 2 * random());
      const before = Float64Array.from(pose);
      const violation = limitViolation(human, pose);
      const changed = clampToLimits(human, pose);
      expect(changed).toBe(violation > 0);
      if (!changed) expectSameBits(pose, before);
    }
    const inside = human.limitComponents.length;
    expect(inside).toBeGreaterThan(0);
  });

  test('is the nearest allowed pose: no allowed pose is nearer', () => {
    const random = createRandom(601);
    for (let n = 0; n < 100; n++) {
      const pose = randomPose(human, random);
      const clamped = Float64Array.from(pose);
      clampToLimits(human, clamped);
      const distance = (a: Float64Array) => Math.hypot(...a.map((x, i) => x - pose[i]));
      for (let m = 0; m < 10; m++) {
        const other = clamped.map((x) => x + within(random, 0.1));
        clampToLimits(human, other);
        expect(distance(other)).toBeGreaterThanOrEqual(distance(clamped) - 1e-14);
      }
    }
  });

  test('works on plain arrays', () => {
    const pose = Array.from({ length: human.dof }, () => 9);
    expect(clampToLimits(human, pose)).toBe(true);
    expect(limitViolation(human, pose)).toBe(0);
  });
});

describe('limitViolation', () => {
  test('is the distance to the allowed set of the worst component, in rad or m', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'hinge', axis: [1, 0, 0] },
          limit: { type: 'interval', min: -1, max: 1 },
        },
        { name: 'b', joint: { type: 'swing', axis: [1, 0, 0] }, limit: { type: 'cone', halfAngle: 0.5 } },
      ],
    });
    expect(limitViolation(figure, [0, 0, 0])).toBe(0);
    expect(limitViolation(figure, [1.25, 0, 0])).toBe(0.25);
    expect(limitViolation(figure, [1.25, 3, 4])).toBeCloseTo(4.5, 14);
    expect(limitViolation(figure, [0, 1e300, 0])).toBe(1e300);
  });
});

describe('createPose', () => {
  test('is rest where the limits allow it, else the nearest allowed pose', () => {
    expect(createPose(human)).toEqual(new Float64Array(53));
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'hinge', axis: [1, 0, 0] },
          limit: { type: 'interval', min: 0.2, max: 1 },
        },
      ],
    });
    expect(createPose(figure)).toEqual(Float64Array.of(0.2));
  });
});

describe('checkPose', () => {
  test('accepts what fits and names what does not', () => {
    checkPose(human, createPose(human));
    expect(() => checkPose(human, new Float64Array(3), 'clip.pose')).toThrow(
      expect.objectContaining({
        code: 'wrong-size',
        path: 'clip.pose',
        remedy: expect.stringContaining('createPose'),
      }),
    );
    const pose = createPose(human);
    pose[7] = Number.NaN;
    expect(() => checkPose(human, pose)).toThrow(
      expect.objectContaining({
        code: 'not-finite',
        path: 'pose[7]',
        message: expect.stringContaining(`bone 'spine'`),
      }),
    );
  });
});

describe('a pose that is none', () => {
  const pose = createPose(human);
  pose[7] = Number.NaN;

  test('has no limit violation: NaN is not allowed, nor 0 rad away', () => {
    expect(() => limitViolation(human, pose)).toThrow(
      expect.objectContaining({ code: 'not-finite', path: 'pose[7]' }),
    );
    expect(() => limitViolation(human, new Float64Array(3))).toThrow(
      expect.objectContaining({ code: 'wrong-size', path: 'pose' }),
    );
  });

  test('of another length is refused by forward kinematics', () => {
    const state = createState(human);
    const before = state.worldFromBone.slice();
    for (const dof of [0, human.dof - 1, human.dof + 1]) {
      expect(() => forwardKinematics(state, new Float64Array(dof))).toThrow(
        expect.objectContaining({ code: 'wrong-size', remedy: expect.stringContaining('createPose') }),
      );
    }
    expectSameBits(state.worldFromBone, before);
  });
});
