/** Globalization of Newton's method: proximal points and continuation in the rotation angle. */

import {
  constantSpeed,
  type Iterate,
  type Problem,
  type ShootingResult,
  scaleProblem,
  solveNewton,
} from './newton.js';
import { isMinimum } from './second-variation.js';

/** Smallest continuation step, as a fraction of the rotation. */
const MIN_STEP = 1 / 128;
const MAX_PROXIMAL_STEPS = 60;
/** Proximal weight below which Newton's method is tried without it. */
const NEGLIGIBLE_WEIGHT = 0.01;

/** The minimum, or undefined if none is found. */
export function findMinimum(problem: Problem): ShootingResult | undefined {
  for (const attempt of [newtonFromConstantSpeed, proximalPoint, continueInAngle]) {
    const result = attempt(problem);
    if (result !== undefined && isMinimum(problem, result)) return result;
  }
  return undefined;
}

function newtonFromConstantSpeed(problem: Problem): ShootingResult | undefined {
  return solveNewton(problem, constantSpeed(problem));
}

/**
 * Starts with all velocities fixed, where the pieces decouple, and releases them by the proximal point method (implicit Euler
 * steps along the gradient of the energy, which decreases monotonically).
 */
function proximalPoint(problem: Problem): ShootingResult | undefined {
  if (!problem.prescribed.includes(undefined)) return undefined;
  const start = constantSpeed(problem);
  const fixed = {
    ...problem,
    prescribed: problem.prescribed.map((_, i) => start.velocities.slice(3 * i, 3 * i + 3)),
  };
  let result = solveNewton(fixed, start) ?? continueInAngle(fixed);
  for (let n = 0, weight = 1; result !== undefined && n < MAX_PROXIMAL_STEPS; n++) {
    const free: ShootingResult | undefined =
      weight < NEGLIGIBLE_WEIGHT ? solveNewton(problem, result) : undefined;
    if (free !== undefined) return free;
    const next: ShootingResult | undefined = solveNewton(
      { ...problem, proximal: { velocities: result.velocities, weight } },
      result,
    );
    weight *= next === undefined ? 4 : 0.25;
    result = next ?? result;
  }
  return undefined;
}

/**
 * Continuation in the rotation angle: follows the solution from small rotations, where it is a cubic spline in R^3,
 * to the given ones.
 */
function continueInAngle(problem: Problem): ShootingResult | undefined {
  const scales: number[] = [];
  const results: ShootingResult[] = [];
  for (let scale = 0, step = 0.5; scale < 1; ) {
    const next = Math.min(1, scale + step);
    const at = scaleProblem(problem, next);
    const result = solveNewton(
      at,
      results.length === 0 ? constantSpeed(at) : extrapolate(results, scales, next),
    );
    if (result === undefined) {
      step /= 2;
      if (step < MIN_STEP) return undefined;
      continue;
    }
    results.push(result);
    scales.push(next);
    scale = next;
    step *= 1.5;
  }
  return results[results.length - 1];
}

/** Secant predictor: extrapolates the last two solutions, divided by their scale. */
function extrapolate(results: readonly ShootingResult[], scales: readonly number[], next: number): Iterate {
  const n = results.length;
  const [last, scale] = [results[n - 1], scales[n - 1]];
  const [previous, previousScale] = n > 1 ? [results[n - 2], scales[n - 2]] : [last, scale];
  const ratio = n > 1 ? (next - scale) / (scale - previousScale) : 0;
  const extend = (a: Float64Array, b: Float64Array) =>
    a.map((x, i) => next * (x / scale + ratio * (x / scale - b[i] / previousScale)));
  return {
    velocities: extend(last.velocities, previous.velocities),
    starts: extend(last.starts, previous.starts),
  };
}
