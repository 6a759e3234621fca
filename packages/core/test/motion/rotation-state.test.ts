import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../src/math/geometry/quat.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import { createCurvePoint } from '../../src/motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
  stationaryState,
  toWorldAxes,
} from '../../src/motion/representation/rotation-state.js';
import { quatFromRotationVector } from '../../src/rotation/rotation-vector/exponential.js';

const vector = (max: number) =>
  fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -max, max, noNaN: true }))).map((v) => v as number[]);
/** A rotation vector no longer than `most`. */
const vectorUpTo = (max: number) =>
  vector(max).map((v) => (vec3.norm(v) > max ? vec3.scale(v, max / vec3.norm(v)) : v));

/** A body that turns: a rotation vector that is quadratic in time, v + r t + a t^2/2. */
interface Moving {
  readonly v: number[];
  readonly r: number[];
  readonly a: number[];
}
const movings = fc.record({ v: vectorUpTo(5), r: vector(2), a: vector(3) });
const at = ({ v, r, a }: Moving, t: number) => [0, 1, 2].map((k) => v[k] + r[k] * t + (a[k] * t * t) / 2);
const quaternionOf = (moving: Moving, t: number) => quatFromRotationVector(at(moving, t));
const stateOf = ({ v, r, a }: Moving): RotationState =>
  expRotationState({ value: v, first: r, second: a }, createRotationState());

const states = fc.tuple(vectorUpTo(6), vector(3), vector(5)).map(
  ([v, angularVelocity, angularAcceleration]): RotationState => ({
    quaternion: quatFromRotationVector(v),
    angularVelocity,
    angularAcceleration,
  }),
);
const fresh = createRotationState;
const copyOf = (s: RotationState): RotationState => ({
  quaternion: [...Array.from(s.quaternion)],
  angularVelocity: [...Array.from(s.angularVelocity)],
  angularAcceleration: [...Array.from(s.angularAcceleration)],
});
const compose = (b: RotationState, a: RotationState) => composeRotationStates(b, a, fresh());
const invert = (s: RotationState) => invertRotationState(s, fresh());

function expectSame(a: RotationState, b: RotationState, within = 1e-13): void {
  for (const member of ['quaternion', 'angularVelocity', 'angularAcceleration'] as const) {
    const size =
      1 +
      Math.max(
        ...Array.from(b.angularVelocity, (x) => x * x),
        ...Array.from(b.angularAcceleration, Math.abs),
      );
    for (let k = 0; k < a[member].length; k++)
      expect(Math.abs(a[member][k] - b[member][k])).toBeLessThan(within * size);
  }
}

/**
 * Angular velocity and acceleration of q(t) at 0, body axes, by differences of sixth order: w = 2 Im(q^-1 q'),
 * w' = 2 Im(q^-1 q'' - (q^-1 q')^2).
 */
function ratesByDifferences(q: (t: number) => number[]): { w: number[]; a: number[] } {
  const d = 4e-3;
  const middle = q(0);
  const around = [1, 2, 3].map((k) => [q(k * d), q(-k * d)]);
  const combine = (at: (k: number, c: number) => number, weights: readonly number[]) =>
    [0, 1, 2, 3].map((c) => weights.reduce((sum, weight, k) => sum + weight * at(k, c), 0));
  const first = combine((k, c) => (around[k][0][c] - around[k][1][c]) / d, [3 / 4, -3 / 20, 1 / 60]);
  const second = combine(
    (k, c) => (around[k][0][c] + around[k][1][c] - 2 * middle[c]) / (d * d),
    [3 / 2, -3 / 20, 1 / 90],
  );
  const back = quat.conjugate(middle);
  const m = quat.multiply(back, first);
  const square = quat.multiply(m, m);
  const bend = quat.multiply(back, second).map((x, c) => x - square[c]);
  return { w: [0, 1, 2].map((k) => 2 * m[k]), a: [0, 1, 2].map((k) => 2 * bend[k]) };
}

function expectRates(state: RotationState, q: (t: number) => number[]): void {
  const { w, a } = ratesByDifferences(q);
  const speed = 1 + vec3.norm(w) + Math.sqrt(vec3.norm(a));
  for (let k = 0; k < 3; k++) {
    expect(Math.abs(state.angularVelocity[k] - w[k])).toBeLessThan(1e-11 + 1e-14 * speed ** 7);
    expect(Math.abs(state.angularAcceleration[k] - a[k])).toBeLessThan(1e-9 + 1e-14 * speed ** 8);
  }
}

describe('rotation states form a group', () => {
  it('composition is associative, with rates', () => {
    fc.assert(
      fc.property(states, states, states, (a, b, c) => {
        expectSame(compose(compose(c, b), a), compose(c, compose(b, a)));
      }),
    );
  });

  it('the identity at rest is neutral on both sides', () => {
    fc.assert(
      fc.property(states, (s) => {
        const still = stationaryState([0, 0, 0, 1]);
        expectSame(compose(still, s), s, 1e-15);
        expectSame(compose(s, still), s, 1e-15);
      }),
    );
  });

  it('a state times its inverse is the identity at rest', () => {
    fc.assert(
      fc.property(states, (s) => {
        for (const both of [compose(s, invert(s)), compose(invert(s), s)]) {
          expect(Math.abs(both.quaternion[3] - 1)).toBeLessThan(1e-15);
          const size = 1 + vec3.norm(s.angularAcceleration) + vec3.normSquared(s.angularVelocity);
          for (const rates of [both.angularVelocity, both.angularAcceleration]) {
            expect(vec3.norm(rates)).toBeLessThan(1e-14 * size);
          }
        }
      }),
    );
  });

  it('the inverse is an involution, and reverses products', () => {
    fc.assert(
      fc.property(states, states, (a, b) => {
        expectSame(invert(invert(a)), a);
        expectSame(invert(compose(b, a)), compose(invert(a), invert(b)));
      }),
    );
  });

  it('a parent at rest leaves rates in body axes unchanged and rotates those in world axes', () => {
    fc.assert(
      fc.property(states, vectorUpTo(3), (s, v) => {
        const parent = stationaryState(quatFromRotationVector(v));
        const both = compose(parent, s);
        expect(both.angularVelocity).toEqual(Float64Array.from(s.angularVelocity, (x) => x + 0));
        const [own, seen] = [toWorldAxes(s), toWorldAxes(both)];
        const rotated = quat.rotate(parent.quaternion, own.angularAcceleration);
        for (let k = 0; k < 3; k++)
          expect(Math.abs(seen.angularAcceleration[k] - rotated[k])).toBeLessThan(1e-13);
      }),
    );
  });
});

describe('rates agree with finite differences of the quaternions', () => {
  it('of the exponential', () => {
    fc.assert(fc.property(movings, (m) => expectRates(stateOf(m), (t) => quaternionOf(m, t))));
  });

  it('of a product', () => {
    fc.assert(
      fc.property(movings, movings, (a, b) => {
        expectRates(compose(stateOf(b), stateOf(a)), (t) =>
          quat.multiply(quaternionOf(b, t), quaternionOf(a, t)),
        );
      }),
    );
  });

  it('of an inverse', () => {
    fc.assert(
      fc.property(movings, (m) => expectRates(invert(stateOf(m)), (t) => quat.conjugate(quaternionOf(m, t)))),
    );
  });

  it("in world axes: w_world = 2 Im(q' q^-1), its rate by differences", () => {
    fc.assert(
      fc.property(movings, (m) => {
        const d = 1e-4;
        const world = (t: number) =>
          toWorldAxes(stateOf({ v: at(m, t), r: [0, 1, 2].map((k) => m.r[k] + m.a[k] * t), a: m.a }));
        const [before, now, after] = [-d, 0, d].map(world);
        const size = (1 + vec3.norm(m.r) + vec3.norm(m.a)) ** 3;
        for (let k = 0; k < 3; k++) {
          const slope = (after.angularVelocity[k] - before.angularVelocity[k]) / (2 * d);
          expect(Math.abs(now.angularAcceleration[k] - slope)).toBeLessThan(1e-6 * size);
        }
      }),
    );
  });
});

describe('exponential and logarithm', () => {
  it('are inverse with both rates, up to near 2 pi', () => {
    fc.assert(
      fc.property(fc.record({ v: vectorUpTo(6), r: vector(2), a: vector(3) }), ({ v, r, a }) => {
        const point = logRotationState(stateOf({ v, r, a }), createCurvePoint(3));
        for (let k = 0; k < 3; k++) {
          expect(Math.abs(point.value[k] - v[k])).toBeLessThan(1e-13);
          // J_r^-1 grows as 1/(2 pi - |v|).
          expect(Math.abs(point.first[k] - r[k])).toBeLessThan(1e-12);
          expect(Math.abs(point.second[k] - a[k])).toBeLessThan(1e-10);
        }
      }),
    );
  });

  it('take the arc of the sign of the quaternion', () => {
    const state = stationaryState(quatFromRotationVector([0, 4, 0]));
    expect(Array.from(logRotationState(state, createCurvePoint(3)).value)).toEqual([
      0,
      expect.closeTo(4, 14),
      0,
    ]);
    quat.negate(state.quaternion, state.quaternion);
    const other = logRotationState(state, createCurvePoint(3)).value[1];
    expect(other).toBeCloseTo(4 - 2 * Math.PI, 14);
  });

  it('are NaN at a rotation of 2 pi without an axis', () => {
    expect(logRotationState(stationaryState([0, 0, 0, -1]), createCurvePoint(3)).value[0]).toBeNaN();
  });
});

describe('output arguments', () => {
  it('may be an argument', () => {
    fc.assert(
      fc.property(states, states, (a, b) => {
        const wanted = compose(b, a);
        const [overA, overB] = [copyOf(a), copyOf(b)];
        expectSame(composeRotationStates(b, overA, overA), wanted, 1e-16);
        expectSame(composeRotationStates(overB, a, overB), wanted, 1e-16);
        const own = copyOf(a);
        expectSame(composeRotationStates(own, own, own), compose(a, a), 1e-16);
        const rotated = copyOf(a);
        expectSame(invertRotationState(rotated, rotated), invert(a), 1e-16);
        const seen = copyOf(a);
        expectSame(toWorldAxes(seen, seen), toWorldAxes(a), 1e-16);
      }),
    );
  });
});
