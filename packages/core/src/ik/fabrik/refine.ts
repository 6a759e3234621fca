import { limitShapes } from '../../figure/limits/shapes.js';
import type { Numbers } from '../../math/types.js';
import { writeLeftJacobian } from '../../rotation/kernels.js';
import { type Bodies, projectBody } from './bodies.js';

/** |P(q + slope/size) - q|, P the projection on the limits, at which nothing more is to be gained. */
const STATIONARY = 1e-13;

/** Half-width of the differences that give the joint's axes, rad: their error, 1e-10, slows the steps and does not bias the end. */
const DIFFERENCE = 1e-5;

/** Damping against the size of the pairs: of the first step, least and most. */
const FIRST_DAMPING = 1e-4;
const LEAST_DAMPING = 1e-12;
const MOST_DAMPING = 1e8;

const axes = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);
const gradient = /* @__PURE__ */ new Float64Array(3);
const hessian = /* @__PURE__ */ new Float64Array(9);
const normal = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);
const here = /* @__PURE__ */ new Float64Array(3);
const exact = /* @__PURE__ */ new Float64Array(9);
const row = /* @__PURE__ */ new Float64Array(3);
const step = /* @__PURE__ */ new Float64Array(3);
const kept = /* @__PURE__ */ new Float64Array(6);
const plus = /* @__PURE__ */ new Float64Array(9);

/**
 * Climbs F(q) = tr(R(q)^T B) over the joint's own angles within their limits, from where the pose has them: the allowed turn that
 * brings the points nearest, where the joint's coordinates nearest to the best turn are not it (a swing whose points lie off its
 * axis, a curved limit). Damped Newton steps on
 *   dF = z . w, d2F = w . (S - tr S) w, S = B R^T symmetrized, z = its antisymmetric part, w the turn in rest axes,
 * along the limits that they touch, each step projected on the limits; only steps up are taken. Translations stay.
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
  for (let count = 0; count < steps; count++) {
    writeAxes(bodies, k, start, n, pose);
    differentiate(bodies, k, b, n);
    if (count >= EXACT_FROM) writeExactHessian(bodies, k, b, start, n, pose);
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
    if (!(gain > STATIONARY)) return;
    stayOnFaces(bodies, k, start, n, pose, size);
    let moved = 0;
    for (;;) {
      solveDamped(n, damping * size);
      for (let i = 0; i < n; i++) pose[start + i] = kept[i] + step[i];
      projectBody(bodies, k, pose);
      const next = evaluate(bodies, k, b, pose);
      if (next > value) {
        moved = 0;
        for (let i = 0; i < n; i++) moved = Math.max(moved, Math.abs(pose[start + i] - kept[i]));
        value = next;
        damping = Math.max(LEAST_DAMPING, 0.1 * damping);
        break;
      }
      damping *= 10;
      if (damping > MOST_DAMPING) break;
    }
    if (damping > MOST_DAMPING || moved < 1e-15) {
      if (moved === 0) {
        for (let i = 0; i < n; i++) pose[start + i] = kept[i];
        evaluate(bodies, k, b, pose);
      }
      return;
    }
  }
}

/** tr(R^T B), R to `bodies.joints`. */
function evaluate({ types, batches, joints }: Bodies, k: number, b: Numbers, pose: Float64Array): number {
  types[k].writeTransforms(batches[k], pose, joints);
  const o = 12 * k;
  let sum = 0;
  for (let i = 0; i < 9; i++) sum += joints[o + i] * b[i];
  return sum;
}

/**
 * Axes of the joint's angles in rest axes, to `axes`, 3 numbers each, and its transform to `joints`: the columns of J_l for a rotation vector, else the antisymmetric
 * part of dR/dq_i R^T by differences.
 */
function writeAxes(bodies: Bodies, k: number, start: number, n: number, pose: Float64Array): void {
  const { types, batches, joints } = bodies;
  const o = 12 * k;
  if (types[k].rotationVector >= 0) {
    writeLeftJacobian(pose[start], pose[start + 1], pose[start + 2], plus, 0);
    for (let i = 0; i < 3; i++) for (let r = 0; r < 3; r++) axes[3 * i + r] = plus[3 * r + i];
    types[k].writeTransforms(batches[k], pose, joints);
    return;
  }
  for (let i = 0; i < n; i++) {
    const q = pose[start + i];
    pose[start + i] = q + DIFFERENCE;
    types[k].writeTransforms(batches[k], pose, joints);
    for (let e = 0; e < 9; e++) plus[e] = joints[o + e];
    pose[start + i] = q - DIFFERENCE;
    types[k].writeTransforms(batches[k], pose, joints);
    // P M^T is the turn by both differences.
    axes[3 * i] = (entry(plus, joints, o, 2, 1) - entry(plus, joints, o, 1, 2)) / (4 * DIFFERENCE);
    axes[3 * i + 1] = (entry(plus, joints, o, 0, 2) - entry(plus, joints, o, 2, 0)) / (4 * DIFFERENCE);
    axes[3 * i + 2] = (entry(plus, joints, o, 1, 0) - entry(plus, joints, o, 0, 1)) / (4 * DIFFERENCE);
    pose[start + i] = q;
  }
  types[k].writeTransforms(batches[k], pose, joints);
}

/** (a b^T)[r][c], b at b[o]. */
function entry(a: Numbers, b: Numbers, o: number, r: number, c: number): number {
  return a[3 * r] * b[o + 3 * c] + a[3 * r + 1] * b[o + 3 * c + 1] + a[3 * r + 2] * b[o + 3 * c + 2];
}

/** Gradient and negative Hessian of F over the angles. */
function differentiate({ joints }: Bodies, k: number, b: Numbers, n: number): void {
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
    for (let j = 0; j <= i; j++) {
      const u = axes[3 * j];
      const v = axes[3 * j + 1];
      const w = axes[3 * j + 2];
      const through =
        x * (s[0] * u + 0.5 * (s[1] + s[3]) * v + 0.5 * (s[2] + s[6]) * w) +
        y * (0.5 * (s[1] + s[3]) * u + s[4] * v + 0.5 * (s[5] + s[7]) * w) +
        z * (0.5 * (s[2] + s[6]) * u + 0.5 * (s[5] + s[7]) * v + s[8] * w);
      const h = trace * (x * u + y * v + z * w) - through;
      hessian[3 * i + j] = h;
      hessian[3 * j + i] = h;
    }
  }
}

/** Steps after which the Hessian is taken with the bend of the joint's own axes: where a limit keeps a slope up that bend counts. */
const EXACT_FROM = 6;

/** Half-width of the differences of the gradient, rad. */
const WIDE_DIFFERENCE = 1e-4;

/** The negative Hessian of F by differences of its gradient; the gradient stays. */
function writeExactHessian(
  bodies: Bodies,
  k: number,
  b: Numbers,
  start: number,
  n: number,
  pose: Float64Array,
): void {
  for (let i = 0; i < n; i++) here[i] = gradient[i];
  for (let j = 0; j < n; j++) {
    const q = pose[start + j];
    for (let side = -1; side <= 1; side += 2) {
      pose[start + j] = q + side * WIDE_DIFFERENCE;
      writeAxes(bodies, k, start, n, pose);
      differentiate(bodies, k, b, n);
      for (let i = 0; i < n; i++) {
        const half = (-side * gradient[i]) / (4 * WIDE_DIFFERENCE);
        if (side < 0) exact[3 * i + j] = half;
        else exact[3 * i + j] += half;
      }
    }
    pose[start + j] = q;
  }
  bodies.types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
  for (let i = 0; i < n; i++) {
    gradient[i] = here[i];
    // Both halves of the symmetric part.
    for (let j = 0; j < n; j++) hessian[3 * i + j] = exact[3 * i + j] + exact[3 * j + i];
  }
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
