/**
 * The swivel of a limb, its chord, and the distance of a pole from the line: functions of three vectors, L from the start of the limb to its end, B to
 * its middle, Q to the pole.
 *
 * With x = X - a L, a = (L.X)/(L.L), the component of X normal to the line, n = L/|L| and t = n x x / |x|^2, the angle of X about the line and the square of
 * its distance from it have the derivatives
 *
 *   d(theta) = t.z,  d|x|^2 = 2 x.z,  z = dX - a dL,
 *   da = (L.z + x.dL)/(L.L),  dx = z - da L,  dt = ((dL x x)/|L| + n x z - 2 (x.z) t) / |x|^2
 *
 * (dL without its part along n), each with a term of the reference direction that is the same for all X. The swivel is the difference phi = theta(Q) -
 * theta(B), and
 *
 *   r = 2 s sin(phi/2),  s^2 = u/(u + d),  u = |e|^2,  e the x of B,  f = 1/2 r^2 = s^2 (1 - cos(phi))
 *
 * d is the square of the length within which r fades out: about a straight limb phi takes every value within any distance.
 */
import { dot, norm } from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';

/** Lengths of a limb: the square d of the one within which the residual fades out, and its own, m. */
export interface SwivelScale {
  readonly fade: number;
  readonly length: number;
}

/** Length relative to the limb's below which the direction of e or p is rounding; a straight limb is taken as bent by it towards the pole. */
const ON_LINE = 1e-10;

/** u, |e| |p| cos(phi), |p|^2, L.L. */
const scalars = /* @__PURE__ */ new Float64Array(4);
/** L, B, Q. */
const limb = /* @__PURE__ */ new Float64Array(9);
/** Derivatives with respect to (L, B, Q) of the angle, and of the square of the distance of B or Q. */
const angleGradient = /* @__PURE__ */ new Float64Array(9);
const angleHessian = /* @__PURE__ */ new Float64Array(81);
const squareGradient = /* @__PURE__ */ new Float64Array(9);
const squareHessian = /* @__PURE__ */ new Float64Array(81);
const e = /* @__PURE__ */ new Float64Array(3);
const p = /* @__PURE__ */ new Float64Array(3);
const x = /* @__PURE__ */ new Float64Array(3);
const t = /* @__PURE__ */ new Float64Array(3);
const z = /* @__PURE__ */ new Float64Array(3);
const dL = /* @__PURE__ */ new Float64Array(3);

/** Writes u, |e| |p| cos(phi), |p|^2 and L.L for the vectors L, B, Q. @returns phi, 0 where it is undefined. */
export function writeSwivel(vectors: Numbers, out: Float64Array): number {
  writeNormal(vectors, 3, e);
  writeNormal(vectors, 6, p);
  out[0] = dot(e, e);
  out[1] = dot(e, p);
  out[2] = dot(p, p);
  out[3] = dot(vectors, vectors);
  let volume = 0;
  for (let i = 0; i < 3; i++) volume += vectors[i] * crossed(e, p, i);
  return Math.atan2(out[3] > 0 ? volume / Math.sqrt(out[3]) : 0, out[1]);
}

/** Writes x of the vector at `o`: products of it do not cancel for a nearly straight limb, as X.Y - (L.X)(L.Y)/(L.L) would. @returns a. */
function writeNormal(vectors: Numbers, o: number, out: Float64Array): number {
  const line = dot(vectors, vectors);
  const along = vectors[0] * vectors[o] + vectors[1] * vectors[o + 1] + vectors[2] * vectors[o + 2];
  const a = line > 0 ? along / line : 0;
  for (let i = 0; i < 3; i++) out[i] = vectors[o + i] - a * vectors[i];
  return a;
}

/** r. */
export function swivelChord(vectors: Numbers, { fade }: SwivelScale): number {
  const phi = writeSwivel(vectors, scalars);
  return 2 * Math.sqrt(scalars[0] / (scalars[0] + fade)) * Math.sin(0.5 * phi);
}

/**
 * Writes the derivative of a term by (L, B, Q), 9 numbers, and its second one, 9 x 9, where `curvature` is given; times `factor`.
 *
 * @param n - The term is f = 1/2 r^2 (0) or 1/2 (|p| - least)^2 (2); without `least` it is r (0), |e| (1) or |p| (2), its second derivative up to
 * products of gradients and where r is 0.
 * @returns false where p has no direction.
 */
export function writeSwivelDerivatives(
  vectors: Numbers,
  { fade, length }: SwivelScale,
  n: number,
  least: number | undefined,
  factor: number,
  force: Float64Array,
  curvature?: Float64Array,
): boolean {
  const hessian = curvature !== undefined;
  if (!writeAngle(vectors, length, hessian)) return false;
  const phi = writeSwivel(limb, scalars);
  const u = scalars[0];
  const half = Math.sin(0.5 * phi);
  const square = u / (u + fade);
  const slope = fade / (u + fade) ** 2;
  // By the angle A and the square S, which is u, or |x|^2 of e or p.
  let byA = 0;
  let byS: number;
  let byAA = 0;
  let byAS = 0;
  let bySS = 0;
  if (n > 0) {
    writePart(n, 0, hessian);
    const distance = norm(x);
    byS = (0.5 * (least === undefined ? 1 : distance - least)) / distance;
    if (least !== undefined) bySS = (0.25 * least) / distance ** 3;
  } else if (least === undefined) {
    byA = Math.sqrt(square) * Math.cos(0.5 * phi);
    byS = (slope * half) / Math.sqrt(square);
  } else {
    byA = square * Math.sin(phi);
    byS = 2 * slope * half * half;
    byAA = square * Math.cos(phi);
    byAS = slope * Math.sin(phi);
    bySS = (-2 * byS) / (u + fade);
  }
  for (let i = 0; i < 9; i++) {
    const A = angleGradient[i];
    const S = squareGradient[i];
    force[i] = factor * (byA * A + byS * S);
    if (!hessian) continue;
    for (let j = 0; j < 9; j++) {
      const k = 9 * i + j;
      const first = byA * angleHessian[k] + byS * squareHessian[k];
      const second = (byAA * A + byAS * S) * angleGradient[j] + (byAS * A + bySS * S) * squareGradient[j];
      curvature[k] = factor * (first + second);
    }
  }
  return true;
}

/** Writes the derivatives of phi and u. @returns false where p has no direction. */
function writeAngle(vectors: Numbers, length: number, hessian: boolean): boolean {
  const least = ON_LINE * length;
  limb.set(vectors);
  writeSwivel(limb, scalars);
  const u = scalars[0];
  const w = scalars[2];
  const line = scalars[3];
  if (w <= least * least || line === 0) return false;
  if (u <= least * least) {
    for (let i = 0; i < 3; i++) limb[3 + i] += (2 * least * p[i]) / Math.sqrt(w);
  }
  angleGradient.fill(0);
  if (hessian) angleHessian.fill(0);
  writePart(2, 1, hessian);
  writePart(1, -1, hessian);
  return true;
}

/** Adds the derivatives of the angle of B (n = 1) or Q (n = 2) times `sign`, and writes those of the square of its distance. */
function writePart(n: number, sign: number, hessian: boolean): void {
  const o = 3 * n;
  const line = dot(limb, limb);
  const root = Math.sqrt(line);
  const a = writeNormal(limb, o, x);
  const square = dot(x, x);
  for (let i = 0; i < 3; i++) t[i] = crossed(limb, x, i) / (root * square);
  squareGradient.fill(0);
  for (let i = 0; i < 3; i++) {
    angleGradient[o + i] += sign * t[i];
    angleGradient[i] -= sign * a * t[i];
    squareGradient[o + i] = 2 * x[i];
    squareGradient[i] = -2 * a * x[i];
  }
  if (!hessian) return;
  squareHessian.fill(0);
  for (let j = 0; j < 9; j++) {
    const isLine = j < 3;
    if (!isLine && (j < o || j >= o + 3)) continue;
    // The direction: dL or dX is a unit vector.
    z.fill(0);
    dL.fill(0);
    z[j % 3] = isLine ? -a : 1;
    if (isLine) for (let i = 0; i < 3; i++) dL[i] = (i === j ? 1 : 0) - (limb[i] * limb[j]) / line;
    const da = (dot(limb, z) + (isLine ? x[j] : 0)) / line;
    for (let i = 0; i < 3; i++) {
      const dx = z[i] - da * limb[i];
      const dt = ((crossed(dL, x, i) + crossed(limb, z, i)) / root - 2 * dot(x, z) * t[i]) / square;
      angleHessian[9 * (o + i) + j] += sign * dt;
      angleHessian[9 * i + j] -= sign * (a * dt + da * t[i]);
      squareHessian[9 * (o + i) + j] = 2 * dx;
      squareHessian[9 * i + j] = -2 * (a * dx + da * x[i]);
    }
  }
}

/** Component i of u x v. */
function crossed(u: Numbers, v: Numbers, i: number): number {
  const j = (i + 1) % 3;
  const k = (i + 2) % 3;
  return u[j] * v[k] - u[k] * v[j];
}
