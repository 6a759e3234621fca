import { copyNumbers } from '../../math/linear/vector.js';
import { joined } from '../problem/create-problem.js';
import { differentiate, evaluate, notFinite, type Problem } from '../problem/problem.js';
import { regularizeCharts, writeTrial } from '../problem/projected-step.js';
import { activeLimitsOf } from '../problem/status.js';
import { createWorkspace, type IterateObserver } from '../problem/workspace.js';
import { escapeLater } from './escape-saddle.js';
import { differentiateOpen } from './free-columns.js';
import { type Later, laterObjective } from './level.js';
import { createHeldFace, keepOpenWays, updateHeldFace } from './null-space.js';
import { hold } from './restore-constraints.js';
import { writeGaussNewtonStep, writeLagrangianHessian, writeNewtonStep } from './step.js';

/** Slope below which a pose is stationary: DESIGN.md asks for 1e-8, and this is well inside. */
const STATIONARY = 1e-9;
/** A step that lowers f by less than this part of it leaves Gauss and Newton to Newton alone. */
const GOOD_FALL = 0.5;
/** So many steps in a row that lower f by less than this part of it, while the slope does not fall, end a descent. */
const SLOW_FALL = 2e-3;
const SLOW_STEPS = 6;
/** Change of f that says nothing, against f: near the end the slope shows what f no longer does. */
const ROUNDING = 1e-13;
/** Damping against the largest diagonal: of a Gauss-Newton step at the start, least, and where a descent is given up. */
const DAMPING_START = 1e-4;
const DAMPING_LEAST = 1e-12;
const DAMPING_MOST = 1e8;

/** Makes what the priorities after the first need. */
export function createLater(
  problems: readonly Problem[],
  onIterate: IterateObserver | undefined,
): readonly Later[] {
  return problems.slice(1).map((problem, n) => {
    const { problem: all, heldRows, wallRows } = joined(problems.slice(0, n + 1), problem);
    const width = all.coordinates.length;
    return {
      problem,
      all,
      firstRow: heldRows + wallRows,
      work: createWorkspace(all, onIterate),
      face: createHeldFace(all, heldRows, wallRows),
      wanted: new Float64Array(heldRows),
      open: new Float64Array(problem.rows * width),
      ranges: Int32Array.from({ length: 2 * Math.ceil(problem.rows / 3) }, (_, k) => (k % 2) * width),
      previous: new Float64Array(problem.figure.dof),
      frozen: new Uint8Array(width),
      curvature: { largest: 0 },
      outcome: { objective: 0, stationarity: 0, stopped: false, activeLimits: [] },
    };
  });
}

/**
 * Lowers f of a later priority along the ways that limits and earlier priorities leave open, in place on an allowed pose: steps in
 * the null space of the earlier rows (Siciliano and Slotine 1991), each brought back to where those rows were. They are
 * Gauss-Newton steps while these do well, then Newton steps on the Lagrangian, for the rows that are held bend too. Every
 * accepted pose is allowed, holds the earlier rows within rounding, and lowers f.
 *
 * An earlier goal that is missed stands at the least distance there is, and whatever moves it, moves it off, be it to second
 * order: it keeps all the joints that it has.
 *
 * @returns poses tried.
 */
export function descendLater(later: Later, pose: Float64Array, maxIterations: number): number {
  const { all, work, face, wanted, previous } = later;
  readScales(later);
  evaluate(all, pose);
  const { heldRows, wallRows, bounds } = face;
  for (let r = 0; r < heldRows; r++) wanted[r] = all.residual[r];
  for (let w = 0; w < wallRows; w++) bounds[w] = Math.min(0, all.residual[heldRows + w]);
  freeze(later, pose);
  settle(later, pose);
  let f = laterObjective(later);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  let newton = false;
  let damping = DAMPING_START;
  let iterations = 0;
  let slope = Number.POSITIVE_INFINITY;
  let doubtful = false;
  let byNewton = false;
  let slow = 0;
  // Whether the last step was a Newton step that needed no damping: where it ends, f does not curve down.
  let convex = false;
  work.onIterate?.(pose, f);
  for (;;) {
    differentiateOpen(later, pose);
    writeLaterGradient(later);
    copyNumbers(all.residual, work.accepted, all.rows);
    const before = slope;
    slope = updateHeldFace(face, all, pose, work.gradient);
    if (doubtful && !(slope < 0.5 * before)) {
      copyNumbers(previous, pose, pose.length);
      slope = before;
      if (byNewton) break;
      // What Gauss and Newton leave out of the curvature may be all that is left.
      newton = true;
      damping = 0;
      doubtful = false;
      evaluate(all, pose);
      continue;
    }
    if (met(later) || slow >= SLOW_STEPS || iterations >= maxIterations) break;
    if (slope <= STATIONARY) {
      iterations++;
      const lower = f > 0 && !convex ? escapeLater(later, pose, f) : undefined;
      if (lower === undefined) break;
      accept(lower);
      newton = false;
      damping = DAMPING_START;
      doubtful = false;
      slow = 0;
      continue;
    }
    if (newton) writeLagrangianHessian(later, pose);
    else writeOpenRows(later);
    byNewton = newton;
    const next = trySteps();
    if (next === undefined) {
      if (newton) break;
      newton = true;
      damping = 0;
      evaluate(all, pose);
      continue;
    }
    if (!newton && next > GOOD_FALL * f) {
      newton = true;
      damping = 0;
    }
    doubtful = Math.abs(f - next) <= ROUNDING * f;
    slow = f - next < SLOW_FALL * f && !(slope < 0.5 * before) ? slow + 1 : 0;
    accept(next);
  }
  later.outcome = {
    objective: f,
    stationarity: slope,
    stopped: iterations >= maxIterations,
    activeLimits: activeLimitsOf(all, face.activeSet),
  };
  return iterations;

  /** Makes the pose under trial the pose. */
  function accept(next: number): void {
    copyNumbers(pose, previous, pose.length);
    f = next;
    copyNumbers(work.trial, pose, pose.length);
    regularizeCharts(all, pose);
    work.onIterate?.(pose, f);
  }

  /** Finds the least damping whose step lowers f, and leaves the pose in `work.trial`, evaluated. */
  function trySteps(): number | undefined {
    for (; damping <= DAMPING_MOST && iterations < maxIterations; damping = Math.max(10 * damping, 1e-6)) {
      if (newton && !writeNewtonStep(later, damping)) continue;
      if (!newton) writeGaussNewtonStep(later, damping);
      work.activeSet.active.fill(0);
      work.decided.fill(0);
      writeTrial(all, work, pose);
      copyNumbers(work.trial, work.candidate, pose.length);
      iterations++;
      if (!hold(later, work.candidate)) continue;
      copyNumbers(work.candidate, work.trial, pose.length);
      const next = laterObjective(later);
      if (next < f || Math.abs(next - f) <= ROUNDING * f) {
        convex = newton && damping === 0;
        damping = newton ? (damping <= 1e-6 ? 0 : damping / 100) : Math.max(DAMPING_LEAST, 0.1 * damping);
        return next;
      }
      // A Gauss-Newton step that fails once is told by the curvature that it leaves out.
      if (!newton) return undefined;
    }
    return undefined;
  }
}

/** What is held is held whatever its weight, but for goals that are switched off; the others weigh as in their own problem. */
function readScales({ problem, all }: Later): void {
  const held = all.goals.length - problem.goals.length;
  for (let n = 0; n < all.goals.length; n++) {
    const part = all.goals[n];
    if (n >= held) part.scale = problem.goals[n - held].scale;
    else if (part.goal.weight === 0) part.scale = 0;
    else part.scale = part.unit === 'length' ? 1 / all.lengthScale : 1;
  }
}

/** Marks the columns of earlier goals that are missed. */
function freeze({ all, firstRow: own, face, frozen }: Later, pose: Float64Array): void {
  frozen.fill(0);
  differentiate(all, pose);
  const { values, width } = all.jacobian;
  for (let n = 0; n < all.goals.length && all.goals[n].firstRow < own; n++) {
    const { firstRow, rows, scale } = all.goals[n];
    if (scale === 0 || !isMissed(all, n, firstRow >= face.heldRows)) continue;
    for (let r = firstRow; r < firstRow + rows; r++) {
      for (let k = 0; k < width; k++) if (values[r * width + k] !== 0) frozen[k] = 1;
    }
  }
}

/** Whether a part is beyond its tolerance: a wall where one of its rows is too far behind. */
function isMissed({ goals, norms, natural }: Problem, n: number, isWall: boolean): boolean {
  const { firstRow, rows, tolerance } = goals[n];
  if (!isWall) return !(norms[n] <= tolerance);
  for (let r = firstRow; r < firstRow + rows; r++) if (natural[r] < -tolerance) return true;
  return false;
}

/**
 * Brings the earlier goals that are reached from somewhere within their tolerance to their very end, if all can have it: rows that say
 * one thing twice (two points of one bone) agree there wherever the figure goes, and nowhere else.
 */
function settle(later: Later, pose: Float64Array): void {
  const { all, face, wanted, work } = later;
  const { heldRows } = face;
  const reached = (n: number): boolean =>
    all.goals[n].tolerance < Number.POSITIVE_INFINITY && all.norms[n] <= all.goals[n].tolerance;
  for (let n = 0; n < all.goals.length && all.goals[n].firstRow < heldRows; n++) {
    const { firstRow, rows } = all.goals[n];
    if (reached(n)) wanted.fill(0, firstRow, firstRow + rows);
  }
  copyNumbers(pose, work.candidate, pose.length);
  face.active.fill(0);
  face.activeSet.active.fill(0);
  if (hold(later, work.candidate)) {
    copyNumbers(work.candidate, pose, pose.length);
    return;
  }
  evaluate(all, pose);
  for (let r = 0; r < heldRows; r++) wanted[r] = all.residual[r];
}

/** Whether nothing is left to gain: every goal of this priority is within its tolerance and there are no wishes. */
function met({ problem, all }: Later): boolean {
  if (problem.wishes) return false;
  for (let n = all.goals.length - problem.goals.length; n < all.goals.length; n++) {
    if (!(all.norms[n] <= all.goals[n].tolerance) && all.goals[n].scale > 0) return false;
  }
  return true;
}

function writeLaterGradient({ all, firstRow, work: { gradient } }: Later): void {
  const { residual, rows, jacobian } = all;
  const { values, width } = jacobian;
  gradient.fill(0);
  for (let r = firstRow; r < rows; r++) {
    const weight = residual[r];
    const o = r * width;
    for (let k = 0; k < width; k++) gradient[k] += weight * values[o + k];
  }
}

function writeOpenRows({ all, face, firstRow, open }: Later): void {
  const { values, width } = all.jacobian;
  open.set(values.subarray(firstRow * width, all.rows * width));
  keepOpenWays(face, all, open, all.rows - firstRow);
}
