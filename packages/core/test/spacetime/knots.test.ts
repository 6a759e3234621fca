import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createBasisWithBreaks,
  restrictBasis,
  snapToBreak,
} from '../../src/spacetime/transcription/knots.js';
import type { SplineBasis } from '../../src/spacetime/transcription/spline-basis.js';

/** Of an interval: changes nearer to each other, or to an end, are one. */
const SAME = 0.05;

/** Changes inside, no two of them one, none one with an end. */
const problems = fc
  .record({
    degree: fc.integer({ min: 3, max: 7 }),
    intervals: fc.integer({ min: 1, max: 40 }),
    duration: fc.double({ min: 0.1, max: 10, noNaN: true }),
    shares: fc.uniqueArray(fc.integer({ min: 1, max: 9999 }), { maxLength: 6 }),
  })
  .map(({ shares, ...rest }) => {
    const min = (1.001 * SAME * rest.duration) / rest.intervals;
    const changes: number[] = [];
    for (const share of shares) {
      const time = (share / 1e4) * rest.duration;
      if ([0, rest.duration, ...changes].every((other) => Math.abs(time - other) > min)) changes.push(time);
    }
    return { ...rest, changes };
  });

function lengthsOf({ breaks }: SplineBasis): number[] {
  return Array.from(breaks.subarray(1), (b, k) => b - breaks[k]);
}

function expectSame(a: SplineBasis, b: SplineBasis): void {
  expect(Array.from(a.breaks)).toEqual(Array.from(b.breaks));
  expect(Array.from(a.multiplicity)).toEqual(Array.from(b.multiplicity));
}

describe('knots of a problem', () => {
  test('are breaks at every contact change to the bit, with multiplicity for two derivatives, and simple elsewhere', () => {
    fc.assert(
      fc.property(problems, ({ degree, intervals, duration, changes }) => {
        const basis = createBasisWithBreaks(degree, intervals, duration, changes);
        expect(basis.start).toBe(0);
        expect(basis.end).toBe(duration);
        for (const time of changes) expect(basis.breaks).toContain(time);
        const inside = basis.breaks.subarray(1, basis.intervals);
        const sharp = Math.max(1, degree - 2);
        inside.forEach((time, k) => {
          expect(basis.multiplicity[k + 1]).toBe(changes.includes(time) ? sharp : 1);
        });
        expect(basis.multiplicity[0]).toBe(degree + 1);
        expect(basis.multiplicity[basis.intervals]).toBe(degree + 1);
        expect(basis.count).toBe(degree + basis.intervals + changes.length * (sharp - 1));
      }),
    );
  });

  test('are uniform between changes, with as few intervals as the longest allows', () => {
    fc.assert(
      fc.property(problems, ({ degree, intervals, duration, changes }) => {
        const basis = createBasisWithBreaks(degree, intervals, duration, changes);
        const step = duration / intervals;
        const lengths = lengthsOf(basis);
        const cuts = [0, ...[...changes].sort((a, b) => a - b), duration];
        for (let c = 1; c < cuts.length; c++) {
          const first = basis.breaks.indexOf(cuts[c - 1]);
          const own = lengths.slice(first, basis.breaks.indexOf(cuts[c]));
          const mean = (cuts[c] - cuts[c - 1]) / own.length;
          for (const length of own) expect(Math.abs(length - mean)).toBeLessThan(1e-14 * duration);
          expect(mean).toBeLessThan(1.0501 * step);
          // One interval less would be too few: a twentieth of one goes without its own.
          if (own.length > 1) expect((cuts[c] - cuts[c - 1]) / step).toBeGreaterThan(own.length - 0.9501);
        }
      }),
    );
  });

  test('are uniform without changes', () => {
    const basis = createBasisWithBreaks(5, 12, 3, []);
    expect(basis.intervals).toBe(12);
    basis.breaks.forEach((time, k) => {
      expect(time).toBeCloseTo(k / 4, 15);
    });
    expect(Array.from(basis.multiplicity.subarray(1, 12))).toEqual(new Array(11).fill(1));
  });

  test('ignore changes at the ends, outside, duplicates and order', () => {
    fc.assert(
      fc.property(problems, ({ degree, intervals, duration, changes }) => {
        const basis = createBasisWithBreaks(degree, intervals, duration, changes);
        const nothing = [0, duration, -0.3, 2 * duration, 1e-9 * (duration / intervals)];
        const almost = duration * (1 - Number.EPSILON);
        const again = [...nothing, ...[...changes].reverse(), ...changes, almost];
        expectSame(createBasisWithBreaks(degree, intervals, duration, again), basis);
      }),
    );
  });

  test('merge coinciding times into the earlier one, or the end', () => {
    const near = fc.double({ min: 0, max: 0.99 * SAME, noNaN: true });
    fc.assert(
      fc.property(problems, near, near, ({ degree, intervals, duration, changes }, a, b) => {
        const step = duration / intervals;
        const basis = createBasisWithBreaks(degree, intervals, duration, changes);
        const again = [a * step, duration - a * step, ...changes.map((time) => time + b * step), ...changes];
        // What follows a change may be nearer to the next, which it is one with then.
        fc.pre(
          changes.every((time) => changes.every((next) => next <= time || next - time > 2 * SAME * step)),
        );
        expectSame(createBasisWithBreaks(degree, intervals, duration, again), basis);
        for (const time of again) {
          const settled = snapToBreak(basis, step, time);
          expect(basis.breaks).toContain(settled);
          expect(Math.abs(settled - time)).toBeLessThanOrEqual(SAME * step);
        }
      }),
    );
    expectSame(createBasisWithBreaks(5, 10, 1, [0.1 + 0.2, 0.3]), createBasisWithBreaks(5, 10, 1, [0.3]));
  });

  test('keep times that coincide with no break', () => {
    const basis = createBasisWithBreaks(5, 10, 1, [0.33]);
    expect(snapToBreak(basis, 0.1, 0.3249)).toBe(0.3249);
    expect(snapToBreak(basis, 0.1, 0.3251)).toBe(0.33);
    expect(snapToBreak(basis, 0.1, 0.334)).toBe(0.33);
  });
});

describe('a restricted basis', () => {
  const fractions = fc.record({
    problem: problems,
    degree: fc.integer({ min: 1, max: 5 }),
    ends: fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 })),
  });

  test('between two breaks has their breaks, with multiplicity up to its degree', () => {
    fc.assert(
      fc.property(fractions, ({ problem, degree, ends }) => {
        const whole = createBasisWithBreaks(
          problem.degree,
          problem.intervals,
          problem.duration,
          problem.changes,
        );
        const [a, b] = ends.map((end) => end % (whole.intervals + 1)).sort((x, y) => x - y);
        if (a === b) return;
        const piece = restrictBasis(whole, degree, whole.breaks[a], whole.breaks[b]);
        expect(piece.degree).toBe(degree);
        expect(Array.from(piece.breaks)).toEqual(Array.from(whole.breaks.subarray(a, b + 1)));
        for (let k = 1; k < piece.intervals; k++) {
          expect(piece.multiplicity[k]).toBe(Math.min(whole.multiplicity[a + k], degree));
        }
        expect(piece.multiplicity[0]).toBe(degree + 1);
        expect(piece.multiplicity[piece.intervals]).toBe(degree + 1);
        const inside = piece.multiplicity.subarray(1, piece.intervals);
        expect(piece.count).toBe(degree + 1 + inside.reduce((sum, m) => sum + m, 0));
      }),
    );
  });

  test('covers any span with exactly the intervals it touches', () => {
    fc.assert(
      fc.property(
        fractions,
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        ({ problem, degree }, from, share) => {
          const whole = createBasisWithBreaks(
            problem.degree,
            problem.intervals,
            problem.duration,
            problem.changes,
          );
          const a = from * problem.duration;
          const b = a + share * (problem.duration - a);
          const { breaks, intervals } = restrictBasis(whole, degree, a, b);
          const rounding = 2e-6 * (problem.duration / whole.intervals);
          expect(breaks[0]).toBeLessThanOrEqual(a);
          expect(breaks[intervals]).toBeGreaterThanOrEqual(b - rounding);
          expect(breaks[1]).toBeGreaterThan(a);
          expect(breaks[intervals - 1]).toBeLessThan(b);
        },
      ),
    );
  });

  test('does not include an interval by rounding of an end', () => {
    const whole = createBasisWithBreaks(5, 10, 1, [0.3, 0.7]);
    const piece = restrictBasis(whole, 3, 0.3 - 1e-15, 0.7 + 1e-15);
    expect(piece.start).toBe(0.3);
    expect(piece.end).toBe(0.7);
  });
});
