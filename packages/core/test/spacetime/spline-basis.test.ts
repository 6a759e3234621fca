import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bSplineCurve } from '../../src/motion/curves/index.js';
import { evaluateCurve } from '../../src/motion/representation/curve.js';
import {
  createKnottedBasis,
  createSplineBasis,
  ORDERS,
  type SplineBasis,
  writeBasis,
} from '../../src/spacetime/transcription/spline-basis.js';
import { derivative } from '../figure/support.js';

const evenBases = fc
  .record({
    degree: fc.integer({ min: 0, max: 7 }),
    intervals: fc.integer({ min: 1, max: 12 }),
    start: fc.double({ min: -2, max: 2, noNaN: true }),
    length: fc.double({ min: 0.1, max: 5, noNaN: true }),
  })
  .map(({ degree, intervals, start, length }) => createSplineBasis(degree, intervals, start, start + length));

/** Uneven intervals, the longest `ratio` times the shortest at most, with 1 to `degree` knots where they meet. */
function knottedBases(ratio: number): fc.Arbitrary<SplineBasis> {
  const pieces = fc.array(
    fc.record({
      length: fc.double({ min: 1 / ratio, max: 1, noNaN: true }),
      knots: fc.integer({ min: 0, max: 5039 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  return fc
    .record({
      degree: fc.integer({ min: 1, max: 7 }),
      start: fc.double({ min: -2, max: 2, noNaN: true }),
      pieces,
    })
    .map(({ degree, start, pieces: given }) => {
      const breaks = [start];
      for (const { length } of given) breaks.push(breaks[breaks.length - 1] + length);
      return createKnottedBasis(
        degree,
        Float64Array.from(breaks),
        Int32Array.from([0, ...given.map(({ knots }) => 1 + (knots % degree))]),
      );
    });
}

/** A basis, and a moment in it by a share of the span. */
const cases = fc.record({
  basis: fc.oneof(evenBases, knottedBases(20)),
  share: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 0.5, 0.25)),
});

/** One derivative of all basis functions at a time. */
function row(basis: SplineBasis, time: number, order: number): Float64Array {
  const width = basis.degree + 1;
  const out = new Float64Array(ORDERS * width).fill(7);
  const first = writeBasis(basis, time, out);
  const dense = new Float64Array(basis.count);
  dense.set(out.subarray(order * width, (order + 1) * width), first);
  return dense;
}

function at({ start, end }: SplineBasis, share: number): number {
  return Math.min(end, start + share * (end - start));
}

/** The most that a derivative of a basis function can be: (2 degree / shortest interval)^order. */
function scaleOf({ degree, breaks }: SplineBasis, order: number): number {
  return Math.max(1, (2 * degree) / Math.min(...breaks.subarray(1).map((b, k) => b - breaks[k]))) ** order;
}

/** Knots within the span where the derivative may jump, the moment at one of them but for rounding. */
function mayJump(
  { degree, breaks, multiplicity, intervals }: SplineBasis,
  time: number,
  order: number,
): boolean {
  for (let k = 1; k < intervals; k++) {
    if (Math.abs(time - breaks[k]) < 1e-12 && order > degree - multiplicity[k]) return true;
  }
  return false;
}

/**
 * The derivative just before a break, by the polynomial through moments of the interval that ends there (Lagrange, at Chebyshev's points:
 * functions of degree 7 at most have no more to say).
 */
function rowBefore(basis: SplineBasis, k: number, order: number): Float64Array {
  const n = basis.degree + 1;
  const [low, high] = [basis.breaks[k - 1], basis.breaks[k]];
  const nodes = Array.from({ length: n }, (_, j) => 0.5 - 0.5 * Math.cos((Math.PI * (j + 0.5)) / n));
  const sum = new Float64Array(basis.count);
  nodes.forEach((x, j) => {
    const share = nodes.reduce((product, y, i) => (i === j ? product : (product * (1 - y)) / (x - y)), 1);
    row(basis, low + x * (high - low), order).forEach((value, i) => {
      sum[i] += share * value;
    });
  });
  return sum;
}

describe('the basis functions', () => {
  test('are nonnegative and sum to one; their derivatives sum to zero', () => {
    fc.assert(
      fc.property(cases, ({ basis, share }) => {
        const time = at(basis, share);
        for (let order = 0; order < ORDERS; order++) {
          const values = row(basis, time, order);
          const sum = values.reduce((a, b) => a + b, 0);
          expect(Math.abs(sum - (order === 0 ? 1 : 0)) / scaleOf(basis, order)).toBeLessThan(1e-13);
          // A moment that is a knot but for rounding may fall in the piece beside.
          if (order === 0) expect(Math.min(...values)).toBeGreaterThan(-1e-15);
        }
      }),
    );
  });

  test('reproduce powers of time: Marsden identity and its derivatives', () => {
    fc.assert(
      fc.property(cases, fc.double({ min: -1, max: 2, noNaN: true }), ({ basis, share }, root) => {
        const { degree, knots, start, end } = basis;
        const length = end - start;
        const time = at(basis, share);
        const y = start + root * length;
        // (t - y)^p = sum over i of the product of (t_i+k - y) B_i(t); lengths as shares of the span.
        const controls = Array.from({ length: basis.count }, (_, i) => {
          let product = 1;
          for (let k = 1; k <= degree; k++) product *= (knots[i + k] - y) / length;
          return product;
        });
        const max = Math.max(1, ...controls.map(Math.abs));
        let falling = 1;
        for (let order = 0; order < ORDERS; order++) {
          const expected = order > degree ? 0 : falling * ((time - y) / length) ** (degree - order);
          const values = row(basis, time, order);
          const sum = controls.reduce((total, c, i) => total + c * values[i], 0) * length ** order;
          const scale = max * scaleOf(basis, order) * Math.max(1, length) ** order;
          expect(Math.abs(sum - expected) / scale).toBeLessThan(1e-12);
          falling *= degree - order;
        }
      }),
    );
  });

  test('have derivatives equal to differences', () => {
    fc.assert(
      fc.property(
        cases,
        fc.integer({ min: 0, max: 11 }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        ({ basis }, piece, share) => {
          const k = piece % basis.intervals;
          const step = basis.breaks[k + 1] - basis.breaks[k];
          const time = basis.breaks[k] + share * step;
          for (let order = 0; order + 1 < ORDERS; order++) {
            // Within the piece, where they are polynomials of degree 7 at most.
            const expected = derivative((h) => row(basis, time + h, order), 0.01 * step);
            const found = row(basis, time, order + 1);
            found.forEach((value, i) => {
              expect(Math.abs(value - expected[i]) / scaleOf(basis, order + 1)).toBeLessThan(1e-9);
            });
          }
        },
      ),
    );
  });

  test('are those of the curves of motion', () => {
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 60, maxLength: 60 }),
        ({ basis, share }, numbers) => {
          if (basis.degree === 0) return;
          const points = Array.from({ length: basis.count }, (_, i) => numbers[i]);
          const { degree, knots } = basis;
          const curve = bSplineCurve({ size: 1, points, knots: Array.from(knots), degree });
          const time = at(basis, share);
          const { value, first, second } = evaluateCurve(curve, time);
          [value, first, second].forEach((expected, order) => {
            // At a knot where it is not continuous a derivative is that of one side.
            if (mayJump(basis, time, order)) return;
            const values = row(basis, time, order);
            const sum = points.reduce((total, c, i) => total + c * values[i], 0);
            expect(Math.abs(sum - expected[0]) / scaleOf(basis, order)).toBeLessThan(1e-11);
          });
        },
      ),
    );
  });

  test('interpolate the first and last control point, tangent to the control polygon', () => {
    fc.assert(
      fc.property(cases, ({ basis }) => {
        const { count, degree, breaks, start, end } = basis;
        if (degree === 0) return;
        const step = breaks[1] - breaks[0];
        const first = row(basis, start, 0);
        const last = row(basis, end, 0);
        expect(first[0]).toBeCloseTo(1, 13);
        expect(last[count - 1]).toBeCloseTo(1, 13);
        const slope = row(basis, start, 1);
        expect((slope[1] * step) / degree).toBeCloseTo(1, 12);
        expect((slope[0] * step) / degree).toBeCloseTo(-1, 12);
        for (let i = 2; i < count; i++) expect(Math.abs(slope[i] * step)).toBeLessThan(1e-12);
      }),
    );
  });

  test('reproduce time with Greville abscissae', () => {
    fc.assert(
      fc.property(cases, ({ basis, share }) => {
        if (basis.degree === 0) return;
        const time = at(basis, share);
        const values = row(basis, time, 0);
        const sum = values.reduce((total, value, i) => total + value * basis.centers[i], 0);
        expect(Math.abs(sum - time)).toBeLessThan(1e-13 * (1 + Math.abs(basis.start) + Math.abs(basis.end)));
      }),
    );
  });

  test('have support in the intervals of their knots, found by bisection', () => {
    fc.assert(
      fc.property(cases, ({ basis, share }) => {
        const { degree, breaks, knots, firstOf, count, intervals } = basis;
        const time = at(basis, share);
        const first = writeBasis(basis, time, new Float64Array(ORDERS * (degree + 1)));
        // Counted through, as the slowest search would.
        const expected = breaks.subarray(1, intervals).filter((b) => b <= time).length;
        expect(first).toBe(firstOf[expected]);
        expect(knots).toHaveLength(count + degree + 1);
        for (let i = 0; i < intervals; i++) {
          // The interval is that between the last knot at its begin and the first at its end.
          expect(knots[firstOf[i] + degree]).toBe(breaks[i]);
          expect(knots[firstOf[i] + degree + 1]).toBe(breaks[i + 1]);
        }
      }),
    );
  });

  test('at a break of m knots are exactly degree - m times continuously differentiable', () => {
    let jumps = 0;
    fc.assert(
      fc.property(knottedBases(4), (basis) => {
        const { degree, breaks, multiplicity, intervals } = basis;
        for (let k = 1; k < intervals; k++) {
          for (let order = 0; order < ORDERS; order++) {
            const smooth = degree - multiplicity[k];
            if (order > smooth + 1) continue;
            const before = rowBefore(basis, k, order);
            const after = row(basis, breaks[k], order);
            const gap = Math.max(...after.map((value, i) => Math.abs(value - before[i])));
            if (order <= smooth) {
              expect(gap / scaleOf(basis, order)).toBeLessThan(1e-11);
            } else {
              // The hat function's slope jumps by two where intervals are a second long, the longest there are.
              expect(gap).toBeGreaterThan(1);
              jumps++;
            }
          }
        }
      }),
    );
    expect(jumps).toBeGreaterThan(50);
  });
});
