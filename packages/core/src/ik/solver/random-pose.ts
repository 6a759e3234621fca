import type { LimitComponent, LimitShape } from '../../figure/limits/limit.js';
import type { Random } from '../../math/random.js';
import type { Problem } from '../problem/problem.js';

/** Half-width of the draw of an angle, and of a translation in length scales, where no limit bounds it. */
const UNLIMITED_ANGLE = Math.PI / 2;
const UNLIMITED_LENGTH = 0.25;

/**
 * Draws a pose to start from: limited coordinates anywhere within their limits (the box around the set, then the nearest
 * allowed point), the others around the start. Coordinates that are not free keep their start.
 */
export function randomPose(problem: Problem, start: Float64Array, random: Random, out: Float64Array): void {
  const { coordinates, limits, lengthScale } = problem;
  out.set(start);
  for (let k = 0; k < coordinates.length; k++) {
    const open = problem.translates[k] === 1 ? UNLIMITED_LENGTH * lengthScale : UNLIMITED_ANGLE;
    out[coordinates[k]] = start[coordinates[k]] + open * (2 * random() - 1);
  }
  for (const { limit, shape } of limits) sampleLimit(limit, shape, random, out);
}

/** Draws the coordinates of one limit: the box around its set, then the nearest allowed point. A side that is open stays. */
export function sampleLimit(
  part: LimitComponent,
  shape: LimitShape,
  random: Random,
  out: Float64Array,
): void {
  for (let k = 0; k < part.size; k++) {
    const [low, high] = bounds(part.kind, part.parameters, k);
    if (Number.isFinite(low) && Number.isFinite(high))
      out[part.coordinate + k] = low + (high - low) * random();
  }
  shape.project(part.parameters, out, part.coordinate, part.size);
}

/** Half-width of the jitter, rad or length scales. */
const JITTER = 0.1;

/** Moves every free coordinate a little, and back within the limits. */
export function jitterPose(problem: Problem, random: Random, pose: Float64Array): void {
  const { coordinates, limits, jacobian } = problem;
  for (let k = 0; k < coordinates.length; k++) {
    pose[coordinates[k]] += JITTER * jacobian.columnScale[k] * (2 * random() - 1);
  }
  for (const { limit, shape } of limits) shape.project(limit.parameters, pose, limit.coordinate, limit.size);
}

/** The box around a limit set along its k-th coordinate. */
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
