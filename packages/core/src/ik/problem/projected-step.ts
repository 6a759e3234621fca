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

/** Reparameterizes the unlimited rotation vectors of an accepted pose to a length within pi (Grassia 1997, section 3.2.2). */
export function regularizeCharts(problem: Problem, pose: Float64Array): void {
  const { charts } = problem;
  for (let n = 0; n < charts.length; n++) {
    const i = charts[n];
    const t = pose[i] * pose[i] + pose[i + 1] * pose[i + 1] + pose[i + 2] * pose[i + 2];
    if (t <= Math.PI * Math.PI) continue;
    const theta = Math.sqrt(t);
    const factor = 1 - (2 * Math.PI * Math.round(theta / (2 * Math.PI))) / theta;
    for (let k = 0; k < 3; k++) pose[i + k] *= factor;
  }
}
