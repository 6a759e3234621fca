import { copyNumbers } from '../../math/linear/vector.js';
import type { Problem } from './problem.js';
import type { Workspace } from './workspace.js';

/**
 * Writes `work.trial`, the projection of pose + step onto the limits, and the projected step to `work.step`. The columns of
 * limits that were not active and are reached now become fixed.
 *
 * @returns how many limits were reached.
 */
export function projectStep(problem: Problem, work: Workspace, pose: Float64Array): number {
  const { coordinates, limits, jacobian } = problem;
  const { columnScale } = jacobian;
  const { trial, step, fixed, activeSet } = work;
  copyNumbers(pose, trial, pose.length);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] += columnScale[k] * step[k];
  let reached = 0;
  for (let n = 0; n < limits.length; n++) {
    const { limit, column, shape } = limits[n];
    if (!shape.project(limit.parameters, trial, limit.coordinate, limit.size)) continue;
    for (let k = 0; k < limit.size; k++) {
      const i = limit.coordinate + k;
      step[column + k] = (trial[i] - pose[i]) / columnScale[column + k];
    }
    if (activeSet.active[n] === 1 || fixed[column] === 1) continue;
    fixed.fill(1, column, column + limit.size);
    reached++;
  }
  return reached;
}
