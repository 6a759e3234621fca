import { COORDINATE_SPACE } from '../../../figure/joints/joint.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, projectBody } from './bodies.js';

/** |P(q + slope/size) - q|, P the projection on the limits, at which nothing more is to be gained. */
const STATIONARY = 1e-13;

/** Damping against the size of the pairs: of the first step, least and most. */
const FIRST_DAMPING = 1e-4;
const LEAST_DAMPING = 1e-12;
const MOST_DAMPING = 1e8;

/** Change of F, against the size of the pairs, that is rounding: F tells no more, the slope does. */
const ROUNDING = 2e-15;
/** Steps longer than this change F by more than its rounding, rad. */
const SHORT = 1e-5;

const axes = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);
const gradient = /* @__PURE__ */ new Float64Array(3);
const hessian = /* @__PURE__ */ new Float64Array(9);
const normal = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);
const row = /* @__PURE__ */ new Float64Array(3);
const step = /* @__PURE__ */ new Float64Array(3);
const kept = /* @__PURE__ */ new Float64Array(3);
const before = /* @__PURE__ */ new Float64Array(3);

/**
 * Climbs F(q) = tr(R(q)^T B) over the joint's own angles within their limits, from where the pose has them: the allowed turn that
 * brings the points nearest, where the joint's coordinates nearest to the best turn are not it (a swing whose points lie off its
 * axis, a curved limit). Damped Newton steps, with a_i the axis of angle i in rest axes, S = B R^T, z its antisymmetric part:
 *   dF/dq_i = a_i . z,   d2F/dq_i dq_j = da_i/dq_j . z + a_j . S a_i - tr S a_i . a_j   (i <= j),
 * along the limits that they touch, each step projected on the limits. Only steps up are taken; where F no longer tells, those
 * that lessen the slope. Translations stay.
 *
 * @param b - sum w y x^T with y in the axes of the joint at rest, x in those of the body.
 * @param steps - At most; three to six are the rule, more only on a curved limit.
 */
export function refineBody(bodies: Bodies, k: number, b: Numbers, pose: Float64Array, steps: number): void {
  const type = bodies.types[k];
  const start = bodies.batches[k].coordinates[0] + type.translations;
  const n = type.dof - type.translations;
  let size = 0;
  for (let i = 0; i < 9; i++) size += b[i] * b[i];
  size = Math.sqrt(size);
  let value = evaluate(bodies, k, b, pose);
  let damping = FIRST_DAMPING;
  let least = Number.POSITIVE_INFINITY;
  let doubtful = false;
  for (let count = 0; count <= steps; count++) {
    differentiate(bodies, k, b, start, n, pose);
    const slope = projectedSlope(bodies, k, start, n, pose, size);
    if (doubtful && !(slope < least)) {
      put(bodies, k, start, n, before, pose);
      return;
    }
    least = slope;
    if (!(slope > STATIONARY) || count === steps) return;
    for (let i = 0; i < n; i++) kept[i] = pose[start + i];
    stayOnFaces(bodies, k, start, n, pose, size);
    for (;;) {
      solveDamped(n, damping * size);
      for (let i = 0; i < n; i++) pose[start + i] = kept[i] + step[i];
      projectBody(bodies, k, pose);
      let moved = 0;
      for (let i = 0; i < n; i++) moved = Math.max(moved, Math.abs(pose[start + i] - kept[i]));
      const next = evaluate(bodies, k, b, pose);
      doubtful = moved <= SHORT && Math.abs(next - value) <= ROUNDING * size;
      if (next > value || doubtful) {
        value = next;
        damping = Math.max(LEAST_DAMPING, 0.1 * damping);
        for (let i = 0; i < n; i++) before[i] = kept[i];
        if (moved > 0) break;
      }
      damping *= 10;
      if (!(damping <= MOST_DAMPING) || moved === 0) {
        put(bodies, k, start, n, kept, pose);
        return;
      }
    }
  }
}

/** Puts the angles of body k in the pose, and its transform in `joints`. */
function put(
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

/** Largest change of an angle by P(q + slope/size) - q. */
function projectedSlope(
  bodies: Bodies,
  k: number,
  start: number,
  n: number,
  pose: Float64Array,
  size: number,
): number {
  for (let i = 0; i < n; i++) {
    kept[i] = pose[start + i];
    pose[start + i] = kept[i] + gradient[i] / size;
  }
  projectBody(bodies, k, pose);
  let gain = 0;
  for (let i = 0; i < n; i++) {
    gain = Math.max(gain, Math.abs(pose[start + i] - kept[i]));
    pose[start + i] = kept[i];
  }
  return gain;
}

/** Gradient and negative Hessian of F over the angles, `joints` standing at the pose. */
function differentiate(
  { types, batches, joints, columns, bends }: Bodies,
  k: number,
  b: Numbers,
  start: number,
  n: number,
  pose: Float64Array,
): void {
  // A batch of one joint without a parent: columns in rest axes.
  const end = start + n;
  for (let i = 6 * start; i < 6 * end; i++) columns[i] = 0;
  for (let i = 9 * start; i < 9 * end; i++) bends[i] = 0;
  types[k].writeColumns(batches[k], pose, joints, COORDINATE_SPACE, columns);
  types[k].writeAxisDerivatives(batches[k], pose, joints, bends);
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
    gradient[i] = x * zx + y * zy + z * zz;
    // S a_i
    const sx = s[0] * x + s[1] * y + s[2] * z;
    const sy = s[3] * x + s[4] * y + s[5] * z;
    const sz = s[6] * x + s[7] * y + s[8] * z;
    for (let j = i; j < n; j++) {
      const u = axes[3 * j];
      const v = axes[3 * j + 1];
      const w = axes[3 * j + 2];
      const d = 9 * (start + i) + 3 * (j - i);
      const bend = bends[d] * zx + bends[d + 1] * zy + bends[d + 2] * zz;
      const h = trace * (x * u + y * v + z * w) - (u * sx + v * sy + w * sz) - bend;
      hessian[3 * i + j] = h;
      hessian[3 * j + i] = h;
    }
  }
}

/** (a b^T)[r][c], b at b[o]. */
function entry(a: Numbers, b: Numbers, o: number, r: number, c: number): number {
  return a[3 * r] * b[o + 3 * c] + a[3 * r + 1] * b[o + 3 * c + 1] + a[3 * r + 2] * b[o + 3 * c + 2];
}

/** How near its boundary (in g, which has no unit) a limit counts as reached. */
const TOUCHING = 1e-10;

/**
 * Takes out of gradient and Hessian what leads out of the limits that the coordinates touch and the slope pushes against, and adds the
 * curvature of their boundary times their multiplier: the Newton step then runs along the face.
 */
function stayOnFaces(
  bodies: Bodies,
  k: number,
  start: number,
  n: number,
  pose: Float64Array,
  size: number,
): void {
  const parts = bodies.limits[k];
  for (let p = 0; p < parts.length; p++) {
    const { kind, parameters, coordinate, size: count } = parts[p];
    const shape = limitShapes[kind];
    const first = coordinate - start;
    if (first < 0 || shape.value(parameters, pose, coordinate, count) < -TOUCHING) continue;
    for (let i = 0; i < n; i++) normal[i] = 0;
    shape.gradient(parameters, pose, coordinate, count, normal, first);
    let square = 0;
    let push = 0;
    for (let i = first; i < first + count; i++) {
      square += normal[i] * normal[i];
      push += normal[i] * gradient[i];
    }
    if (!(push > 0)) continue;
    shape.hessian(parameters, pose, coordinate, count, curvature, 0);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        hessian[3 * (first + i) + first + j] += (push / square) * curvature[count * i + j];
      }
    }
    const length = Math.sqrt(square);
    for (let i = 0; i < n; i++) normal[i] /= length;
    leaveOut(n, size);
  }
}

/** gradient -= n n.gradient, H = (I - n n^T) H (I - n n^T) + size n n^T, for the unit normal n. */
function leaveOut(n: number, size: number): void {
  let along = 0;
  let through = 0;
  for (let i = 0; i < n; i++) {
    along += normal[i] * gradient[i];
    row[i] = 0;
    for (let j = 0; j < n; j++) row[i] += hessian[3 * i + j] * normal[j];
    through += normal[i] * row[i];
  }
  for (let i = 0; i < n; i++) {
    gradient[i] -= along * normal[i];
    for (let j = 0; j < n; j++) {
      hessian[3 * i + j] +=
        (through + size) * normal[i] * normal[j] - normal[i] * row[j] - row[i] * normal[j];
    }
  }
}

/** (H + damping I) step = gradient, the damping raised until the matrix is positive definite; by Cholesky's method. */
function solveDamped(n: number, damping: number): void {
  for (let shift = damping; ; shift *= 10) {
    let definite = true;
    for (let i = 0; i < n && definite; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = hessian[3 * i + j] + (i === j ? shift : 0);
        for (let m = 0; m < j; m++) sum -= product[3 * i + m] * product[3 * j + m];
        if (i !== j) product[3 * i + j] = sum / product[4 * j];
        else if (sum > 0.5 * shift) product[4 * i] = Math.sqrt(sum);
        else definite = false;
      }
    }
    if (!definite) continue;
    for (let i = 0; i < n; i++) {
      let sum = gradient[i];
      for (let m = 0; m < i; m++) sum -= product[3 * i + m] * step[m];
      step[i] = sum / product[4 * i];
    }
    for (let i = n - 1; i >= 0; i--) {
      let sum = step[i];
      for (let m = i + 1; m < n; m++) sum -= product[3 * m + i] * step[m];
      step[i] = sum / product[4 * i];
    }
    return;
  }
}
