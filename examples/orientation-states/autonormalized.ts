import type { Vec3 } from 'poise/math';
import type { OrientationState } from './state.js';

/**
 * Four free numbers, normalized on use: any q but zero is a rotation, independent of its length. With w = b q',
 * b = 2 vec(q* q')/|q|^2, the mass matrix for q' is M = b^T I b, 4 x 4 of rank 3: M q = 0.
 */
export function autonormalizedState(inertia: Vec3, solveAsIs: boolean): OrientationState {
  const b = new Float64Array(12);
  const mass = new Float64Array(16);
  const right = new Float64Array(4);
  const spin = [0, 0, 0];
  const [A, B, C] = [inertia[0], inertia[1], inertia[2]];

  /** b and w = b q'. */
  function sample(y: Float64Array): void {
    writeSpinMatrix(y, b);
    for (let r = 0; r < 3; r++) {
      spin[r] = b[4 * r] * y[4] + b[4 * r + 1] * y[5] + b[4 * r + 2] * y[6] + b[4 * r + 3] * y[7];
    }
  }

  return {
    id: 'autonormalized',
    name: 'quaternion, autonormalized',
    size: 8,
    coordinates: 4,
    start(attitude, w, y) {
      y.set(attitude);
      const [x, yy, z, s] = [attitude[0], attitude[1], attitude[2], attitude[3]];
      y[4] = 0.5 * (s * w[0] + yy * w[2] - z * w[1]);
      y[5] = 0.5 * (s * w[1] + z * w[0] - x * w[2]);
      y[6] = 0.5 * (s * w[2] + x * w[1] - yy * w[0]);
      y[7] = -0.5 * (x * w[0] + yy * w[1] + z * w[2]);
    },
    slope(y, out) {
      sample(y);
      writeMass(inertia, b, mass);
      const square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3];
      const along = (2 * (y[0] * y[4] + y[1] * y[5] + y[2] * y[6] + y[3] * y[7])) / square;
      // b q'' = w' - b' q', b' q' = -(2 q.q'/|q|^2) w; M q'' = b^T I (b q'').
      const [p, q, r] = spin;
      const t0 = (B - C) * q * r + along * A * p;
      const t1 = (C - A) * r * p + along * B * q;
      const t2 = (A - B) * p * q + along * C * r;
      for (let i = 0; i < 4; i++) right[i] = b[i] * t0 + b[4 + i] * t1 + b[8 + i] * t2;
      if (!solveAsIs) {
        // Regularization along q, of the size of the other eigenvalues.
        const add = (4 * A) / (square * square);
        for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) mass[4 * i + j] += add * y[i] * y[j];
      }
      solve(mass, right);
      for (let i = 0; i < 4; i++) {
        out[i] = y[4 + i];
        out[4 + i] = right[i];
      }
    },
    normalize: () => 0,
    read(y, out) {
      sample(y);
      for (let i = 0; i < 4; i++) out[i] = y[i];
      for (let i = 0; i < 3; i++) out[4 + i] = spin[i];
    },
    reciprocalCondition(y) {
      const [min, , , max] = quaternionMassEigenvalues(inertia, y);
      return Math.abs(min) / max;
    },
  };
}

/** w = b q', three rows of four. */
function writeSpinMatrix(q: ArrayLike<number>, out: Float64Array): void {
  const s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const [x, y, z, w] = [s * q[0], s * q[1], s * q[2], s * q[3]];
  out[0] = w;
  out[1] = z;
  out[2] = -y;
  out[3] = -x;
  out[4] = -z;
  out[5] = w;
  out[6] = x;
  out[7] = -y;
  out[8] = y;
  out[9] = -x;
  out[10] = w;
  out[11] = -z;
}

/** M = b^T I b, row by row. */
function writeMass(inertia: Vec3, b: Float64Array, out: Float64Array): void {
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
      out[4 * i + j] =
        inertia[0] * b[i] * b[j] + inertia[1] * b[4 + i] * b[4 + j] + inertia[2] * b[8 + i] * b[8 + j];
    }
  }
}

/** Gaussian elimination with row pivoting, 4 x 4; the solution overwrites the right-hand side. */
function solve(a: Float64Array, x: Float64Array): void {
  for (let c = 0; c < 4; c++) {
    let p = c;
    for (let r = c + 1; r < 4; r++) if (Math.abs(a[4 * r + c]) > Math.abs(a[4 * p + c])) p = r;
    for (let k = 0; k < 4; k++) {
      const kept = a[4 * c + k];
      a[4 * c + k] = a[4 * p + k];
      a[4 * p + k] = kept;
    }
    const kept = x[c];
    x[c] = x[p];
    x[p] = kept;
    for (let r = c + 1; r < 4; r++) {
      const f = a[4 * r + c] / a[4 * c + c];
      for (let k = c; k < 4; k++) a[4 * r + k] -= f * a[4 * c + k];
      x[r] -= f * x[c];
    }
  }
  for (let c = 3; c >= 0; c--) {
    for (let k = c + 1; k < 4; k++) x[c] -= a[4 * c + k] * x[k];
    x[c] /= a[4 * c + c];
  }
}

/** Eigenvalues of M times |q|^2, from the smallest on, kg m^2, by Jacobi's method. The exact ones are 0 and four times the inertia. */
export function quaternionMassEigenvalues(inertia: Vec3, q: ArrayLike<number>): number[] {
  const size = Math.hypot(q[0], q[1], q[2], q[3]);
  const unit = [q[0] / size, q[1] / size, q[2] / size, q[3] / size];
  const b = new Float64Array(12);
  const a = new Float64Array(16);
  writeSpinMatrix(unit, b);
  writeMass(inertia, b, a);
  for (let sweep = 0; sweep < 8; sweep++) {
    for (let p = 0; p < 3; p++) for (let r = p + 1; r < 4; r++) rotatePlane(a, p, r);
  }
  return [a[0], a[5], a[10], a[15]].sort((one, other) => one - other);
}

/** A = G^T A G with the rotation in the plane (p, r) that makes a_pr zero. */
function rotatePlane(a: Float64Array, p: number, r: number): void {
  if (a[4 * p + r] === 0) return;
  const tau = (a[5 * r] - a[5 * p]) / (2 * a[4 * p + r]);
  const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.hypot(1, tau));
  const c = 1 / Math.hypot(1, t);
  const s = t * c;
  for (let k = 0; k < 4; k++) {
    const [x, y] = [a[4 * p + k], a[4 * r + k]];
    a[4 * p + k] = c * x - s * y;
    a[4 * r + k] = s * x + c * y;
  }
  for (let k = 0; k < 4; k++) {
    const [x, y] = [a[4 * k + p], a[4 * k + r]];
    a[4 * k + p] = c * x - s * y;
    a[4 * k + r] = s * x + c * y;
  }
}
