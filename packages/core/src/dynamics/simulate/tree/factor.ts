import { ARTICULATED_SIZE, addShiftedInertia, BLOCK_C } from '../../model/articulated-inertia.js';
import {
  eliminateColumns,
  eliminateOneAxis,
  eliminateThreeAxes,
  eliminateTwoAxes,
} from './eliminate-tree-joint.js';
import { GENERAL, type TreeSystem } from './system.js';

/**
 * Factors H at the current kinematics.
 *
 * @returns false for a pivot that is not positive, not finite, or lost to cancellation: a joint without inertia, a singular chart, or K or S that are not
 *   positive semidefinite.
 */
export function factorTreeSystem(system: TreeSystem): boolean {
  const { dynamics, rigidInertia, boneHessian, articulatedInertia: x, jointKind, pivotScale } = system;
  const { offsets, figure } = dynamics;
  const { parents } = figure;
  for (let i = 0; i < x.length; i++) x[i] = rigidInertia[i] + boneHessian[i];
  for (let b = 0; b < parents.length; b++) {
    const i = ARTICULATED_SIZE * b;
    pivotScale[2 * b] = x[i + BLOCK_C] + x[i + BLOCK_C + 1] + x[i + BLOCK_C + 2];
    pivotScale[2 * b + 1] = x[i] + x[i + 1] + x[i + 2];
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    const size = jointKind[b];
    if (size === 3) {
      if (!eliminateThreeAxes(system, b)) return false;
    } else if (size === 2) {
      if (!eliminateTwoAxes(system, b)) return false;
    } else if (size === 1) {
      if (!eliminateOneAxis(system, b)) return false;
    } else if (size === GENERAL && !eliminateColumns(system, b)) return false;
    const p = parents[b];
    if (p < 0) continue;
    const rx = offsets[3 * b];
    const ry = offsets[3 * b + 1];
    const rz = offsets[3 * b + 2];
    addShiftedInertia(x, ARTICULATED_SIZE * b, offsets, 3 * b, x, ARTICULATED_SIZE * p);
    pivotScale[2 * p] += pivotScale[2 * b];
    pivotScale[2 * p + 1] += 2 * (pivotScale[2 * b + 1] + pivotScale[2 * b] * (rx * rx + ry * ry + rz * rz));
  }
  return true;
}
