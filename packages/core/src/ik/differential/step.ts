import { requireFinite, requireNotNegative } from '../../checks.js';
import { DomainError, GoalError } from '../../errors.js';
import { checkMagnitude, checkPose, checkWritablePose, clampToLimits } from '../../figure/model/pose.js';
import { regularizeCharts } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import { zeroNumbers } from '../../math/linear/vector.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { checkTargets, readWeights } from '../problem/compile-goals.js';
import { differentiate, evaluate, notFinite, type Problem } from '../problem/problem.js';
import { RESERVED_FRACTION, updateBounds } from './bounds.js';
import type { ControlWorkspace, DifferentialControl } from './control.js';
import { updateHalfSpaces } from './half-spaces.js';
import { integratePose, toJointVelocities } from './integrate-pose.js';
import { writePostureVelocity } from './posture.js';
import { decomposeLevel, type Level, updateProjector, writeObjective } from './priority-levels.js';
import { reportGoals, reportMultipliers, reportSingularity, resetResult } from './report.js';
import type { DifferentialResult } from './result.js';
import {
  toUnknowns,
  updateParameters,
  updateVelocityMaps,
  writeJointVelocities,
} from './rotation-parameterization.js';
import { solveLevel } from './solve-level.js';
import { copyTarget, type Task, updateGoalCopies, weightOf, writeResiduals } from './tasks.js';

/**
 * Largest correction of an error in one step, length scales (a quarter of the figure's reach) and rad. Larger ones may cycle at targets
 * out of reach: 0.4 did for two hands of the human in long steps.
 */
const MAX_POSITION_CORRECTION = 0.2;
const MAX_ROTATION_CORRECTION = 0.2;
/** Longest substep, s: a slow frame then moves as several fast ones would. */
const MAX_SUBSTEP = 1 / 40;
const MAX_SUBSTEPS = 8;
/** Difference step for the velocity of residuals when the step itself is shorter, s. */
const MIN_DIFFERENCE_STEP = 1e-4;

/**
 * Moves `pose` in place by one step of `dt` seconds, with the joint velocities v that minimize, priority after priority,
 *
 *   1/2 |W (J v - u)|^2 + 1/2 v^T D v   subject to limits and rates,
 *
 * u = -(1 - exp(-gain dt))/dt r plus the velocity of the targets: the desired velocity; W the weights and activations of rows, D the damping in the singular region. The pose stays within its limits, every joint
 * within its rate limit, for any dt; dt = 0 computes the velocities and leaves the pose unchanged. An infeasible pose is first projected onto its
 * limits. v is continuous in pose and targets: also where limits become active or inactive, and at singular poses. Same input, same bits.
 *
 * Steps over 1/40 s are taken in up to 8 substeps; velocities and result are those of the last.
 *
 * @param pose - Length `figure.dof`.
 * @param dt - s, zero or more.
 * @returns `control.result`, overwritten by the next step.
 * @throws DomainError for a `dt` that is negative or not finite, FigureError for a pose of the wrong size or not finite, GoalError for
 * a target or a target velocity that is not finite.
 */
export function stepDifferentialControl(
  control: DifferentialControl,
  pose: Float64Array,
  dt: number,
): DifferentialResult {
  const { problem, goals, unknowns } = control.workspace;
  checkStep(control, pose, dt);
  updateGoalCopies(goals);
  checkTargets(problem.goals);
  checkVelocities(goals, dt);
  readWeights(problem.goals, problem.lengthScale);
  if (unknowns.parameterized !== undefined) updateParameters(unknowns.parameterized, pose);
  clampToLimits(problem.figure, pose);
  checkMagnitude(pose);
  resetResult(control.result);
  const count = Math.max(1, Math.min(MAX_SUBSTEPS, Math.ceil(dt / MAX_SUBSTEP)));
  for (let n = 0; n < count; n++) takeSubstep(control, pose, dt / count, (n * dt) / count);
  return control.result;
}

/** One substep, `elapsed` seconds after the start of the step: targets are extrapolated by that time. */
function takeSubstep(control: DifferentialControl, pose: Float64Array, dt: number, elapsed: number): void {
  const { workspace, result, velocity } = control;
  const { problem, options, levels, bounds, rotationVectors, unknowns, rows, solver, projector, scaled } =
    workspace;
  regularizeCharts(problem.charts, pose);
  extrapolateTargets(workspace, elapsed);

  const f = evaluate(problem, pose);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  differentiate(problem, pose);
  const width = problem.coordinates.length;
  toJointVelocities(rotationVectors, pose, problem.jacobian.values, problem.rows, width);
  writeDesiredVelocity(workspace, pose, dt, elapsed);
  // Unit of time of the velocities, s: 1, or dt where that is longer.
  const unit = Math.max(1, dt);
  const { columns } = unknowns;
  zeroNumbers(scaled, columns);
  updateVelocityMaps(unknowns, unit, scaled);
  toUnknowns(unknowns, problem.rows, problem.jacobian.values, rows);
  const horizon = updateBounds(problem, bounds, pose, dt, options.limitGain, unit);
  updateHalfSpaces(problem, workspace.halfSpaces, rotationVectors, unknowns, pose, horizon);
  if (elapsed > 0) resetResult(result);

  zeroNumbers(projector, columns * columns);
  for (let k = 0; k < columns; k++) projector[k * (columns + 1)] = 1;
  for (let n = 0; n < levels.length; n++) {
    const level = levels[n];
    fillLevel(workspace, level, unit);
    decomposeLevel(level, projector, n === 0, options.singularRegion, columns);
    writeObjective(level, columns, solver.hessian, solver.linear);
    bounds.fraction =
      1 - RESERVED_FRACTION * (levels.length - 1 - n + (options.posture === undefined ? 0 : 1));
    if (!solveLevel(solver, bounds, projector, scaled)) result.exact = false;
    reportMultipliers(workspace, result, level.priority, unit);
    if (n < levels.length - 1 || options.posture !== undefined) {
      updateProjector(level, columns, projector, workspace.scratch);
    }
    reportSingularity(result, level);
  }
  if (options.posture !== undefined) solvePosture(workspace, result, pose, dt, unit);

  // Rounding only: the quadratic program keeps every column within its bounds.
  for (let k = 0; k < columns; k++) {
    scaled[k] = Math.min(bounds.upper[k], Math.max(bounds.lower[k], scaled[k])) / unit;
  }
  zeroNumbers(velocity, velocity.length);
  for (let k = 0; k < width; k++) {
    velocity[problem.coordinates[k]] = scaled[unknowns.columnOf[k]] * problem.jacobian.columnScale[k];
  }
  if (unknowns.parameterized !== undefined) writeJointVelocities(unknowns.parameterized, scaled, velocity);
  reportGoals(workspace, result, velocity);
  integratePose(problem, rotationVectors, unknowns.parameterized, pose, velocity, dt, control.rates);
}

function checkStep({ figure }: DifferentialControl, pose: Float64Array, dt: number): void {
  requireFinite(dt, 'dt', DomainError);
  requireNotNegative(dt, 'dt', DomainError, 's');
  checkWritablePose(figure, pose);
}

/** Checked before the targets, so that the error names the velocity. */
function checkVelocities(goals: ControlWorkspace['goals'], dt: number): void {
  for (let n = 0; n < goals.length; n++) {
    const { velocity } = goals[n];
    for (let k = 0; k < 3; k++) {
      if (Number.isFinite(velocity[k] * Math.max(dt, 1))) continue;
      throw new GoalError('not-finite', `is ${velocity[k]}.`, {
        path: `targetVelocities[${n}][${k}]`,
        remedy: 'Write m/s, or rad/s for an orientation; zero for a target that stands still.',
      });
    }
  }
}

/**
 * Desired velocity of each row, unscaled: u = -a r - (r_h - r) / h, a = (1 - exp(-gain dt)) / dt, which multiplies an error by
 * exp(-gain dt) and never passes zero; r_h is the residual for the targets extrapolated over h = dt. Per goal the first term is limited to
 * the goal speed, and to MAX_POSITION_CORRECTION or MAX_ROTATION_CORRECTION in one step.
 */
function writeDesiredVelocity(
  workspace: ControlWorkspace,
  pose: Float64Array,
  dt: number,
  elapsed: number,
): void {
  const { problem, options, tasks, desiredVelocities, predictedResiduals } = workspace;
  const { unscaledResidual, lengthScale } = problem;
  const { gain, goalSpeed } = options;
  const decay = decayRate(gain, dt);
  const h = Math.max(dt, MIN_DIFFERENCE_STEP);
  const moving = extrapolateTargets(workspace, elapsed + h);
  if (moving) {
    checkTargets(problem.goals);
    writeResiduals(problem, pose, predictedResiduals);
    extrapolateTargets(workspace, elapsed);
  }
  for (let n = 0; n < tasks.length; n++) {
    const { firstRow, rows, unit } = tasks[n];
    const maxSpeed = unit === 'length' ? goalSpeed.linear : goalSpeed.angular;
    const maxCorrection = unit === 'length' ? MAX_POSITION_CORRECTION * lengthScale : MAX_ROTATION_CORRECTION;
    const speed = Math.min(maxSpeed, maxCorrection / dt);
    let square = 0;
    for (let k = firstRow; k < firstRow + rows; k++) square += unscaledResidual[k] * unscaledResidual[k];
    const size = Math.sqrt(square);
    const factor = decay * size > speed ? speed / size : decay;
    for (let k = firstRow; k < firstRow + rows; k++) {
      desiredVelocities[k] =
        -factor * unscaledResidual[k] - (moving ? (predictedResiduals[k] - unscaledResidual[k]) / h : 0);
    }
  }
}

/** (1 - exp(-gain dt)) / dt: the constant rate that multiplies an error by exp(-gain dt) in one step; `gain` for dt = 0. */
function decayRate(gain: number, dt: number): number {
  return dt > 0 ? -Math.expm1(-gain * dt) / dt : gain;
}

const rotation = /* @__PURE__ */ new Float64Array(4);

/** Extrapolates the targets by their velocities over `time`. @returns whether any moves. */
function extrapolateTargets({ goals }: ControlWorkspace, time: number): boolean {
  let moving = false;
  for (let n = 0; n < goals.length; n++) {
    const { target, velocity } = goals[n];
    if (target === undefined || (velocity[0] === 0 && velocity[1] === 0 && velocity[2] === 0)) continue;
    copyTarget(target.source, target.copy);
    integrateTarget(target.copy, velocity, time);
    moving = true;
  }
  return moving;
}

/** Integrates a world target over h: a point, or a quaternion by its angular velocity in world axes. */
function integrateTarget(target: Float64Array, velocity: Float64Array, h: number): void {
  if (target.length === 4) {
    writeQuaternion(h * velocity[0], h * velocity[1], h * velocity[2], rotation, 0);
    quat.multiply(rotation, target, target);
  } else for (let k = 0; k < 3; k++) target[k] += h * velocity[k];
}

/** Penetration depth at which a half-space is fully activated, length scales; activation grows linearly from the plane. */
const HALF_SPACE_DEPTH = 0.04;

function activationOf(task: Task, { unscaledResidual, lengthScale }: Problem): number {
  if (task.type !== 'half-space') return 1;
  return Math.min(1, -unscaledResidual[task.firstRow] / (HALF_SPACE_DEPTH * lengthScale));
}

/** Fills a level with its rows, unweighted, and with the velocity error left by earlier levels. */
function fillLevel(
  { problem, tasks, rows, desiredVelocities, scaled }: ControlWorkspace,
  level: Level,
  time: number,
): void {
  const { lengthScale } = problem;
  const width = scaled.length;
  let row = 0;
  let largest = 0;
  for (let n = 0; n < tasks.length; n++) {
    const task = tasks[n];
    if (task.priority !== level.priority) continue;
    const weight = weightOf(problem, task, n);
    largest = Math.max(largest, weight);
    const unit = task.unit === 'length' ? time / lengthScale : time;
    // Rows of the problem contain the square root of their weight.
    const activation = activationOf(task, problem);
    const unweight = weight > 0 ? activation / Math.sqrt(weight) : 0;
    for (let k = task.firstRow; k < task.firstRow + task.rows; k++) {
      let achieved = 0;
      for (let c = 0; c < width; c++) {
        const x = unweight * rows[k * width + c];
        level.jacobian[row * width + c] = x;
        achieved += x * scaled[c];
      }
      level.activations[row] = activation;
      level.weights[row] = weight;
      level.desired[row] = activation * unit * desiredVelocities[k];
      level.residual[row] = level.desired[row] - achieved;
      row++;
    }
  }
  if (largest > 0) for (let r = 0; r < level.rows; r++) level.weights[r] /= largest;
}

/** Solves the posture last: the velocity nearest to the posture's in the null space of all goals. */
function solvePosture(
  workspace: ControlWorkspace,
  result: DifferentialResult,
  pose: Float64Array,
  dt: number,
  unit: number,
): void {
  const { problem, options, solver, projector, scaled, posture, reference, bounds, levels } = workspace;
  const columns = scaled.length;
  const { posture: target } = options;
  if (target === undefined) return;
  checkPose(problem.figure, target.reference, 'options.posture.reference');
  writePostureVelocity(
    problem,
    reference,
    target.reference,
    pose,
    unit * decayRate(target.rate, dt),
    posture,
  );
  zeroNumbers(solver.hessian, columns * columns);
  for (let k = 0; k < columns; k++) {
    solver.hessian[k * (columns + 1)] = 1;
    solver.linear[k] = scaled[k] - posture[k];
  }
  bounds.fraction = 1;
  if (!solveLevel(solver, bounds, projector, scaled)) result.exact = false;
  reportMultipliers(workspace, result, levels[levels.length - 1].priority + 1, unit);
}
