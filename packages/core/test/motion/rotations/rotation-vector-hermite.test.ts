import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import { cardinalCurve, hermiteCurve, kochanekBartelsCurve } from '../../../src/motion/curves/index.js';
import {
  type Curve,
  createCurvePoint,
  evaluateCurve,
  writePiece,
} from '../../../src/motion/representation/curve.js';
import { evaluateRotation } from '../../../src/motion/representation/rotation-curve.js';
import { createRotationState, expRotationState } from '../../../src/motion/representation/rotation-state.js';
import {
  orientationHermite,
  rotationVectorBezier,
  rotationVectorCurve,
  rotationVectorHermite,
  rotationVectorTangents,
} from '../../../src/motion/rotations/index.js';
import { composeRotationVectors, quatFromRotationVector } from '../../../src/rotation/index.js';

const TURN = 2 * Math.PI;

/** Jumps of orientation (rad) and of angular velocity (rad/s; with `relative` against its size over 1) over all joins. */
function jumps(curve: Curve, relative = false): { value: number; velocity: number } {
  let value = 0;
  let velocity = 0;
  for (let s = 1; s + 1 < curve.knots.length; s++) {
    const [before, after] = [s - 1, s].map((piece) => {
      const point = createCurvePoint(3);
      writePiece(curve, piece, curve.knots[s], point.value, point.first, point.second, 0);
      return expRotationState(point, createRotationState());
    });
    value = Math.max(value, quat.angleBetween(before.quaternion, after.quaternion));
    const size = relative ? Math.max(1, vec3.norm(before.angularVelocity)) : 1;
    velocity = Math.max(velocity, vec3.distance(before.angularVelocity, after.angularVelocity) / size);
  }
  return { value, velocity };
}

/** Keys of a spin w (world axes) from a start: orientation exp(w t) exp(start), unwrapped from key to key. */
function spinKeys(start: readonly number[], w: readonly number[], step: number, count: number) {
  const times = Array.from({ length: count }, (_, i) => i * step);
  let near: readonly number[] = start;
  const values = times.flatMap((t) => {
    near = composeRotationVectors(vec3.scale(w, t), start, near);
    return near;
  });
  const tangents = times.flatMap(() => w);
  return { times, values, tangents, tangentsAs: 'world' as const };
}

const START = [0.9, 0.4, -0.7];
const SPIN = [0.5, 5, -3];
const END = (20 * TURN) / vec3.norm(SPIN);

/** The same spin by quaternions. */
function spinOrientations(start: readonly number[], w: readonly number[], step: number, count: number) {
  const { times, values, tangents } = spinKeys(start, w, step, count);
  const quaternions = times.flatMap((_, i) => quatFromRotationVector(values.slice(3 * i, 3 * i + 3)));
  return { times, quaternions, angularVelocities: tangents, frame: 'world' as const };
}

/** Slope of the line through the logarithms: the order of convergence. */
function order(steps: readonly number[], errors: readonly number[]): number {
  const x = steps.map((s) => -Math.log(s));
  const y = errors.map(Math.log);
  const mean = (a: readonly number[]) => a.reduce((sum, v) => sum + v, 0) / a.length;
  const [mx, my] = [mean(x), mean(y)];
  const slope = x.reduce((sum, v, i) => sum + (v - mx) * (y[i] - my), 0);
  return slope / x.reduce((sum, v) => sum + (v - mx) ** 2, 0);
}

/** Largest angle between a curve and the spin. */
function deviation(curve: Curve, start: readonly number[], w: readonly number[]): number {
  const rotation = rotationVectorCurve(curve, { anyChart: true });
  const end = curve.knots[curve.knots.length - 1];
  let worst = 0;
  for (let n = 0; n <= 4000; n++) {
    const t = (n / 4000) * end;
    const wanted = quat.multiply(quatFromRotationVector(vec3.scale(w, t)), quatFromRotationVector(start));
    worst = Math.max(worst, quat.angleBetween(evaluateRotation(rotation, t).quaternion, wanted));
  }
  return worst;
}

describe('a spin of 20 revolutions', () => {
  const axis = vec3.normalize([0.3, -0.8, 0.5]);
  for (const step of [0.11, 0.37, 0.6, 0.93, 1, 1.7]) {
    it(`is followed about an axis through the origin by keyframes ${step} revolutions apart, Hermite and Bezier`, () => {
      // The chart's origin is on the way: angles from -0.2 turns on.
      const count = Math.ceil(20 / step) + 1;
      const times = Array.from({ length: count }, (_, i) => i * step);
      const start = vec3.scale(axis, -0.2 * TURN);
      const w = vec3.scale(axis, TURN);
      const values = times.flatMap((t) => vec3.addScaled(start, w, t));
      const hermite = rotationVectorHermite({ times, values, tangents: times.flatMap(() => w) });
      const points: number[] = [];
      times.forEach((t, i) => {
        if (i > 0) points.push(...vec3.addScaled(start, w, t - step / 3));
        points.push(...vec3.addScaled(start, w, t));
        if (i + 1 < count) points.push(...vec3.addScaled(start, w, t + step / 3));
      });
      const bezier = rotationVectorBezier({ times, points });
      for (const curve of [hermite, bezier]) {
        expect(deviation(curve, start, w)).toBeLessThan(1e-12);
        const { value, velocity } = jumps(curve);
        expect(value).toBeLessThan(1e-14);
        expect(velocity).toBeLessThan(1e-12);
      }
    });
  }

  for (const [says, make] of [
    [
      'rotation vectors',
      (steps: number) => rotationVectorHermite(spinKeys(START, SPIN, END / steps, steps + 1)),
    ],
    [
      'orientations',
      (steps: number) => orientationHermite(spinOrientations(START, SPIN, END / steps, steps + 1)),
    ],
  ] as const) {
    it(`is followed from any start at fourth order in the distance of the keyframes, through ${says}`, () => {
      const steps = [400, 800, 1600, 3200];
      const errors = steps.map((pieces) => {
        const curve = make(pieces);
        const { value, velocity } = jumps(curve);
        expect(value).toBeLessThan(1e-14);
        expect(velocity).toBeLessThan(1e-12);
        return deviation(curve, START, SPIN);
      });
      expect(order(steps, errors)).toBeGreaterThan(3.8);
      expect(order(steps, errors)).toBeLessThan(4.2);
      expect(errors[errors.length - 1]).toBeLessThan(1e-7);
    });
  }

  it('is followed through orientations up to 120 degrees apart', () => {
    const errors = [60, 120, 240].map((pieces) =>
      deviation(orientationHermite(spinOrientations(START, SPIN, END / pieces, pieces + 1)), START, SPIN),
    );
    expect(errors[0]).toBeLessThan(0.5);
    expect(errors[1]).toBeLessThan(0.03);
    expect(errors[2]).toBeLessThan(2e-3);
  });
});

const small = fc.double({ min: -1, max: 1, noNaN: true });
const vector = (size: number) =>
  fc.tuple(small, small, small).map((v) => v.map((x) => x * size) as [number, number, number]);

describe('rotation vectors of any length', () => {
  const keys = fc.array(fc.tuple(vector(12), vector(9), fc.double({ min: 0.1, max: 2, noNaN: true })), {
    minLength: 2,
    maxLength: 6,
  });

  it('are met with the given angular velocities, continuously at all knots', () => {
    fc.assert(
      fc.property(keys, (list) => {
        let t = 0;
        const times = list.map(([, , step]) => (t += step));
        const values = list.flatMap(([v]) => v);
        const tangents = list.flatMap(([, w]) => w);
        const curve = rotationVectorHermite({ times, values, tangents, tangentsAs: 'body' });
        const rotation = rotationVectorCurve(curve, { anyChart: true });
        const { value, velocity } = jumps(curve, true);
        expect(value).toBeLessThan(1e-14);
        expect(velocity).toBeLessThan(1e-12);
        list.forEach(([v, w], i) => {
          const state = evaluateRotation(rotation, times[i]);
          expect(quat.angleBetween(state.quaternion, quatFromRotationVector(v))).toBeLessThan(2e-14);
          expect(vec3.distance(state.angularVelocity, w)).toBeLessThan(1e-12 * (1 + vec3.norm(w)));
        });
        for (const x of curve.controls as Float64Array) expect(Number.isFinite(x)).toBe(true);
      }),
    );
  });

  it('give the plain Hermite curve where all are within pi', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(vector(1.8), vector(4)), { minLength: 2, maxLength: 6 }), (list) => {
        const times = list.map((_, i) => 0.7 * i);
        const values = list.flatMap(([v]) => v);
        const tangents = list.flatMap(([, m]) => m);
        const plain = hermiteCurve({ times, values, tangents });
        const curve = rotationVectorHermite({ times, values, tangents });
        // Two keys on opposite sides may be more than a revolution apart; then there are hidden keys.
        fc.pre(curve.knots.length === times.length);
        for (const t of [0.1, 0.35, 0.69, 0.7, 1.3]) {
          const [a, b] = [plain, curve].map((c) => evaluateCurve(c, t));
          expect(vec3.distance(a.value, b.value)).toBeLessThan(1e-13);
          expect(vec3.distance(a.first, b.first)).toBeLessThan(1e-11);
        }
      }),
    );
  });

  it('keep the revolutions between two keyframes', () => {
    fc.assert(
      fc.property(
        vector(1),
        fc.integer({ min: -4, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, revolutions, rest) => {
          fc.pre(vec3.norm(n) > 1e-3);
          const axis = vec3.normalize(n);
          const angle = TURN * (revolutions + rest);
          fc.pre(Math.abs(angle) > 1e-6);
          const curve = rotationVectorHermite({
            times: [0, 2],
            values: [0, 0, 0, ...vec3.scale(axis, angle)],
            tangents: [0, 0, 0, 0, 0, 0],
          });
          const rotation = rotationVectorCurve(curve, { anyChart: true });
          // The angle turned is the integral of w . axis, here by Gauss's rule of two points, exact for each cubic piece.
          let totalAngle = 0;
          for (let s = 0; s + 1 < curve.knots.length; s++) {
            const h = curve.knots[s + 1] - curve.knots[s];
            for (const u of [0.5 - Math.sqrt(1 / 12), 0.5 + Math.sqrt(1 / 12)]) {
              totalAngle +=
                0.5 * h * vec3.dot(evaluateRotation(rotation, curve.knots[s] + u * h).angularVelocity, axis);
            }
          }
          expect(totalAngle).toBeCloseTo(angle, 10);
        },
      ),
    );
  });

  it('pass inserted keyframes as the one-axis curve would without them', () => {
    const keys = { times: [0, 1.5], values: [0, 0, 0.3, 0, 0, 17], tangents: [0, 0, 2, 0, 0, -5] };
    const plain = hermiteCurve(keys);
    const curve = rotationVectorHermite(keys);
    expect(curve.knots.length).toBeGreaterThan(4);
    const rotation = rotationVectorCurve(curve, { anyChart: true });
    for (let t = 0; t <= 1.5; t += 0.01) {
      const wanted = evaluateCurve(plain, t);
      const state = evaluateRotation(rotation, t);
      expect(quat.angleBetween(state.quaternion, quatFromRotationVector(wanted.value))).toBeLessThan(2e-14);
      expect(vec3.distance(state.angularVelocity, wanted.first)).toBeLessThan(1e-12);
    }
  });
});

describe('orientations with revolutions', () => {
  it('are met with their angular velocities, continuously, for any revolutions', () => {
    const key = fc.tuple(vector(3), vector(9), fc.integer({ min: -3, max: 3 }));
    fc.assert(
      fc.property(fc.array(key, { minLength: 2, maxLength: 5 }), (list) => {
        const times = list.map((_, i) => 0.8 * i);
        const quaternions = list.flatMap(([v]) => quatFromRotationVector(v));
        const angularVelocities = list.flatMap(([, w]) => w);
        const revolutions = list.slice(1).map(([, , k]) => k);
        const curve = orientationHermite({ times, quaternions, angularVelocities, revolutions });
        const rotation = rotationVectorCurve(curve, { anyChart: true });
        const { value, velocity } = jumps(curve, true);
        expect(value).toBeLessThan(1e-14);
        expect(velocity).toBeLessThan(1e-12);
        list.forEach(([v, w], i) => {
          const state = evaluateRotation(rotation, times[i]);
          expect(quat.angleBetween(state.quaternion, quatFromRotationVector(v))).toBeLessThan(1e-14);
          expect(vec3.distance(state.angularVelocity, w)).toBeLessThan(1e-12 * (1 + vec3.norm(w)));
        });
        for (const x of curve.controls as Float64Array) expect(Math.abs(x)).toBeLessThan(40);
      }),
    );
  });

  it('add one revolution for each, about the axis of the shortest rotation', () => {
    const axis = vec3.normalize([1, -2, 0.5]);
    for (const [revolutions, wanted] of [
      [0, 0.9],
      [2, 0.9 + 2 * TURN],
      [-1, 0.9 - TURN],
    ]) {
      const curve = orientationHermite({
        times: [0, 1],
        quaternions: [0, 0, 0, 1, ...quatFromRotationVector(vec3.scale(axis, 0.9))],
        angularVelocities: [0, 0, 0, 0, 0, 0],
        revolutions: [revolutions],
      });
      const rotation = rotationVectorCurve(curve, { anyChart: true });
      let angle = 0;
      const n = 4000;
      for (let i = 0; i < n; i++) {
        angle += vec3.dot(evaluateRotation(rotation, (i + 0.5) / n).angularVelocity, axis) / n;
      }
      expect(angle).toBeCloseTo(wanted, 5);
    }
  });

  it('refuse fractional revolutions, and a number of them for every keyframe', () => {
    const keys = {
      times: [0, 1],
      quaternions: [0, 0, 0, 1, 1, 0, 0, 0],
      angularVelocities: [0, 0, 0, 0, 0, 0],
    };
    expect(() => orientationHermite({ ...keys, revolutions: [0.5] })).toThrow(
      /keys\.revolutions\[0\]: is 0\.5.*whole number/,
    );
    expect(() => orientationHermite({ ...keys, revolutions: [0, 1] })).toThrow(
      /keys\.revolutions: has 2 numbers/,
    );
  });
});

describe('tangents of rotation vectors', () => {
  it('are those of the plain cardinal and Kochanek-Bartels curves where nothing is longer than pi', () => {
    const times = [0, 0.5, 1.7, 2, 3];
    const values = [0.1, 0.5, -0.3, 0.9, -0.4, 1.2, -0.2, 0.4, 0.6, 1.4, 0.2, -0.5, 0.3, 0.3, 0.3];
    const shape = { tension: 0.2, continuity: [0, 0.3, -0.2, 0, 0], bias: -0.4 };
    for (const [plain, options] of [
      [cardinalCurve({ times, values }, { tension: 0.2 }), { tension: 0.2 }],
      [kochanekBartelsCurve({ times, values }, shape), shape],
    ] as const) {
      const curve = rotationVectorHermite({
        times,
        values,
        ...rotationVectorTangents({ times, values }, options),
      });
      expect(curve.controls).toHaveLength(plain.controls.length);
      for (let i = 0; i < plain.controls.length; i++) {
        expect(curve.controls[i]).toBeCloseTo(plain.controls[i], 13);
      }
    }
  });

  it('do not change when every keyframe gets one more revolution', () => {
    const n = vec3.normalize([1, 2, -2]);
    const angles = [0.4, 1.1, 2.2, 2.9];
    const times = [0, 1, 2, 3];
    const at = (revolutions: number) =>
      rotationVectorTangents({
        times,
        values: angles.flatMap((a, i) =>
          vec3.scale(i === 2 ? vec3.normalize([1, 2.1, -2]) : n, a + TURN * revolutions),
        ),
      });
    const [zero, three] = [at(0), at(3)];
    for (let i = 0; i < 12; i++) expect(three.tangents[i]).toBeCloseTo(zero.tangents[i], 12);
  });
});

describe('a curve that leaves the chart', () => {
  it('is refused with the point and a remedy', () => {
    const curve = hermiteCurve({ times: [0, 1], values: [0, 0, 1, 0, 0, 7], tangents: [0, 0, 0, 0, 0, 0] });
    expect(() => rotationVectorCurve(curve)).toThrow(
      /piece 0, point 2: is 7\.000 rad long.*rotationVectorHermite/,
    );
    expect(() => rotationVectorCurve(curve, { anyChart: true })).not.toThrow();
  });
});
