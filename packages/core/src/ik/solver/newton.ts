import { regularizeCharts } from '../../figure/model/regularize.js';
import * as ldl from '../../math/linear/ldl.js';
import { dot, maxNorm } from '../../math/linear/vector.js';
import { projectStep } from '../../math/optimization/active-limits.js';
import {
  type BoundedNewton,
  createBoundedNewton,
  takeStep,
  updateGradient,
  updateHessian,
} from '../../math/optimization/bounded-newton.js';
import { writeHessian } from '../problem/hessian.js';
import { differentiate, evaluate, isSolved, type Problem, writeGradient } from '../problem/problem.js';
import { GRADIENT_TOLERANCE } from '../problem/status.js';
import type { Workspace } from '../problem/workspace.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';

const SETTINGS = { maxStep: 1, minDamping: 1e-9, initialDamping: 1e-9 } as const;
/** Relative change of f within rounding. */
const ROUNDING = 1e-14;
/** Times that a step along negative curvature is halved. */
const MAX_HALVINGS = 24;

export interface NewtonResult {
  /** `escaped`: f was lowered along negative curvature, so Levenberg-Marquardt may converge again. */
  readonly outcome: 'converged' | 'stationary' | 'escaped' | 'stalled' | 'iteration-limit';
  readonly iterations: number;
}

/** Newton's method for a problem with its arrays, made on first use. */
export function newtonOf(problem: Problem, work: Workspace): BoundedNewton {
  work.newton ??= createBoundedNewton(
    {
      evaluate: (pose) => evaluate(problem, pose),
      writeGradient: (pose, out) => {
        differentiate(problem, pose);
        writeGradient(problem, out);
      },
      writeHessian: (pose, out) => writeHessian(problem, pose, out),
    },
    work.activeSet,
    problem.figure.dof,
    SETTINGS,
    problem.translates,
  );
  return work.newton;
}

/**
 * Newton's method in the tangent space of the active limits, in place on a feasible pose: for problems on which Levenberg-Marquardt
 * is slow, goals that cannot all be met (the curvature of r matters) and saddles (a straight arm with the target on its axis).
 *
 * A saddle is left along negative curvature, with the sign that lowers f more: a deterministic escape.
 */
export function newtonDescent(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): NewtonResult {
  const newton = newtonOf(problem, work);
  newton.value = evaluate(problem, pose);
  newton.damping = 0;
  for (let iterations = 0; ; iterations++) {
    if (isSolved(problem)) return { outcome: 'converged', iterations };
    if (iterations >= maxIterations) return { outcome: 'iteration-limit', iterations };
    const gradientNorm = updateGradient(newton, pose);
    updateHessian(newton, pose);
    if (gradientNorm <= GRADIENT_TOLERANCE) {
      if (!followNegativeCurvature(newton, pose, newton.value)) return { outcome: 'stationary', iterations };
      accept(problem, work, pose);
      return { outcome: 'escaped', iterations: iterations + 1 };
    }
    const before = newton.value;
    const stepped = takeStep(newton, pose, ROUNDING * before);
    // Damping makes steps short where the Hessian is indefinite: near a saddle below rounding. Negative curvature may still lower f.
    if (newton.indefinite) {
      work.candidate.set(newton.trial);
      if (followNegativeCurvature(newton, pose, before)) {
        accept(problem, work, pose);
        return { outcome: 'escaped', iterations: iterations + 1 };
      }
      newton.trial.set(work.candidate);
    }
    if (!stepped) {
      evaluate(problem, pose);
      return { outcome: 'stalled', iterations };
    }
    if (newton.indefinite) evaluate(problem, newton.trial);
    accept(problem, work, pose);
  }
}

/** Accepts the trial pose. */
function accept(problem: Problem, work: Workspace, pose: Float64Array): void {
  const { trial, value } = newtonOf(problem, work);
  pose.set(trial);
  regularizeCharts(problem.charts, pose);
  work.onIterate?.(pose, value);
}

/**
 * Moves the trial pose along a direction of negative curvature of the reduced Hessian or its opposite, the step halved until one of
 * them lowers f; the lower is left in `trial`, the downhill one on a tie. Overwrites the Hessian.
 *
 * @param before - f at the pose. Where `value`, which is to be lowered, is that of a Newton step from it, the search ends once the quadratic model
 * predicts a smaller decrease than that of the step.
 * @returns false where there is no such direction, or it does not lower f.
 */
function followNegativeCurvature(newton: BoundedNewton, pose: Float64Array, before: number): boolean {
  const { hessian, largestCurvature, direction, value, reducedGradient } = newton;
  const curvature = ldl.writeNegativeCurvature(hessian, largestCurvature, direction);
  if (!curvature) return false;
  newton.fixed.fill(1);
  const slope = dot(reducedGradient, direction);
  let length = (slope > 0 ? -SETTINGS.maxStep : SETTINGS.maxStep) / maxNorm(direction);
  for (let halving = 0; halving < MAX_HALVINGS; halving++, length *= 0.5) {
    const firstOrder = Math.abs(length * slope);
    const secondOrder = -0.5 * curvature * length ** 2;
    if (secondOrder + firstOrder < before - value) break;
    const downhill = evaluateAlong(newton, pose, length);
    const uphill =
      secondOrder - firstOrder < before - value
        ? Number.POSITIVE_INFINITY
        : evaluateAlong(newton, pose, -length);
    if (!(Math.min(downhill, uphill) < value)) continue;
    newton.value = uphill < downhill ? uphill : evaluateAlong(newton, pose, length);
    return true;
  }
  return false;
}

/** f at the trial pose a length along the direction. */
function evaluateAlong(
  { objective, activeSet, direction, step, trial, fixed }: BoundedNewton,
  pose: Float64Array,
  length: number,
): number {
  for (let k = 0; k < step.length; k++) step[k] = length * direction[k];
  projectStep(activeSet, pose, step, trial, fixed);
  return objective.evaluate(trial);
}

/** Newton's method to a stationary pose; after each escape from a saddle, Levenberg-Marquardt first. */
export function newtonDescentWithEscapes(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  maxIterations: number,
): { readonly iterations: number; readonly stopped: boolean } {
  let iterations = 0;
  for (;;) {
    const second = newtonDescent(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += second.iterations;
    if (second.outcome !== 'escaped') return { iterations, stopped: second.outcome === 'iteration-limit' };
    const first = levenbergMarquardt(problem, work, pose, Math.max(0, maxIterations - iterations));
    iterations += first.iterations;
    if (first.outcome === 'converged') return { iterations, stopped: false };
  }
}
