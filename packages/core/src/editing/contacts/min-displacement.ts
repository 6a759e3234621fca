/** The least displacement of a pose that brings points to their targets. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { pointJacobianV, updateMotionSubspaceV } from '../../figure/kinematics/jacobians.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import { createState } from '../../figure/model/state.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import * as cholesky from '../../math/linear/cholesky.js';
import type { Vec3 } from '../../math/linear/types.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { writeRightJacobian } from '../../rotation/rotation-vector/kernels.js';
import { coordinateUnits } from '../clips/human-scale.js';
import { displacePose, writeDisplacement } from '../displacement/displace-pose.js';

/** A point of a bone and where it is to be, world, m. */
export interface PointTarget {
  readonly bone: number;
  readonly point: Vec3;
  readonly target: Vec3;
  /** 0: exactly there. More: as compliance against the displacement, 1 leaves about half of the distance. */
  readonly compliance: number;
}

const MAX_ITERATIONS = 80;
/** Of the change of a coordinate in an iteration, rad or m of a person, at which it ends. */
const TOLERANCE = 1e-11;
/** Compliance of points that are to be exactly there, relative to the mean of the diagonal: several points of a bone say the same. */
const MIN_COMPLIANCE = 1e-10;
/** Where steps do not decrease to this fraction from one iteration to the next, a smaller part of them is taken, at least the least. */
const DECREASE = 0.7;
const MIN_PART = 0.1;
/** Largest displacement of a point in an iteration, m of a person. */
const MAX_STEP = 0.2;

/** Changes a displacement, in place; starts from what it is. */
export type DisplaceToTargets = (
  before: Float64Array,
  targets: readonly PointTarget[],
  displacement: Float64Array,
  mobility?: Mobility,
) => void;

/** Joints that share in a displacement less than their metric says. */
export interface Mobility {
  readonly coordinates: readonly number[];
  /** 0: they stay. 1: as the metric says. */
  readonly factor: number;
}

/**
 * Minimizes d^T W d where x(d) = target: d = W^-1 J^T lambda, by successive quadratic programs. Near its last solution it ends there, so a displacement
 * that is continued from key to key has no jumps. What reaches a limit stays there; where the pose is outside already the limit does not count.
 *
 * @param metric - The diagonal of W, by coordinate; infinite for what stays.
 * @param unit - A metre of a person, m.
 * @param tolerance - Of the change of a coordinate at which it ends, rad or m of a person.
 */
export function createMinDisplacement(
  figure: Figure,
  metric: Float64Array,
  unit: number,
  tolerance = TOLERANCE,
): DisplaceToTargets {
  const { dof } = figure;
  const state = createState(figure);
  const compliances = metric.map((weight) => 1 / weight);
  const inverse = compliances.slice();
  const units = coordinateUnits(figure, unit);
  const columns = Int32Array.from({ length: dof }, (_, i) => i).filter((i) => inverse[i] > 0);
  const vectors = Array.from(rotationVectors(figure)).filter((i) => inverse[i] > 0);
  const pose = new Float64Array(dof);
  const step = new Float64Array(dof);
  const isFixed = new Uint8Array(dof);
  /** Fixes coordinates that the displacement would bring outside their limits at these. @returns whether there are any. */
  const fixAtLimits = (before: Float64Array, displacement: Float64Array): boolean => {
    if (figure.limitComponents.length === 0) return false;
    displacePose(figure, before, displacement, pose);
    let isChanged = false;
    for (const { kind, parameters, coordinate, size } of figure.limitComponents) {
      const { value, project } = limitShapes[kind];
      if (isFixed[coordinate] === 1 || value(parameters, before, coordinate, size) > 0) continue;
      if (!project(parameters, pose, coordinate, size)) continue;
      isFixed.fill(1, coordinate, coordinate + size);
      isChanged = true;
    }
    if (isChanged) writeDisplacement(figure, pose, before, displacement);
    return isChanged;
  };
  const world = new Float64Array(3);
  const right = new Float64Array(9);
  const rotation = new Float64Array(4);
  const matrixBefore = new Float64Array(9);
  const transposed = new Float64Array(9);
  return (before, targets, displacement, mobility) => {
    if (mobility !== undefined)
      for (const i of mobility.coordinates) inverse[i] = mobility.factor * compliances[i];
    const rows = 3 * targets.length;
    const jacobian = new Float64Array(rows * dof);
    const matrix = new Float64Array(rows * rows);
    const residual = new Float64Array(rows);
    const multipliers = new Float64Array(rows);
    isFixed.fill(0);
    let part = 1;
    let last = Number.POSITIVE_INFINITY;
    for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
      displacePose(figure, before, displacement, pose);
      forwardKinematics(state, pose);
      updateMotionSubspaceV(state, pose);
      jacobian.fill(0);
      targets.forEach(({ bone, point, target }, k) => {
        worldPoint(state, bone, point, world);
        pointJacobianV(state, bone, world, jacobian.subarray(3 * k * dof, 3 * (k + 1) * dof));
        let squared = 0;
        for (let r = 0; r < 3; r++) {
          residual[3 * k + r] = target[r] - world[r];
          squared += residual[3 * k + r] ** 2;
        }
        const scale = Math.min(1, (MAX_STEP * unit) / Math.sqrt(Math.max(squared, Number.MIN_VALUE)));
        for (let r = 0; r < 3; r++) residual[3 * k + r] *= scale;
      });
      // With respect to d, where R = exp(d) R_before: J R_before^T J_r(d).
      for (const i of vectors) {
        writeRightJacobian(displacement[i], displacement[i + 1], displacement[i + 2], right, 0);
        quat.toMatrix(quatFromRotationVector(before.subarray(i, i + 3), rotation), matrixBefore);
        mat3.multiply(mat3.transpose(matrixBefore, transposed), right, right);
        for (let row = 0; row < rows; row++) {
          const at = row * dof + i;
          const [a, b, c] = [jacobian[at], jacobian[at + 1], jacobian[at + 2]];
          for (let k = 0; k < 3; k++) jacobian[at + k] = a * right[k] + b * right[3 + k] + c * right[6 + k];
        }
      }
      // (J W^-1 J^T + E) lambda = r + J d
      let trace = 0;
      for (let a = 0; a < rows; a++) {
        let sum = residual[a];
        for (const i of columns) if (isFixed[i] === 0) sum += jacobian[a * dof + i] * displacement[i];
        multipliers[a] = sum;
        for (let b = 0; b <= a; b++) {
          let product = 0;
          for (const i of columns)
            if (isFixed[i] === 0) product += jacobian[a * dof + i] * inverse[i] * jacobian[b * dof + i];
          matrix[a * rows + b] = product;
        }
        trace += matrix[a * rows + a];
      }
      if (!(trace > 0)) return;
      for (let a = 0; a < rows; a++) {
        matrix[a * rows + a] += (trace / rows) * (MIN_COMPLIANCE + targets[Math.floor(a / 3)].compliance);
      }
      if (!cholesky.factor(matrix, rows)) return;
      cholesky.solve(matrix, rows, multipliers);
      let largest = 0;
      for (const i of columns) {
        let sum = 0;
        for (let a = 0; a < rows; a++) sum += jacobian[a * dof + i] * multipliers[a];
        step[i] = isFixed[i] === 1 ? 0 : inverse[i] * sum - displacement[i];
        largest = Math.max(largest, Math.abs(step[i]) / units[i]);
      }
      part = largest > DECREASE * last ? Math.max(MIN_PART, 0.5 * part) : Math.min(1, 1.5 * part);
      last = largest;
      for (const i of columns) displacement[i] += part * step[i];
      if (!fixAtLimits(before, displacement) && !(largest > tolerance)) return;
    }
  };
}
