import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MotionError } from '../../src/errors.js';
import {
  createWrappedTime,
  type Extrapolation,
  outsideRange,
  wrapTime,
} from '../../src/motion/representation/time-range.js';

const KINDS: readonly Extrapolation[] = ['clamp', 'loop', 'offset', 'mirror', 'linear'];
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const range = fc
  .tuple(number(-5, 5), number(0.1, 4))
  .map(([start, span]) => ({ start, span, end: start + span }));
/** A time that is `cycles` spans and a part from the start; never at a turning point. */
const outside = fc
  .tuple(fc.integer({ min: -7, max: 7 }), number(0.01, 0.99))
  .filter(([cycles]) => cycles !== 0)
  .map(([cycles, fraction]) => ({ cycles, fraction }));
const both = (kind: Extrapolation) => ({ before: kind, after: kind });

describe('a time inside the range', () => {
  it('is unchanged, including the ends, for every extrapolation', () => {
    fc.assert(
      fc.property(range, number(0, 1), fc.constantFrom(...KINDS), ({ start, span, end }, u, kind) => {
        for (const time of [start, Math.min(start + u * span, end), end]) {
          expect(wrapTime(time, start, end, both(kind))).toEqual({ time, rate: 1, cycles: 0, beyond: 0 });
        }
      }),
    );
  });
});

describe('a time outside the range', () => {
  it('clamped is the nearer end, with rate 0', () => {
    fc.assert(
      fc.property(range, number(1e-9, 50), ({ start, end }, far) => {
        const still = { rate: 0, cycles: 0, beyond: 0 };
        expect(wrapTime(start - far, start, end, both('clamp'))).toEqual({ time: start, ...still });
        expect(wrapTime(end + far, start, end, both('clamp'))).toEqual({ time: end, ...still });
      }),
    );
  });

  it('linear gives the seconds past the end', () => {
    fc.assert(
      fc.property(range, number(0.01, 50), ({ start, end }, far) => {
        const late = wrapTime(end + far, start, end, both('linear'));
        expect(late).toMatchObject({ time: end, rate: 1, cycles: 0 });
        expect(late.beyond).toBeCloseTo(far, 12);
        const early = wrapTime(start - far, start, end, both('linear'));
        expect(early).toMatchObject({ time: start, rate: 1, cycles: 0 });
        expect(early.beyond).toBeCloseTo(-far, 12);
      }),
    );
  });

  it('looped wraps into the range, and offset counts cycles', () => {
    fc.assert(
      fc.property(range, outside, ({ start, span, end }, { cycles, fraction }) => {
        const time = start + (cycles + fraction) * span;
        const looped = wrapTime(time, start, end, both('loop'));
        expect(looped).toMatchObject({ rate: 1, cycles: 0, beyond: 0 });
        expect(looped.time).toBeCloseTo(start + fraction * span, 11);
        const offset = wrapTime(time, start, end, both('offset'));
        expect(offset).toMatchObject({ rate: 1, cycles, beyond: 0 });
        expect(offset.time).toBeCloseTo(start + fraction * span, 11);
      }),
    );
  });

  it('mirrored runs backwards in every odd cycle', () => {
    fc.assert(
      fc.property(range, outside, ({ start, span, end }, { cycles, fraction }) => {
        const placed = wrapTime(start + (cycles + fraction) * span, start, end, both('mirror'));
        const back = cycles % 2 !== 0;
        expect(placed).toMatchObject({ rate: back ? -1 : 1, cycles: 0, beyond: 0 });
        expect(placed.time).toBeCloseTo(back ? end - fraction * span : start + fraction * span, 11);
      }),
    );
  });

  it('is mapped inside from any distance', () => {
    fc.assert(
      fc.property(range, number(-1e15, 1e15), fc.constantFrom(...KINDS), ({ start, end }, time, kind) => {
        const placed = wrapTime(time, start, end, both(kind));
        expect(placed.time).toBeGreaterThanOrEqual(start);
        expect(placed.time).toBeLessThanOrEqual(end);
      }),
    );
  });

  it('uses the extrapolation of its own end', () => {
    const sides = { before: 'linear', after: 'mirror' } as const;
    expect(wrapTime(-2, 0, 1, sides)).toMatchObject({ time: 0, beyond: -2 });
    expect(wrapTime(1.25, 0, 1, sides)).toMatchObject({ time: 0.75, rate: -1, beyond: 0 });
  });

  it('overwrites every field of the output', () => {
    const place = createWrappedTime();
    wrapTime(7.5, 0, 1, both('offset'), place);
    wrapTime(-3, 0, 1, both('linear'), place);
    expect(wrapTime(0.5, 0, 1, both('linear'), place)).toEqual({ time: 0.5, rate: 1, cycles: 0, beyond: 0 });
  });
});

describe('bad input', () => {
  const thrown = (run: () => unknown): MotionError => {
    try {
      run();
    } catch (error) {
      if (error instanceof MotionError) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it('NaN and infinite times are refused in every kind', () => {
    for (const kind of KINDS) {
      for (const time of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
        const error = thrown(() => wrapTime(time, 0, 1, both(kind)));
        expect([error.code, error.path]).toEqual(['not-finite', 'time']);
        expect(error.message).toContain(String(time));
      }
    }
  });

  it('an unknown value is refused with its path and the known values', () => {
    const error = thrown(() => outsideRange({ after: 'bounce' as Extrapolation }));
    expect([error.code, error.path]).toEqual(['unsupported', 'outside.after']);
    for (const kind of KINDS) expect(error.remedy).toContain(kind);
    expect(thrown(() => outsideRange('bounce' as Extrapolation)).path).toBe('outside');
    expect(thrown(() => outsideRange(5 as unknown as Extrapolation)).code).toBe('unsupported');
  });

  it('one value counts for both ends; the default is clamp', () => {
    expect(outsideRange('loop')).toEqual(both('loop'));
    expect(outsideRange()).toEqual(both('clamp'));
    expect(outsideRange({ before: 'mirror' })).toEqual({ before: 'mirror', after: 'clamp' });
  });
});
