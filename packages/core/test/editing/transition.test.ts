import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blendMotions, createTransition, loopMotion } from '../../src/editing/index.js';
import { createFigure, createState, type Figure, velocityFromRates } from '../../src/figure/index.js';
import {
  createMotion,
  createMotionSampler,
  cubicSpline,
  type Motion,
  samplePose,
} from '../../src/motion/index.js';
import { distance, pointOf, poseOf, sampleTimes } from './support.js';

const body = createFigure({
  name: 'body',
  bones: [
    { name: 'root', joint: { type: 'free' } },
    { name: 'arm', parent: 'root', joint: { type: 'ball' }, rest: { position: [0, 1, 0] }, tip: [0.5, 0, 0] },
    {
      name: 'hand',
      parent: 'arm',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      rest: { position: [0.5, 0, 0] },
    },
  ],
});

/** A C2 clip that goes somewhere, drawn from numbers. */
function clipOf(seed: number, length: number, heading: number): Motion {
  const times = sampleTimes(0, length, 13);
  const values = times.flatMap((t) =>
    Array.from({ length: body.dof }, (_, i) => {
      const wave = 0.2 * Math.sin(2 * t + 1.7 * i + seed);
      return i === 4 ? heading + wave : i === 0 || i === 2 ? wave + t * (i === 0 ? 0.7 : 0.4) : wave;
    }),
  );
  return createMotion(body, {
    name: `clip ${seed}`,
    tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }],
  });
}

/** Largest jump of pose, joint velocity and joint acceleration at a moment: one-sided values, by extrapolation of the sampler's own rates. */
function jumps(figure: Figure, motion: Motion, time: number): number[] {
  const at = (t: number) => {
    const sampler = createMotionSampler(figure, motion);
    const q = new Float64Array(figure.dof);
    const rates = new Float64Array(figure.dof);
    const second = new Float64Array(figure.dof);
    samplePose(sampler, t, q, rates, second);
    const velocity = new Float64Array(figure.dof);
    velocityFromRates(createState(figure), q, rates, velocity);
    return { q, velocity, second };
  };
  const h = 1e-7;
  const a = at(time - h);
  const b = at(time + h);
  const largest = (key: 'velocity' | 'second'): number =>
    Math.max(...Array.from(a[key], (x, i) => Math.abs(x - b[key][i])));
  return [largest('velocity'), largest('second')];
}

describe('a transition', () => {
  test('is the first clip, then the transformed second, and C2 at both ends of the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        fc.double({ min: 0.2, max: 0.8, noNaN: true }),
        (seed, heading, duration) => {
          const a = clipOf(seed, 3, 0.2);
          const b = clipOf(seed + 7, 4, heading);
          const { motion, window, shift, transform } = createTransition(body, a, b, { duration });
          expect(window[1] - window[0]).toBeCloseTo(duration, 12);
          expect(motion.end).toBeCloseTo(b.end + shift, 12);
          const was = poseOf(body, a);
          const is = poseOf(body, motion);
          for (const t of sampleTimes(0, window[0], 20)) {
            for (let i = 0; i < body.dof; i++) expect(is(t)[i]).toBeCloseTo(was(t)[i], 9);
          }
          // Behind the window every point is where the second clip has it, turned about the vertical and slid.
          const c = Math.cos(transform.angle);
          const s = Math.sin(transform.angle);
          const there = pointOf(body, b, 'hand', [0.1, 0.2, 0.3]);
          const here = pointOf(body, motion, 'hand', [0.1, 0.2, 0.3]);
          for (const t of sampleTimes(window[1], motion.end, 20)) {
            const [x, y, z] = there(t - shift);
            const wanted = [
              c * x + s * z + transform.translation[0],
              y,
              c * z - s * x + transform.translation[2],
            ];
            expect(distance(here(t), wanted)).toBeLessThan(1e-5);
          }
          for (const t of [...window, window[0] + 0.5 * duration]) {
            const [velocity, acceleration] = jumps(body, motion, t);
            expect(velocity).toBeLessThan(1e-4);
            expect(acceleration).toBeLessThan(1e-3);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test('of a clip into itself at the same time is the clip', () => {
    const a = clipOf(3, 4, 0.3);
    const { motion, transform } = createTransition(body, a, a, { at: 2, from: 2, duration: 0.5 });
    expect(transform.angle).toBeCloseTo(0, 12);
    const was = poseOf(body, a);
    const is = poseOf(body, motion);
    for (const t of sampleTimes(0, 4, 101)) {
      for (let i = 0; i < body.dof; i++) expect(is(t)[i]).toBeCloseTo(was(t)[i], 9);
    }
  });

  test.each([
    [{ duration: 0 }, 'options.duration'],
    [{ duration: Number.NaN }, 'options.duration'],
    [{ at: 3.9, duration: 0.5 }, 'options.at'],
    [{ from: 3.9, duration: 0.5 }, 'options.from'],
    [{ from: -1, duration: 0.5 }, 'options.from'],
  ])('refuses %j', (options, path) => {
    const a = clipOf(3, 4, 0.3);
    expect(() => createTransition(body, a, a, options)).toThrow(
      expect.objectContaining({ name: 'MotionError', path }),
    );
  });
});

describe('a blend', () => {
  test('with weight 0 is the first clip, with 1 the transformed second, at every interpolated length', () => {
    const a = clipOf(3, 2, 0.3);
    const b = clipOf(5, 3, -0.8);
    const ends = [0, 1].map((weight) => blendMotions(body, a, b, weight));
    expect(ends.map(({ end }) => end)).toEqual([2, 3]);
    const was = poseOf(body, a);
    const is = poseOf(body, ends[0]);
    for (const t of sampleTimes(0, 2, 33)) {
      for (let i = 0; i < body.dof; i++) expect(is(t)[i]).toBeCloseTo(was(t)[i], 8);
    }
    // The arm is no root: nothing brings it anywhere.
    const other = poseOf(body, b);
    const whole = poseOf(body, ends[1]);
    for (const t of sampleTimes(0, 3, 33)) {
      for (let i = 6; i < body.dof; i++) expect(whole(t)[i]).toBeCloseTo(other(t)[i], 6);
      expect(whole(t)[1]).toBeCloseTo(other(t)[1], 6);
    }
    const middle = blendMotions(body, a, b, 0.5);
    expect(middle.end).toBeCloseTo(2.5, 12);
    const hinge = body.dof - 1;
    const at = poseOf(body, middle);
    for (const s of sampleTimes(0, 1, 21)) {
      expect(at(2.5 * s)[hinge]).toBeCloseTo(0.5 * (was(2 * s)[hinge] + other(3 * s)[hinge]), 6);
    }
    for (const t of sampleTimes(0.1, 2.4, 9)) expect(jumps(body, middle, t)[0]).toBeLessThan(1e-4);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -9])('rejects the weight %j', (weight) => {
    expect(() => blendMotions(body, clipOf(3, 2, 0), clipOf(5, 3, 0), weight)).toThrow(
      expect.objectContaining({ name: 'MotionError', path: 'weight' }),
    );
  });
});

describe('a loop', () => {
  test('is C2 over the seam, with its root motion', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.constantFrom('travel', 'straight' as const),
        (seed, variant) => {
          const clip = clipOf(seed, 3, 0.4);
          const { motion, transform } = loopMotion(body, clip, {
            rootMotion: variant as 'travel',
            from: 0.3,
            to: 2.9,
          });
          expect(motion.start).toBe(0);
          expect(motion.end).toBeCloseTo(2.6, 12);
          if (variant === 'straight') expect(transform.angle).toBe(0);
          const hand = pointOf(body, motion, 'hand', [0.1, 0.2, 0.3]);
          const end = motion.end;
          // Central differences over the seam against those beside it; short ones, since jerk may jump.
          const h = 2e-5;
          const at = (t: number, k: number) => hand(t)[k];
          for (let k = 0; k < 3; k++) {
            const left = (at(end, k) - at(end - h, k)) / h;
            const right = (at(end + h, k) - at(end, k)) / h;
            expect(Math.abs(right - left)).toBeLessThan(5e-3);
            const bend = (t: number) => (at(t + h, k) - 2 * at(t, k) + at(t - h, k)) / (h * h);
            expect(Math.abs(bend(end + 2 * h) - bend(end - 2 * h))).toBeLessThan(0.1);
            expect(Math.abs(bend(end) - 0.5 * (bend(end + 2 * h) + bend(end - 2 * h)))).toBeLessThan(0.05);
          }
          const [velocity, acceleration] = jumps(body, motion, 0.4);
          expect(velocity).toBeLessThan(1e-4);
          expect(acceleration).toBeLessThan(1e-3);
          // A round later everything is moved by the way of one round.
          const c = Math.cos(transform.angle);
          const s = Math.sin(transform.angle);
          for (const t of sampleTimes(0, end, 9)) {
            const [x, y, z] = hand(t);
            const wanted = [
              c * x + s * z + transform.translation[0],
              y,
              c * z - s * x + transform.translation[2],
            ];
            expect(distance(hand(t + end), wanted)).toBeLessThan(1e-8);
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  test.each([
    [{ from: 2, to: 1 }, 'options.to'],
    [{ from: -1 }, 'options.from'],
    [{ to: 99 }, 'options.to'],
    [{ duration: 2.5 }, 'options.duration'],
  ])('refuses %j', (options, path) => {
    expect(() => loopMotion(body, clipOf(1, 4, 0), options)).toThrow(
      expect.objectContaining({ name: 'MotionError', path }),
    );
  });
});
