import type { LimitComponent } from '../../../figure/limits/limit.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import {
  cosHalfSeries,
  s0Series,
  s1Series,
  s2Series,
} from '../../../rotation/rotation-vector/coefficients.js';

/** Variation of the cosine below which an interval is not subdivided. */
const MIN_VARIATION = 1e-16;
/** Width of psi (rad) below which an interval is not subdivided. */
const MIN_INTERVAL = 1e-6;
/** Rounding error of a cosine. */
const ROUNDING = 1e-15;
const MAX_NEWTON = 60;
const HALF_PI = Math.PI / 2;

/** The swing plane of a joint: unit axis a = s x t. */
export interface SwingPlane {
  readonly s: Vec3;
  readonly t: Vec3;
  readonly a: Vec3;
}

/**
 * K(psi) = u . exp([r]) z, the cosine of the angle beta between z and u after the swing r = (A cos psi, B sin psi), on one quadrant of
 * the boundary of a swing limit (a cone has A = B). With sigma = |r|^2, p = z x u, and at sigma the series c = cos(|r|/2),
 * s0 = sin(|r|/2)/|r|, s1 and s2 (`rotation-vector/coefficients.ts`):
 *
 *   K = k C + L S + N Q,   k = z.u, L = r.p, N = (r.z)(r.u),  C = cos|r|, S = sin|r|/|r| = 2 c s0, Q = (1 - C)/|r|^2 = 2 s0^2
 *   dC = -S/2, dS = c s1 - s0^2/2, d2S = c s2/2 - 3/4 s0 s1, dQ = 2 s0 s1, d2Q = s1^2 + s0 s2   (d = d/dsigma)
 *
 * and their largest magnitudes for sigma >= 0 are those at 0: 1/2, 1/12, 1/120 of C; 1, 1/6, 1/60, 1/840 of S; 1/2, 1/24, 1/360,
 * 1/6720 of Q. So K'' and K''' are bounded by e = |A^2 - B^2|, |p| and the components of z and u in the plane.
 */
interface Quadrant {
  readonly k: number;
  readonly ps: number;
  readonly pt: number;
  readonly zs: number;
  readonly zt: number;
  readonly us: number;
  readonly ut: number;
  /** A and B; see {@link enterQuadrant}. */
  a: number;
  b: number;
  /** Bounds on |K''| and |K'''|. */
  second: number;
  third: number;
}

/** K, K' and K'' of the last `evaluate`. */
const value = /* @__PURE__ */ new Float64Array(3);

/**
 * Visits all points of the boundary of a swing limit where |beta - alpha| may be minimal, beta the angle between z and u after the
 * swing: where beta is stationary, where beta = alpha (for alpha > 0), and the four ends of the quadrants. Passed to `visit` as
 * (r_s, r_t).
 *
 * The search is certified: an interval of psi is discarded only when the bounds prove that it has no such point (K' or K'' cannot
 * change sign), or no point below `minFound()`; otherwise it is bisected.
 */
export function visitBoundary(
  limit: LimitComponent,
  plane: SwingPlane,
  z: Vec3,
  u: Vec3,
  alpha: number,
  minFound: () => number,
  visit: (rs: number, rt: number) => void,
): void {
  const [left, right, down, up] = radii(limit);
  const { s, t } = plane;
  const p = vec3.cross(z, u);
  const quadrant: Quadrant = {
    k: vec3.dot(z, u),
    ps: vec3.dot(p, s),
    pt: vec3.dot(p, t),
    zs: vec3.dot(z, s),
    zt: vec3.dot(z, t),
    us: vec3.dot(u, s),
    ut: vec3.dot(u, t),
    a: 0,
    b: 0,
    second: 0,
    third: 0,
  };
  const at = (psi: number): void => {
    evaluate(quadrant, psi);
    if (isDominated(value[0], 0, alpha, minFound())) return;
    visit(quadrant.a * Math.cos(psi), quadrant.b * Math.sin(psi));
  };
  for (let index = 0; index < 4; index++) {
    enterQuadrant(quadrant, index === 0 || index === 3 ? right : left, index < 2 ? up : down);
    at(index * HALF_PI);
    searchInterval(quadrant, index * HALF_PI, (index + 1) * HALF_PI, alpha, minFound, at);
  }
}

/** Lengths of the semi-axes towards -s, s, -t, t. */
function radii({ kind, parameters }: LimitComponent): [number, number, number, number] {
  if (kind === 'quad-ellipse') return [-parameters[0], parameters[1], -parameters[2], parameters[3]];
  const [a, b = a] = parameters;
  return [a, a, b, b];
}

/** The boundary point in the direction of (rs, rt). */
export function boundaryInDirection(limit: LimitComponent, rs: number, rt: number): [number, number] {
  const [left, right, down, up] = radii(limit);
  const a = rs < 0 ? left : right;
  const b = rt < 0 ? down : up;
  const size = Math.hypot(rs / a, rt / b);
  return size > 0 ? [rs / size, rt / size] : [right, 0];
}

/** Sets the radii a and b of a quadrant, and its bounds. */
function enterQuadrant(quadrant: Quadrant, a: number, b: number): void {
  const { k, ps, pt, zs, zt, us, ut } = quadrant;
  const largest = Math.max(a, b);
  const e = Math.abs(b - a) * (b + a);
  const l = Math.sqrt(ps * ps + pt * pt) * largest;
  const n = Math.sqrt((zs * zs + zt * zt) * (us * us + ut * ut)) * largest * largest;
  // |sigma'| <= e, |sigma''| <= 2 e, |sigma'''| <= 4 e; each derivative of L keeps its bound, each of N at most doubles it.
  const c2 = e * (e / 12 + 1);
  const c3 = e * (e * (e / 120 + 1 / 2) + 2);
  const s1 = e / 6;
  const s2 = e * (e / 60 + 1 / 3);
  const s3 = e * (e * (e / 840 + 1 / 10) + 2 / 3);
  const q1 = e / 24;
  const q2 = e * (e / 360 + 1 / 12);
  const q3 = e * (e * (e / 6720 + 1 / 60) + 1 / 6);
  quadrant.a = a;
  quadrant.b = b;
  quadrant.second = Math.abs(k) * c2 + l * (s2 + 2 * s1 + 1) + n * (q2 + 4 * q1 + 2);
  quadrant.third = Math.abs(k) * c3 + l * (s3 + 3 * s2 + 3 * s1 + 1) + n * (q3 + 6 * q2 + 12 * q1 + 4);
}

/** K, K', K'' at psi into `value`. */
function evaluate({ a, b, k, ps, pt, zs, zt, us, ut }: Quadrant, psi: number): void {
  const cos = Math.cos(psi);
  const sin = Math.sin(psi);
  const x = a * cos;
  const y = b * sin;
  const dx = -a * sin;
  const dy = b * cos;
  const t = x * x + y * y;
  const e = (b - a) * (b + a);
  const dt = 2 * e * sin * cos;
  const ddt = 2 * e * (cos - sin) * (cos + sin);
  const s0 = s0Series(t);
  const s1 = s1Series(t);
  const s2 = s2Series(t);
  const c = cosHalfSeries(t);
  const S = 2 * c * s0;
  const S1 = c * s1 - 0.5 * s0 * s0;
  const S2 = 0.5 * c * s2 - 0.75 * s0 * s1;
  const dS = S1 * dt;
  const ddS = S2 * dt * dt + S1 * ddt;
  const Q = 2 * s0 * s0;
  const Q1 = 2 * s0 * s1;
  const dQ = Q1 * dt;
  const ddQ = (s1 * s1 + s0 * s2) * dt * dt + Q1 * ddt;
  const L = x * ps + y * pt;
  const dL = dx * ps + dy * pt;
  const rz = x * zs + y * zt;
  const ru = x * us + y * ut;
  const drz = dx * zs + dy * zt;
  const dru = dx * us + dy * ut;
  const N = rz * ru;
  const dN = drz * ru + rz * dru;
  const ddN = 2 * (drz * dru - N);
  // C = 1 - t Q; C' = -S t'/2.
  value[0] = k * (1 - t * Q) + L * S + N * Q;
  value[1] = -0.5 * k * S * dt + (dL * S + L * dS) + (dN * Q + N * dQ);
  value[2] =
    -0.5 * k * (dS * dt + S * ddt) + (2 * dL * dS + L * (ddS - S)) + (ddN * Q + 2 * dN * dQ + N * ddQ);
}

/** Whether |beta - alpha| is over `min` for all beta whose cosine is within `variation` of K. */
function isDominated(K: number, variation: number, alpha: number, min: number): boolean {
  const furthest = alpha + min;
  if (furthest < Math.PI && K + variation < Math.cos(furthest) - ROUNDING) return true;
  return alpha > min && K - variation > Math.cos(alpha - min) + ROUNDING;
}

/** Visits the points of an interval of psi. */
function searchInterval(
  quadrant: Quadrant,
  from: number,
  to: number,
  alpha: number,
  minFound: () => number,
  visit: (psi: number) => void,
): void {
  const middle = 0.5 * (from + to);
  const h = 0.5 * (to - from);
  evaluate(quadrant, middle);
  const K = value[0];
  const dK = value[1];
  const ddK = value[2];
  const variation = Math.abs(dK) * h + 0.5 * quadrant.second * h * h;
  if (isDominated(K, variation, alpha, minFound())) return;
  if (h < MIN_INTERVAL || variation < MIN_VARIATION) {
    visit(middle);
    return;
  }
  if (Math.abs(dK) > quadrant.second * h) {
    // K is monotone: no stationary point.
    visitEqualAngle(quadrant, from, to, alpha, visit);
  } else if (Math.abs(ddK) > quadrant.third * h) {
    // K' is monotone: at most one stationary point.
    evaluate(quadrant, from);
    const low = value[1];
    evaluate(quadrant, to);
    const high = value[1];
    if (low * high > 0) {
      visitEqualAngle(quadrant, from, to, alpha, visit);
    } else {
      const psi = findStationary(quadrant, from, to, ddK > 0);
      visit(psi);
      visitEqualAngle(quadrant, from, psi, alpha, visit);
      visitEqualAngle(quadrant, psi, to, alpha, visit);
    }
  } else {
    searchInterval(quadrant, from, middle, alpha, minFound, visit);
    searchInterval(quadrant, middle, to, alpha, minFound, visit);
  }
}

/** The zero of a monotone K', by Newton's method safeguarded by bisection. */
function findStationary(quadrant: Quadrant, from: number, to: number, rises: boolean): number {
  let low = from;
  let high = to;
  let psi = 0.5 * (from + to);
  for (let n = 0; n < MAX_NEWTON; n++) {
    evaluate(quadrant, psi);
    if (value[1] === 0) return psi;
    if (value[1] < 0 === rises) low = psi;
    else high = psi;
    const newton = psi - value[1] / value[2];
    const next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (Math.abs(next - psi) < 1e-15 * (1 + psi) || next === psi) return next;
    psi = next;
  }
  return psi;
}

/** Visits the point with beta = alpha in an interval on which K is monotone, if there is one. */
function visitEqualAngle(
  quadrant: Quadrant,
  from: number,
  to: number,
  alpha: number,
  visit: (psi: number) => void,
): void {
  if (!(alpha > 0)) return;
  const target = Math.cos(alpha);
  let low = from;
  let high = to;
  evaluate(quadrant, low);
  const start = value[0] - target;
  evaluate(quadrant, high);
  if (start * (value[0] - target) > 0) return;
  const rises = start < 0 || value[0] > target;
  let psi = 0.5 * (low + high);
  for (let n = 0; n < MAX_NEWTON; n++) {
    evaluate(quadrant, psi);
    const gap = value[0] - target;
    if (gap === 0) break;
    if (gap < 0 === rises) low = psi;
    else high = psi;
    const newton = psi - gap / value[1];
    const next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (Math.abs(next - psi) < 1e-15 * (1 + psi) || next === psi) break;
    psi = next;
  }
  visit(psi);
}
