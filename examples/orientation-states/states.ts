import type { Vec3 } from 'poise/math';
import {
  quatFromRotationVector,
  regularize,
  rotationVectorFromQuat,
  writeRightJacobianInverse,
} from 'poise/rotation';
import { eulerFromQuat, quatFromEuler } from 'poise/rotation/alternatives';
import { autonormalizedState } from './autonormalized.js';
import { type OrientationState, writeSpinRate } from './state.js';

/** Rotation vector: v' = J_r(v)^-1 w (Grassia 1997, Appendix B, corrected), reparameterized to |v| <= pi between steps. */
function rotationVectorState(inertia: Vec3): OrientationState {
  const inverse = new Float64Array(9);
  const v = [0, 0, 0];
  return {
    id: 'vector',
    name: 'rotation vector',
    size: 6,
    coordinates: 3,
    start(attitude, spin, y) {
      y.set(rotationVectorFromQuat(attitude));
      y.set(spin, 3);
    },
    slope(y, out) {
      writeRightJacobianInverse(y[0], y[1], y[2], inverse, 0);
      for (let r = 0; r < 3; r++) {
        out[r] = inverse[3 * r] * y[3] + inverse[3 * r + 1] * y[4] + inverse[3 * r + 2] * y[5];
      }
      writeSpinRate(inertia, y, out, 3);
    },
    normalize(y) {
      if (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] > Math.PI * Math.PI) {
        for (let k = 0; k < 3; k++) v[k] = y[k];
        y.set(regularize(v, v));
      }
      return 0;
    },
    read(y, out) {
      out.set(quatFromRotationVector(y.subarray(0, 3)));
      out.set(y.subarray(3, 6), 4);
    },
    // Singular values of J_r: 1, and sin(x)/x twice, x = |v|/2.
    reciprocalCondition(y) {
      const half = Math.hypot(y[0], y[1], y[2]) / 2;
      return half > 0 ? Math.abs(Math.sin(half)) / half : 1;
    },
  };
}

/** Unit quaternion, renormalized after each step: q' = q w / 2. */
function renormalizedState(inertia: Vec3): OrientationState {
  return {
    id: 'quaternion',
    name: 'quaternion, renormalized',
    size: 7,
    coordinates: 4,
    start(attitude, spin, y) {
      y.set(attitude);
      y.set(spin, 4);
    },
    slope(y, out) {
      const [x, yy, z, w] = [0.5 * y[0], 0.5 * y[1], 0.5 * y[2], 0.5 * y[3]];
      const [a, b, c] = [y[4], y[5], y[6]];
      out[0] = w * a + yy * c - z * b;
      out[1] = w * b + z * a - x * c;
      out[2] = w * c + x * b - yy * a;
      out[3] = -(x * a + yy * b + z * c);
      writeSpinRate(inertia, y, out, 4);
    },
    normalize(y) {
      const length = Math.sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
      for (let k = 0; k < 4; k++) y[k] /= length;
      return length - 1;
    },
    read: (y, out) => out.set(y.subarray(0, 7)),
    // Columns of q -> q w / 2 are orthogonal and of equal length.
    reciprocalCondition: () => 1,
  };
}

/** R = X(a) Y(b) Z(c): w = (cos b cos c a' + sin c b', -cos b sin c a' + cos c b', sin b a' + c') in body axes; determinant cos b. */
function eulerState(inertia: Vec3): OrientationState {
  return {
    id: 'euler',
    name: 'Euler angles XYZ',
    size: 6,
    coordinates: 3,
    start(attitude, spin, y) {
      y.set(eulerFromQuat(attitude, 'XYZ'));
      y.set(spin, 3);
    },
    slope(y, out) {
      const [cb, sb, cc, sc] = [Math.cos(y[1]), Math.sin(y[1]), Math.cos(y[2]), Math.sin(y[2])];
      const a = (cc * y[3] - sc * y[4]) / cb;
      out[0] = a;
      out[1] = sc * y[3] + cc * y[4];
      out[2] = y[5] - sb * a;
      writeSpinRate(inertia, y, out, 3);
    },
    normalize: () => 0,
    read(y, out) {
      out.set(quatFromEuler(y.subarray(0, 3), 'XYZ'));
      out.set(y.subarray(3, 6), 4);
    },
    // Singular values: 1, and sqrt(1 +- sin b).
    reciprocalCondition(y) {
      const s = Math.abs(Math.sin(y[1]));
      const away = Math.abs(Math.cos(y[1]));
      return away / (1 + s);
    },
  };
}

/**
 * Four states of a free rigid body: orientation, and angular velocity in body axes (the rates of q if it is
 * autonormalized).
 *
 * @param inertia - Principal moments about the body's axes, kg m^2.
 * @param solveAsIs - Solve the singular mass matrix of the autonormalized quaternion without regularization along q.
 */
export function orientationStates(inertia: Vec3, solveAsIs = false): readonly OrientationState[] {
  return [
    rotationVectorState(inertia),
    renormalizedState(inertia),
    autonormalizedState(inertia, solveAsIs),
    eulerState(inertia),
  ];
}

/** The classic Runge-Kutta method: a function that advances y by one step of h seconds and returns the norm error removed. */
export function rungeKutta({
  size,
  slope,
  normalize,
}: OrientationState): (y: Float64Array, h: number) => number {
  const [a, b, c, d, at] = Array.from({ length: 5 }, () => new Float64Array(size));
  return (y, h) => {
    slope(y, a);
    for (let i = 0; i < size; i++) at[i] = y[i] + 0.5 * h * a[i];
    slope(at, b);
    for (let i = 0; i < size; i++) at[i] = y[i] + 0.5 * h * b[i];
    slope(at, c);
    for (let i = 0; i < size; i++) at[i] = y[i] + h * c[i];
    slope(at, d);
    for (let i = 0; i < size; i++) y[i] += (h / 6) * (a[i] + 2 * (b[i] + c[i]) + d[i]);
    return normalize(y);
  };
}
