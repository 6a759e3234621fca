import { rateFromAngularVelocity, regularize } from 'poise/rotation';
import { INERTIA, SPIN } from './bodies.js';
import { multiply, quaternionsOf, turn } from './judge.js';

/** The torque-free body by the same Runge-Kutta method over four ways to write an orientation (the paper's section 4.1). */
export interface Parameterization {
  readonly name: string;
  readonly size: number;
  start(): number[];
  /** y' */
  slope(y: readonly number[]): number[];
  /** Between steps. */
  settle(y: number[]): void;
  /** Quaternion w, x, y, z of any length, and angular velocity in body axes. */
  read(y: readonly number[]): { quaternion: number[]; spin: number[] };
}

const [A, B, C] = INERTIA;

/** Euler's equations without torque. */
function spinRate(w: readonly number[]): number[] {
  return [((B - C) / A) * w[1] * w[2], ((C - A) / B) * w[2] * w[0], ((A - B) / C) * w[0] * w[1]];
}

const rotationVector: Parameterization = {
  name: 'rotation vector, regularized between steps',
  size: 6,
  start: () => [0, 0, 0, ...SPIN],
  slope(y) {
    const w = y.slice(3);
    return [...rateFromAngularVelocity(y.slice(0, 3), w, 'body'), ...spinRate(w)];
  },
  settle(y) {
    const v = regularize(y.slice(0, 3));
    for (let k = 0; k < 3; k++) y[k] = v[k];
  },
  read: (y) => ({ quaternion: quaternionsOf(y.slice(0, 3)), spin: y.slice(3) }),
};

const renormalized: Parameterization = {
  name: 'quaternion, renormalized after each step',
  size: 7,
  start: () => [1, 0, 0, 0, ...SPIN],
  slope(y) {
    const w = y.slice(4);
    // q' = q w/2, w in body axes.
    const rate = multiply(y.slice(0, 4), [0, ...w]);
    return [...rate.map((x) => x / 2), ...spinRate(w)];
  },
  settle(y) {
    const length = Math.hypot(y[0], y[1], y[2], y[3]);
    for (let k = 0; k < 4; k++) y[k] /= length;
  },
  read: (y) => ({ quaternion: y.slice(0, 4), spin: y.slice(4) }),
};

/** w = b(q) q' of a quaternion that is normalized where it is used: 2 vec(q* q')/|q|^2, three rows. */
function spinOf(q: readonly number[]): number[][] {
  const s = 2 / q.reduce((sum, x) => sum + x * x, 0);
  const [w, x, y, z] = q;
  return [
    [-x, w, z, -y],
    [-y, -z, w, x],
    [-z, y, -x, w],
  ].map((row) => row.map((each) => s * each));
}

/** The 4 x 4 mass matrix against q', b^T I b: singular along q, which turns nothing. */
export function quaternionMass(q: readonly number[]): number[][] {
  const b = spinOf(q);
  return q.map((_, i) =>
    q.map((__, j) => INERTIA.reduce((sum, inertia, k) => sum + b[k][i] * inertia * b[k][j], 0)),
  );
}

const autonormalized: Parameterization = {
  name: 'quaternion, normalized within: M made regular along q',
  size: 8,
  start() {
    return [1, 0, 0, 0, 0, ...SPIN.map((w) => w / 2)];
  },
  slope(y) {
    const q = y.slice(0, 4);
    const rate = y.slice(4);
    const b = spinOf(q);
    const w = b.map((row) => row.reduce((sum, x, k) => sum + x * rate[k], 0));
    const square = q.reduce((sum, x) => sum + x * x, 0);
    const along = (2 * q.reduce((sum, x, k) => sum + x * rate[k], 0)) / square;
    // b q'' = w' - b' q', b' q' = -(2 q.q'/|q|^2) w; M q'' = b^T I (b q''), with something added along q to be solved at all.
    const force = spinRate(w).map((x, k) => INERTIA[k] * (x + along * w[k]));
    const mass = quaternionMass(q);
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) mass[i][j] += ((4 * A) / square ** 2) * q[i] * q[j];
    const right = q.map((_, i) => force.reduce((sum, x, k) => sum + b[k][i] * x, 0));
    return [...rate, ...solve(mass, right)];
  },
  settle() {},
  read(y) {
    const rate = y.slice(4);
    return {
      quaternion: y.slice(0, 4),
      spin: spinOf(y.slice(0, 4)).map((row) => row.reduce((s, x, k) => s + x * rate[k], 0)),
    };
  },
};

/** Gaussian elimination with pivots. */
function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  for (let c = 0; c < n; c++) {
    let p = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r][c]) > Math.abs(a[p][c])) p = r;
    [a[c], a[p]] = [a[p], a[c]];
    [b[c], b[p]] = [b[p], b[c]];
    for (let r = c + 1; r < n; r++) {
      const f = a[r][c] / a[c][c];
      for (let k = c; k < n; k++) a[r][k] -= f * a[c][k];
      b[r] -= f * b[c];
    }
  }
  for (let c = n - 1; c >= 0; c--) {
    for (let k = c + 1; k < n; k++) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

/** R = X(a) Y(b) Z(c): w = (cos b cos c a' + sin c b', -cos b sin c a' + cos c b', sin b a' + c') in body axes; determinant cos b. */
const euler: Parameterization = {
  name: 'Euler angles XYZ',
  size: 6,
  start: () => [0, 0, 0, ...SPIN],
  slope(y) {
    const w = y.slice(3);
    const [cb, sb, cc, sc] = [Math.cos(y[1]), Math.sin(y[1]), Math.cos(y[2]), Math.sin(y[2])];
    const a = (cc * w[0] - sc * w[1]) / cb;
    return [a, sc * w[0] + cc * w[1], w[2] - sb * a, ...spinRate(w)];
  },
  settle() {},
  read(y) {
    const half = (k: number) => [Math.cos(y[k] / 2), Math.sin(y[k] / 2)];
    const [[ca, sa], [cb, sb], [cc, sc]] = [half(0), half(1), half(2)];
    const quaternion = multiply(multiply([ca, sa, 0, 0], [cb, 0, sb, 0]), [cc, 0, 0, sc]);
    return { quaternion, spin: y.slice(3) };
  },
};

export const parameterizations: readonly Parameterization[] = [
  rotationVector,
  renormalized,
  autonormalized,
  euler,
];

/** One step of the classic Runge-Kutta method. */
export function stepRungeKutta(p: Parameterization, y: readonly number[], h: number): number[] {
  const plus = (s: number, slope: readonly number[]) => y.map((x, i) => x + s * slope[i]);
  const a = p.slope(y);
  const b = p.slope(plus(h / 2, a));
  const c = p.slope(plus(h / 2, b));
  const d = p.slope(plus(h, c));
  const out = y.map((x, i) => x + (h / 6) * (a[i] + 2 * (b[i] + c[i]) + d[i]));
  p.settle(out);
  return out;
}

/** Angular momentum in world axes, and energy. */
export function keptOf({ quaternion, spin }: { quaternion: readonly number[]; spin: readonly number[] }) {
  const inside = spin.map((w, k) => INERTIA[k] * w);
  return {
    angular: turn(quaternion, inside),
    energy: 0.5 * spin.reduce((sum, w, k) => sum + w * inside[k], 0),
  };
}
