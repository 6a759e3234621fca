import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError, MotionError } from '../../src/errors.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import {
  eulerCurve,
  normalizedHermiteCurve,
  sphericalBezierCurve,
  squadCurve,
} from '../../src/motion/alternatives/index.js';
import { hermiteCurve } from '../../src/motion/curves/index.js';
import {
  minimumAccelerationCurve,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
} from '../../src/motion/index.js';
import { evaluateRotation, type RotationCurve } from '../../src/motion/representation/rotation-curve.js';
import { createRotationState, type RotationState } from '../../src/motion/representation/rotation-state.js';
import type { Extrapolation } from '../../src/motion/representation/time-range.js';
import { quatFromRotationVector } from '../../src/rotation/rotation-vector/exponential.js';
import type { RotationFrame } from '../../src/rotation/rotation-vector/frame.js';
import { rotationVectorFromQuat } from '../../src/rotation/rotation-vector/log.js';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const vector = (max: number) => fc.tuple(number(-max, max), number(-max, max), number(-max, max));
const keyed = fc
  .array(fc.tuple(number(0.4, 1.5), vector(1.1)), { minLength: 2, maxLength: 4 })
  .map((rows) => ({
    times: rows.map((_, i) => rows.slice(0, i + 1).reduce((sum, [span]) => sum + span, -1)),
    quaternions: rows.flatMap(([, v]) => quatFromRotationVector(v)),
  }));
type Keys = typeof keyed extends fc.Arbitrary<infer T> ? T : never;

const makers: Readonly<
  Record<
    string,
    (keys: Keys, outside: Extrapolation | { before: Extrapolation; after: Extrapolation }) => RotationCurve
  >
> = {
  slerp: (keys, outside) => slerpCurve(keys, { outside }),
  squad: (keys, outside) => squadCurve(keys, { outside }),
  'C2 rotation spline': (keys, outside) => rotationSpline(keys, { outside }),
  'minimum acceleration': (keys, outside) => minimumAccelerationCurve(keys, { outside }),
};
const kinds = fc.constantFrom(...Object.keys(makers));
const EXTRAPOLATIONS: readonly Extrapolation[] = ['clamp', 'loop', 'offset', 'mirror', 'linear'];
const sides = fc.constantFrom<'before' | 'after'>('before', 'after');
const away = fc.record({ rounds: fc.integer({ min: 1, max: 4 }), fraction: number(0.02, 0.98) });

const startOf = ({ knots }: RotationCurve) => knots[0];
const endOf = ({ knots }: RotationCurve) => knots[knots.length - 1];
const timeOf = (curve: RotationCurve, side: 'before' | 'after', rounds: number, fraction: number) =>
  startOf(curve) + ((side === 'before' ? -rounds : rounds) + fraction) * (endOf(curve) - startOf(curve));
/** Away from joins: rates jump there in some kinds, and rounding of time decides which side counts. */
const isSmooth = (curve: RotationCurve, fraction: number) => {
  const span = endOf(curve) - startOf(curve);
  return Array.from(curve.knots).every((t) => Math.abs((t - startOf(curve)) / span - fraction) > 0.01);
};
const inside = (curve: RotationCurve, fraction: number) =>
  evaluateRotation(curve, startOf(curve) + fraction * (endOf(curve) - startOf(curve)));

function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let max = 0;
  for (let k = 0; k < a.length; k++) max = Math.max(max, Math.abs(a[k] - b[k]));
  return max;
}
/** The same rotation, whatever the sign of the quaternion. */
const rotate = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  apart(a, quat.dot(a, b) < 0 ? quat.negate(b) : b);
const scaleOf = ({ angularVelocity, angularAcceleration }: RotationState) =>
  1 + vec3.norm(angularVelocity) + vec3.norm(angularAcceleration);

describe('outside its range a rotation curve', () => {
  it('clamped is at rest at its end', () => {
    fc.assert(
      fc.property(keyed, kinds, sides, away, (keys, kind, side, { rounds, fraction }) => {
        const curve = makers[kind](keys, 'clamp');
        const state = evaluateRotation(curve, timeOf(curve, side, rounds, side === 'before' ? 0 : fraction));
        const end = evaluateRotation(curve, side === 'before' ? startOf(curve) : endOf(curve));
        expect(state.quaternion).toEqual(end.quaternion);
        expect(
          Array.from(
            [...Array.from(state.angularVelocity), ...Array.from(state.angularAcceleration)],
            Math.abs,
          ),
        ).toEqual([0, 0, 0, 0, 0, 0]);
      }),
    );
  });

  it('looped repeats the range', () => {
    fc.assert(
      fc.property(keyed, kinds, sides, away, (keys, kind, side, { rounds, fraction }) => {
        const curve = makers[kind](keys, 'loop');
        fc.pre(isSmooth(curve, fraction));
        const wanted = inside(curve, fraction);
        const state = evaluateRotation(curve, timeOf(curve, side, rounds, fraction));
        expect(rotate(state.quaternion, wanted.quaternion)).toBeLessThan(1e-12 * scaleOf(wanted));
        expect(apart(state.angularVelocity, wanted.angularVelocity)).toBeLessThan(1e-10 * scaleOf(wanted));
        expect(apart(state.angularAcceleration, wanted.angularAcceleration)).toBeLessThan(
          1e-8 * scaleOf(wanted),
        );
      }),
    );
  });

  it('with offset applies the rotation from start to end once for each cycle, in world axes', () => {
    fc.assert(
      fc.property(keyed, kinds, sides, away, (keys, kind, side, { rounds, fraction }) => {
        const curve = makers[kind](keys, 'offset');
        fc.pre(isSmooth(curve, fraction));
        const wanted = inside(curve, fraction);
        const [first, last] = [inside(curve, 0).quaternion, inside(curve, 1).quaternion];
        const direction = quat.multiply(last, quat.conjugate(first));
        let q: number[] = Array.from(wanted.quaternion);
        for (let n = 0; n < rounds; n++)
          q = quat.multiply(side === 'before' ? quat.conjugate(direction) : direction, q);
        const state = evaluateRotation(curve, timeOf(curve, side, rounds, fraction));
        expect(rotate(state.quaternion, q)).toBeLessThan(1e-12 * scaleOf(wanted));
        expect(apart(state.angularVelocity, wanted.angularVelocity)).toBeLessThan(1e-10 * scaleOf(wanted));
        expect(apart(state.angularAcceleration, wanted.angularAcceleration)).toBeLessThan(
          1e-8 * scaleOf(wanted),
        );
      }),
    );
  });

  it('with offset is continuous between cycles', () => {
    fc.assert(
      fc.property(keyed, kinds, fc.integer({ min: -4, max: 5 }), (keys, kind, round) => {
        const curve = makers[kind](keys, 'offset');
        const seam = startOf(curve) + round * (endOf(curve) - startOf(curve));
        const d = 1e-9;
        const [before, after] = [-d, d].map((x) => evaluateRotation(curve, seam + x));
        const travelled = vec3.norm(before.angularVelocity) + vec3.norm(after.angularVelocity);
        expect(rotate(before.quaternion, after.quaternion)).toBeLessThan(d * travelled + 1e-13);
      }),
    );
  });

  it('mirrored runs back and forth', () => {
    fc.assert(
      fc.property(keyed, kinds, sides, away, (keys, kind, side, { rounds, fraction }) => {
        const curve = makers[kind](keys, 'mirror');
        const back = rounds % 2 === 1;
        fc.pre(isSmooth(curve, back ? 1 - fraction : fraction));
        const wanted = inside(curve, back ? 1 - fraction : fraction);
        const state = evaluateRotation(curve, timeOf(curve, side, rounds, fraction));
        expect(rotate(state.quaternion, wanted.quaternion)).toBeLessThan(1e-12 * scaleOf(wanted));
        const sign = back ? -1 : 1;
        expect(apart(state.angularVelocity, vec3.scale(wanted.angularVelocity, sign))).toBeLessThan(
          1e-10 * scaleOf(wanted),
        );
        expect(apart(state.angularAcceleration, wanted.angularAcceleration)).toBeLessThan(
          1e-8 * scaleOf(wanted),
        );
      }),
    );
  });

  it('linear keeps the angular velocity of its end', () => {
    fc.assert(
      fc.property(keyed, kinds, sides, number(0.01, 20), (keys, kind, side, far) => {
        const curve = makers[kind](keys, 'linear');
        const edge = side === 'before' ? startOf(curve) : endOf(curve);
        const time = side === 'before' ? edge - far : edge + far;
        const end = evaluateRotation(curve, edge);
        const state = evaluateRotation(curve, time);
        const on = quatFromRotationVector(vec3.scale(end.angularVelocity, time - edge));
        expect(rotate(state.quaternion, quat.multiply(end.quaternion, on))).toBeLessThan(1e-15);
        expect(state.angularVelocity).toEqual(end.angularVelocity);
        expect(Array.from(state.angularAcceleration, Math.abs)).toEqual([0, 0, 0]);
      }),
    );
  });

  it('has in every kind and frame the rates of finite differences', () => {
    fc.assert(
      fc.property(
        keyed,
        kinds,
        fc.constantFrom(...EXTRAPOLATIONS),
        sides,
        away,
        fc.constantFrom<RotationFrame>('body', 'world'),
        (keys, kind, outside, side, { rounds, fraction }, frame) => {
          const curve = makers[kind](keys, outside);
          fc.pre(isSmooth(curve, fraction) && isSmooth(curve, 1 - fraction));
          const time = timeOf(curve, side, rounds, fraction);
          const d = 1e-4 * (endOf(curve) - startOf(curve));
          const [before, at, after] = [-d, 0, d].map((x) =>
            evaluateRotation(curve, time + x, undefined, frame),
          );
          const [p, q] = [before.quaternion, after.quaternion];
          const step =
            frame === 'body' ? quat.multiply(quat.conjugate(p), q) : quat.multiply(q, quat.conjugate(p));
          // Of second order: the error is that of third rates.
          const size = scaleOf(at) ** 3 + 30;
          expect(apart(at.angularVelocity, vec3.scale(rotationVectorFromQuat(step), 0.5 / d))).toBeLessThan(
            1e-6 * size,
          );
          const slope = vec3.scale(vec3.subtract(after.angularVelocity, before.angularVelocity), 0.5 / d);
          expect(apart(at.angularAcceleration, slope)).toBeLessThan(1e-5 * size);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has its own kind before and after', () => {
    const keys = {
      times: [0, 1],
      quaternions: [...quatFromRotationVector([0, 0, 0]), ...quatFromRotationVector([0, 1, 0])],
    };
    const curve = slerpCurve(keys, { outside: { before: 'linear', after: 'mirror' } });
    const angle = (t: number) => rotationVectorFromQuat(evaluateRotation(curve, t).quaternion)[1];
    expect(angle(-2)).toBeCloseTo(-2, 14);
    expect(angle(1.25)).toBeCloseTo(0.75, 14);
  });
});

describe('inside its range a rotation curve', () => {
  it('meets its ends to a few roundings', () => {
    fc.assert(
      fc.property(keyed, kinds, (keys, kind) => {
        const curve = makers[kind](keys, 'clamp');
        expect(rotate(inside(curve, 0).quaternion, keys.quaternions.slice(0, 4))).toBeLessThan(2e-15);
        expect(
          rotate(evaluateRotation(curve, endOf(curve)).quaternion, keys.quaternions.slice(-4)),
        ).toBeLessThan(2e-15);
      }),
    );
  });

  it('is continuous at knots', () => {
    fc.assert(
      fc.property(keyed, kinds, (keys, kind) => {
        const curve = makers[kind](keys, 'clamp');
        for (const time of keys.times.slice(1)) {
          const step = 2 ** -50;
          const before = evaluateRotation(curve, time - step);
          const after = evaluateRotation(curve, time);
          expect(rotate(before.quaternion, after.quaternion)).toBeLessThan(
            2e-15 + 2 * step * scaleOf(before),
          );
        }
      }),
    );
  });

  it("has rates in body axes, or in world axes R w and R w'", () => {
    fc.assert(
      fc.property(keyed, kinds, number(0, 1), (keys, kind, fraction) => {
        const curve = makers[kind](keys, 'clamp');
        const time = startOf(curve) + fraction * (endOf(curve) - startOf(curve));
        const [body, named, world] = [undefined, 'body' as const, 'world' as const].map((frame) =>
          evaluateRotation(curve, Math.min(time, endOf(curve)), createRotationState(), frame),
        );
        expect(named).toEqual(body);
        expect(world.quaternion).toEqual(body.quaternion);
        expect(apart(world.angularVelocity, quat.rotate(body.quaternion, body.angularVelocity))).toBeLessThan(
          1e-14 * scaleOf(body),
        );
        expect(
          apart(world.angularAcceleration, quat.rotate(body.quaternion, body.angularAcceleration)),
        ).toBeLessThan(1e-14 * scaleOf(body));
      }),
    );
  });
});

describe('bad input', () => {
  const one = [0, 0, 0, 1];
  const good = { times: [0, 1], quaternions: [...one, 0, 1, 0, 0] };
  const fault = (run: () => unknown): MotionError => {
    try {
      run();
    } catch (error) {
      if (error instanceof MotionError) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it.each([
    ['unsorted times', { times: [0, -1] }, 'not-increasing', 'keys.times[1]', '-1 s after 0 s'],
    ['repeated times', { times: [0, 0] }, 'not-increasing', 'keys.times[1]', 'repeats'],
    ['one key', { times: [0], quaternions: one }, 'wrong-size', 'keys.times', 'one time'],
    ['no key', { times: [], quaternions: [] }, 'wrong-size', 'keys.times', 'no time'],
    ['a time that is none', { times: [0, Number.NaN] }, 'not-finite', 'keys.times[1]', 'NaN'],
    [
      'a number that is none',
      { quaternions: [...one, 0, Number.NaN, 0, 0] },
      'not-finite',
      'keys.quaternions[5]',
      'NaN',
    ],
    [
      'a quaternion too few',
      { quaternions: one },
      'wrong-size',
      'keys.quaternions',
      '4 numbers where 8 numbers belong',
    ],
    [
      'a quaternion of no length',
      { quaternions: [...one, 0, 0, 0, 0] },
      'not-unit',
      'keys.quaternions[1]',
      'length 0',
    ],
    [
      'a quaternion too long',
      { quaternions: [...one, 0, 0, 0, 1.01] },
      'not-unit',
      'keys.quaternions[1]',
      '1.01',
    ],
  ] as const)('%s: what, where, remedy, in every kind', (_, bad, code, path, what) => {
    for (const make of Object.values(makers)) {
      const error = fault(() => make({ ...good, ...bad } as unknown as Keys, 'clamp'));
      expect([error.code, error.path]).toEqual([code, path]);
      expect(error.message).toContain(what);
      expect(error.remedy.length).toBeGreaterThan(10);
    }
  });

  it('an unknown extrapolation is refused in every kind', () => {
    for (const make of Object.values(makers)) {
      expect(fault(() => make(good as unknown as Keys, 'bounce' as Extrapolation)).path).toBe('outside');
    }
  });

  it('tangents, points and angles of the wrong size are refused with their path', () => {
    expect(fault(() => normalizedHermiteCurve({ ...good, tangents: [1, 2, 3] })).path).toBe('keys.tangents');
    expect(fault(() => sphericalBezierCurve({ times: [0, 1], quaternions: good.quaternions })).path).toBe(
      'quaternions',
    );
    const flat = hermiteCurve({ times: [0, 1], values: [0, 0, 1, 1], tangents: [0, 0, 0, 0] });
    expect(fault(() => rotationVectorCurve(flat))).toMatchObject({ code: 'wrong-size', path: 'curve' });
    expect(fault(() => eulerCurve(flat, 'XYZ'))).toMatchObject({ code: 'wrong-size', path: 'curve' });
    expect(fault(() => rotationSpline(good, { startVelocity: [1, 2] })).path).toBe('startVelocity');
    expect(fault(() => rotationSpline(good, { endVelocity: [0, Number.NaN, 0] })).path).toBe(
      'endVelocity[1]',
    );
  });

  it('an invalid time or frame is refused on evaluation', () => {
    const curve = slerpCurve(good);
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(fault(() => evaluateRotation(curve, time))).toMatchObject({ code: 'not-finite', path: 'time' });
    }
    expect(() => evaluateRotation(curve, 0.5, createRotationState(), 'sky' as RotationFrame)).toThrow(
      DomainError,
    );
  });
});
