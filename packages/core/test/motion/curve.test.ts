import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MotionError } from '../../src/errors.js';
import { cubicSpline, hermiteCurve, linearCurve } from '../../src/motion/curves/index.js';
import {
  type Curve,
  createCurve,
  createCurvePoint,
  curveEnd,
  curveStart,
  evaluateCurve,
  MAX_DEGREE,
  pieceAt,
} from '../../src/motion/representation/curve.js';
import type { Extrapolation } from '../../src/motion/representation/time-range.js';

/** Without -0, which is 0 and yet not equal to it. */
const number = (max: number) => fc.double({ min: -max, max, noNaN: true }).map((x) => x + 0);
/** A curve of any size and degree; neighbours share points. */
const curves = fc
  .record({
    size: fc.integer({ min: 1, max: 4 }),
    degree: fc.integer({ min: 1, max: MAX_DEGREE }),
    start: number(3),
    spans: fc.array(fc.double({ min: 0.2, max: 2, noNaN: true }), { minLength: 1, maxLength: 4 }),
  })
  .chain(({ size, degree, start, spans }) => {
    const points = spans.length * degree + 1;
    return fc.array(number(2), { minLength: points * size, maxLength: points * size }).map((values) => {
      const knots = [start];
      for (const span of spans) knots.push(knots[knots.length - 1] + span);
      const controls = spans.flatMap((_, s) =>
        values.slice(s * degree * size, (s * degree + degree + 1) * size),
      );
      return { size, degree, knots, controls };
    });
  });

/** de Casteljau's construction, coordinate c of piece s at u: the definition. */
function casteljau({ size, degree, controls }: Curve, s: number, c: number, u: number): number {
  const points = Array.from({ length: degree + 1 }, (_, k) => controls[((degree + 1) * s + k) * size + c]);
  while (points.length > 1) {
    for (let k = 0; k + 1 < points.length; k++) points[k] = (1 - u) * points[k] + u * points[k + 1];
    points.pop();
  }
  return points[0];
}

describe('a curve', () => {
  it('is the Bezier curve of its points, with the derivatives of finite differences', () => {
    fc.assert(
      fc.property(curves, fc.nat(3), fc.double({ min: 0.1, max: 0.9, noNaN: true }), (data, which, u) => {
        const curve = createCurve(data);
        const s = which % (data.knots.length - 1);
        const h = data.knots[s + 1] - data.knots[s];
        const point = evaluateCurve(curve, data.knots[s] + u * h);
        const d = 0.02;
        for (let c = 0; c < data.size; c++) {
          const at = (k: number) => casteljau(curve, s, c, u + k * d);
          expect(Math.abs(point.value[c] - at(0))).toBeLessThan(1e-13);
          // Exact for polynomials up to degree 8 and 9.
          const weights1 = [4 / 5, -1 / 5, 4 / 105, -1 / 280];
          const weights2 = [8 / 5, -1 / 5, 8 / 315, -1 / 560];
          let first = 0;
          let second = (-205 / 72) * at(0);
          for (let k = 1; k <= 4; k++) {
            first += weights1[k - 1] * (at(k) - at(-k));
            second += weights2[k - 1] * (at(k) + at(-k));
          }
          expect(Math.abs(point.first[c] - first / (d * h))).toBeLessThan(1e-12 / (d * h));
          expect(Math.abs(point.second[c] - second / (d * h) ** 2)).toBeLessThan(1e-12 / (d * h) ** 2);
        }
      }),
    );
  });

  it('meets its ends to the last bit, and is continuous where pieces share a point', () => {
    fc.assert(
      fc.property(curves, (data) => {
        const curve = createCurve(data);
        const { size, degree, knots, controls } = data;
        for (let s = 0; s < knots.length; s++) {
          const from = s === knots.length - 1 ? ((degree + 1) * s - 1) * size : (degree + 1) * s * size;
          const wanted = controls.slice(from, from + size);
          expect(Array.from(evaluateCurve(curve, knots[s]).value)).toEqual(wanted);
          if (s === 0) continue;
          // One rounding of the time before the join: less apart than the speed covers in that time.
          const before = knots[s] - 2 ** -51 * Math.max(Math.abs(knots[s]), 1);
          const near = evaluateCurve(curve, before);
          for (let c = 0; c < size; c++) {
            const travelled = Math.abs(near.first[c]) * (knots[s] - before);
            expect(Math.abs(near.value[c] - wanted[c])).toBeLessThanOrEqual(2 * travelled + 2e-15);
          }
        }
      }),
    );
  });

  it('stays in the convex hull of the points of its piece', () => {
    fc.assert(
      fc.property(
        curves,
        fc.nat(3),
        fc.double({ min: 0, max: 1, noNaN: true }),
        number(1),
        (data, which, u, bias) => {
          const curve = createCurve(data);
          const { size, degree, knots, controls } = data;
          const s = which % (knots.length - 1);
          const point = evaluateCurve(
            curve,
            Math.min(knots[s] + u * (knots[s + 1] - knots[s]), knots[s + 1]),
          ).value;
          for (let trial = 0; trial < 6; trial++) {
            const normal = Array.from({ length: size }, (_, c) => Math.cos(trial * (c + 1) + 3 * bias));
            const height = (at: (c: number) => number) => normal.reduce((sum, x, c) => sum + x * at(c), 0);
            let max = Number.NEGATIVE_INFINITY;
            for (let k = 0; k <= degree; k++) {
              max = Math.max(
                max,
                height((c) => controls[((degree + 1) * s + k) * size + c]),
              );
            }
            expect(height((c) => point[c])).toBeLessThanOrEqual(max + 1e-14);
          }
        },
      ),
    );
  });

  it('has accurate rates far from zero', () => {
    const near = hermiteCurve({ times: [0, 1], values: [0, 1], tangents: [0, 0] });
    const far = hermiteCurve({ times: [0, 1], values: [2 ** 40, 2 ** 40 + 1], tangents: [0, 0] });
    for (const t of [0, 0.25, 0.7, 1]) {
      const [a, b] = [evaluateCurve(near, t), evaluateCurve(far, t)];
      expect(Math.abs(a.first[0] - b.first[0])).toBeLessThan(1e-3);
      expect(b.value[0] - 2 ** 40).toBeCloseTo(a.value[0], 3);
    }
  });

  it('copies its arrays', () => {
    const knots = [0, 1];
    const controls = [1, 2];
    const curve = createCurve({ size: 1, degree: 1, knots, controls });
    knots[1] = 5;
    controls[0] = 9;
    expect([curveStart(curve), curveEnd(curve)]).toEqual([0, 1]);
    expect(evaluateCurve(curve, 0).value[0]).toBe(1);
    expect(structuredClone(curve)).toEqual(curve);
  });

  it('at a knot is the piece that begins there; at the end the last one', () => {
    expect([-1, 0, 0.5, 1, 1.5, 2, 3, 4].map((t) => pieceAt([0, 1, 2, 3], t))).toEqual([
      0, 0, 0, 1, 1, 2, 2, 2,
    ]);
  });
});

describe('outside its range a curve', () => {
  const keyed = fc
    .array(fc.tuple(fc.double({ min: 0.3, max: 1.5, noNaN: true }), number(2), number(2)), {
      minLength: 2,
      maxLength: 5,
    })
    .map((rows) => ({
      times: rows.map((_, i) => rows.slice(0, i + 1).reduce((sum, [span]) => sum + span, -1)),
      values: rows.flatMap(([, a, b]) => [a, b]),
    }));
  const away = fc.record({
    rounds: fc.integer({ min: 1, max: 4 }),
    fraction: fc.double({ min: 0.02, max: 0.98, noNaN: true }),
  });
  const sides: readonly ('before' | 'after')[] = ['before', 'after'];
  /** A moment `rounds` spans before or after the range, and the part of the range that it repeats. */
  const timeOf = (curve: Curve, side: 'before' | 'after', rounds: number, fraction: number) => {
    const span = curveEnd(curve) - curveStart(curve);
    return curveStart(curve) + ((side === 'before' ? -rounds : rounds) + fraction) * span;
  };
  const smooth = (keys: { times: number[]; values: number[] }, outside: Extrapolation) =>
    cubicSpline(keys, { outside });
  const inside = (curve: Curve, u: number) =>
    evaluateCurve(curve, curveStart(curve) + u * (curveEnd(curve) - curveStart(curve)));
  const near = (a: ArrayLike<number>, b: ArrayLike<number>, within: number) => {
    for (let c = 0; c < b.length; c++)
      expect(Math.abs(a[c] - b[c])).toBeLessThan(within * (1 + Math.abs(b[c])));
  };

  it('clamped is at rest at the value of its end', () => {
    fc.assert(
      fc.property(keyed, away, (keys, { rounds, fraction }) => {
        const curve = smooth(keys, 'clamp');
        for (const side of sides) {
          const point = evaluateCurve(curve, timeOf(curve, side, rounds, fraction));
          expect(Array.from(point.value)).toEqual(
            side === 'before' ? keys.values.slice(0, 2) : keys.values.slice(-2),
          );
          expect([...Array.from(point.first), ...Array.from(point.second)].map(Math.abs)).toEqual([
            0, 0, 0, 0,
          ]);
        }
      }),
    );
  });

  it('looped repeats; offset adds the displacement of each cycle; both with the rates inside', () => {
    fc.assert(
      fc.property(keyed, away, (keys, { rounds, fraction }) => {
        const direction = [0, 1].map((c) => keys.values[keys.values.length - 2 + c] - keys.values[c]);
        for (const side of sides) {
          for (const kind of ['loop', 'offset'] as const) {
            const curve = smooth(keys, kind);
            const wanted = inside(curve, fraction);
            const point = evaluateCurve(curve, timeOf(curve, side, rounds, fraction));
            const added = kind === 'loop' ? 0 : side === 'before' ? -rounds : rounds;
            near(
              point.value,
              [0, 1].map((c) => wanted.value[c] + added * direction[c]),
              1e-11,
            );
            near(point.first, wanted.first, 1e-10);
            near(point.second, wanted.second, 1e-9);
          }
        }
      }),
    );
  });

  it('mirrored alternates, with its rate negated backwards', () => {
    fc.assert(
      fc.property(keyed, away, (keys, { rounds, fraction }) => {
        const curve = smooth(keys, 'mirror');
        for (const side of sides) {
          const back = rounds % 2 === 1;
          const wanted = inside(curve, back ? 1 - fraction : fraction);
          const point = evaluateCurve(curve, timeOf(curve, side, rounds, fraction));
          near(point.value, wanted.value, 1e-11);
          near(
            point.first,
            Array.from(wanted.first, (x) => (back ? -x : x)),
            1e-10,
          );
          near(point.second, wanted.second, 1e-9);
        }
      }),
    );
  });

  it('linear keeps the velocity of its end', () => {
    fc.assert(
      fc.property(keyed, away, (keys, { rounds, fraction }) => {
        const curve = smooth(keys, 'linear');
        for (const side of sides) {
          const time = timeOf(curve, side, rounds, side === 'before' ? -fraction : fraction);
          const edge = side === 'before' ? curveStart(curve) : curveEnd(curve);
          const end = evaluateCurve(curve, edge);
          const point = evaluateCurve(curve, time);
          near(
            point.value,
            [0, 1].map((c) => end.value[c] + (time - edge) * end.first[c]),
            1e-13,
          );
          near(point.first, end.first, 1e-15);
          expect(Array.from(point.second, Math.abs)).toEqual([0, 0]);
        }
      }),
    );
  });

  it('has in every kind the rates of finite differences', () => {
    fc.assert(
      fc.property(
        keyed,
        away,
        fc.constantFrom<Extrapolation>('clamp', 'loop', 'offset', 'mirror', 'linear'),
        fc.constantFrom(...sides),
        (keys, { rounds, fraction }, kind, side) => {
          // A quadratic between two keys: no join comes between the differences.
          const curve = createCurve(
            {
              size: 2,
              degree: 2,
              knots: [keys.times[0], keys.times[1]],
              controls: [0.3, 1, ...keys.values.slice(0, 4)],
            },
            { outside: kind },
          );
          const time = timeOf(curve, side, rounds, fraction);
          const d = 1e-3 * (keys.times[1] - keys.times[0]);
          const [before, at, after] = [-d, 0, d].map((x) => evaluateCurve(curve, time + x));
          near(
            at.first,
            [0, 1].map((c) => (after.value[c] - before.value[c]) / (2 * d)),
            1e-9,
          );
          near(
            at.second,
            [0, 1].map((c) => (after.first[c] - before.first[c]) / (2 * d)),
            1e-8,
          );
        },
      ),
    );
  });

  it('has its own kind before and after', () => {
    const curve = linearCurve(
      { times: [0, 1], values: [0, 2] },
      { outside: { before: 'offset', after: 'linear' } },
    );
    expect(evaluateCurve(curve, -0.5).value[0]).toBe(-1);
    expect(evaluateCurve(curve, 3).value[0]).toBe(6);
    const other = linearCurve({ times: [0, 1], values: [0, 2] }, { outside: { after: 'mirror' } });
    expect(evaluateCurve(other, -3).value[0]).toBe(0);
    expect(evaluateCurve(other, 1.25).value[0]).toBe(1.5);
  });
});

describe('bad curves', () => {
  const good = { size: 1, degree: 1, knots: [0, 1], controls: [1, 2] };
  const fault = (bad: Partial<Parameters<typeof createCurve>[0]>): MotionError => {
    try {
      createCurve({ ...good, ...bad });
    } catch (error) {
      if (error instanceof MotionError) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it.each([
    ['unsorted times', { knots: [0, -1] }, 'not-increasing', 'knots[1]', '-1 s after 0 s'],
    ['repeated times', { knots: [0, 0] }, 'not-increasing', 'knots[1]', 'repeats'],
    ['one key', { knots: [0] }, 'wrong-size', 'knots', 'one time'],
    ['no key', { knots: [], controls: [] }, 'wrong-size', 'knots', 'no time'],
    ['a time that is none', { knots: [0, Number.NaN] }, 'not-finite', 'knots[1]', 'NaN'],
    ['a time without end', { knots: [0, Number.POSITIVE_INFINITY] }, 'not-finite', 'knots[1]', 'Infinity'],
    ['a value that is none', { controls: [1, Number.NaN] }, 'not-finite', 'controls[1]', 'NaN'],
    ['too few points', { controls: [1] }, 'wrong-size', 'controls', '1 numbers where 2 numbers belong'],
    [
      'too many points',
      { controls: [1, 2, 3] },
      'wrong-size',
      'controls',
      '3 numbers where 2 numbers belong',
    ],
    ['no degree', { degree: 0 }, 'out-of-range', 'degree', '0'],
    ['a degree too high', { degree: 8 }, 'out-of-range', 'degree', '8'],
    ['half a degree', { degree: 1.5 }, 'out-of-range', 'degree', '1.5'],
    ['no size', { size: 0 }, 'out-of-range', 'size', '0'],
  ] as const)('%s: what, where, remedy', (_, bad, code, path, what) => {
    const error = fault(bad);
    expect([error.code, error.path]).toEqual([code, path]);
    expect(error.message).toContain(what);
    expect(error.remedy.length).toBeGreaterThan(10);
  });

  it('tangents of the wrong size are refused with both sizes', () => {
    const keys = { times: [0, 1], values: [1, 2, 3, 4] };
    expect(() => hermiteCurve({ ...keys, tangents: [1, 2, 3] })).toThrow(
      /keys.tangents: has 3 numbers where 4 numbers belong/,
    );
    expect(() => hermiteCurve({ ...keys, tangents: [1, 2, 3, 4], arriving: [1] })).toThrow(
      /keys.arriving: has 1 numbers where 4 numbers belong/,
    );
    expect(() => linearCurve({ times: [0, 1], values: [1, 2, 3] })).toThrow(
      /keys.values: has 3 numbers for 2 keyframes/,
    );
    expect(() => linearCurve({ times: [0, 1], values: [] })).toThrow(MotionError);
  });

  it('an invalid time is refused on evaluation', () => {
    expect(() => evaluateCurve(createCurve(good), Number.NaN)).toThrow(MotionError);
    expect(() => evaluateCurve(createCurve(good), Number.NEGATIVE_INFINITY, createCurvePoint(1))).toThrow(
      MotionError,
    );
  });
});
