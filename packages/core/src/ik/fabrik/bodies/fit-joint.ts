import { COORDINATE_SPACE } from '../../../figure/joints/joint.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Numbers } from '../../../math/linear/types.js';
import { createActiveSet } from '../../../math/optimization/active-limits.js';
import {
  type BoundedNewton,
  createBoundedNewton,
  takeStep,
  updateGradient,
  updateHessian,
} from '../../../math/optimization/bounded-newton.js';
import type { Bodies } from './bodies.js';

/** Norm of the reduced gradient relative to |B| that counts as stationary. */
const STATIONARY = 1e-13;
/** Change of F relative to |B| within rounding. */
const ROUNDING = 2e-15;

/**
 * Growing by tens, the damping passes twice the largest curvature, which makes nearly any Hessian of three angles positive definite: 8.0
 * evaluations on 400 random joints, 9.7 from 1e-4.
 */
const SETTINGS = { maxStep: 1, minDamping: 1e-12, initialDamping: 2e-4 } as const;

const axes = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);

/**
 * Maximizes F(q) = tr(R(q)^T B) over the joint's angles within their limits, from the pose: the feasible rotation that best fits the
 * points. It differs from the projection of the best rotation where the points lie off a swing's axis or a limit is curved.
 * Translations are fixed.
 *
 * @param b - sum w y x^T, y in rest axes of the joint, x in body axes.
 * @param steps - Largest number of steps; three to six suffice except on a curved limit.
 */
export function fitJoint(bodies: Bodies, k: number, b: Numbers, pose: Float64Array, steps: number): void {
  bodies.jointFits[k] ??= createJointFit(bodies, k);
  const newton = bodies.jointFits[k];
  let size = 0;
  for (let i = 0; i < 9; i++) {
    bodies.fitMatrix[i] = b[i];
    size += b[i] * b[i];
  }
  size = Math.sqrt(size);
  newton.damping = 0;
  newton.value = evaluate(bodies, k, pose);
  for (let count = 0; count < steps; count++) {
    if (!(updateGradient(newton, pose) > STATIONARY * size)) return;
    updateHessian(newton, pose);
    if (!takeStep(newton, pose, ROUNDING * size)) {
      evaluate(bodies, k, pose);
      return;
    }
    const { coordinates } = newton.activeSet;
    for (let i = 0; i < coordinates.length; i++) pose[coordinates[i]] = newton.trial[coordinates[i]];
  }
}

/** Newton's method for -F over the angles of body k, B in `bodies.fitMatrix`. */
function createJointFit(bodies: Bodies, k: number): BoundedNewton {
  const { figure, state, bones, types } = bodies;
  const bone = figure.bones[bones[k]];
  const { translations, dof } = types[k];
  const first = bone.coordinate + translations;
  const angles = Int32Array.from({ length: dof - translations }, (_, i) => first + i);
  const limits = state.limitsOfBone[bone.index].flatMap((limit) => {
    const column = limit.coordinate - first;
    return column < 0 ? [] : [{ limit, shape: limitShapes[limit.kind], column }];
  });
  return createBoundedNewton(
    {
      evaluate: (pose) => evaluate(bodies, k, pose),
      writeGradient: (pose, out) => writeGradient(bodies, k, pose, out),
      writeHessian: (pose, out) => writeHessian(bodies, k, pose, out),
    },
    createActiveSet(limits, angles, new Float64Array(angles.length).fill(1)),
    figure.dof,
    SETTINGS,
  );
}

/** -tr(R^T B), R to `bodies.joints`. */
function evaluate({ types, batches, joints, fitMatrix }: Bodies, k: number, pose: Float64Array): number {
  types[k].writeTransforms(batches[k], pose, joints);
  const o = 12 * k;
  let sum = 0;
  for (let i = 0; i < 9; i++) sum -= joints[o + i] * fitMatrix[i];
  return sum;
}

/**
 * The gradient of -F, with a_i the axis of angle i in rest axes, S = B R^T and z its antisymmetric part: dF/dq_i = a_i . z. Leaves a_i
 * and S to {@link writeHessian}.
 */
function writeGradient(
  { types, batches, joints, columns, fitMatrix: b }: Bodies,
  k: number,
  pose: Float64Array,
  gradient: Float64Array,
): void {
  const n = gradient.length;
  const start = batches[k].coordinates[0] + types[k].translations;
  // In a batch of one joint without parent, columns are in rest axes.
  for (let i = 6 * start; i < 6 * (start + n); i++) columns[i] = 0;
  types[k].writeColumns(batches[k], pose, joints, COORDINATE_SPACE, columns);
  const o = 12 * k;
  const s = product;
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) s[3 * r + c] = entry(b, joints, o, r, c);
  for (let i = 0; i < n; i++) {
    const a = 6 * (start + i);
    for (let c = 0; c < 3; c++) axes[3 * i + c] = columns[a + c];
    gradient[i] = -(
      columns[a] * (s[7] - s[5]) +
      columns[a + 1] * (s[2] - s[6]) +
      columns[a + 2] * (s[3] - s[1])
    );
  }
}

/** The Hessian of -F: d2F/dq_i dq_j = da_i/dq_j . z + a_j . S a_i - tr S a_i . a_j, i <= j. */
function writeHessian(
  { types, axisDerivativeWriters, batches, joints, axisDerivatives }: Bodies,
  k: number,
  pose: Float64Array,
  hessian: Float64Array,
): void {
  const n = types[k].dof - types[k].translations;
  const start = batches[k].coordinates[0] + types[k].translations;
  for (let i = 9 * start; i < 9 * (start + n); i++) axisDerivatives[i] = 0;
  axisDerivativeWriters[k]?.(batches[k], pose, joints, axisDerivatives);
  const s = product;
  const trace = s[0] + s[4] + s[8];
  const zx = s[7] - s[5];
  const zy = s[2] - s[6];
  const zz = s[3] - s[1];
  for (let i = 0; i < n; i++) {
    const x = axes[3 * i];
    const y = axes[3 * i + 1];
    const z = axes[3 * i + 2];
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
      hessian[n * j + i] = trace * (x * u + y * v + z * w) - (u * sx + v * sy + w * sz) - axisTerm;
    }
  }
}

/** (a b^T)[r][c], b at b[o]. */
function entry(a: Numbers, b: Numbers, o: number, r: number, c: number): number {
  return a[3 * r] * b[o + 3 * c] + a[3 * r + 1] * b[o + 3 * c + 1] + a[3 * r + 2] * b[o + 3 * c + 2];
}
