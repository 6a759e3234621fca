/**
 * Two-DOF swing (Grassia 1997, section 5): the rotation vector v = r_s s + r_t t in the plane normal to a limb's axis,
 * s and t orthonormal, so that |r| is the swing angle. Partials follow from those of v by the chain rule,
 * dv/dr_s = s, dv/dr_t = t. A {@link RotationCache} evaluated at v = S r may replace r in every call.
 */
import { DomainError } from '../../errors.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/linear/types.js';
import { unset3, zeros } from '../../math/linear/unset.js';
import {
  createRotationCache,
  evaluateRotationVector,
  isRotationCache,
  type RotationCache,
} from '../rotation-vector/evaluate.js';
import { matrixFromRotationVector, quatFromRotationVector } from '../rotation-vector/exponential.js';
import { frameSign, type RotationFrame } from '../rotation-vector/frame.js';
import { matrixPartials, matrixSecondPartials, quatSecondPartials } from '../rotation-vector/partials.js';

/** An orthonormal pair that spans the swing plane; s x t is the limb's axis. */
export interface SwingAxes {
  readonly s: Vec3;
  readonly t: Vec3;
}

/** A swing vector (r_s, r_t), rad, or a cache evaluated at v = r_s s + r_t t. */
export type SwingPoint = Numbers | RotationCache;

const scratch = /* @__PURE__ */ createRotationCache();
const vector = /* @__PURE__ */ unset3();

/**
 * The pair s, t for a limb along `axis` (any length): s is the reference axis orthogonalized against `axis` and normalized,
 * t = axis x s. Default reference: an arbitrary but deterministic choice.
 * @throws DomainError `out-of-range` for an axis that is zero or not finite; `singular` for a reference parallel to it.
 */
export function createSwingAxes(axis: Vec3, reference?: Vec3): SwingAxes {
  const a = vec3.normalize(axis);
  if (reference === undefined) {
    const s = vec3.perpendicular(a);
    return { s, t: vec3.cross(a, s) };
  }
  const direction = vec3.normalize(reference);
  // Gram-Schmidt twice: orthogonal to rounding even for a nearly parallel reference.
  let s = vec3.addScaled(direction, a, -vec3.dot(direction, a));
  if (!(vec3.norm(s) > 1e-8)) {
    throw new DomainError('singular', 'the reference axis is parallel to the axis.', {
      path: 'createSwingAxes(reference)',
      remedy: 'Give a reference axis that is not parallel to the axis.',
    });
  }
  s = vec3.normalize(s);
  s = vec3.normalize(vec3.addScaled(s, a, -vec3.dot(s, a)));
  return { s, t: vec3.cross(a, s) };
}

/** v = r_s s + r_t t, rad. */
export function swingVector<T extends MutableNumbers = number[]>(
  r: Numbers,
  axes: SwingAxes,
  out: T = zeros(3),
): T {
  const { s, t } = axes;
  const a = r[0];
  const b = r[1];
  return vec3.set(a * s[0] + b * t[0], a * s[1] + b * t[1], a * s[2] + b * t[2], out);
}

/** (s.v, t.v): the swing vector of a rotation vector, projected onto the swing plane. */
export function swingFromVector<T extends MutableNumbers = number[]>(
  v: Vec3,
  axes: SwingAxes,
  out: T = zeros(2),
): T {
  const a = vec3.dot(axes.s, v);
  const b = vec3.dot(axes.t, v);
  out[0] = a;
  out[1] = b;
  return out;
}

/** Evaluates a cache at v = S r, to pass as a {@link SwingPoint}. */
export function evaluateSwing(r: Numbers, axes: SwingAxes, cache: RotationCache): RotationCache {
  return evaluateRotationVector(swingVector(r, axes, vector), cache);
}

/** Unit quaternion of the swing. */
export function quatFromSwing<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(4),
): T {
  return quatFromRotationVector(isRotationCache(at) ? at : swingVector(at, axes, vector), out);
}

/** Rotation matrix of the swing, nine numbers row by row. */
export function matrixFromSwing<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(9),
): T {
  return matrixFromRotationVector(isRotationCache(at) ? at : swingVector(at, axes, vector), out);
}

/** dq_i/dr_a at out[2 i + a] (8 numbers): dq/dv S. */
export function swingQuatPartials<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(8),
): T {
  const { quatPartials: p } = swingCache(at, axes);
  for (let i = 0; i < 4; i++) {
    out[2 * i] = rowDot(p, 3 * i, axes.s);
    out[2 * i + 1] = rowDot(p, 3 * i, axes.t);
  }
  return out;
}

/** d2q_i/dr_a dr_b at out[4 i + 2 a + b] (16 numbers): S^T (d2q_i/dv2) S. */
export function swingQuatSecondPartials<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(16),
): T {
  const h = quatSecondPartials(swingCache(at, axes));
  const pair = [axes.s, axes.t];
  for (let i = 0; i < 4; i++) {
    for (let a = 0; a < 2; a++) {
      for (let b = 0; b < 2; b++) {
        let sum = 0;
        for (let j = 0; j < 3; j++) sum += pair[a][j] * rowDot(h, 9 * i + 3 * j, pair[b]);
        out[4 * i + 2 * a + b] = sum;
      }
    }
  }
  return out;
}

/** Derivative of the swing, dR/dr_a at out[9 a ..], two matrices row by row (18 numbers): sum over j of S_ja dR/dv_j. */
export function swingMatrixPartials<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(18),
): T {
  const d = matrixPartials(swingCache(at, axes));
  const { s, t } = axes;
  for (let e = 0; e < 9; e++) {
    out[e] = s[0] * d[e] + s[1] * d[9 + e] + s[2] * d[18 + e];
    out[9 + e] = t[0] * d[e] + t[1] * d[9 + e] + t[2] * d[18 + e];
  }
  return out;
}

/** d2R/dr_a dr_b at out[9 (2 a + b) ..], four matrices row by row (36 numbers). */
export function swingMatrixSecondPartials<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(36),
): T {
  const d = matrixSecondPartials(swingCache(at, axes));
  const pair = [axes.s, axes.t];
  for (let a = 0; a < 2; a++) {
    for (let b = 0; b < 2; b++) {
      for (let e = 0; e < 9; e++) {
        let sum = 0;
        for (let j = 0; j < 3; j++) {
          for (let k = 0; k < 3; k++) sum += pair[a][j] * pair[b][k] * d[9 * (3 * j + k) + e];
        }
        out[9 * (2 * a + b) + e] = sum;
      }
    }
  }
  return out;
}

/** J [s t] at out[2 i + a] (3 rows, 2 columns): angular velocity in the named axes = (J S) r'. */
export function swingJacobian<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  frame: RotationFrame,
  out: T = zeros(6),
): T {
  const sign = frameSign(frame, 'swingJacobian(frame)');
  const e = swingCache(at, axes);
  const pair = [axes.s, axes.t];
  for (let a = 0; a < 2; a++) {
    const w = jacobianTimes(e, sign, pair[a]);
    for (let i = 0; i < 3; i++) out[2 * i + a] = w[i];
  }
  return out;
}

/**
 * S^T J^T J S, the metric of the swing plane, at [ss, st, ts, tt]; the same in either frame. Eigenvalues: 1 in the direction of r,
 * 4 s0^2 normal to it: 4 s0^2 I + g r r^T, g = (1 - 4 s0^2)/theta^2 = C - E.
 */
export function swingMetric<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  out: T = zeros(4),
): T {
  const e = swingCache(at, axes);
  const { s0 } = e;
  const g = e.C - e.E;
  const a = e.x * axes.s[0] + e.y * axes.s[1] + e.z * axes.s[2];
  const b = e.x * axes.t[0] + e.y * axes.t[1] + e.z * axes.t[2];
  out[0] = 4 * s0 * s0 + g * a * a;
  out[1] = out[2] = g * a * b;
  out[3] = 4 * s0 * s0 + g * b * b;
  return out;
}

/** Angular velocity in the named axes from r': w = J S r'. */
export function angularVelocityFromSwingRate<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  rate: Numbers,
  frame: RotationFrame,
  out: T = zeros(3),
): T {
  const sign = frameSign(frame, 'angularVelocityFromSwingRate(frame)');
  const e = swingCache(at, axes);
  const w = jacobianTimes(e, sign, swingVector(rate, axes, vector));
  return vec3.set(w[0], w[1], w[2], out);
}

/**
 * r' from an angular velocity in the named axes, by least squares, since two rates cannot reproduce every angular velocity:
 * r' = (S^T J^T J S)^-1 S^T J^T w (announced in Grassia 1997, Appendix C). The metric's inverse in closed form:
 * (S^T J^T J S)^-1 = (I - g r r^T)/(4 s0^2), because 4 s0^2 + g theta^2 = 1.
 */
export function swingRateFromAngularVelocity<T extends MutableNumbers = number[]>(
  at: SwingPoint,
  axes: SwingAxes,
  angularVelocity: Vec3,
  frame: RotationFrame,
  out: T = zeros(2),
): T {
  const sign = frameSign(frame, 'swingRateFromAngularVelocity(frame)');
  const e = swingCache(at, axes);
  // J^T of one frame is J of the other.
  const u = jacobianTimes(e, -sign, angularVelocity);
  const us = vec3.dot(axes.s, u);
  const ut = vec3.dot(axes.t, u);
  const a = e.x * axes.s[0] + e.y * axes.s[1] + e.z * axes.s[2];
  const b = e.x * axes.t[0] + e.y * axes.t[1] + e.z * axes.t[2];
  const scale = 1 / (4 * e.s0 * e.s0);
  const radial = (e.C - e.E) * (a * us + b * ut);
  out[0] = scale * (us - radial * a);
  out[1] = scale * (ut - radial * b);
  return out;
}

/** The cache given, or the module's scratch cache evaluated at v = S r. */
function swingCache(at: SwingPoint, axes: SwingAxes): RotationCache {
  return isRotationCache(at) ? at : evaluateSwing(at, axes, scratch);
}

/** Row p[o..o+2] times u. */
function rowDot(p: Numbers, o: number, u: Vec3): number {
  return p[o] * u[0] + p[o + 1] * u[1] + p[o + 2] * u[2];
}

/** (I + sign B [v] + C [v]^2) u */
function jacobianTimes(e: RotationCache, sign: number, u: Vec3): [number, number, number] {
  const { x, y, z, C } = e;
  const b = sign * e.B;
  const px = y * u[2] - z * u[1];
  const py = z * u[0] - x * u[2];
  const pz = x * u[1] - y * u[0];
  return [
    u[0] + b * px + C * (y * pz - z * py),
    u[1] + b * py + C * (z * px - x * pz),
    u[2] + b * pz + C * (x * py - y * px),
  ];
}
