import { COORDINATE_SPACE } from '../../../figure/joints/joint.js';
import * as ldl from '../../../math/linear/ldl.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  addLimitCurvature,
  projectOutNormals,
  projectOutSymmetric,
  updateActiveSet,
} from '../../../math/optimization/active-limits.js';
import { type Bodies, projectOntoLimits } from './bodies.js';

/** |P(q + grad/size) - q|, P the projection onto the limits, that counts as stationary. */
const STATIONARY = 1e-13;

/** Damping relative to |B|: initial, minimum and maximum. */
const INITIAL_DAMPING = 1e-4;
const MIN_DAMPING = 1e-12;
const MAX_DAMPING = 1e8;

/** Change of F relative to |B| within rounding. */
const ROUNDING = 2e-15;
/** Longer steps change F by more than rounding, rad. */
const SHORT_STEP = 1e-5;

const axes = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);
const gradient = /* @__PURE__ */ new Float64Array(3);
const hessian = /* @__PURE__ */ new Float64Array(9);
const factor = /* @__PURE__ */ new Float64Array(9);
const step = /* @__PURE__ */ new Float64Array(3);
const saved = /* @__PURE__ */ new Float64Array(3);
const previous = /* @__PURE__ */ new Float64Array(3);

/**
 * Maximizes F(q) = tr(R(q)^T B) over the joint's angles within their limits, from the pose: the feasible rotation that best fits the
 * points. It differs from the projection of the best rotation where the points lie off a swing's axis or a limit is curved. Damped
 * Newton steps, with a_i the axis of angle i in rest axes, S = B R^T, z its antisymmetric part:
 *   dF/dq_i = a_i . z,   d2F/dq_i dq_j = da_i/dq_j . z + a_j . S a_i - tr S a_i . a_j   (i <= j),
 * in the tangent space of the active limits, each step projected onto the limits. A step is accepted if it increases F or, where the
 * change of F is rounding, if it decreases the projected gradient. Translations are fixed.
 *
 * @param b - sum w y x^T, y in rest axes of the joint, x in body axes.
 * @param steps - Largest number of steps; three to six suffice except on a curved limit.
 */
export function fitJoint(bodies: Bodies, k: number, b: Numbers, pose: Float64Array, steps: number): void {
  const type = bodies.types[k];
  const activeSet = bodies.activeSets[k];
  const start = bodies.batches[k].coordinates[0] + type.translations;
  const n = type.dof - type.translations;
  let size = 0;
  for (let i = 0; i < 9; i++) size += b[i] * b[i];
  size = Math.sqrt(size);
  let value = evaluate(bodies, k, b, pose);
  let damping = INITIAL_DAMPING;
  let smallestStationarity = Number.POSITIVE_INFINITY;
  let withinRounding = false;
  for (let count = 0; count <= steps; count++) {
    differentiate(bodies, k, b, start, n, pose);
    const stationarity = stationarityOf(bodies, k, start, n, pose, size);
    if (withinRounding && !(stationarity < smallestStationarity)) {
      writeAngles(bodies, k, start, n, previous, pose);
      return;
    }
    smallestStationarity = stationarity;
    if (!(stationarity > STATIONARY) || count === steps) return;
    for (let i = 0; i < n; i++) saved[i] = pose[start + i];
    updateActiveSet(activeSet, pose, gradient);
    projectOutNormals(activeSet, gradient);
    addLimitCurvature(activeSet, pose, hessian, 3);
    projectOutSymmetric(activeSet, hessian, 3, size);
    for (;;) {
      solveDamped(n, damping * size);
      for (let i = 0; i < n; i++) pose[start + i] = saved[i] + step[i];
      projectOntoLimits(bodies, k, pose);
      let moved = 0;
      for (let i = 0; i < n; i++) moved = Math.max(moved, Math.abs(pose[start + i] - saved[i]));
      const next = evaluate(bodies, k, b, pose);
      withinRounding = moved <= SHORT_STEP && Math.abs(next - value) <= ROUNDING * size;
      if (next > value || withinRounding) {
        value = next;
        damping = Math.max(MIN_DAMPING, 0.1 * damping);
        for (let i = 0; i < n; i++) previous[i] = saved[i];
        if (moved > 0) break;
      }
      damping *= 10;
      if (!(damping <= MAX_DAMPING) || moved === 0) {
        writeAngles(bodies, k, start, n, saved, pose);
        return;
      }
    }
  }
}

/** Writes the angles of body k to the pose, and its transform to `joints`. */
function writeAngles(
  { types, batches, joints }: Bodies,
  k: number,
  start: number,
  n: number,
  angles: Numbers,
  pose: Float64Array,
): void {
  for (let i = 0; i < n; i++) pose[start + i] = angles[i];
  types[k].writeTransforms(batches[k], pose, joints);
}

/** tr(R^T B), R to `bodies.joints`. */
function evaluate({ types, batches, joints }: Bodies, k: number, b: Numbers, pose: Float64Array): number {
  types[k].writeTransforms(batches[k], pose, joints);
  const o = 12 * k;
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += joints[o + i] * b[i];
  return sum;
}

/** Largest change of an angle by P(q + grad/size) - q. */
function stationarityOf(
  bodies: Bodies,
  k: number,
  start: number,
  n: number,
  pose: Float64Array,
  size: number,
): number {
  for (let i = 0; i < n; i++) {
    saved[i] = pose[start + i];
    pose[start + i] = saved[i] - gradient[i] / size;
  }
  projectOntoLimits(bodies, k, pose);
  let largest = 0;
  for (let i = 0; i < n; i++) {
    largest = Math.max(largest, Math.abs(pose[start + i] - saved[i]));
    pose[start + i] = saved[i];
  }
  return largest;
}

/** Gradient and Hessian of -F over the angles; `joints` is up to date with the pose. */
function differentiate(
  { types, axisDerivativeWriters, batches, joints, columns, axisDerivatives }: Bodies,
  k: number,
  b: Numbers,
  start: number,
  n: number,
  pose: Float64Array,
): void {
  // In a batch of one joint without parent, columns are in rest axes.
  const end = start + n;
  for (let i = 6 * start; i < 6 * end; i++) columns[i] = 0;
  for (let i = 9 * start; i < 9 * end; i++) axisDerivatives[i] = 0;
  types[k].writeColumns(batches[k], pose, joints, COORDINATE_SPACE, columns);
  axisDerivativeWriters[k]?.(batches[k], pose, joints, axisDerivatives);
  for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) axes[3 * i + c] = columns[6 * (start + i) + c];
  const o = 12 * k;
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) product[3 * r + c] = entry(b, joints, o, r, c);
  const s = product;
  const trace = s[0] + s[4] + s[8];
  const zx = s[7] - s[5];
  const zy = s[2] - s[6];
  const zz = s[3] - s[1];
  for (let i = 0; i < n; i++) {
    const x = axes[3 * i];
    const y = axes[3 * i + 1];
    const z = axes[3 * i + 2];
    gradient[i] = -(x * zx + y * zy + z * zz);
    // S a_i
    const sx = s[0] * x + s[1] * y + s[2] * z;
    const sy = s[3] * x + s[4] * y + s[5] * z;
    const sz = s[6] * x + s[7] * y + s[8] * z;
    for (let j = i; j < n; j++) {
      const u = axes[3 * j];
      const v = axes[3 * j + 1];
      const w = axes[3 * j + 2];
      const d = 9 * (start + i) + 3 * (j - i);
      const axisTerm = axisDerivatives[d] * zx + axisDerivatives[d + 1] * zy + axisDerivatives[d + 2] * zz;
      const h = trace * (x * u + y * v + z * w) - (u * sx + v * sy + w * sz) - axisTerm;
      hessian[3 * i + j] = h;
      hessian[3 * j + i] = h;
    }
  }
}

/** (a b^T)[r][c], b at b[o]. */
function entry(a: Numbers, b: Numbers, o: number, r: number, c: number): number {
  return a[3 * r] * b[o + 3 * c] + a[3 * r + 1] * b[o + 3 * c + 1] + a[3 * r + 2] * b[o + 3 * c + 2];
}

/** step = -(H + damping I)^-1 gradient, with damping increased until the matrix is positive definite. */
function solveDamped(n: number, damping: number): void {
  for (let shift = damping; shift < Number.POSITIVE_INFINITY; shift *= 10) {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) factor[n * i + j] = hessian[3 * i + j];
      factor[(n + 1) * i] += shift;
      step[i] = -gradient[i];
    }
    if (ldl.solve(factor, n, step)) return;
  }
  step.fill(0);
}
