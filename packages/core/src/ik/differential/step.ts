import { DomainError, FigureError, GoalError } from '../../errors.js';
import { checkPose, clampToLimits } from '../../figure/model/pose.js';
import * as quat from '../../math/geometry/quat.js';
import { zeroNumbers } from '../../math/linear/vector.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { checkTargets, readWeights } from '../problem/compile-goals.js';
import { differentiate, evaluate, notFinite, type Problem } from '../problem/problem.js';
import { regularizeCharts } from '../problem/projected-step.js';
import { SPARED, updateBounds } from './bounds.js';
import type { ControlParts, DifferentialControl } from './control.js';
import { updateHalfSpaces } from './half-spaces.js';
import { advance, toJointVelocities } from './integrate-pose.js';
import { writePostureVelocity } from './posture.js';
import { closeDirections, decompose, type Level, writeObjective } from './priority-levels.js';
import { noteGoals, noteMultipliers, noteSingular, resetResult } from './report.js';
import type { DifferentialResult } from './result.js';
import { readPose, takeRates, updateForm, writeRows } from './rotation-parameterization.js';
import { solveLevel } from './solve-level.js';
import { copyTarget, readGoals, type Task, weightOf, writeResiduals } from './tasks.js';

/**
 * Most of an error that one step takes away, length scales (a quarter of the figure's reach) and rad. Longer pulls towards targets out
 * of reach may go round in circles: 0.4 did for two hands of the human in long steps.
 */
const LARGEST_PULL = 0.2;
const LARGEST_TURN = 0.2;
/** Longer steps are taken in parts of at most this, s, so that a slow frame moves as several quick ones would. */
const LONGEST_PART = 1 / 40;
const MOST_PARTS = 8;
/** Time ahead at which the motion of targets is looked at when the step itself is shorter, s. */
const LOOK_AHEAD = 1e-4;
/** Coordinates beyond this hold no digit of a turn or of a millimetre. */
const LARGEST_COORDINATE = 1e8;

/**
 * Moves `pose` in place by one step of `dt` seconds, with the joint velocities nu that minimize, priority after priority,
 *
 *   1/2 |W (J nu - v)|^2 + 1/2 nu^T D nu   where limits and rates allow nu,
 *
 * v = -(1 - exp(-gain dt))/dt r plus what the targets' own motion asks. The pose stays within its limits, every joint within its rate,
 * however long the step; dt = 0 gives the velocities and leaves the pose. A pose outside its limits is first
 * moved to the nearest allowed one. nu is continuous in pose and targets: nothing jumps where limits engage
 * or let go, nor at singular poses. Same input, same bits.
 *
 * @param pose - Length `figure.dof`.
 * Steps over 1/40 s are taken in up to 8 parts; velocities and result are those of the last.
 *
 * @param dt - s, zero or more.
 * @returns `control.result`.
 * @throws DomainError for a `dt` that is negative or not finite, FigureError for a pose of the wrong size or not finite, GoalError for
 * a target or a velocity of one that is not finite.
 */
export function stepDifferentialControl(
  control: DifferentialControl,
  pose: Float64Array,
  dt: number,
): DifferentialResult {
  const { problem, goals, unknowns } = control.parts;
  checkStep(control, pose, dt);
  readGoals(goals);
  checkTargets(problem.goals);
  checkVelocities(goals, dt);
  readWeights(problem.goals, problem.lengthScale);
  if (unknowns.inForm !== undefined) readPose(unknowns.inForm, pose);
  clampToLimits(problem.figure, pose);
  checkSize(pose);
  resetResult(control.result);
  const count = Math.max(1, Math.min(MOST_PARTS, Math.ceil(dt / LONGEST_PART)));
  for (let n = 0; n < count; n++) stepOnce(control, pose, dt / count, (n * dt) / count);
  return control.result;
}

/** One part of a step, `elapsed` seconds after its start: the targets have moved on by so much. */
function stepOnce(control: DifferentialControl, pose: Float64Array, dt: number, elapsed: number): void {
  const { parts, result, velocity } = control;
  const { problem, options, levels, bounds, vectors, unknowns, rows, solver, projector, scaled } = parts;
  regularizeCharts(problem, pose);
  placeTargets(parts, elapsed);

  const f = evaluate(problem, pose);
  if (!(f < Number.POSITIVE_INFINITY)) throw notFinite(f);
  differentiate(problem, pose);
  const width = problem.coordinates.length;
  toJointVelocities(vectors, pose, problem.jacobian.values, problem.rows, width);
  writeWanted(parts, pose, dt, elapsed);
  // Velocities are counted per this time: that of the step, if it is long.
  const unit = Math.max(1, dt);
  const { columns } = unknowns;
  zeroNumbers(scaled, columns);
  updateForm(unknowns, unit, scaled);
  writeRows(unknowns, problem.rows, problem.jacobian.values, rows);
  const reach = updateBounds(problem, bounds, pose, dt, options.limitGain, unit);
  updateHalfSpaces(problem, parts.half, vectors, unknowns, pose, reach);
  if (elapsed > 0) resetResult(result);

  zeroNumbers(projector, columns * columns);
  for (let k = 0; k < columns; k++) projector[k * (columns + 1)] = 1;
  for (let n = 0; n < levels.length; n++) {
    const level = levels[n];
    readLevel(parts, level, unit);
    decompose(level, projector, n === 0, options.singularRegion, columns);
    writeObjective(level, columns, solver.hessian, solver.linear);
    bounds.part = 1 - SPARED * (levels.length - 1 - n + (options.posture === undefined ? 0 : 1));
    if (!solveLevel(solver, bounds, projector, scaled)) result.exact = false;
    noteMultipliers(parts, result, level.priority, unit);
    if (n < levels.length - 1 || options.posture !== undefined) {
      closeDirections(level, columns, projector, parts.scratch);
    }
    noteSingular(result, level);
  }
  if (options.posture !== undefined) takePosture(parts, result, pose, dt, unit);

  // Rounding only: the program keeps every column within its bounds.
  for (let k = 0; k < columns; k++) {
    scaled[k] = Math.min(bounds.upper[k], Math.max(bounds.lower[k], scaled[k])) / unit;
  }
  zeroNumbers(velocity, velocity.length);
  for (let k = 0; k < width; k++) {
    velocity[problem.coordinates[k]] = scaled[unknowns.columnOf[k]] * problem.jacobian.columnScale[k];
  }
  if (unknowns.inForm !== undefined) takeRates(unknowns.inForm, scaled, velocity);
  noteGoals(parts, result, velocity);
  advance(problem, vectors, unknowns.inForm, pose, velocity, dt, control.rates);
}

function checkStep({ figure }: DifferentialControl, pose: Float64Array, dt: number): void {
  if (!(dt >= 0 && dt < Number.POSITIVE_INFINITY)) {
    throw new DomainError(Number.isFinite(dt) ? 'out-of-range' : 'not-finite', `is ${dt}.`, {
      path: 'dt',
      remedy: 'Give the time since the last step in seconds, zero or more.',
    });
  }
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(figure, pose);
}

/** Targets are moved on by their velocities: said of the velocity here, before it is a matter of the target. */
function checkVelocities(goals: ControlParts['goals'], dt: number): void {
  for (let n = 0; n < goals.length; n++) {
    const { velocity } = goals[n];
    for (let k = 0; k < 3; k++) {
      if (Number.isFinite(velocity[k] * Math.max(dt, 1))) continue;
      throw new GoalError('not-finite', `is ${velocity[k]}.`, {
        path: `targetVelocities[${n}][${k}]`,
        remedy: 'Write m/s, or rad/s for an orientation; zero for a target that rests.',
      });
    }
  }
}

function checkSize(pose: Float64Array): void {
  for (let i = 0; i < pose.length; i++) {
    if (Math.abs(pose[i]) <= LARGEST_COORDINATE) continue;
    throw new FigureError('out-of-range', `is ${pose[i]}.`, {
      path: `pose[${i}]`,
      remedy: 'Take whole turns off with regularizePose, or start from createPose(figure).',
    });
  }
}

/**
 * The velocity wanted of each row, natural units: v = -a r - (r_ahead - r) / h, a = (1 - exp(-gain dt)) / dt, which takes an error
 * down by exp(-gain dt) and never past zero; r_ahead is the residual that the targets' own motion over h = dt would
 * cause. Per goal the first term is cut to the goal speed, and to LARGEST_PULL or LARGEST_TURN in one step.
 */
function writeWanted(parts: ControlParts, pose: Float64Array, dt: number, elapsed: number): void {
  const { problem, options, tasks, wanted, ahead } = parts;
  const { natural, lengthScale } = problem;
  const { gain, goalSpeed } = options;
  const decay = decayRate(gain, dt);
  const h = Math.max(dt, LOOK_AHEAD);
  const moving = placeTargets(parts, elapsed + h);
  if (moving) {
    checkTargets(problem.goals);
    writeResiduals(problem, pose, ahead);
    placeTargets(parts, elapsed);
  }
  for (let n = 0; n < tasks.length; n++) {
    const { firstRow, rows, unit } = tasks[n];
    const fastest = unit === 'length' ? goalSpeed.linear : goalSpeed.angular;
    const farthest = unit === 'length' ? LARGEST_PULL * lengthScale : LARGEST_TURN;
    const speed = Math.min(fastest, farthest / dt);
    let square = 0;
    for (let k = firstRow; k < firstRow + rows; k++) square += natural[k] * natural[k];
    const size = Math.sqrt(square);
    const factor = decay * size > speed ? speed / size : decay;
    for (let k = firstRow; k < firstRow + rows; k++) {
      wanted[k] = -factor * natural[k] - (moving ? (ahead[k] - natural[k]) / h : 0);
    }
  }
}

/** (1 - exp(-gain dt)) / dt: the rate that a whole step takes an error down by exp(-gain dt) with; `gain` for dt = 0. */
function decayRate(gain: number, dt: number): number {
  return dt > 0 ? -Math.expm1(-gain * dt) / dt : gain;
}

const turned = /* @__PURE__ */ new Float64Array(4);

/** Puts the targets where their velocities bring them in `time`. @returns whether any moves. */
function placeTargets({ goals }: ControlParts, time: number): boolean {
  let moving = false;
  for (let n = 0; n < goals.length; n++) {
    const { target, velocity } = goals[n];
    if (target === undefined || (velocity[0] === 0 && velocity[1] === 0 && velocity[2] === 0)) continue;
    copyTarget(target.source, target.own);
    moveTarget(target.own, velocity, time);
    moving = true;
  }
  return moving;
}

/** Moves a world target on by h times its velocity: a point, or a quaternion by its angular velocity in world axes. */
function moveTarget(target: Float64Array, velocity: Float64Array, h: number): void {
  if (target.length === 4) {
    writeQuaternion(h * velocity[0], h * velocity[1], h * velocity[2], turned, 0);
    quat.multiply(turned, target, target);
  } else for (let k = 0; k < 3; k++) target[k] += h * velocity[k];
}

/** How deep in its half-space a point is when that goal counts in full, length scales: it grows from nothing at the plane. */
const HALF_SPACE_DEPTH = 0.04;

function shareOf(task: Task, { natural, lengthScale }: Problem): number {
  if (task.type !== 'half-space') return 1;
  return Math.min(1, -natural[task.firstRow] / (HALF_SPACE_DEPTH * lengthScale));
}

/** Takes the rows of a level out of the problem, weights apart, and what the levels before leave to be done. */
function readLevel({ problem, tasks, rows, wanted, scaled }: ControlParts, level: Level, time: number): void {
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
    // Rows come with the square root of their weight.
    const share = shareOf(task, problem);
    const plain = weight > 0 ? share / Math.sqrt(weight) : 0;
    for (let k = task.firstRow; k < task.firstRow + task.rows; k++) {
      let given = 0;
      for (let c = 0; c < width; c++) {
        const x = plain * rows[k * width + c];
        level.jacobian[row * width + c] = x;
        given += x * scaled[c];
      }
      level.shares[row] = share;
      level.weights[row] = weight;
      level.wanted[row] = share * unit * wanted[k];
      level.remaining[row] = level.wanted[row] - given;
      row++;
    }
  }
  if (largest > 0) for (let r = 0; r < level.rows; r++) level.weights[r] /= largest;
}

/** The posture takes what is left: nearest to its velocity among those that the goals do not feel. */
function takePosture(
  parts: ControlParts,
  result: DifferentialResult,
  pose: Float64Array,
  dt: number,
  unit: number,
): void {
  const { problem, options, solver, projector, scaled, posture, reference, bounds, levels } = parts;
  const columns = scaled.length;
  const { posture: wish } = options;
  if (wish === undefined) return;
  checkPose(problem.figure, wish.reference, 'options.posture.reference');
  writePostureVelocity(problem, reference, wish.reference, pose, unit * decayRate(wish.rate, dt), posture);
  zeroNumbers(solver.hessian, columns * columns);
  for (let k = 0; k < columns; k++) {
    solver.hessian[k * (columns + 1)] = 1;
    solver.linear[k] = scaled[k] - posture[k];
  }
  bounds.part = 1;
  if (!solveLevel(solver, bounds, projector, scaled)) result.exact = false;
  noteMultipliers(parts, result, levels[levels.length - 1].priority + 1, unit);
}
