import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { limitShapes } from '../limits/shapes.js';
import type { Figure } from './figure.js';

/** A new pose: the allowed pose nearest to rest (all zeros, where the limits allow zero). */
export function createPose(figure: Figure): Float64Array {
  const pose = new Float64Array(figure.dof);
  clampToLimits(figure, pose);
  return pose;
}

/**
 * Moves a pose to the nearest allowed one, in place: each limit part to its nearest point (the sets are convex and
 * share no coordinate). Allowed poses stay as they are, to the bit. Returns whether anything moved.
 */
export function clampToLimits(figure: Figure, pose: MutableNumbers): boolean {
  const parts = figure.limitParts;
  let moved = false;
  for (let n = 0; n < parts.length; n++) {
    const { kind, parameters, coordinate, size } = parts[n];
    if (limitShapes[kind].project(parameters, pose, coordinate, size)) moved = true;
  }
  return moved;
}

/** How far a pose lies outside its limits: the largest distance of a part to its set, rad or m; 0 when allowed. */
export function limitViolation(figure: Figure, pose: Numbers): number {
  let largest = 0;
  for (const { kind, parameters, coordinate, size } of figure.limitParts) {
    const point = Array.from({ length: size }, (_, k) => pose[coordinate + k]);
    if (!limitShapes[kind].project(parameters, point, 0, size)) continue;
    // hypot: the square of a coordinate of 1e300 would overflow.
    largest = Math.max(largest, Math.hypot(...point.map((x, k) => x - pose[coordinate + k])));
  }
  return largest;
}

/**
 * Checks a pose from outside.
 *
 * @throws FigureError `wrong-size` or `not-finite`, naming the bone.
 */
export function checkPose(figure: Figure, pose: Numbers, path = 'pose'): void {
  if (pose.length !== figure.dof) {
    throw new FigureError('wrong-size', `has ${pose.length} coordinates; ${figure.name} has ${figure.dof}.`, {
      path,
      remedy: 'Make it with createPose(figure).',
    });
  }
  for (let i = 0; i < pose.length; i++) {
    if (Number.isFinite(pose[i])) continue;
    const bone = figure.bones[figure.boneOfCoordinate[i]].name;
    throw new FigureError('not-finite', `is ${pose[i]} (bone '${bone}').`, {
      path: `${path}[${i}]`,
      remedy: 'Give finite coordinates.',
    });
  }
}
