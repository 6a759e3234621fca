import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagonalize } from '../../src/math/linear/symmetric-eigen.js';
import { collocationPoints, inequalityPoints } from '../../src/spacetime/transcription/quadrature.js';
import {
  createKnottedBasis,
  createSplineBasis,
  ORDERS,
  type SplineBasis,
  writeBasis,
} from '../../src/spacetime/transcription/spline-basis.js';
import { expectClose } from '../figure/support.js';

/** Segments of uniform intervals, joined at breaks where the spline is only twice continuously differentiable. */
function joined(
  degree: number,
  pieces: readonly { readonly count: number; readonly step: number }[],
): SplineBasis {
  const breaks = [0];
  const multiplicity = [1];
  for (const { count, step } of pieces) {
    const from = breaks[breaks.length - 1];
    for (let k = 1; k <= count; k++) {
      breaks.push(from + k * step);
      multiplicity.push(k === count ? Math.max(1, degree - 2) : 1);
    }
  }
  return createKnottedBasis(degree, Float64Array.from(breaks), Int32Array.from(multiplicity));
}

/** The spline space of the derivatives of `basis` over breaks `low` to `high`: lower degree, same multiplicities. */
function derivativeOf(basis: SplineBasis, order: number, low = 0, high = basis.intervals): SplineBasis {
  return createKnottedBasis(
    basis.degree - order,
    basis.breaks.slice(low, high + 1),
    basis.multiplicity.slice(low, high + 1),
  );
}

/** All basis functions at all times, row by row. */
function collocation(basis: SplineBasis, times: readonly number[], order = 0): Float64Array {
  const width = basis.degree + 1;
  const out = new Float64Array(ORDERS * width);
  const matrix = new Float64Array(times.length * basis.count);
  times.forEach((time, r) => {
    const first = writeBasis(basis, time, out);
    matrix.set(out.subarray(order * width, (order + 1) * width), r * basis.count + first);
  });
  return matrix;
}

/** The singular values of a matrix of so many columns, ascending; exact to half the digits. */
function singularValues(matrix: Float64Array, columns: number): Float64Array {
  const square = new Float64Array(columns * columns);
  for (let r = 0; r < matrix.length; r += columns) {
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j < columns; j++) square[i * columns + j] += matrix[r + i] * matrix[r + j];
    }
  }
  diagonalize(square, columns, new Float64Array(columns * columns));
  return Float64Array.from({ length: columns }, (_, k) =>
    Math.sqrt(Math.max(0, square[k * (columns + 1)])),
  ).sort();
}

function timesOf(basis: SplineBasis, from: number, to: number, order: number, max?: number): number[] {
  return collocationPoints(basis, from, to, order, max).map(({ time }) => time);
}

/** Expects as many points as the derivative has degrees of freedom, and that they determine these. */
function expectDetermined(basis: SplineBasis, order: number, low = 0, high = basis.intervals): void {
  const times = timesOf(basis, basis.breaks[low], basis.breaks[high], order, Number.POSITIVE_INFINITY);
  const space = derivativeOf(basis, order, low, high);
  expect(times).toHaveLength(space.count);
  const values = singularValues(collocation(space, times), space.count);
  // The worst that was seen is 260, of degree 7.
  expect(values[space.count - 1] / values[0]).toBeLessThan(1e3);
}

const orders = fc.integer({ min: 0, max: 2 });
const degrees = fc.integer({ min: 3, max: 7 });
const pieces = fc.record({
  count: fc.integer({ min: 2, max: 10 }),
  step: fc.double({ min: 0.02, max: 0.1, noNaN: true }),
});

describe('collocation points', () => {
  test('are as many as the degrees of freedom of a smooth spline, and determine them', () => {
    fc.assert(
      fc.property(degrees, orders, pieces, (degree, order, piece) => {
        expectDetermined(joined(degree, [piece]), order);
      }),
    );
    expectDetermined(createSplineBasis(5, 48, 0, 2), 0);
  });

  test('are as many as those of two or three splines joined at less smooth breaks', () => {
    fc.assert(
      fc.property(
        degrees,
        orders,
        fc.array(pieces, { minLength: 2, maxLength: 3 }),
        (degree, order, several) => {
          expectDetermined(joined(degree, several), order);
        },
      ),
    );
  });

  test('are as many as those of a segment that begins or ends at such a break', () => {
    fc.assert(
      fc.property(
        degrees.filter((degree) => degree > 3),
        orders,
        fc.tuple(pieces, pieces, pieces),
        fc.constantFrom([0, 1], [1, 2], [2, 3], [0, 2], [1, 3]),
        (degree, order, three, [a, b]) => {
          const [first, second, third] = three.map(({ count }) => count);
          const ends = [0, first, first + second, first + second + third];
          expectDetermined(joined(degree, three), order, ends[a], ends[b]);
        },
      ),
    );
  });

  test('determine derivatives of the motion', () => {
    // Rows of the order-th derivative have only its polynomials of lower degree for a null space.
    for (const order of [0, 1, 2]) {
      const basis = joined(5, [
        { count: 4, step: 0.25 },
        { count: 3, step: 0.2 },
      ]);
      const times = timesOf(basis, 0, basis.end, order, Number.POSITIVE_INFINITY);
      const values = singularValues(collocation(basis, times, order), basis.count);
      const size = values[basis.count - 1];
      expect(times).toHaveLength(basis.count - order);
      for (let k = 0; k < order; k++) expect(values[k] / size).toBeLessThan(1e-6);
      expect(values[order] / size).toBeGreaterThan(1e-3);
    }
  });

  test('are as many in a segment of one interval', () => {
    for (const degree of [3, 4, 5, 6, 7]) {
      for (const order of [0, 1, 2]) {
        const basis = joined(degree, [{ count: 1, step: 0.05 }]);
        const times = timesOf(basis, 0, basis.end, order, Number.POSITIVE_INFINITY);
        expect(times).toHaveLength(degree + 1 - order);
      }
    }
  });

  test('ascend from one end of any span to the other without duplicates', () => {
    fc.assert(
      fc.property(
        degrees,
        orders,
        fc.array(pieces, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (degree, order, several, max, begin, share) => {
          const basis = joined(degree, several);
          const from = begin * basis.end;
          const to = Math.min(basis.end, from + share * (basis.end - from));
          const times = timesOf(basis, from, to, order, max);
          expect(times[0]).toBe(from);
          expect(times[times.length - 1]).toBe(to);
          for (let k = 1; k < times.length; k++) expect(times[k]).toBeGreaterThan(times[k - 1]);
          expect(times.length).toBeLessThanOrEqual(derivativeOf(basis, order).count);
        },
      ),
    );
  });

  test('tolerate ends that are breaks up to rounding', () => {
    const basis = joined(5, [
      { count: 4, step: 0.075 },
      { count: 5, step: 0.08 },
      { count: 4, step: 0.075 },
    ]);
    const [a, b] = [basis.breaks[4], basis.breaks[9]];
    for (const order of [0, 1, 2]) {
      for (const max of [1, Number.POSITIVE_INFINITY]) {
        const exact = timesOf(basis, a, b, order, max);
        for (const off of [1e-15, -1e-15, 1e-9, -1e-9]) {
          const times = timesOf(basis, a - off, b + off, order, max);
          expect(times[0]).toBe(a - off);
          expect(times[times.length - 1]).toBe(b + off);
          expectClose(times, exact, 2e-9);
        }
      }
    }
    // A span of no more than that still has both ends.
    expect(timesOf(basis, a - 1e-12, a + 1e-12, 0)).toEqual([a - 1e-12, a + 1e-12]);
  });
});

describe('points of inequalities', () => {
  const basis = joined(5, [
    { count: 3, step: 0.1 },
    { count: 4, step: 0.2 },
  ]);
  const times = (from: number, to: number, order?: number): number[] =>
    inequalityPoints(basis, new Float64Array(basis.intervals).fill(1), from, to, order).map(
      ({ time }) => time,
    );
  const inside = (k: number, count: number): number[] => {
    const step = basis.breaks[k + 1] - basis.breaks[k];
    return Array.from({ length: count }, (_, j) => basis.breaks[k] + ((j + 0.5) / count) * step);
  };

  test('values: at the ends and at the quarters of the intervals', () => {
    const quarters = Array.from({ length: 7 }, (_, k) => inside(k, 2)).flat();
    expectClose(times(0, basis.end), [0, ...quarters, basis.end], 1e-14);
  });

  test.each([1, 2])(
    'derivative %i: more at the ends of the motion and on both sides of a less smooth break',
    (order) => {
      const all = [6, 3, 6, 6, 3, 3, 6].flatMap((count, k) => [basis.breaks[k], ...inside(k, count)]);
      const expected = all.filter(
        (time) => time === 0 || time === basis.breaks[3] || !basis.breaks.includes(time),
      );
      expectClose(times(0, basis.end, order), [...expected, basis.end], 1e-14);
      const [from, to] = [0.26, 0.55];
      const within = expected.filter((time) => time > from && time < to);
      expectClose(times(from, to, order), [from, ...within, to], 1e-14);
    },
  );
});
