import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MotionError } from '../../../../src/errors.js';
import * as quat from '../../../../src/math/geometry/quat.js';
import * as vec3 from '../../../../src/math/geometry/vec3.js';
import { cubicSpline } from '../../../../src/motion/curves/index.js';
import { createCurvePoint, evaluateCurve } from '../../../../src/motion/representation/curve.js';
import {
  evaluateRotation,
  type RotationCurve,
} from '../../../../src/motion/representation/rotation-curve.js';
import type { ShortestArcOptions } from '../../../../src/motion/representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  type RotationState,
} from '../../../../src/motion/representation/rotation-state.js';
import {
  type MinimumAccelerationKeys,
  minimumAccelerationCurve,
  rotationSpline,
} from '../../../../src/motion/rotations/index.js';
import { quatFromRotationVector } from '../../../../src/rotation/rotation-vector/exponential.js';

type Vectors = readonly (readonly number[])[];
interface Case {
  readonly times: number[];
  readonly quaternions: Vectors;
  readonly velocities: readonly (number[] | null)[];
  readonly energy: number;
  /** Least energy of curves of n cubic parts a piece, by n. */
  readonly ritz: Readonly<Record<string, number>>;
  readonly at: readonly number[];
  /** Quaternion, angular velocity, angular acceleration (body axes) at each moment. */
  readonly samples: readonly Vectors[];
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../../fixtures/motion/minimum-acceleration.json', import.meta.url), 'utf8'),
) as { cases: Case[] };
const curveOf = ({ times, quaternions, velocities }: Case) =>
  minimumAccelerationCurve({ times, quaternions: quaternions.flat(), angularVelocities: velocities });

/** Points and weights of Gauss's quadrature with five points on [0, 1]. */
const GAUSS = [
  [0.5, 64 / 225],
  ...[-1, 1].flatMap((sign) =>
    [-1, 1].map((inner) => [
      0.5 + (sign * Math.sqrt(5 + inner * 2 * Math.sqrt(10 / 7))) / 6,
      (322 - inner * 13 * Math.sqrt(70)) / 1800,
    ]),
  ),
];

/** The integral of |w'|^2 over the curve, where `change` says what is made of its states. */
function energy(
  curve: RotationCurve,
  change: (state: RotationState, time: number, piece: number) => RotationState = (state) => state,
): number {
  const PARTS = 24;
  let sum = 0;
  for (let s = 0; s + 1 < curve.knots.length; s++) {
    const fraction = (curve.knots[s + 1] - curve.knots[s]) / PARTS;
    for (let p = 0; p < PARTS; p++) {
      for (const [x, weight] of GAUSS) {
        const time = curve.knots[s] + (p + x) * fraction;
        const { angularAcceleration } = change(evaluateRotation(curve, time), time, s);
        sum += weight * fraction * vec3.normSquared(angularAcceleration);
      }
    }
  }
  return sum;
}

const number = (max: number) => fc.double({ min: -max, max, noNaN: true });
const vector = (max: number) => fc.tuple(number(max), number(max), number(max));
const orientation = fc
  .tuple(vector(1), fc.double({ min: 0, max: 3.1, noNaN: true }))
  .map(([v, angle]) => quatFromRotationVector(vec3.scale(v, angle / Math.max(vec3.norm(v), 0.1))));

/** Keys at moments some tenths of a second apart, each turned from the one before by up to `reach`; some velocities given. */
const keyed = (reach: number, speed: number, max = 5) =>
  fc
    .tuple(
      orientation,
      fc.array(
        fc.record({
          span: fc.double({ min: 0.4, max: 1.5, noNaN: true }),
          direction: vector(reach / Math.sqrt(3)),
          velocity: fc.option(vector(speed)),
        }),
        { minLength: 2, maxLength: max },
      ),
    )
    .map(([start, steps]) => {
      const times = [0];
      const quaternions = [start];
      for (const [i, { span, direction }] of steps.slice(1).entries()) {
        times.push(times[i] + span);
        quaternions.push(quat.multiply(quaternions[i], quatFromRotationVector(direction)));
      }
      return { times, quaternions, velocities: steps.map(({ velocity }) => velocity) };
    });
type Made = ReturnType<typeof keyed> extends fc.Arbitrary<infer T> ? T : never;
const keysOf = ({ times, quaternions, velocities }: Made): MinimumAccelerationKeys => ({
  times,
  quaternions: quaternions.flat(),
  angularVelocities: velocities,
});

/** Largest difference of two vectors. */
function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let max = 0;
  for (let k = 0; k < a.length; k++) max = Math.max(max, Math.abs(a[k] - b[k]));
  return max;
}
/** Largest difference of two orientations' four numbers, whatever their signs. */
function rotate(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return apart(a, quat.dot(a, b) < 0 ? quat.negate(b) : b);
}
/** Where the acceleration may jump, and rounding of the time decides which side counts. */
const isAtKey = ({ times }: Made, t: number) => times.some((key) => Math.abs(key - t) < 1e-9);
/** The largest there are on the curve, at least 1. */
function sizes(curve: RotationCurve): { speed: number; acceleration: number } {
  let speed = 1;
  let acceleration = 1;
  const [start, end] = [curve.knots[0], curve.knots[curve.knots.length - 1]];
  for (let k = 0; k <= 60; k++) {
    const state = evaluateRotation(curve, start + ((end - start) * k) / 60);
    speed = Math.max(speed, vec3.norm(state.angularVelocity));
    acceleration = Math.max(acceleration, vec3.norm(state.angularAcceleration));
  }
  return { speed, acceleration };
}

describe('the minimum-acceleration curve agrees with one of 50 digits, shot in world axes', () => {
  for (const [n, c] of cases.entries()) {
    it(`${c.times.length} keys, ${c.velocities.filter((v) => v !== null).length} velocities (set ${n})`, () => {
      const curve = curveOf(c);
      const { speed, acceleration } = sizes(curve);
      for (const [i, t] of c.at.entries()) {
        const state = evaluateRotation(curve, t);
        const [q, w, a] = c.samples[i];
        expect(rotate(state.quaternion, q)).toBeLessThan(4e-15);
        expect(apart(state.angularVelocity, w) / speed).toBeLessThan(1e-13);
        expect(apart(state.angularAcceleration, a) / acceleration).toBeLessThan(1e-12);
      }
      expect(Math.abs(energy(curve) - c.energy)).toBeLessThan(1e-12 * c.energy);
    });
  }
});

describe('direct minimization over cubic pieces, without the equation of motion', () => {
  for (const [n, c] of cases.entries()) {
    it(`tends to its energy from above, at fourth order at least (set ${n})`, () => {
      const min = energy(curveOf(c));
      const above = [2, 4, 8, 16].map((parts) => (c.ritz[parts] - min) / min);
      for (const [k, excess] of above.entries()) {
        expect(excess).toBeGreaterThan(0);
        if (k > 0) expect(excess).toBeLessThan(above[k - 1] / 16);
      }
      expect(above[3]).toBeLessThan(1e-6);
    });
  }
});

describe('the minimum-acceleration curve', () => {
  it('meets its keyframes, and its prescribed velocities on both sides', () => {
    fc.assert(
      fc.property(keyed(2.2, 2), (made) => {
        const curve = minimumAccelerationCurve(keysOf(made));
        const { speed } = sizes(curve);
        for (const [i, time] of made.times.entries()) {
          const before = time - 1e-15 * Math.max(time, 1e-3);
          for (const t of i === 0 ? [time] : [time, before]) {
            const state = evaluateRotation(curve, t);
            expect(rotate(state.quaternion, made.quaternions[i])).toBeLessThan(1e-13 * speed);
            const given = made.velocities[i];
            if (given !== null) expect(apart(state.angularVelocity, given)).toBeLessThan(1e-12 * speed);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has an acceleration that is continuous where the velocity is free, and zero at free ends', () => {
    fc.assert(
      fc.property(keyed(2.2, 2), (made) => {
        const curve = minimumAccelerationCurve(keysOf(made));
        const { acceleration, speed } = sizes(curve);
        const last = made.times.length - 1;
        for (const [i, time] of made.times.entries()) {
          const after = evaluateRotation(curve, time);
          const before = evaluateRotation(curve, i === 0 ? time : time * (1 - 2 ** -52));
          expect(apart(after.angularVelocity, before.angularVelocity)).toBeLessThan(1e-12 * speed);
          if (made.velocities[i] !== null) continue;
          expect(apart(after.angularAcceleration, before.angularAcceleration) / acceleration).toBeLessThan(
            1e-11,
          );
          if (i === 0 || i === last)
            expect(vec3.norm(after.angularAcceleration) / acceleration).toBeLessThan(1e-12);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has less energy than any curve near it through the same keyframes with the same prescribed velocities', () => {
    fc.assert(
      fc.property(
        keyed(2.2, 2),
        vector(1).filter((direction) => vec3.norm(direction) > 0.01),
        vector(1),
        fc.constantFrom(0.3, 0.1, 0.01),
        fc.nat(2),
        ({ times, quaternions, velocities }, direction, drift, size, shape) => {
          const curve = minimumAccelerationCurve({
            times,
            quaternions: quaternions.flat(),
            angularVelocities: velocities,
          });
          const bump = createCurvePoint(3);
          const rotation = createRotationState();
          const total = energy(curve, (state, time, s) => {
            // Hermite's cubic with slopes d_i at the free keys, and u^2 (1 - u)^2 (p + q u): zero at the keys, without slope where the
            // velocity is given.
            const h = times[s + 1] - times[s];
            const u = (time - times[s]) / h;
            for (let k = 0; k < 3; k++) {
              const slope = (i: number) =>
                velocities[i] === null ? drift[k] * Math.cos(i * (k + 1 + shape)) : 0;
              const [m0, m1] = [h * slope(s), h * slope(s + 1)];
              const [p, q] = [direction[k], direction[(k + 1 + shape) % 3]];
              const v = u * u * (1 - u) * (1 - u);
              const v1 = 2 * u - 6 * u * u + 4 * u ** 3;
              const v2 = 2 - 12 * u + 12 * u * u;
              bump.value[k] =
                size * (m0 * (u ** 3 - 2 * u * u + u) + m1 * (u ** 3 - u * u) + v * (p + q * u));
              bump.first[k] =
                (size / h) *
                (m0 * (3 * u * u - 4 * u + 1) + m1 * (3 * u * u - 2 * u) + v1 * (p + q * u) + v * q);
              bump.second[k] =
                (size / h ** 2) * (m0 * (6 * u - 4) + m1 * (6 * u - 2) + v2 * (p + q * u) + 2 * v1 * q);
            }
            return composeRotationStates(state, expRotationState(bump, rotation), createRotationState());
          });
          const min = energy(curve);
          expect(total).toBeGreaterThan(min);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('costs no more than the C2 rotation spline with the same velocities at its ends', () => {
    fc.assert(
      fc.property(keyed(2, 1.5), ({ times, quaternions, velocities }) => {
        const [startVelocity, endVelocity] = [
          velocities[0] ?? [0, 0, 0],
          velocities[velocities.length - 1] ?? [0, 0, 0],
        ];
        const keys = { times, quaternions: quaternions.flat() };
        const angularVelocities = times.map((_, i) =>
          i === 0 ? startVelocity : i === times.length - 1 ? endVelocity : null,
        );
        const other = energy(rotationSpline(keys, { startVelocity, endVelocity }));
        expect(energy(minimumAccelerationCurve({ ...keys, angularVelocities }))).toBeLessThan(
          other * (1 + 1e-12) + 1e-20,
        );
      }),
      { numRuns: 30 },
    );
  });

  it('about one axis is the cubic spline of the angles, natural or clamped', () => {
    fc.assert(
      fc.property(
        vector(1).filter((v) => vec3.norm(v) > 0.1),
        fc.array(fc.tuple(fc.double({ min: 0.3, max: 1.5, noNaN: true }), number(2.5)), {
          minLength: 2,
          maxLength: 7,
        }),
        fc.boolean(),
        number(2),
        (direction, steps, clamped, speed) => {
          const axis = vec3.normalize(direction);
          const times: number[] = [];
          const values: number[] = [];
          for (const [span, step] of steps) {
            times.push((times[times.length - 1] ?? 0) + span);
            values.push((values[values.length - 1] ?? 0.3) + step);
          }
          const angles = cubicSpline(
            { times, values },
            clamped ? { ends: 'clamped', startVelocity: [speed], endVelocity: [-speed] } : {},
          );
          const curve = minimumAccelerationCurve({
            times,
            quaternions: values.flatMap((angle) => quatFromRotationVector(vec3.scale(axis, angle))),
            angularVelocities: times.map((_, i) => {
              if (!clamped || (i > 0 && i < times.length - 1)) return undefined;
              return vec3.scale(axis, i === 0 ? speed : -speed);
            }),
          });
          const { speed: max, acceleration } = sizes(curve);
          for (let k = 0; k <= 20; k++) {
            const t = times[0] + ((times[times.length - 1] - times[0]) * k) / 20;
            const angle = evaluateCurve(angles, t);
            const state = evaluateRotation(curve, t);
            expect(
              rotate(state.quaternion, quatFromRotationVector(vec3.scale(axis, angle.value[0]))),
            ).toBeLessThan(1e-14 * max);
            expect(apart(state.angularVelocity, vec3.scale(axis, angle.first[0])) / max).toBeLessThan(1e-13);
            expect(
              apart(state.angularAcceleration, vec3.scale(axis, angle.second[0])) / acceleration,
            ).toBeLessThan(1e-12);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is invariant under changes of the world frame, the body frame and the time scale', () => {
    fc.assert(
      fc.property(keyed(2.2, 2), orientation, orientation, (made, left, right) => {
        const curve = minimumAccelerationCurve(keysOf(made));
        const inverse = quat.conjugate(right);
        const other = minimumAccelerationCurve({
          times: made.times.map((t) => 5 + 2 * t),
          quaternions: made.quaternions.flatMap((q) => quat.multiply(quat.multiply(left, q), right)),
          angularVelocities: made.velocities.map((w) => w && vec3.scale(quat.rotate(inverse, w), 0.5)),
        });
        const { speed, acceleration } = sizes(curve);
        const end = made.times[made.times.length - 1];
        for (let k = 0; k <= 12; k++) {
          const t = (k / 12) * end;
          const [a, b] = [evaluateRotation(curve, t), evaluateRotation(other, 5 + 2 * t)];
          const q = quat.multiply(quat.multiply(left, a.quaternion), right);
          expect(rotate(q, b.quaternion)).toBeLessThan(1e-12 * speed);
          expect(
            apart(quat.rotate(inverse, a.angularVelocity), vec3.scale(b.angularVelocity, 2)) / speed,
          ).toBeLessThan(1e-11);
          if (isAtKey(made, t)) continue;
          expect(
            apart(quat.rotate(inverse, a.angularAcceleration), vec3.scale(b.angularAcceleration, 4)) /
              acceleration,
          ).toBeLessThan(1e-10);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('reversed is the curve of the reversed keyframes', () => {
    fc.assert(
      fc.property(keyed(2.2, 2), (made) => {
        const curve = minimumAccelerationCurve(keysOf(made));
        const back = minimumAccelerationCurve({
          times: made.times.map((t) => -t).reverse(),
          quaternions: [...made.quaternions].reverse().flat(),
          angularVelocities: made.velocities.map((w) => w && vec3.negate(w)).reverse(),
        });
        const { speed, acceleration } = sizes(curve);
        const end = made.times[made.times.length - 1];
        for (let k = 0; k <= 12; k++) {
          const t = (k / 12) * end;
          const [a, b] = [evaluateRotation(curve, t), evaluateRotation(back, -t)];
          expect(rotate(a.quaternion, b.quaternion)).toBeLessThan(1e-12 * speed);
          if (isAtKey(made, t)) continue;
          expect(apart(a.angularAcceleration, b.angularAcceleration) / acceleration).toBeLessThan(1e-10);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("conserves w.w'' - |w'|^2/2 and R w'' (world) on each piece, by time and left invariance", () => {
    for (const c of cases) {
      const curve = curveOf(c);
      for (let s = 0; s + 1 < c.times.length; s++) {
        const h = c.times[s + 1] - c.times[s];
        // R w'' by differences of R w' : (R w')' = R (w'' + w x w').
        const momentum = (t: number) => {
          const d = 1e-3 * h;
          const at = (k: number) => evaluateRotation(curve, t + k * d, undefined, 'world');
          const state = at(0);
          const [p1, p2, p3] = [1, 2, 3].map((k) =>
            vec3.subtract(at(k).angularAcceleration, at(-k).angularAcceleration),
          );
          const rate = [0, 1, 2].map((k) => (45 * p1[k] - 9 * p2[k] + p3[k]) / (60 * d));
          const bend = vec3.subtract(rate, vec3.cross(state.angularVelocity, state.angularAcceleration));
          const cost =
            vec3.dot(state.angularVelocity, bend) - vec3.normSquared(state.angularAcceleration) / 2;
          return [...bend, cost];
        };
        const first = momentum(c.times[s] + 0.1 * h);
        const largest = 1 + Math.max(...first.map(Math.abs));
        for (const u of [0.3, 0.6, 0.9]) {
          expect(apart(momentum(c.times[s] + u * h), first) / largest).toBeLessThan(1e-9);
        }
      }
    }
  });

  it('takes the longer arc by sign', () => {
    const quaternions = [
      ...quatFromRotationVector([0, 0, 0]),
      ...quatFromRotationVector([0.2, 2 * Math.PI - 1, 0]),
    ];
    const angularVelocities = [[0, 5, 0.5], null];
    const path = (options: ShortestArcOptions) => {
      const curve = minimumAccelerationCurve({ times: [0, 1], quaternions, angularVelocities }, options);
      const { quaternion } = evaluateRotation(curve, 1);
      let length = 0;
      for (let k = 0; k < 100; k++)
        length += vec3.norm(evaluateRotation(curve, (k + 0.5) / 100).angularVelocity) / 100;
      return { quaternion, length };
    };
    expect(path({ shortest: false }).length).toBeGreaterThan(5);
    expect(path({ shortest: false }).quaternion[3]).toBeLessThan(0);
    expect(path({}).length).toBeLessThan(4.5);
    expect(path({}).quaternion[3]).toBeGreaterThan(0);
  });

  it('is found among rotations by pi too, deterministically', () => {
    let state = 7;
    const random = () => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      return (2 * state) / 2 ** 31 - 1;
    };
    for (let n = 0; n < 8; n++) {
      const times = Array.from({ length: 5 }, (_, i) => i + 0.3 * random());
      // Any two orientations: up to half a turn from key to key.
      const quaternions = times.flatMap(() => quat.normalize([random(), random(), random(), random()]));
      const [a, b] = [0, 1].map(() => minimumAccelerationCurve({ times, quaternions }));
      for (let k = 0; k <= 8; k++) expect(evaluateRotation(a, k / 2)).toEqual(evaluateRotation(b, k / 2));
    }
  });
});

describe('invalid input of a minimum-acceleration curve', () => {
  const one = [0, 0, 0, 1];
  const keys = { times: [0, 1], quaternions: [...one, ...quatFromRotationVector([1, 0, 0])] };
  const fault = (
    bad: Partial<MinimumAccelerationKeys>,
    options: ShortestArcOptions = {},
  ): readonly [string, string] => {
    try {
      minimumAccelerationCurve({ ...keys, ...bad }, options);
    } catch (error) {
      if (error instanceof MotionError) {
        expect(error.remedy).not.toBe('');
        return [error.code, error.path];
      }
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it('is refused with path and remedy', () => {
    expect(fault({ times: [1, 0] })).toEqual(['not-increasing', 'keys.times[1]']);
    expect(fault({ times: [1, 1] })).toEqual(['not-increasing', 'keys.times[1]']);
    expect(fault({ times: [0], quaternions: one })).toEqual(['wrong-size', 'keys.times']);
    expect(fault({ times: [0, Number.NaN] })).toEqual(['not-finite', 'keys.times[1]']);
    expect(fault({ quaternions: one })).toEqual(['wrong-size', 'keys.quaternions']);
    expect(fault({ quaternions: [...one, 0, 0, 0, 2] })).toEqual(['not-unit', 'keys.quaternions[1]']);
    expect(fault({ angularVelocities: [null] })).toEqual(['wrong-size', 'keys.angularVelocities']);
    expect(fault({ angularVelocities: [null, [1, 2]] })).toEqual(['wrong-size', 'keys.angularVelocities[1]']);
    expect(fault({ angularVelocities: [[0, Number.NaN, 0], null] })).toEqual([
      'not-finite',
      'keys.angularVelocities[0][1]',
    ]);
    expect(fault({ quaternions: [...one, 0, 0, 0, -1] }, { shortest: false })).toEqual([
      'singular',
      'keys.quaternions[1]',
    ]);
  });

  it('is refused where velocities allow no minimum near constant speed', () => {
    expect(
      fault({
        angularVelocities: [
          [0, 900, 0],
          [0, 0, -900],
        ],
      }),
    ).toEqual(['unsupported', 'keys']);
  });
});
