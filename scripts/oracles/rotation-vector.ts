/**
 * Everything a rotation vector determines, in double-double arithmetic (about 30 digits), for directions drawn at run
 * time. Imports nothing of the library, and goes another way: q by its power series, R and its partials as the quadratic
 * form of q by the product rule, J_l from 2 q' q^-1, its inverse by cofactors. A test holds it against the mpmath
 * fixture of `rotation_vector.py`.
 */
import { DoubleDouble } from './double-double.js';

type DD = DoubleDouble;

/** Values as lists of double-doubles; layouts as in `poise/rotation`. */
export interface RotationVectorOracle {
  readonly q: DD[];
  readonly dq: DD[];
  readonly d2q: DD[];
  readonly R: DD[];
  readonly dR: DD[];
  readonly d2R: DD[];
  readonly Jl: DD[];
  readonly Jr: DD[];
  readonly JlInv: DD[];
  readonly JrInv: DD[];
  readonly rateWorld: DD[];
  readonly rateBody: DD[];
  readonly velocityWorld: DD[];
  readonly velocityBody: DD[];
  readonly dJlY: DD[];
  readonly dJrY: DD[];
  readonly dJlInvY: DD[];
  readonly dJrInvY: DD[];
}

const ZERO = new DoubleDouble(0);
const TERMS = 44;

/**
 * s_k(t) = sum over n of (-1)^(n+k) t^n (n+1)...(n+k) 2^k / (2^(2(n+k)+1) (2(n+k)+1)!), smallest terms first.
 */
function sinFamily(k: number, t: DD): DD {
  let sum = ZERO;
  const coefficients: DD[] = [];
  // a_m = (-1)^m / (2^(2m+1) (2m+1)!)
  let a = new DoubleDouble(0.5);
  for (let m = 0; m < TERMS + k; m++) {
    let factor = 1;
    for (let i = 0; i < k; i++) factor *= 2 * (m - i);
    if (m >= k) coefficients.push(a.multiply(factor));
    a = a.divide(-4 * (2 * m + 2) * (2 * m + 3));
  }
  for (let n = TERMS - 1; n >= 0; n--) sum = sum.multiply(t).add(coefficients[n]);
  return sum;
}

function cosHalf(t: DD): DD {
  const coefficients: DD[] = [];
  let a = new DoubleDouble(1);
  for (let m = 0; m < TERMS; m++) {
    coefficients.push(a);
    a = a.divide(-4 * (2 * m + 1) * (2 * m + 2));
  }
  let sum = ZERO;
  for (let n = TERMS - 1; n >= 0; n--) sum = sum.multiply(t).add(coefficients[n]);
  return sum;
}

/** The bilinear form N with N(q, q) = R(q) |q|^2. */
function matrixForm(p: readonly DD[], q: readonly DD[]): DD[] {
  const m = (i: number, j: number): DD => p[i].multiply(q[j]).add(p[j].multiply(q[i])).multiply(0.5);
  const [x, y, z, w] = [0, 1, 2, 3];
  const d = (i: number, j: number, k: number): DD => m(w, w).add(m(i, i)).subtract(m(j, j)).subtract(m(k, k));
  const plus = (i: number, j: number, k: number): DD => m(i, j).add(m(w, k)).multiply(2);
  const minus = (i: number, j: number, k: number): DD => m(i, j).subtract(m(w, k)).multiply(2);
  return [
    d(x, y, z),
    minus(x, y, z),
    plus(x, z, y),
    plus(x, y, z),
    d(y, x, z),
    minus(y, z, x),
    minus(x, z, y),
    plus(y, z, x),
    d(z, x, y),
  ];
}

/** 2 times the vector part of p q^-1. */
function twiceVectorOfQuotient(p: readonly DD[], q: readonly DD[]): DD[] {
  const part = (i: number, j: number, k: number): DD =>
    p[i]
      .multiply(q[3])
      .subtract(p[3].multiply(q[i]))
      .subtract(p[j].multiply(q[k]))
      .add(p[k].multiply(q[j]))
      .multiply(2);
  return [part(0, 1, 2), part(1, 2, 0), part(2, 0, 1)];
}

function multiplyVector(m: readonly DD[], v: readonly number[]): DD[] {
  return [0, 3, 6].map((r) =>
    m[r]
      .multiply(v[0])
      .add(m[r + 1].multiply(v[1]))
      .add(m[r + 2].multiply(v[2])),
  );
}

function multiplyMatrix(a: readonly DD[], b: readonly DD[]): DD[] {
  return a.map((_, e) => {
    const r = 3 * Math.floor(e / 3);
    const c = e % 3;
    return a[r]
      .multiply(b[c])
      .add(a[r + 1].multiply(b[c + 3]))
      .add(a[r + 2].multiply(b[c + 6]));
  });
}

function transpose(m: readonly DD[]): DD[] {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

function inverse(m: readonly DD[]): DD[] {
  const minor = (a: number, b: number, c: number, d: number): DD =>
    m[a].multiply(m[d]).subtract(m[b].multiply(m[c]));
  const c = [
    minor(4, 5, 7, 8),
    minor(2, 1, 8, 7),
    minor(1, 2, 4, 5),
    minor(5, 3, 8, 6),
    minor(0, 2, 6, 8),
    minor(2, 0, 5, 3),
    minor(3, 4, 6, 7),
    minor(1, 0, 7, 6),
    minor(0, 1, 3, 4),
  ];
  const det = m[0].multiply(c[0]).add(m[1].multiply(c[3])).add(m[2].multiply(c[6]));
  return c.map((e) => e.divide(det));
}

/** Evaluates at the rotation vector v, with the test vector y, for |v| up to 2 pi. */
export function rotationVectorOracle(v: readonly number[], y: readonly number[]): RotationVectorOracle {
  const x = v.map((c) => new DoubleDouble(c));
  const t = x[0].multiply(x[0]).add(x[1].multiply(x[1])).add(x[2].multiply(x[2]));
  const s0 = sinFamily(0, t);
  const s1 = sinFamily(1, t);
  const s2 = sinFamily(2, t);
  const q = [s0.multiply(x[0]), s0.multiply(x[1]), s0.multiply(x[2]), cosHalf(t)];

  const delta = (i: number, j: number): number => (i === j ? 1 : 0);
  const dq: DD[] = [];
  const d2q: DD[] = [];
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 3; j++) {
      if (i < 3)
        dq.push(
          s1
            .multiply(x[i])
            .multiply(x[j])
            .add(s0.multiply(delta(i, j))),
        );
      else dq.push(s0.multiply(x[j]).multiply(-0.5));
      for (let k = 0; k < 3; k++) {
        if (i < 3) {
          const linear = x[k]
            .multiply(delta(i, j))
            .add(x[j].multiply(delta(i, k)))
            .add(x[i].multiply(delta(j, k)));
          d2q.push(s1.multiply(linear).add(s2.multiply(x[i]).multiply(x[j]).multiply(x[k])));
        } else {
          d2q.push(
            s1
              .multiply(x[j])
              .multiply(x[k])
              .add(s0.multiply(delta(j, k)))
              .multiply(-0.5),
          );
        }
      }
    }
  }
  const qj = [0, 1, 2].map((j) => [0, 1, 2, 3].map((i) => dq[3 * i + j]));
  const qjk = [0, 1, 2].map((j) => [0, 1, 2].map((k) => [0, 1, 2, 3].map((i) => d2q[9 * i + 3 * j + k])));

  // R = N(q, q), dR_j = 2 N(q_j, q), d2R_jk = 2 N(q_jk, q) + 2 N(q_j, q_k)
  const R = matrixForm(q, q);
  const dR = qj.flatMap((d) => matrixForm(d, q).map((e) => e.multiply(2)));
  const d2R = [0, 1, 2].flatMap((j) =>
    [0, 1, 2].flatMap((k) => {
      const straight = matrixForm(qjk[j][k], q);
      return matrixForm(qj[j], qj[k]).map((e, n) => e.add(straight[n]).multiply(2));
    }),
  );

  // J_l e_j = 2 vec(q_j q^-1), its derivative by v_k 2 vec(q_jk q^-1 + q_j q_k^-1)
  const columns = qj.map((d) => twiceVectorOfQuotient(d, q));
  const Jl = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => columns[j][i]));
  const Jr = transpose(Jl);
  const JlInv = inverse(Jl);
  const JrInv = transpose(JlInv);
  const slices = [0, 1, 2].map((k) => {
    const cols = [0, 1, 2].map((j) => {
      const a = twiceVectorOfQuotient(qjk[j][k], q);
      const b = twiceVectorOfQuotient(qj[j], qj[k]);
      return a.map((e, i) => e.add(b[i]));
    });
    return [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => cols[j][i]));
  });
  const product = (matrices: DD[][]): DD[] => {
    const cols = matrices.map((m) => multiplyVector(m, y));
    return [0, 1, 2].flatMap((i) => [0, 1, 2].map((k) => cols[k][i]));
  };
  const inverseSlices = slices.map((m) =>
    multiplyMatrix(multiplyMatrix(JlInv, m), JlInv).map((e) => e.negate()),
  );
  return {
    q,
    dq,
    d2q,
    R,
    dR,
    d2R,
    Jl,
    Jr,
    JlInv,
    JrInv,
    rateWorld: multiplyVector(JlInv, y),
    rateBody: multiplyVector(JrInv, y),
    velocityWorld: multiplyVector(Jl, y),
    velocityBody: multiplyVector(Jr, y),
    dJlY: product(slices),
    dJrY: product(slices.map(transpose)),
    dJlInvY: product(inverseSlices),
    dJrInvY: product(inverseSlices.map(transpose)),
  };
}

/** |got - exact| / |exact| over all entries together. */
export function frobeniusRelativeError(got: ArrayLike<number>, exact: readonly DoubleDouble[]): number {
  let scale = 0;
  for (const e of exact) scale = Math.max(scale, Math.abs(e.hi));
  if (scale === 0) return Array.from(got).every((e) => e === 0) ? 0 : Number.POSITIVE_INFINITY;
  let error = 0;
  let size = 0;
  for (let i = 0; i < exact.length; i++) {
    error += ((got[i] - exact[i].hi - exact[i].lo) / scale) ** 2;
    size += (exact[i].hi / scale) ** 2;
  }
  return Math.sqrt(error / size);
}
