/**
 * Cached evaluation (Grassia 1997, Appendix C): theta, sine, cosine, q and the intermediate partials are computed once per
 * rotation vector and shared by all formulas.
 */

import { length } from '../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import {
  COSINE_FORM_FROM,
  COSINE_FORM_TO,
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
  s2Series,
  s3Series,
} from './coefficients.js';

/** t = theta^2 (2.65 rad) above which the defining quotients of A1, C, E and E1 round better than the equivalent products. */
const QUOTIENTS_FROM = 7;

/**
 * Coefficients and partials of the rotation-vector formulas at one v. Create it with {@link createRotationCache}, fill it
 * with {@link evaluateRotationVector}, pass it as any {@link RotationPoint}. Primes are d/dtheta; x = theta/2.
 */
export interface RotationCache {
  readonly kind: 'rotation-cache';
  /** The rotation vector, rad. */
  x: number;
  y: number;
  z: number;
  /** theta^2; zero on underflow, where no coefficient depends on it to rounding. */
  thetaSquared: number;
  /** theta = |v|, rad; accurate down to the smallest subnormal. */
  theta: number;
  /** sin(x)/theta */
  s0: number;
  /** s0'/theta */
  s1: number;
  /** s1'/theta */
  s2: number;
  /** s2'/theta */
  s3: number;
  /** cos x */
  c: number;
  /** sin(theta)/theta */
  A: number;
  /** (1 - cos theta)/theta^2 */
  B: number;
  /** (1 - A)/theta^2 */
  C: number;
  /** (1 - x cot x)/theta^2; infinite at 2 pi, 4 pi, ... */
  D: number;
  /** (2B - A)/theta^2 = -B'/theta */
  E: number;
  /** (3C - B)/theta^2 = -C'/theta */
  F: number;
  /** A'/theta = C - B */
  A1: number;
  /** D'/theta */
  D1: number;
  /** E'/theta */
  E1: number;
  /** F'/theta */
  F1: number;
  /** q = [s0 v, c], four numbers. */
  readonly quat: Float64Array;
  /** dq_i/dv_j at [3 i + j], twelve numbers. */
  readonly quatPartials: Float64Array;
}

/** A point of evaluation: a rotation vector, or a cache evaluated at one. */
export type RotationPoint = Vec3 | RotationCache;

/** Creates a cache evaluated at v = 0. */
export function createRotationCache(): RotationCache {
  const cache: RotationCache = {
    kind: 'rotation-cache',
    x: 0,
    y: 0,
    z: 0,
    thetaSquared: 0,
    theta: 0,
    s0: 0.5,
    s1: 0,
    s2: 0,
    s3: 0,
    c: 1,
    A: 1,
    B: 0.5,
    C: 0,
    D: 0,
    E: 0,
    F: 0,
    A1: 0,
    D1: 0,
    E1: 0,
    F1: 0,
    quat: new Float64Array(4),
    quatPartials: new Float64Array(12),
  };
  return evaluateRotationVector([0, 0, 0], cache);
}

/**
 * Fills `cache` at the rotation vector v (rad) and returns it. Allocates nothing. Up to |v| = pi by series in
 * theta^2 (no Math.sin), beyond by sine and cosine. NaN and infinity give NaN throughout.
 */
export function evaluateRotationVector(v: Vec3, cache: RotationCache): RotationCache {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  const t = x * x + y * y + z * z;
  const theta = length(x, y, z);
  let s0: number;
  let s1: number;
  let s2: number;
  let s3: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    s0 = s0Series(t);
    s1 = s1Series(t);
    s2 = s2Series(t);
    s3 = s3Series(t);
    c = cosHalfSeries(t);
  } else {
    // s_(n+1) = (-s_(n-1)/4 - (2n+1) s_n)/t, s_(-1) = -2c
    s0 = Math.sin(0.5 * theta) / theta;
    c = Math.cos(0.5 * theta);
    s1 = (0.5 * c - s0) / t;
    s2 = (-0.25 * s0 - 3 * s1) / t;
    s3 = (-0.25 * s1 - 5 * s2) / t;
  }
  cache.x = x;
  cache.y = y;
  cache.z = z;
  cache.thetaSquared = t;
  cache.theta = theta;
  cache.s0 = s0;
  cache.s1 = s1;
  cache.s2 = s2;
  cache.s3 = s3;
  cache.c = c;

  // The other coefficients from s0..s3 and c (docs/rotation.md, coefficients).
  const A = 2 * s0 * c;
  let B = 2 * s0 * s0;
  let C = s0 * s0 + 2 * c * s1;
  let A1 = C - B;
  let E = -4 * s0 * s1;
  let E1 = -4 * (s1 * s1 + s0 * s2);
  if (t > COSINE_FORM_FROM && t < COSINE_FORM_TO) B = (2 - 2 * c * c) / t;
  if (t > QUOTIENTS_FROM && t < COSINE_FORM_TO) {
    // By definition: around pi the rounding of theta^2 then cancels between the coefficients.
    C = (1 - A) / t;
    A1 = (2 * c * c - 1 - A) / t;
    E = (2 * B - A) / t;
    E1 = -(A1 + 4 * E) / t;
  }
  const D = -s1 / s0;
  cache.A = A;
  cache.B = B;
  cache.C = C;
  cache.D = D;
  cache.E = E;
  cache.F = -(s0 * s1 + 2 * c * s2);
  cache.A1 = A1;
  cache.D1 = D * D - s2 / s0;
  cache.E1 = E1;
  cache.F1 = -(s1 * s1 + 2 * c * s3);

  // q = [s0 v, c]
  const q = cache.quat;
  q[0] = s0 * x;
  q[1] = s0 * y;
  q[2] = s0 * z;
  q[3] = c;

  // dq_i/dv_j = s0 d_ij + s1 v_i v_j;  dq_w/dv_j = -1/2 s0 v_j
  const p = cache.quatPartials;
  const sx = s1 * x;
  const sy = s1 * y;
  p[0] = s0 + sx * x;
  p[4] = s0 + sy * y;
  p[8] = s0 + s1 * z * z;
  p[1] = p[3] = sx * y;
  p[2] = p[6] = sx * z;
  p[5] = p[7] = sy * z;
  p[9] = -0.5 * q[0];
  p[10] = -0.5 * q[1];
  p[11] = -0.5 * q[2];
  return cache;
}

/** The cache itself, or `scratch` evaluated at the rotation vector. */
export function evaluated(at: RotationPoint, scratch: RotationCache): RotationCache {
  return isRotationCache(at) ? at : evaluateRotationVector(at, scratch);
}

/** Tells a {@link RotationCache} from three numbers. */
export function isRotationCache(at: RotationPoint | Numbers): at is RotationCache {
  return (at as RotationCache).kind === 'rotation-cache';
}
