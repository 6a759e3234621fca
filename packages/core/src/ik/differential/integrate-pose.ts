import { clampToLimits } from '../../figure/model/pose.js';
import * as quat from '../../math/geometry/quat.js';
import { writeQuaternion, writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { Problem } from '../problem/problem.js';
import type { RotationVectorBlock } from './rotation-blocks.js';
import { integrateParameters, type ParameterizedJoints } from './rotation-parameterization.js';

const current = /* @__PURE__ */ new Float64Array(4);
const rotated = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);

/** Converts a Jacobian over q' to one over v, in place: the columns of each rotation vector r times N = J_r^-1(r). */
export function toJointVelocities(
  vectors: readonly RotationVectorBlock[],
  pose: Float64Array,
  jacobian: Float64Array,
  rows: number,
  columns: number,
): void {
  for (let n = 0; n < vectors.length; n++) {
    const { column, coordinate: i } = vectors[n];
    writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], inverse, 0);
    for (let r = 0; r < rows; r++) {
      const o = r * columns + column;
      const x = jacobian[o];
      const y = jacobian[o + 1];
      const z = jacobian[o + 2];
      for (let k = 0; k < 3; k++) jacobian[o + k] = x * inverse[k] + y * inverse[3 + k] + z * inverse[6 + k];
    }
  }
}

/**
 * Integrates the pose by dt v, in place, and writes q' in the resulting chart.
 *
 * An unlimited rotation vector r moves along the geodesic, exp(r) exp(dt v), and is read back within pi: the step is the same in
 * every chart. A limited one moves along its coordinates, r + dt N v, for which the limits were enforced; a parameterized one as its
 * parameterization integrates. All other coordinates move by q + dt q'.
 */
export function integratePose(
  problem: Problem,
  vectors: readonly RotationVectorBlock[],
  parameterized: ParameterizedJoints | undefined,
  pose: Float64Array,
  velocity: Float64Array,
  dt: number,
  rates: Float64Array,
): void {
  const { coordinates } = problem;
  rates.fill(0);
  for (let column = 0; column < coordinates.length; column++)
    rates[coordinates[column]] = velocity[coordinates[column]];
  for (let n = 0; n < vectors.length; n++) {
    const { coordinate: i, integration } = vectors[n];
    if (integration === 'coordinates') {
      writeRates(pose, i, velocity, rates);
      continue;
    }
    for (let k = 0; k < 3; k++) rates[i + k] = 0;
    if (integration === 'parameterization') continue;
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], current, 0);
    writeQuaternion(dt * velocity[i], dt * velocity[i + 1], dt * velocity[i + 2], rotated, 0);
    rotationVectorFromQuat(quat.multiply(current, rotated, rotated), undefined, vector);
    // dt = 0 leaves the pose unchanged, bit for bit.
    if (dt > 0) for (let k = 0; k < 3; k++) pose[i + k] = vector[k];
  }
  for (let column = 0; column < coordinates.length; column++) {
    const i = coordinates[column];
    pose[i] += dt * rates[i];
  }
  if (parameterized !== undefined && dt > 0) integrateParameters(parameterized, pose, dt);
  // Rounding only: the velocities keep every joint within its limits.
  clampToLimits(problem.figure, pose);
  for (let n = 0; n < vectors.length; n++) writeRates(pose, vectors[n].coordinate, velocity, rates);
}

/** r' = J_r^-1(r) v */
function writeRates(pose: Float64Array, i: number, velocity: Float64Array, rates: Float64Array): void {
  writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], inverse, 0);
  const x = velocity[i];
  const y = velocity[i + 1];
  const z = velocity[i + 2];
  for (let k = 0; k < 3; k++)
    rates[i + k] = inverse[3 * k] * x + inverse[3 * k + 1] * y + inverse[3 * k + 2] * z;
}
