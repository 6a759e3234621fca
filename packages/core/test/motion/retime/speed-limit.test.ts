import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import { hermiteCurve, linearCurve } from '../../../src/motion/curves/index.js';
import { type Curve, curveEnd, curveStart } from '../../../src/motion/representation/curve.js';
import { evaluateRotation, type RotationCurve } from '../../../src/motion/representation/rotation-curve.js';
import {
  evaluateRetimed,
  type LimitedMotion,
  retimeCurve,
  retimeRotation,
  speedLimitTiming,
} from '../../../src/motion/retime/index.js';
import {
  cumulativeBSplineCurve,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
} from '../../../src/motion/rotations/index.js';
import { quatFromRotationVector } from '../../../src/rotation/rotation-vector/exponential.js';
import { anyContinuousCurve } from '../support.js';

/** Moments inside the range: even ones, and every knot with its neighbours. */
function sampleTimes(timing: Curve, count: number): number[] {
  const start = curveStart(timing);
  const end = curveEnd(timing);
  const even = Array.from({ length: count }, (_, n) => start + ((n + 0.5) / count) * (end - start));
  const byKnots = Array.from(timing.knots).flatMap((t) => [t, t * (1 - 1e-15), t * (1 + 1e-15)]);
  return [...even, ...byKnots].filter((t) => t >= start && t <= end);
}

/** Largest rate and acceleration against their limits. */
function excess(
  timing: Curve,
  limited: readonly LimitedMotion[],
  count = 3000,
): { rate: number; acceleration: number } {
  const worst = { rate: 0, acceleration: 0 };
  for (const {
    motion,
    rate = Number.POSITIVE_INFINITY,
    acceleration = Number.POSITIVE_INFINITY,
  } of limited) {
    const limit = (x: number | ArrayLike<number>, c: number): number => (typeof x === 'number' ? x : x[c]);
    const at =
      'controls' in motion
        ? pointRates(retimeCurve(motion, timing))
        : turnRates(retimeRotation(motion, timing));
    for (const t of sampleTimes(timing, count)) {
      const [firsts, seconds] = at(t);
      for (const [c, first] of firsts.entries()) worst.rate = Math.max(worst.rate, first / limit(rate, c));
      for (const [c, second] of seconds.entries()) {
        worst.acceleration = Math.max(worst.acceleration, second / limit(acceleration, c));
      }
    }
  }
  return worst;
}

const pointRates = (played: ReturnType<typeof retimeCurve>) => (t: number) => {
  const { first, second } = evaluateRetimed(played, t);
  return [Array.from(first, Math.abs), Array.from(second, Math.abs)];
};
const turnRates = (played: RotationCurve) => (t: number) => {
  const { angularVelocity, angularAcceleration } = evaluateRotation(played, t);
  return [[vec3.norm(angularVelocity)], [vec3.norm(angularAcceleration)]];
};

const duration = (curve: Curve): number => curveEnd(curve) - curveStart(curve);

const anyTurns = fc
  .array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 15, maxLength: 15 })
  .map((v) => [0, 1, 2, 3, 4].flatMap((i) => quatFromRotationVector(v.slice(3 * i, 3 * i + 3))));

describe('limits are never exceeded', () => {
  it('by coordinates of curves of any degree, with and without limited accelerations', () => {
    const limit = fc.double({ min: 0.5, max: 20, noNaN: true });
    fc.assert(
      fc.property(
        anyContinuousCurve(2, [1, 2, 3, 5]),
        limit,
        limit,
        fc.boolean(),
        (motion, rate, acceleration, both) => {
          const limited = [{ motion, rate: [rate, 2 * rate], ...(both ? { acceleration } : {}) }];
          const timing = speedLimitTiming(limited, { resolution: 16 });
          const worst = excess(timing, limited);
          expect(worst.rate).toBeLessThanOrEqual(1);
          expect(worst.acceleration).toBeLessThanOrEqual(1);
          expect(duration(timing)).toBeGreaterThanOrEqual(duration(motion) * (1 - 1e-12));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('by the angular speed and acceleration of rotations', () => {
    const limit = fc.double({ min: 0.5, max: 20, noNaN: true });
    fc.assert(
      fc.property(anyTurns, limit, limit, fc.boolean(), (quaternions, rate, acceleration, spline) => {
        const motion = spline
          ? rotationSpline({ times: [0, 0.4, 1, 1.3, 2], quaternions })
          : cumulativeBSplineCurve({ quaternions, knots: [0, 0, 0, 0, 0.7, 2, 2, 2, 2] });
        const limited = [{ motion, rate, acceleration }];
        const worst = excess(speedLimitTiming(limited, { resolution: 16, atRest: 'both' }), limited);
        expect(worst.rate).toBeLessThanOrEqual(1);
        expect(worst.acceleration).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });

  it('by any of several motions with different keyframes that are played together', () => {
    const rotation = rotationVectorCurve(
      hermiteCurve({
        times: [0, 0.7, 2],
        values: [0, 0, 0, 2, 1, 0, 1, 1, 2],
        tangents: [1, 0, 5, -3, 2, 0, 0, 0, 1],
      }),
    );
    const swing = hermiteCurve({ times: [0, 1.1, 2], values: [0, 5, -1], tangents: [3, 0, 8] });
    const limited = [
      { motion: rotation, rate: 2, acceleration: 12 },
      { motion: swing, rate: 3, acceleration: 10 },
    ];
    const worst = excess(speedLimitTiming(limited), limited, 20000);
    expect(worst.rate).toBeLessThanOrEqual(1);
    expect(worst.acceleration).toBeLessThanOrEqual(1);
    expect(Math.max(worst.rate, worst.acceleration)).toBeGreaterThan(0.999);
  });
});

describe('knots within rounding', () => {
  const corners = [0, 0.3, 1];
  const values = [0, 3, -1];
  const pair = (times: number[], far = 0): LimitedMotion[] => [
    { motion: linearCurve({ times: corners.map((t) => far + t), values }), rate: 4, acceleration: 20 },
    { motion: linearCurve({ times, values }), rate: 3, acceleration: 30 },
  ];

  it('are merged: the timing is that of equal knots', () => {
    const expected = speedLimitTiming(pair(corners));
    for (const times of [
      [0, 0.1 * 3, 1],
      [0, 0.3 - 1e-15, 1],
      [-1e-15, 0.3, 1 + 3e-16],
    ]) {
      for (const limited of [pair(times), pair(times).reverse()]) {
        const timing = speedLimitTiming(limited);
        expect(duration(timing)).toBeCloseTo(duration(expected), 9);
        const { rate, acceleration } = excess(timing, limited);
        expect(rate).toBeLessThanOrEqual(1);
        expect(acceleration).toBeLessThanOrEqual(1);
      }
    }
  });

  it('are merged for rotations too, and far from 0 s', () => {
    const quaternions = [0, 1, 2].flatMap((i) => quatFromRotationVector([i === 1 ? 2 : 0, i, 0]));
    const rotationsOf = (times: number[]): LimitedMotion => ({
      motion: slerpCurve({ times, quaternions }),
      rate: 3,
      acceleration: 10,
    });
    const limited = [rotationsOf(corners), rotationsOf([0, 0.1 * 3, 1])];
    const timing = speedLimitTiming(limited);
    const { rate, acceleration } = excess(timing, limited);
    expect(rate).toBeLessThanOrEqual(1);
    expect(acceleration).toBeLessThanOrEqual(1);
    expect(duration(timing)).toBeCloseTo(duration(speedLimitTiming([rotationsOf(corners)])), 9);

    const far = 1e6;
    const late = pair([far, far + 0.3 + 1.2e-10, far + 1], far);
    expect(duration(speedLimitTiming(late))).toBeCloseTo(duration(speedLimitTiming(pair(corners))), 3);
  });

  it('of one motion are corners without time between', () => {
    const motion = linearCurve({ times: [0, 0.5, 0.5 + 2 ** -53, 1], values: [0, 1, 1, 0] });
    expect(() => speedLimitTiming([{ motion, acceleration: 1 }])).toThrow(
      expect.objectContaining({ name: 'MotionError', code: 'unsupported', path: 'limited' }),
    );
  });
});

describe('the timing is optimal', () => {
  it('a motion within its limits is unchanged', () => {
    const motion = hermiteCurve({ times: [1, 2, 4], values: [0, 1, 0], tangents: [1, -1, 0] });
    const timing = speedLimitTiming([{ motion, rate: 100, acceleration: 1000 }]);
    expect(duration(timing)).toBeCloseTo(3, 12);
    for (const t of sampleTimes(timing, 50)) {
      const { value, first } = evaluateRetimed(
        retimeCurve(linearCurve({ times: [1, 4], values: [1, 4] }), timing),
        t,
      );
      expect(value[0]).toBeCloseTo(t, 12);
      expect(first[0]).toBeCloseTo(1, 9);
    }
  });

  it('with a limited rate it takes the integral of max(1, |rate|/limit)', () => {
    // x' = 12 t (1 - t), at most 3: above 2 for t within 1/2 +- sqrt(1/12); x = 6 t^2 - 4 t^3.
    const motion = hermiteCurve({ times: [0, 1], values: [0, 2], tangents: [0, 0] });
    const half = Math.sqrt(1 / 12);
    const x = (t: number) => 6 * t * t - 4 * t ** 3;
    const min = 1 - 2 * half + (x(0.5 + half) - x(0.5 - half)) / 2;
    const lost = [16, 64, 256].map((resolution) => {
      const timing = speedLimitTiming([{ motion, rate: 2 }], { resolution });
      return duration(timing) / min - 1;
    });
    expect(lost.every((share) => share >= 0)).toBe(true);
    expect(lost[1]).toBeLessThan(2e-3);
    expect(lost[2]).toBeLessThan(2e-4);
  });

  it('a line from rest to rest with limited rate and acceleration is a trapezoid', () => {
    // 4 m at 4 m/s in its own time: at most 2 m/s and 5 m/s^2 take 4/2 + 2/5 s.
    const motion = linearCurve({ times: [0, 1], values: [0, 4] });
    const timing = speedLimitTiming([{ motion, rate: 2, acceleration: 5 }], { atRest: 'both' });
    expect(duration(timing)).toBeGreaterThanOrEqual(2.4);
    expect(duration(timing)).toBeLessThan(2.4 * 1.0005);
    // Without reaching the rate: 2 sqrt(4/1).
    const slow = speedLimitTiming([{ motion, acceleration: 1 }], { atRest: 'both' });
    expect(duration(slow) / 4).toBeGreaterThanOrEqual(1);
    expect(duration(slow) / 4).toBeLessThan(1 + 1e-6);
    // From rest alone, and to it.
    for (const atRest of ['start', 'end'] as const) {
      const one = speedLimitTiming([{ motion, acceleration: 1 }], { atRest });
      expect(duration(one) / Math.sqrt(8)).toBeCloseTo(1, 6);
    }
  });

  it('the bound is as tight for a rotation about one axis', () => {
    const motion = rotationVectorCurve(linearCurve({ times: [0, 1], values: [0, 0, 0, 0, 2.4, 3.2] }));
    const timing = speedLimitTiming([{ motion, rate: 2, acceleration: 5 }], { atRest: 'both' });
    expect(duration(timing)).toBeGreaterThanOrEqual(2.4);
    expect(duration(timing)).toBeLessThan(2.4 * 1.0005);
  });

  it('comes to rest at a corner only where accelerations are limited', () => {
    const motion = linearCurve({ times: [0, 1, 2], values: [0, 1, 3] });
    const rated = speedLimitTiming([{ motion, rate: 1 }]);
    expect(duration(rated)).toBeGreaterThanOrEqual(3);
    expect(duration(rated)).toBeLessThan(3.001);
    const stopping = speedLimitTiming([{ motion, acceleration: 1e4 }]);
    const knot = Array.from(stopping.knots).find(
      (t) => evaluateRetimed(retimeCurve(motion, stopping), t).value[0] === 1,
    );
    expect(evaluateRetimed(retimeCurve(motion, stopping), knot ?? 0).first[0]).toBe(0);
  });

  it('is deterministic', () => {
    const motion = hermiteCurve({ times: [0, 1, 3], values: [0, 2, 1], tangents: [5, 0, 3] });
    expect(speedLimitTiming([{ motion, rate: 1, acceleration: 3 }])).toEqual(
      speedLimitTiming([{ motion, rate: 1, acceleration: 3 }]),
    );
  });
});

it('invalid limits are refused by code', () => {
  const motion = linearCurve({ times: [0, 1], values: [0, 0, 1, 1] });
  const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
  expect(() => speedLimitTiming([])).toThrow(code('wrong-size', 'limited'));
  expect(() => speedLimitTiming([{ motion, rate: 0 }])).toThrow(code('out-of-range', 'limited[0].rate[0]'));
  expect(() => speedLimitTiming([{ motion, acceleration: [1, Number.NaN] }])).toThrow(
    code('out-of-range', 'limited[0].acceleration[1]'),
  );
  expect(() => speedLimitTiming([{ motion, rate: [1, 2, 3] }])).toThrow(
    code('wrong-size', 'limited[0].rate'),
  );
  const other = linearCurve({ times: [0, 2], values: [0, 1] });
  expect(() => speedLimitTiming([{ motion }, { motion: other }])).toThrow(
    code('out-of-range', 'limited[1].motion'),
  );
  expect(() => speedLimitTiming([{ motion }], { resolution: 1 })).toThrow(code('out-of-range', 'resolution'));
  expect(() => speedLimitTiming([{ motion }], { atRest: 'home' as 'both' })).toThrow(
    code('unsupported', 'atRest'),
  );
});
