import { projectRows, updateTouching } from '../problem/active-set.js';
import { evaluate, type Problem } from '../problem/problem.js';
import { writeTrial } from '../problem/projected-step.js';
import {
  dampAndSolve,
  formColumnNormal,
  formRowNormal,
  multiplyTransposed,
} from '../solver/normal-equations.js';
import { differentiateOpen } from './free-columns.js';
import type { Later } from './level.js';
import { type HeldFace, isWallActive } from './null-space.js';

/** How far held rows may stray from what they have come to, normalized. */
const HOLD = 1e-12;
const STEPS = 8;
/** Largest change of an angle in one step, rad: beyond it there is no bringing back. */
const STEP_LIMIT = 1;

/**
 * Brings an allowed pose back to where the held rows are as wanted and the walls stand, by Gauss-Newton steps of least
 * change along the face of the active limits; another limit that such a step would leave is kept out of the next. A wall that the
 * pose went through is where it comes to lie: set down behind it, off by what bends, it would never be seen to stand there. All
 * rows are left evaluated at the pose.
 *
 * @returns whether it came there.
 */
export function hold(later: Later, pose: Float64Array): boolean {
  const { all: problem, work, face, wanted } = later;
  const { jacobian, coordinates, rowRanges } = problem;
  const { width, values } = jacobian;
  const { normal, rowSolution, direction, step, decided, activeSet } = work;
  const rows = face.heldRows + face.wallRows;
  decided.fill(0);
  face.crossed.fill(0);
  for (let n = 0; n < STEPS; n++) {
    evaluate(problem, pose);
    if (writeErrors(problem, face, wanted, rowSolution) <= HOLD) return true;
    differentiateOpen(later, pose);
    // Off the face, as it lies here, an active limit would be left by a hair and no longer be seen.
    updateTouching(problem, activeSet, pose, face.near);
    for (let p = 0; p < face.near.length; p++) {
      activeSet.active[p] = face.near[p] !== 0 && face.activeSet.active[p] === 1 ? 1 : 0;
    }
    projectRows(problem, activeSet, values, rows, width);
    for (let r = 0; r < rows; r++) {
      const idle = r >= face.heldRows && rowSolution[r] === 0;
      for (let k = 0; k < width; k++) if (idle || decided[k] === 1) values[r * width + k] = 0;
    }
    if (rows <= width) {
      formRowNormal(normal, values, rows, width, rowRanges);
      dampAndSolve(normal, rows, 0, rowSolution);
      multiplyTransposed(values, rows, width, rowSolution, direction);
    } else {
      formColumnNormal(normal, values, rows, width);
      multiplyTransposed(values, rows, width, rowSolution, direction);
      dampAndSolve(normal, width, 0, direction);
    }
    for (let k = 0; k < width; k++) {
      if (!(Math.abs(direction[k]) < STEP_LIMIT)) return false;
      step[k] = -direction[k];
    }
    // A part that is hit keeps its columns: writeTrial marks them decided.
    writeTrial(problem, work, pose);
    for (let k = 0; k < coordinates.length; k++) pose[coordinates[k]] = work.trial[coordinates[k]];
  }
  return false;
}

/** What is to be made good: of held rows all, of an active or crossed wall all, of another nothing. Returns the largest. */
function writeErrors({ residual }: Problem, face: HeldFace, wanted: Float64Array, out: Float64Array): number {
  const { heldRows, wallRows, bounds, crossed } = face;
  let largest = 0;
  for (let r = 0; r < heldRows + wallRows; r++) {
    if (r < heldRows) out[r] = residual[r] - wanted[r];
    else {
      const wall = r - heldRows;
      const gap = residual[r] - bounds[wall];
      if (gap < -HOLD) crossed[wall] = 1;
      out[r] = crossed[wall] === 1 || isWallActive(face, wall) ? gap : 0;
    }
    largest = Math.max(largest, Math.abs(out[r]));
  }
  return largest;
}
