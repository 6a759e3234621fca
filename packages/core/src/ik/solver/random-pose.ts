import type { LimitComponent } from '../../figure/limits/limit.js';
import type { LimitShape } from '../../math/optimization/active-limits.js';
import type { Random } from '../../math/random.js';
import type { Problem } from '../problem/problem.js';

/** Half-width of the distribution of an unlimited angle, and of an unlimited translation in length scales. */
const UNLIMITED_ANGLE = Math.PI / 2;
const UNLIMITED_LENGTH = 0.25;

/**
 * Draws a random start: limited coordinates within their limits (uniform in the bounding box, then projected), the others around
 * `start`. Coordinates that are not free keep their start.
 */
export function randomPose(problem: Problem, start: Float64Array, random: Random, out: Float64Array): void {
  const { coordinates, limits, lengthScale } = problem;
  out.set(start);
  for (let k = 0; k < coordinates.length; k++) {
    const range = problem.translates[k] === 1 ? UNLIMITED_LENGTH * lengthScale : UNLIMITED_ANGLE;
    out[coordinates[k]] = start[coordinates[k]] + range * (2 * random() - 1);
  }
  for (const { limit, shape } of limits) sampleLimit(limit, shape, random, out);
}

/** Draws the coordinates of one limit: uniform in its bounding box, then projected. A coordinate without both bounds is kept. */
export function sampleLimit(
  limit: LimitComponent,
  shape: LimitShape,
  random: Random,
  out: Float64Array,
): void {
  for (let k = 0; k < limit.size; k++) {
    const [low, high] = bounds(limit.kind, limit.parameters, k);
    if (Number.isFinite(low) && Number.isFinite(high))
      out[limit.coordinate + k] = low + (high - low) * random();
  }
  shape.project(limit.parameters, out, limit.coordinate, limit.size);
}

/** Half-width of the jitter, rad or length scales. */
const JITTER = 0.1;

/** Perturbs every free coordinate and projects onto the limits. */
export function jitterPose(problem: Problem, random: Random, pose: Float64Array): void {
  const { coordinates, limits, jacobian } = problem;
  for (let k = 0; k < coordinates.length; k++) {
    pose[coordinates[k]] += JITTER * jacobian.columnScale[k] * (2 * random() - 1);
  }
  for (const { limit, shape } of limits) shape.project(limit.parameters, pose, limit.coordinate, limit.size);
}

/** The bounding box of a limit along its k-th coordinate. */
function bounds(kind: string, p: readonly number[], k: number): readonly [number, number] {
  switch (kind) {
    case 'interval':
      return [p[0], p[1]];
    case 'disk':
      return [-p[0], p[0]];
    case 'ellipse':
      return [-p[k], p[k]];
    default:
      return [p[2 * k], p[2 * k + 1]];
  }
}
