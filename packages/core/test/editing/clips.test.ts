import fc from 'fast-check';
import {
  applyAdditive,
  applyRootMotion,
  extractRootMotion,
  makeAdditive,
  mirrorMotion,
  mirrorPose,
  resampleMotion,
  reverseMotion,
  simplifyMotion,
  trimMotion,
  warpMotion,
} from 'poise/editing';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createCurvePoint,
  createMotion,
  createMotionSampler,
  easeTiming,
  evaluateCurve,
  linearCurve,
  type Motion,
  motionFromPoses,
  samplePose,
  stepCurve,
} from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { MotionError } from '../../src/errors.js';

const figure = createHumanFigure();
const hips = 0;

/** A clip of random smooth poses; the body walks along an arc. */
function randomClip(seed: number, keys = 13, length = 1.2): Motion {
  let state = seed;
  const random = (): number => {
    state = (1664525 * state + 1013904223) % 2 ** 32;
    return state / 2 ** 32 - 0.5;
  };
  const rates = Array.from({ length: figure.dof }, () => [3 * random(), 6 * random(), 0.4 * random()]);
  const times = Array.from({ length: keys }, (_, k) => 0.3 + (length * k) / (keys - 1));
  const poses = times.map((t) => {
    const pose = Float64Array.from(rates, ([a, b, c]) => c * Math.sin(a + b * t) + 0.2);
    pose[hips + 4] += 1.3 * t;
    pose[hips] += Math.sin(1.3 * t);
    pose[hips + 2] += Math.cos(1.3 * t);
    return pose;
  });
  return motionFromPoses(figure, times, poses, { name: 'walk' });
}

const at = (motion: Motion): ((time: number) => Float64Array) => {
  const sampler = createMotionSampler(figure, motion);
  return (time) => samplePose(sampler, time, createPose(figure));
};

/** Frames of all bones. */
function framesOf(pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone.slice();
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

const clip = randomClip(7);
const times = Array.from({ length: 61 }, (_, k) => clip.start + ((clip.end - clip.start) * k) / 60);
/** Pieces of degree five have the value, rate and second rate of the clip at its keys: exact for cubic tracks of numbers, of sixth order for rotations. */
const BETWEEN_KEYS = 1e-6;

describe('trimMotion', () => {
  test('is the part of the clip, from time 0', () => {
    const part = trimMotion(figure, clip, 0.47, 1.03);
    expect([part.start, part.end]).toEqual([0, expect.closeTo(0.56, 12)]);
    for (const t of times) {
      if (t >= 0.47 && t <= 1.03) expect(worst(at(part)(t - 0.47), at(clip)(t))).toBeLessThan(1e-12);
    }
  });

  test('keeps tracks that are shorter than the part, and holds those that ended before it', () => {
    const curve = (from: number, to: number) =>
      linearCurve({ times: [from, to], values: [0, 1] }, { outside: 'clamp' });
    const short = createMotion(figure, {
      tracks: [
        { bone: 'leftLowerArm', curve: curve(0, 4) },
        { bone: 'rightLowerArm', curve: curve(1, 2) },
        { bone: 'leftLowerLeg', curve: curve(0, 0.5) },
      ],
    });
    const part = trimMotion(figure, short, 1.5, 3);
    for (const t of [0, 0.2, 0.5, 1, 1.5]) expect(worst(at(part)(t), at(short)(t + 1.5))).toBeLessThan(1e-15);
  });

  test.each([
    ['out-of-range', -1, 1],
    ['out-of-range', 0.5, 9],
    ['not-increasing', 0.9, 0.9],
    ['not-finite', Number.NaN, 1],
  ])('refuses times: %s', (code, from, to) => {
    expect(() => trimMotion(figure, clip, from, to)).toThrow(expect.objectContaining({ code }));
  });
});

test('reverseMotion plays the clip backwards, tracks that are shorter too', () => {
  const partial = createMotion(figure, {
    ...clip,
    tracks: [
      ...clip.tracks.filter(({ coordinate }) => coordinate < 6),
      { bone: 'head', curve: linearCurve({ times: [0.4, 0.7], values: [0, 0, 0, 0.3, 0.2, 0.1] }) },
    ],
  });
  for (const motion of [clip, partial]) {
    const reversed = reverseMotion(figure, motion);
    expect([reversed.start, reversed.end]).toEqual([
      expect.closeTo(motion.start, 12),
      expect.closeTo(motion.end, 12),
    ]);
    for (const t of times)
      expect(worst(at(reversed)(t), at(motion)(motion.start + motion.end - t))).toBeLessThan(1e-12);
  }
});

test('resampleMotion passes through the poses of the clip at its rate', () => {
  const resampled = resampleMotion(figure, clip, { rate: 100 });
  for (let k = 0; k <= 120; k++) {
    const t = Math.min(clip.start + k / 100, clip.end);
    expect(worst(at(resampled)(t), at(clip)(t))).toBeLessThan(1e-12);
  }
  expect(() => resampleMotion(figure, clip, { rate: 0 })).toThrow(MotionError);
  expect(() => resampleMotion(figure, clip, { rate: 1e9 })).toThrow(/rate/);
});

describe('additive clips', () => {
  const reference = at(randomClip(3))(0.5);
  const constant = createMotion(figure, {
    tracks: [
      { coordinate: 0, curve: linearCurve({ times: [0.3, 1.5], values: [...reference, ...reference] }) },
    ],
  });

  test('on their reference are the clip', () => {
    const both = applyAdditive(figure, constant, makeAdditive(figure, clip, { reference }));
    for (const t of times)
      expect(worst(framesOf(at(both)(t)), framesOf(at(clip)(t)))).toBeLessThan(BETWEEN_KEYS);
    for (const { curve } of clip.tracks)
      for (const t of curve.knots as Float64Array)
        expect(worst(framesOf(at(both)(t)), framesOf(at(clip)(t)))).toBeLessThan(1e-12);
  });

  test('change nothing with weight 0, and rotate half as far with weight 0.5', () => {
    const additive = makeAdditive(figure, clip, { reference });
    for (const t of times)
      expect(
        worst(framesOf(at(applyAdditive(figure, constant, additive, 0))(t)), framesOf(reference)),
      ).toBeLessThan(1e-12);
    const bone = figure.bones.findIndex(({ name }) => name === 'leftLowerArm');
    const i = figure.bones[bone].coordinate;
    const half = at(applyAdditive(figure, constant, additive, 0.5))(0.3);
    expect(half[i] - reference[i]).toBeCloseTo(0.5 * (at(clip)(0.3)[i] - reference[i]), 12);
  });

  test('are extrapolated beyond their length', () => {
    const additive = makeAdditive(figure, trimMotion(figure, clip, 0.3, 0.6), { reference });
    const both = applyAdditive(figure, constant, additive);
    expect(both.end).toBe(constant.end);
    expect(worst(framesOf(at(both)(1.4)), framesOf(at(clip)(0.6)))).toBeLessThan(1e-9);
  });
});

describe('root motion', () => {
  const { motion, root } = extractRootMotion(figure, clip);

  test('is subtracted: in place the hips stay above one point and keep their heading', () => {
    const start = framesOf(at(clip)(clip.start));
    for (const t of times) {
      const frames = framesOf(at(motion)(t));
      expect(Math.hypot(frames[9] - start[9], frames[11] - start[11])).toBeLessThan(BETWEEN_KEYS);
      // The height is the clip's.
      expect(frames[10]).toBeCloseTo(framesOf(at(clip)(t))[10], 6);
    }
    expect(root.size).toBe(4);
    expect(Array.from(evaluateCurve(root, clip.start, createCurvePoint(4)).value)).toEqual(
      [0, 0, 0, 0].map((x) => expect.closeTo(x, 12)),
    );
  });

  test('carries the clip in place to where it was, as an object that moves along would', () => {
    const point = createCurvePoint(4);
    const origin = (frames: Float64Array, b: number): number[] =>
      Array.from(frames.subarray(12 * b + 9, 12 * b + 12));
    for (const t of times) {
      const [x, y, z, heading] = Array.from(evaluateCurve(root, t, point).value);
      const placed = framesOf(at(motion)(t));
      const expected = framesOf(at(clip)(t));
      for (let b = 0; b < figure.bones.length; b++) {
        const [px, py, pz] = origin(placed, b);
        const [c, s] = [Math.cos(heading), Math.sin(heading)];
        expect(worst([c * px + s * pz + x, py + y, -s * px + c * pz + z], origin(expected, b))).toBeLessThan(
          1e-5,
        );
      }
    }
  });

  test('is put back in: the clip again, to rounding', () => {
    const again = applyRootMotion(figure, motion, root);
    for (const t of times)
      expect(worst(framesOf(at(again)(t)), framesOf(at(clip)(t)))).toBeLessThan(BETWEEN_KEYS);
  });

  test('of a walk on a circle is the circle and its angle', () => {
    const count = 40;
    const poses = Array.from({ length: count + 1 }, (_, k) => {
      const angle = (4 * Math.PI * k) / count;
      const pose = createPose(figure);
      pose.set([-Math.cos(angle), 0, Math.sin(angle), 0, angle, 0]);
      return pose;
    });
    const circle = motionFromPoses(
      figure,
      poses.map((_, k) => k / 10),
      poses,
    );
    const taken = extractRootMotion(figure, circle);
    for (let k = 0; k <= count; k++) {
      const [, , , heading] = Array.from(evaluateCurve(taken.root, k / 10, createCurvePoint(4)).value);
      expect(heading).toBeCloseTo((4 * Math.PI * k) / count, 9);
    }
    expect(() => applyRootMotion(figure, circle, linearCurve({ times: [0, 1], values: [0, 1] }))).toThrow(
      /four/,
    );
  });
});

describe('mirroring', () => {
  const image = (frames: Float64Array, b: number): number[] => {
    const [x, y, z] = Array.from(frames.subarray(12 * b + 9, 12 * b + 12));
    return [-x, y, z];
  };
  const otherSide = (name: string): string =>
    name.replace(/^left|^right/, (side) => (side === 'left' ? 'right' : 'left'));

  test('puts each bone where the mirror image of that on the other side is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (seed, u) => {
        const any = randomClip(seed, 5);
        const t = any.start + u * (any.end - any.start);
        const frames = framesOf(at(any)(t));
        const mirrored = framesOf(at(mirrorMotion(figure, any))(t));
        for (const { index, name } of figure.bones) {
          const other = figure.bones.findIndex((bone) => bone.name === otherSide(name));
          expect(
            worst(image(frames, index), mirrored.subarray(12 * other + 9, 12 * other + 12)),
          ).toBeLessThan(1e-9);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('twice is the pose again, and within the limits where it was', () => {
    const pose = at(clip)(0.9);
    expect(worst(mirrorPose(figure, mirrorPose(figure, pose)), pose)).toBeLessThan(1e-12);
  });

  test('takes tracks of parts of a rotation', () => {
    const whole = createMotion(figure, {
      tracks: [
        {
          bone: 'hips',
          curve: linearCurve({ times: [0, 1], values: [0, 0, 0, 0, 0, 0, 1, 0, 2, 0.1, 0.2, 0.3] }),
        },
      ],
    });
    const parts = createMotion(figure, {
      tracks: [0, 1, 2, 3, 4, 5].map((component) => ({
        bone: 'hips',
        component,
        curve: linearCurve({ times: [0, 1], values: [0, [1, 0, 2, 0.1, 0.2, 0.3][component]] }),
      })),
    });
    for (const t of [0, 0.3, 1])
      expect(
        worst(framesOf(at(mirrorMotion(figure, parts))(t)), framesOf(at(mirrorMotion(figure, whole))(t))),
      ).toBeLessThan(1e-6);
  });

  test('needs sides', () => {
    const arm = { ...figure, bones: figure.bones } as Figure;
    expect(() => mirrorPose(arm, createPose(arm), { sideways: [0, 0, 0] })).toThrow(/no length/);
  });
});

describe('simplifyMotion', () => {
  test('has fewer keys, and is within both bounds between its samples', () => {
    const dense = resampleMotion(figure, clip, { rate: 120 });
    const { motion, keys, keysBefore, distance } = simplifyMotion(figure, dense, {
      angle: 0.01,
      distance: 0.003,
    });
    expect(keys).toBeLessThan(0.3 * keysBefore);
    expect(distance).toBeLessThanOrEqual(0.003);
    for (let k = 0; k <= 1000; k++) {
      const t = dense.start + ((dense.end - dense.start) * (k + 0.37)) / 1001;
      const [a, b] = [framesOf(at(dense)(t)), framesOf(at(motion)(t))];
      for (let n = 0; n < figure.bones.length; n++)
        expect(worst(a.subarray(12 * n + 9, 12 * n + 12), b.subarray(12 * n + 9, 12 * n + 12))).toBeLessThan(
          0.0031,
        );
    }
  });

  test('leaves stepped tracks as they are', () => {
    const stepped = createMotion(figure, {
      tracks: [{ bone: 'leftLowerArm', curve: stepCurve({ times: [0, 1, 2], values: [0, 1, 0.5] }) }],
    });
    expect(simplifyMotion(figure, stepped).motion.tracks).toEqual(stepped.tracks);
  });
});

describe('warpMotion', () => {
  test.each(['linear', 'cubic-in-out', 'sine-in'] as const)('plays the clip by an ease: %s', (name) => {
    const timing = easeTiming(name, { start: 0, end: 2, from: clip.start, to: clip.end });
    const warped = warpMotion(figure, clip, timing);
    const out = { value: 0, first: 0, second: 0 };
    for (let k = 0; k <= 400; k++) {
      const t = k / 200;
      const local = timing.evaluateInside(t, out).value;
      expect(worst(framesOf(at(warped)(t)), framesOf(at(clip)(local)))).toBeLessThan(1e-5);
    }
  });

  test('refuses a timing that leaves the clip', () => {
    expect(() => warpMotion(figure, clip, easeTiming('linear', { start: 0, end: 9 }))).toThrow(MotionError);
  });
});

test('stepCurve holds each value until the next key, and ends with the last', () => {
  const curve = stepCurve({ times: [0, 1, 3], values: [1, 2, 5] });
  const value = (time: number): number => evaluateCurve(curve, time, createCurvePoint(1)).value[0];
  expect([0, 0.999, 1, 2.5, 2.999999, 3].map(value)).toEqual([1, 1, 2, 2, 2, 5]);
});

test('clips of another figure are refused', () => {
  const other = createMotion(createHumanFigure(), clip);
  const wrong = { ...other, dof: 3 } as Motion;
  for (const call of [
    () => trimMotion(figure, wrong, 0, 1),
    () => reverseMotion(figure, wrong),
    () => resampleMotion(figure, wrong, { rate: 30 }),
    () => makeAdditive(figure, wrong),
    () => applyAdditive(figure, clip, wrong),
    () => extractRootMotion(figure, wrong),
    () => mirrorMotion(figure, wrong),
    () => simplifyMotion(figure, wrong),
    () => warpMotion(figure, wrong, easeTiming('linear', { start: 0, end: 1 })),
  ])
    expect(call).toThrow(expect.objectContaining({ code: 'wrong-size' }));
});
