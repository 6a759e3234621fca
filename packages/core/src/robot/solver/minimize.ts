/** Newton's method for the objective of a table within bounds. */
import type { Targets } from '../targets/targets.js';
import {
  type Configuration,
  copyConfiguration,
  normalize,
  writeExponential,
  writeLogarithm,
  writeProduct,
} from '../tree/pose.js';
import { FREE } from '../tree/tree.js';
import { boundedStep } from './bounded-step.js';
import {
  sumSubtrees,
  symmetrizeFree,
  updateGradient,
  updateHessian,
  updateMotions,
  updateSums,
} from './derivatives.js';
import { evaluate, type Table, updateFrames, type Workspace } from './problem.js';
import { addSupport, addSupportCurvature, evaluateSupport, type Support } from './support.js';
import type { TreePattern } from './tree-matrix.js';

/** Least decrease of a step that is taken, and the one after which damping falls, relative to the one predicted. */
const MIN_GAIN = 1e-4;
const GOOD_GAIN = 0.75;
/** Damping relative to the diagonal of the Gauss-Newton matrix: first value, and where a step is given up. */
const INITIAL_DAMPING = 1e-4;
const MAX_DAMPING = 1e10;
/** Residual below which steps are Newton's: farther away the curvature of f misleads, and its Hessian is often indefinite. */
const NEAR = 0.1;
/** Predicted decrease relative to the objective below which a step is within rounding. */
const ROUNDING = 1e-15;

/** What is minimized. */
export interface Goal {
  readonly table: Table;
  readonly targets: Targets;
  readonly support?: Support | undefined;
  readonly posture?: Posture | undefined;
}

/** A configuration that is to be near: sum w (x - x*)^2 over hinges and sliders, and the same of the root's position and rotation vector. */
export interface Posture {
  readonly at: Configuration;
  /** w, by coordinate; of a free joint the same for its three positions, and its three rotations. */
  readonly weights: Float64Array;
  /** w (x - x*). */
  readonly gradient: Float64Array;
}

export interface Stop {
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Residual and steps of a minimization; see `RobotFrame`. */
export interface Minimum {
  residual: number;
  iterations: number;
}

const turn = /* @__PURE__ */ new Float64Array(4);
const product = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);

/**
 * Minimizes a goal from `at`, in place, within `work.lower` and `work.upper`: Newton steps near a minimum where the Hessian is positive
 * definite, Gauss-Newton steps elsewhere, damped where f does not fall as predicted. The bounds hold exactly, and f never grows.
 *
 * @param out - Written: residual; added to: iterations.
 */
export function minimize(work: Workspace, goal: Goal, at: Configuration, stop: Stop, out: Minimum): void {
  const { trial } = work;
  let value = twiceObjective(work, goal, at);
  let damping = 0;
  let iterations = 0;
  for (;;) {
    updateSums(work, goal.table);
    const isDense = goal.support !== undefined && addSupport(goal.support, work);
    sumSubtrees(work);
    updateMotions(work);
    updateGradient(work);
    if (goal.posture !== undefined) addPosture(work, goal.posture);
    out.residual = residualOf(work, at, value);
    if (!(out.residual > stop.tolerance) || iterations >= stop.maxIterations) break;
    let taken = false;
    let exact = out.residual < NEAR;
    const pattern = isDense ? work.densePattern : work.pattern;
    writeHessian(work, goal, pattern, exact);
    while (damping <= MAX_DAMPING) {
      let predicted = boundedStep(work, pattern, at.values, damping);
      if (predicted < 0 && exact) {
        exact = false;
        writeHessian(work, goal, pattern, exact);
        predicted = boundedStep(work, pattern, at.values, damping);
      }
      if (predicted > 0) {
        applyStep(work, at);
        const next = twiceObjective(work, goal, trial);
        // f is half the value.
        const gain = (value - next) / (2 * predicted);
        if (gain > MIN_GAIN) {
          value = next;
          copyConfiguration(trial, at);
          if (gain > GOOD_GAIN) damping = damping > INITIAL_DAMPING ? 0.1 * damping : 0;
          taken = true;
          break;
        }
        if (predicted <= ROUNDING * value) break;
      }
      damping = damping === 0 ? INITIAL_DAMPING : 10 * damping;
    }
    if (!taken) {
      // The frames are those of the last trial.
      twiceObjective(work, goal, at);
      break;
    }
    iterations++;
  }
  out.iterations += iterations;
}

/** 2 f: the objective, and the penalties of the support. */
function twiceObjective(
  work: Workspace,
  { table, targets, support, posture }: Goal,
  at: Configuration,
): number {
  updateFrames(work, at);
  let objective = evaluate(work, table, targets);
  if (support !== undefined) objective += evaluateSupport(support, work);
  if (posture !== undefined) objective += evaluatePosture(work, posture, at);
  return objective;
}

/** Writes the gradient of half the distance from a posture. @returns sum w (x - x*)^2. */
export function evaluatePosture({ tree }: Workspace, posture: Posture, at: Configuration): number {
  const { at: wanted, weights, gradient } = posture;
  let sum = 0;
  for (let j = 0; j < tree.joints; j++) {
    const i = tree.first[j];
    if (tree.kind[j] !== FREE) {
      const d = at.values[i] - wanted.values[i];
      gradient[i] = weights[i] * d;
      sum += gradient[i] * d;
      continue;
    }
    for (let k = 0; k < 4; k++) turn[k] = (k < 3 ? -1 : 1) * wanted.rotations[4 * j + k];
    writeProduct(at.rotations, 4 * j, turn, 0, product, 0);
    writeLogarithm(product[0], product[1], product[2], product[3], vector, 0);
    for (let k = 0; k < 6; k++) {
      const d = k < 3 ? at.positions[3 * j + k] - wanted.positions[3 * j + k] : vector[k - 3];
      gradient[i + k] = weights[i + k] * d;
      sum += gradient[i + k] * d;
    }
  }
  return sum;
}

function addPosture({ gradient, scale }: Workspace, posture: Posture): void {
  for (let i = 0; i < gradient.length; i++) {
    gradient[i] += posture.gradient[i];
    scale[i] += posture.weights[i];
  }
}

function writeHessian(
  work: Workspace,
  { support, posture }: Goal,
  pattern: TreePattern,
  exact: boolean,
): void {
  const isDense = pattern === work.densePattern;
  if (isDense) work.hessian.fill(0);
  updateHessian(work, pattern, exact);
  if (exact) symmetrizeFree(work, pattern);
  if (isDense && support !== undefined) addSupportCurvature(support, work, exact);
  if (posture === undefined) return;
  const { starts, depths } = pattern;
  for (let i = 0; i < pattern.size; i++) work.hessian[starts[i] + depths[i]] += posture.weights[i];
}

/** See `RobotFrame.residual`. */
function residualOf({ gradient, scale, lower, upper }: Workspace, at: Configuration, value: number): number {
  let largest = 0;
  for (let i = 0; i < gradient.length; i++) {
    const g = gradient[i];
    if ((g > 0 && at.values[i] <= lower[i]) || (g < 0 && at.values[i] >= upper[i])) continue;
    const r = (g * g) / scale[i];
    if (r > largest) largest = r;
  }
  return value > 0 ? Math.sqrt(largest / value) : 0;
}

/** trial = at + step. */
function applyStep({ tree, step, fixed, lower, upper, trial }: Workspace, at: Configuration): void {
  for (let i = 0; i < step.length; i++) {
    const x = at.values[i] + step[i];
    const l = lower[i];
    const u = upper[i];
    // A fixed coordinate stands on its bound to the bit.
    trial.values[i] = fixed[i] < 0 || x < l ? l : fixed[i] > 0 || x > u ? u : x;
  }
  for (let j = 0; j < tree.joints; j++) {
    if (tree.kind[j] !== FREE) continue;
    const i = tree.first[j];
    for (let k = 0; k < 3; k++) trial.positions[3 * j + k] = at.positions[3 * j + k] + step[i + k];
    writeExponential(step[i + 3], step[i + 4], step[i + 5], turn);
    writeProduct(turn, 0, at.rotations, 4 * j, trial.rotations, 4 * j);
    normalize(trial.rotations, 4 * j);
  }
}
