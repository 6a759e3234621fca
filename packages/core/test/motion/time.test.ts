import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MotionError } from '../../src/errors.js';
import {
  createPlacedTime,
  type Extrapolation,
  outsideRange,
  placeTime,
} from '../../src/motion/representation/time-range.js';

const KINDS: readonly Extrapolation[] = ['clamp', 'loop', 'offset', 'mirror', 'linear'];
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const range = fc
  .tuple(number(-5, 5), number(0.1, 4))
  .map(([start, span]) => ({ start, span, end: start + span }));
/** A time that is `rounds` spans and a part from the start; never at a turning point. */
const outside = fc
  .tuple(fc.integer({ min: -7, max: 7 }), number(0.01, 0.99))
  .filter(([rounds]) => rounds !== 0)
  .map(([rounds, part]) => ({ rounds, part }));
const both = (kind: Extrapolation) => ({ before: kind, after: kind });

describe('a time inside the range', () => {
  it('stays what it is, the ends too, whatever happens outside', () => {
    fc.assert(
      fc.property(range, number(0, 1), fc.constantFrom(...KINDS), ({ start, span, end }, u, kind) => {
        for (const time of [start, Math.min(start + u * span, end), end]) {
          expect(placeTime(time, start, end, both(kind))).toEqual({ time, rate: 1, rounds: 0, beyond: 0 });
        }
      }),
    );
  });
});

describe('a time outside the range', () => {
  it('clamped is the end on its side, and stands still', () => {
    fc.assert(
      fc.property(range, number(1e-9, 50), ({ start, end }, far) => {
        const still = { rate: 0, rounds: 0, beyond: 0 };
        expect(placeTime(start - far, start, end, both('clamp'))).toEqual({ time: start, ...still });
        expect(placeTime(end + far, start, end, both('clamp'))).toEqual({ time: end, ...still });
      }),
    );
  });

  it('goes on by the seconds past the end', () => {
    fc.assert(
      fc.property(range, number(0.01, 50), ({ start, end }, far) => {
        const late = placeTime(end + far, start, end, both('linear'));
        expect(late).toMatchObject({ time: end, rate: 1, rounds: 0 });
        expect(late.beyond).toBeCloseTo(far, 12);
        const early = placeTime(start - far, start, end, both('linear'));
        expect(early).toMatchObject({ time: start, rate: 1, rounds: 0 });
        expect(early.beyond).toBeCloseTo(-far, 12);
      }),
    );
  });

  it('looped is the same part of the range, with its rounds where each adds its way', () => {
    fc.assert(
      fc.property(range, outside, ({ start, span, end }, { rounds, part }) => {
        const time = start + (rounds + part) * span;
        const looped = placeTime(time, start, end, both('loop'));
        expect(looped).toMatchObject({ rate: 1, rounds: 0, beyond: 0 });
        expect(looped.time).toBeCloseTo(start + part * span, 11);
        const offset = placeTime(time, start, end, both('offset'));
        expect(offset).toMatchObject({ rate: 1, rounds, beyond: 0 });
        expect(offset.time).toBeCloseTo(start + part * span, 11);
      }),
    );
  });

  it('mirrored runs back in every odd round', () => {
    fc.assert(
      fc.property(range, outside, ({ start, span, end }, { rounds, part }) => {
        const placed = placeTime(start + (rounds + part) * span, start, end, both('mirror'));
        const back = rounds % 2 !== 0;
        expect(placed).toMatchObject({ rate: back ? -1 : 1, rounds: 0, beyond: 0 });
        expect(placed.time).toBeCloseTo(back ? end - part * span : start + part * span, 11);
      }),
    );
  });

  it('is brought inside from however far away', () => {
    fc.assert(
      fc.property(range, number(-1e15, 1e15), fc.constantFrom(...KINDS), ({ start, end }, time, kind) => {
        const placed = placeTime(time, start, end, both(kind));
        expect(placed.time).toBeGreaterThanOrEqual(start);
        expect(placed.time).toBeLessThanOrEqual(end);
      }),
    );
  });

  it('goes by its own side', () => {
    const sides = { before: 'linear', after: 'mirror' } as const;
    expect(placeTime(-2, 0, 1, sides)).toMatchObject({ time: 0, beyond: -2 });
    expect(placeTime(1.25, 0, 1, sides)).toMatchObject({ time: 0.75, rate: -1, beyond: 0 });
  });

  it('leaves nothing of the one before in the place it is written to', () => {
    const place = createPlacedTime();
    placeTime(7.5, 0, 1, both('offset'), place);
    placeTime(-3, 0, 1, both('linear'), place);
    expect(placeTime(0.5, 0, 1, both('linear'), place)).toEqual({ time: 0.5, rate: 1, rounds: 0, beyond: 0 });
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

  it('no moment is refused on both sides in every kind', () => {
    for (const kind of KINDS) {
      for (const time of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
        const error = thrown(() => placeTime(time, 0, 1, both(kind)));
        expect([error.code, error.path]).toEqual(['not-finite', 'time']);
        expect(error.message).toContain(String(time));
      }
    }
  });

  it('an unknown word is told with its side and the words there are', () => {
    const error = thrown(() => outsideRange({ after: 'bounce' as Extrapolation }));
    expect([error.code, error.path]).toEqual(['out-of-range', 'outside.after']);
    for (const kind of KINDS) expect(error.remedy).toContain(`'${kind}'`);
    expect(thrown(() => outsideRange('bounce' as Extrapolation)).path).toBe('outside.before');
  });

  it('one word counts for both sides, no word is clamp', () => {
    expect(outsideRange('loop')).toEqual(both('loop'));
    expect(outsideRange()).toEqual(both('clamp'));
    expect(outsideRange({ before: 'mirror' })).toEqual({ before: 'mirror', after: 'clamp' });
  });
});
