import { copyNumbers } from '../../math/linear/vector.js';
import type { Problem } from './problem.js';
import type { Workspace } from './workspace.js';

/**
 * Writes `work.trial`: the allowed pose nearest to pose + step, part by part, and `work.step` as the change really made.
 * Parts that were not active and are hit now are marked decided.
 *
 * @returns how many parts were hit anew.
 */
export function writeTrial(problem: Problem, work: Workspace, pose: Float64Array): number {
  const { coordinates, parts, jacobian } = problem;
  const { columnScale } = jacobian;
  const { trial, step, decided, activeSet } = work;
  copyNumbers(pose, trial, pose.length);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] += columnScale[k] * step[k];
  let hit = 0;
  for (let n = 0; n < parts.length; n++) {
    const { part, column, shape } = parts[n];
    if (!shape.project(part.parameters, trial, part.coordinate, part.size)) continue;
    for (let k = 0; k < part.size; k++) {
      const i = part.coordinate + k;
      step[column + k] = (trial[i] - pose[i]) / columnScale[column + k];
    }
    if (activeSet.active[n] === 1 || decided[column] === 1) continue;
    decided.fill(1, column, column + part.size);
    hit++;
  }
  return hit;
}

/** Brings the unlimited rotation vectors of an accepted pose back within pi (the paper's section 3.2.2). */
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
