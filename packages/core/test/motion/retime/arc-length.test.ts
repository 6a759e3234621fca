import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import {
  bezierCurve,
  hermiteCurve,
  linearCurve,
  minimumJerkCurve,
} from '../../../src/motion/curves/index.js';
import {
  createCurve,
  curveEnd,
  curveStart,
  evaluateCurve,
} from '../../../src/motion/representation/curve.js';
import { evaluateRotation } from '../../../src/motion/representation/rotation-curve.js';
import {
  arcLength,
  arcLengthTiming,
  evaluateRetimed,
  retimeCurve,
  retimeRotation,
} from '../../../src/motion/retime/index.js';
import { rotationSpline, rotationVectorCurve, slerpCurve } from '../../../src/motion/rotations/index.js';
import { quatFromRotationVector } from '../../../src/rotation/rotation-vector/exponential.js';
import { anyContinuousCurve } from '../support.js';

const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/motion/editing.json', import.meta.url), 'utf8'),
) as { lengths: { points: number[][]; whole: number; 'to0.7': number }[] };

const vectors = [0, 0, 0, 1, -0.4, 1.3, 0.7, 0, 0.2, 0.9, -1.5, 2];
const keys = {
  times: [0, 0.5, 1.5, 2],
  quaternions: [0, 1, 2, 3].flatMap((i) => quatFromRotationVector(vectors.slice(3 * i, 3 * i + 3))),
};

describe('arcLength', () => {
  it('of plane cubics agrees with integrals at 30 digits', () => {
    for (const { points, whole, 'to0.7': fraction } of fixture.lengths) {
      const curve = bezierCurve({ times: [0, 1], points: points.flat() });
      expect(Math.abs(arcLength(curve) / whole - 1)).toBeLessThan(2e-13);
      expect(Math.abs(arcLength(curve, { to: 0.7 }) / fraction - 1)).toBeLessThan(2e-13);
    }
  });

  it('of a parabola agrees with the closed form', () => {
    // y = x^2 from 0 to a: a sqrt(1 + 4 a^2)/2 + asinh(2 a)/4.
    const curve = createCurve({ size: 2, degree: 2, knots: [0, 3], controls: [0, 0, 1.5, 0, 3, 9] });
    expect(arcLength(curve)).toBeCloseTo(1.5 * Math.sqrt(37) + Math.asinh(6) / 4, 12);
  });

  it('of slerp is the angle between its keyframes, and of a rotation about one axis its total variation', () => {
    const angles = [0, 1, 2].map((i) => {
      const [a, b] = [keys.quaternions.slice(4 * i, 4 * i + 4), keys.quaternions.slice(4 * i + 4, 4 * i + 8)];
      return 2 * Math.acos(Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]));
    });
    expect(arcLength(slerpCurve(keys))).toBeCloseTo(angles[0] + angles[1] + angles[2], 12);
    // The angle 3 t (1 - t)(1 - 2t)-like swing: forth 0.2886..., back, forth again.
    const swing = rotationVectorCurve(
      hermiteCurve({ times: [0, 1], values: [0, 0, 0, 0, 0, 0], tangents: [3, 0, 0, 3, 0, 0] }),
    );
    // x = 3 t (1 - t)(1 - 2 t), largest sqrt(3)/6 at t = 1/2 - sqrt(3)/6: four times that in all.
    expect(arcLength(swing)).toBeCloseTo((4 * Math.sqrt(3)) / 6, 12);
  });

  it('resolves a reversal just before its end, also from rest', () => {
    // One coordinate: the way is what it goes down and up again. It turns at the share c of the piece.
    const curve = createCurve({ size: 1, degree: 5, knots: [0, 1], controls: [0, 0, -10, 9.8, 0, 0] });
    const x = (t: number) => evaluateCurve(curve, t).value[0];
    let [low, high] = [0.1, 0.5];
    for (let n = 0; n < 60; n++) {
      const middle = 0.5 * (low + high);
      if (evaluateCurve(curve, middle).first[0] < 0) low = middle;
      else high = middle;
    }
    for (const past of [1e-4, 1e-3, 2e-3, 5e-3, 0.02]) {
      expect(arcLength(curve, { to: low + past })).toBeCloseTo(x(low + past) - 2 * x(low), 12);
    }
  });

  it('refuses times outside the range', () => {
    expect(() => arcLength(linearCurve({ times: [0, 1], values: [0, 1] }), { to: 2 })).toThrow(
      expect.objectContaining({ name: 'MotionError', code: 'out-of-range' }),
    );
  });
});

describe('arcLengthTiming', () => {
  it('has constant speed to within the tolerance, and is monotone', () => {
    fc.assert(
      fc.property(anyContinuousCurve(2, [2, 3, 5]), fc.constantFrom(1e-4, 1e-7, 1e-9), (curve, share) => {
        const whole = arcLength(curve);
        fc.pre(whole > 0.1);
        const timing = arcLengthTiming(curve, { tolerance: share * whole });
        const start = curveStart(curve);
        const range = curveEnd(curve) - start;
        expect(curveStart(timing)).toBe(start);
        expect(curveEnd(timing)).toBe(start + range);
        for (let k = 1; k < timing.controls.length; k++) {
          expect(timing.controls[k]).toBeGreaterThanOrEqual(timing.controls[k - 1]);
        }
        for (let n = 0; n < 23; n++) {
          const u = (n + 0.37) / 23;
          const moment = evaluateCurve(timing, start + u * range).value[0];
          const sign = arcLength(curve, { to: Math.min(moment, curveEnd(curve)) });
          expect(Math.abs(sign - u * whole)).toBeLessThan((share + 2e-12) * whole);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('makes the angular speed constant, also where the motion nearly stops', () => {
    const start = rotationSpline(keys);
    const timing = arcLengthTiming(start, { duration: 5, tolerance: 1e-10 });
    const played = retimeRotation(start, timing);
    const speed = arcLength(start) / 5;
    for (let n = 0; n < 200; n++) {
      const t = (5 * (n + 0.5)) / 200;
      expect(Math.abs(vec3.norm(evaluateRotation(played, t).angularVelocity) / speed - 1)).toBeLessThan(1e-6);
    }
    expect(arcLength(played)).toBeCloseTo(arcLength(start), 9);
  });

  it('passes points of rest, at the ends and where a motion reverses', () => {
    const rest = minimumJerkCurve({ times: [0, 2], values: [0, 1] });
    const timing = arcLengthTiming(rest, { tolerance: 1e-8 });
    for (let n = 0; n <= 100; n++) {
      const { value } = evaluateRetimed(retimeCurve(rest, timing), n / 50);
      expect(Math.abs(value[0] - n / 100)).toBeLessThan(1e-8);
    }
    const back = hermiteCurve({ times: [0, 1], values: [0, 0], tangents: [1, -1] });
    const played = retimeCurve(back, arcLengthTiming(back, { tolerance: 1e-8 }));
    for (let n = 0; n <= 100; n++) {
      expect(
        Math.abs(evaluateRetimed(played, n / 100).value[0] - 0.25 * (1 - Math.abs(n / 50 - 1))),
      ).toBeLessThan(2e-8);
    }
  });

  it('converges far from 0 s too, within the rounding of times', () => {
    for (const far of [1e7, 1e9, 1.7e9, 1e12]) {
      const late = keys.times.map((t) => far + t);
      const motions = [
        linearCurve({ times: [far, far + 1], values: [0, 3] }),
        hermiteCurve({ times: [far, far + 1], values: [0, 0], tangents: [1, -1] }),
        minimumJerkCurve({ times: [far, far + 2], values: [0, 1] }),
        slerpCurve({ ...keys, times: late }),
        rotationSpline({ ...keys, times: late }),
      ];
      for (const motion of motions) {
        const last = motion.knots[motion.knots.length - 1];
        const range = last - far;
        const whole = arcLength(motion);
        const timing = arcLengthTiming(motion);
        expect(curveEnd(timing)).toBe(last);
        // Speeds here are at most three times the mean; a rounding is half of EPSILON * far.
        const rounding = 3 * (whole / range) * 0.5 * Number.EPSILON * far;
        for (let n = 0; n < 101; n++) {
          const t = far + ((n + 0.37) / 101) * range;
          const sign = arcLength(motion, { to: Math.min(evaluateCurve(timing, t).value[0], last) });
          expect(Math.abs(sign - (whole * (t - far)) / range)).toBeLessThan(1e-9 * whole + 12 * rounding);
        }
      }
    }
  });

  it('skips stationary pieces, or keeps their duration', () => {
    const walk = linearCurve({ times: [0, 1, 3, 4], values: [0, 3, 3, 4] });
    const skipped = retimeCurve(walk, arcLengthTiming(walk));
    expect([0.5, 1.5, 2.9999, 3.0001, 3.5].map((t) => evaluateRetimed(skipped, t).value[0])).toEqual(
      [0.5, 1.5, 2.9999, 3.0001, 3.5].map((x) => expect.closeTo(x, 9)),
    );
    const kept = retimeCurve(walk, arcLengthTiming(walk, { standing: 'keep' }));
    expect([0.75, 1.5, 2, 3.4999, 3.75, 4].map((t) => evaluateRetimed(kept, t).value[0])).toEqual(
      [1.5, 3, 3, 3, 3.5, 4].map((x) => expect.closeTo(x, 9)),
    );
    const late = linearCurve({ times: [0, 1, 2], values: [0, 0, 1] });
    expect(evaluateCurve(arcLengthTiming(late), 0).value[0]).toBe(1);
  });

  it('refuses a motion at rest and invalid durations', () => {
    const still = linearCurve({ times: [0, 1], values: [2, 2] });
    const walk = linearCurve({ times: [0, 1, 3], values: [0, 3, 3] });
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    expect(() => arcLengthTiming(still)).toThrow(code('unsupported', 'motion'));
    expect(() => arcLengthTiming(walk, { duration: 0 })).toThrow(code('out-of-range', 'duration'));
    expect(() => arcLengthTiming(walk, { duration: 2, standing: 'keep' })).toThrow(
      code('out-of-range', 'duration'),
    );
    expect(() => arcLengthTiming(walk, { tolerance: -1 })).toThrow(code('out-of-range', 'tolerance'));
    expect(() => arcLengthTiming(walk, { duration: Number.NaN })).toThrow(code('out-of-range', 'duration'));
    expect(() => arcLengthTiming(walk, { standing: 'sit' as 'skip' })).toThrow(
      code('unsupported', 'standing'),
    );
    expect(() => arcLengthTiming({} as typeof walk)).toThrow(code('unsupported', 'motion'));
  });
});
