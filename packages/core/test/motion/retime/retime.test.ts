import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import { joinCurves, sliceCurve } from '../../../src/motion/convert/index.js';
import {
  cubicSpline,
  hermiteCurve,
  linearCurve,
  minimumJerkCurve,
} from '../../../src/motion/curves/index.js';
import { type Curve, createCurve, evaluateCurve } from '../../../src/motion/representation/curve.js';
import { evaluateRotation } from '../../../src/motion/representation/rotation-curve.js';
import type { Extrapolation, OutsideRange } from '../../../src/motion/representation/time-range.js';
import {
  arcLengthTiming,
  cubicBezierEase,
  easeTiming,
  evaluateRetimed,
  evaluateTiming,
  retimeCurve,
  retimeRotation,
  speedLimitTiming,
} from '../../../src/motion/retime/index.js';
import { timingOf } from '../../../src/motion/retime/timing.js';
import { rotationSpline, rotationVectorCurve, slerpCurve } from '../../../src/motion/rotations/index.js';
import { quatFromRotationVector } from '../../../src/rotation/rotation-vector/exponential.js';
import { differentiate, spinByDifference } from './support.js';

const times = [0, 0.6, 1.5, 2];
const curve = cubicSpline({ times, values: [0, 1, 2, -1, 0.5, 3, 4, 4] });
const quaternions = [0, 0, 0, 1, -0.4, 1.3, 0.7, 0, 0.2, 0.9, -1.5, 2];
const keys = {
  times,
  quaternions: [0, 1, 2, 3].flatMap((i) => quatFromRotationVector(quaternions.slice(3 * i, 3 * i + 3))),
};
const rotations = {
  'C2 spline': rotationSpline(keys),
  slerp: slerpCurve(keys),
  'rotation vector': rotationVectorCurve(cubicSpline({ times, values: quaternions })),
};
const timings = {
  'minimum jerk': minimumJerkCurve({ times: [0, 3], values: [0, 2] }),
  'CSS ease': easeTiming('ease', { start: 0, end: 3, from: 0, to: 2 }),
  'sine in and out': easeTiming('sine-in-out', { start: 0, end: 2.5, from: 0.2, to: 2 }),
  'arc length': arcLengthTiming(curve, { tolerance: 1e-6 }),
  'speed limit': speedLimitTiming([{ motion: curve, rate: 2, acceleration: 9 }], { resolution: 8 }),
};

/** Its numbers as JSON has them. */
const plain = ({ knots, controls }: Curve) => ({ knots: Array.from(knots), controls: Array.from(controls) });

describe('a retimed motion', () => {
  for (const [name, timing] of Object.entries(timings)) {
    it(`is the curve at the timing's time, with the rates of finite differences (${name})`, () => {
      const played = retimeCurve(curve, timing);
      expect(Array.from(played.knots).every((t, i) => i === 0 || t > played.knots[i - 1])).toBe(true);
      for (let s = 0; s + 1 < played.knots.length; s++) {
        const span = played.knots[s + 1] - played.knots[s];
        if (span < 1e-3) continue;
        const h = Math.min(2e-3, span / 30);
        for (const u of [0.4, 0.6]) {
          const t = played.knots[s] + u * span;
          const { value, first, second } = evaluateRetimed(played, t);
          const moment = evaluateTiming(timingOf(timing), t).value;
          expect(Array.from(value)).toEqual(Array.from(evaluateCurve(curve, moment).value));
          const rate = differentiate((at) => evaluateRetimed(played, at).value, t, h);
          const secondRate = differentiate((at) => evaluateRetimed(played, at).first, t, h);
          for (let c = 0; c < 2; c++) {
            const scale = 1e-12 / h;
            expect(Math.abs(first[c] - rate[c])).toBeLessThan(1e-8 + scale);
            expect(Math.abs(second[c] - secondRate[c])).toBeLessThan(1e-6 + 30 * scale);
          }
        }
      }
    });
  }

  for (const [kind, rotation] of Object.entries(rotations)) {
    for (const [name, timing] of Object.entries(timings).slice(0, 3)) {
      it(`has the angular velocity and acceleration of finite differences (${kind}, ${name})`, () => {
        const played = retimeRotation(rotation, timing);
        for (let s = 0; s + 1 < played.knots.length; s++) {
          const span = played.knots[s + 1] - played.knots[s];
          for (const u of [0.3, 0.55]) {
            const t = played.knots[s] + u * span;
            const { angularVelocity, angularAcceleration } = evaluateRotation(played, t);
            const spin = spinByDifference(played, t, 1e-3 * span);
            const change = differentiate(
              (at) => evaluateRotation(played, at).angularVelocity,
              t,
              1e-3 * span,
            );
            for (let k = 0; k < 3; k++) {
              expect(Math.abs(angularVelocity[k] - spin[k])).toBeLessThan(1e-9);
              expect(Math.abs(angularAcceleration[k] - change[k])).toBeLessThan(1e-8);
            }
          }
        }
      });
    }
  }

  it('has a knot where the timing reaches one of the curve', () => {
    const corner = linearCurve({ times: [0, 1, 3], values: [0, 5, 6] });
    const played = retimeCurve(corner, easeTiming('quad-in', { start: 0, end: 3 }));
    expect(played.knots.length).toBe(4);
    expect(played.knots[1]).toBe(1.5);
    expect(played.knots[2]).toBeCloseTo(Math.sqrt(3), 14);
    const before = evaluateRetimed(played, played.knots[2] - 1e-9).first[0];
    const after = evaluateRetimed(played, played.knots[2]).first[0];
    expect(before / after).toBeCloseTo(10, 6);
  });

  it('by a linear timing is a slice at another speed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        fc.double({ min: 1.1, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, to, u) => {
          const slice = sliceCurve(curve, from, to);
          const played = retimeCurve(curve, linearCurve({ times: [0, 1], values: [from, to] }));
          const a = evaluateCurve(slice, from + u * (to - from));
          const b = evaluateRetimed(played, u);
          for (let c = 0; c < 2; c++) {
            expect(b.value[c]).toBeCloseTo(a.value[c], 12);
            expect(b.first[c]).toBeCloseTo(a.first[c] * (to - from), 11);
          }
        },
      ),
    );
  });

  it('is extrapolated as the timing says', () => {
    const line = linearCurve({ times: [0, 2], values: [0, 4] });
    const play = (outside: 'clamp' | 'loop' | 'offset' | 'mirror' | 'linear') =>
      [1.25, -0.25].map((t) => {
        const timing = linearCurve({ times: [0, 1], values: [0, 2] }, { outside });
        const { value, first } = evaluateRetimed(retimeCurve(line, timing), t);
        return [value[0], first[0]];
      });
    expect(play('clamp')).toEqual([
      [4, 0],
      [0, 0],
    ]);
    expect(play('loop')).toEqual([
      [1, 4],
      [3, 4],
    ]);
    expect(play('offset')).toEqual([
      [5, 4],
      [-1, 4],
    ]);
    expect(play('mirror')).toEqual([
      [3, -4],
      [1, -4],
    ]);
    expect(play('linear')).toEqual([
      [5, 4],
      [-1, 4],
    ]);
  });

  describe('at an infinite rate', () => {
    const upright = {
      'circ-out': easeTiming('circ-out', { start: 0, end: 1, from: 0, to: 2 }),
      'circ-in': easeTiming('circ-in', { start: 0, end: 1, from: 0, to: 2 }),
      'circ-in-out': easeTiming('circ-in-out', { start: 0, end: 1, from: 0, to: 2 }),
      'cubic-bezier(0, 1, 0, 1)': easeTiming(cubicBezierEase(0, 1, 0, 1), {
        start: 0,
        end: 1,
        from: 0,
        to: 2,
      }),
    };
    // At rest at 0, 1 and 2 s.
    const eased = (a: number[], b: number[]) =>
      joinCurves([
        minimumJerkCurve({ times: [0, 1], values: [...a.map(() => 0), ...a] }),
        minimumJerkCurve({ times: [1, 2], values: [...a, ...b] }),
      ]);
    const rest = eased([1], [3]);
    const still = linearCurve({ times: [0, 2], values: [3, 3] });
    const rotationCurve = rotationVectorCurve(eased([1, 2, 0], [0, 1, 0]));
    for (const [name, timing] of Object.entries(upright)) {
      it(`a motion at rest stays at rest (${name})`, () => {
        for (const t of [0, 0.5, 1]) {
          if (Number.isFinite(evaluateTiming(timing, t).first)) continue;
          for (const at of [rest, still]) {
            const { first, second } = evaluateRetimed(retimeCurve(at, timing), t);
            expect([Array.from(first), Array.from(second)]).toEqual([[0], [0]]);
          }
          const { angularVelocity, angularAcceleration } = evaluateRotation(
            retimeRotation(rotationCurve, timing),
            t,
          );
          expect(vec3.norm(angularVelocity)).toBe(0);
          expect(vec3.norm(angularAcceleration)).toBe(0);
        }
      });

      it(`a moving motion has infinite rates and no NaN, and outside none (${name})`, () => {
        const line = linearCurve({ times: [0, 2], values: [4, 0] });
        const spin = rotationVectorCurve(linearCurve({ times: [0, 2], values: [0, 0, 0, 0, 0, -2] }));
        const ends = [0, 0.5, 1].map((t) => evaluateRetimed(retimeCurve(line, timing), t).first[0]);
        expect(ends).toContain(Number.NEGATIVE_INFINITY);
        for (const t of [0, 0.5, 1]) {
          const { value, first, second } = evaluateRetimed(retimeCurve(line, timing), t);
          expect([value[0], first[0], second[0]]).not.toContain(Number.NaN);
          const state = evaluateRotation(retimeRotation(spin, timing), t);
          expect(state.angularVelocity[2]).toBe(first[0] / 2);
          expect(Array.from(state.angularAcceleration)).not.toContain(Number.NaN);
        }
        for (const t of [-0.5, 1.5]) {
          expect(evaluateTiming(timing, t)).toEqual({ value: t < 0 ? 0 : 2, first: 0, second: 0 });
          const { value, first, second } = evaluateRetimed(retimeCurve(line, timing), t);
          expect([value[0], first[0], second[0]]).toEqual([t < 0 ? 4 : 0, 0, 0]);
          const state = evaluateRotation(retimeRotation(spin, timing), t);
          expect(Array.from(state.angularVelocity)).toEqual([0, 0, 0]);
          expect(Array.from(state.angularAcceleration)).toEqual([0, 0, 0]);
        }
        const back = { ...timing, outside: { before: 'mirror', after: 'mirror' } } as const;
        for (const t of [-0.25, 1, 1.5, 2]) {
          const { value, first, second } = evaluateTiming(back, t);
          expect([value, first, second]).not.toContain(Number.NaN);
        }
      });
    }

    it('linear extrapolation is refused', () => {
      const go = (outside: Extrapolation | Partial<OutsideRange>) => () =>
        easeTiming('circ-out', { start: 0, end: 1, outside });
      expect(go({ before: 'linear' })).toThrow(
        expect.objectContaining({ name: 'MotionError', code: 'unsupported', path: 'outside.before' }),
      );
      expect(evaluateTiming(go({ after: 'linear' })(), 2)).toEqual({ value: 1, first: 0, second: 0 });
    });
  });

  it('may have more knots than a call takes arguments', () => {
    const count = 70_000;
    const times = Array.from({ length: count }, (_, i) => i / (count - 1));
    const timing = linearCurve({ times, values: times.map((t) => 2 * t * t) });
    expect(timing.controls.length).toBeGreaterThan(125_000);
    for (const given of [timing, JSON.parse(JSON.stringify({ ...timing, ...plain(timing) }))]) {
      expect(evaluateRetimed(retimeCurve(curve, given), 0.5).value[0]).toBeCloseTo(
        evaluateCurve(curve, 0.5).value[0],
        8,
      );
      expect(retimeRotation(rotations.slerp, given).knots.length).toBe(count + 2);
    }
  });

  it('refuses a timing that runs backwards or leaves the curve, and anything but a timing', () => {
    const code = (code: string) => expect.objectContaining({ name: 'MotionError', code, path: 'timing' });
    const line = linearCurve({ times: [0, 1], values: [0, 1] });
    // Runs back for a hundredth of its time, between any samples one would take: its rate has a double root less 1e-5.
    const dip = hermiteCurve({ times: [0, 1], values: [0, 0.249], tangents: [1, 1] });
    expect(() => retimeCurve(line, dip)).toThrow(code('not-increasing'));
    expect(() =>
      retimeCurve(line, hermiteCurve({ times: [0, 1], values: [0, 0.34], tangents: [1, 1] })),
    ).not.toThrow();
    const back = createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [0, 0.7, 0.6, 1] });
    expect(() => retimeCurve(line, back)).toThrow(code('not-increasing'));
    const jump = createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [0, 0.5, 0.7, 1] });
    expect(evaluateRetimed(retimeCurve(line, jump), 1).value[0]).toBe(0.7);
    expect(() => retimeRotation(rotations.slerp, linearCurve({ times: [0, 1], values: [0, 3] }))).toThrow(
      code('out-of-range'),
    );
    expect(() => retimeCurve(line, curve)).toThrow(code('wrong-size'));
    expect(() => evaluateRetimed(retimeCurve(line, line), Number.NaN)).toThrow(
      expect.objectContaining({ code: 'not-finite' }),
    );
  });
});
