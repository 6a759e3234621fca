import { shown } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { limitShapes } from '../limits/shapes.js';
import type { Figure } from './figure.js';

/** Creates a pose: the rest pose (zeros), clamped to the limits. */
export function createPose(figure: Figure): Float64Array {
  const pose = new Float64Array(figure.dof);
  clampToLimits(figure, pose);
  return pose;
}

/**
 * Projects a pose to the nearest allowed pose, in place. Allowed poses are unchanged to the bit.
 *
 * @returns whether a coordinate changed.
 * @throws FigureError as {@link checkPose}.
 */
export function clampToLimits(figure: Figure, pose: MutableNumbers): boolean {
  checkPose(figure, pose);
  const limits = figure.limitComponents;
  let changed = false;
  for (let n = 0; n < limits.length; n++) {
    const { kind, parameters, coordinate, size } = limits[n];
    if (limitShapes[kind].project(parameters, pose, coordinate, size)) changed = true;
  }
  return changed;
}

/**
 * The limit violation of a pose: the largest distance to a limit component, rad or m; 0 when allowed.
 *
 * @throws FigureError as {@link checkPose}.
 */
export function limitViolation(figure: Figure, pose: Numbers): number {
  checkPose(figure, pose);
  let largest = 0;
  for (const { kind, parameters, coordinate, size } of figure.limitComponents) {
    const point = Array.from({ length: size }, (_, k) => pose[coordinate + k]);
    if (!limitShapes[kind].project(parameters, point, 0, size)) continue;
    // hypot, against overflow of the squares.
    largest = Math.max(largest, Math.hypot(...point.map((x, k) => x - pose[coordinate + k])));
  }
  return largest;
}

/**
 * Validates a pose that is written to: a Float64Array too.
 *
 * @throws FigureError as {@link checkPose}.
 */
export function checkWritablePose(figure: Figure, pose: unknown): asserts pose is Float64Array {
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(figure, pose);
}

/** Largest coordinate: beyond it double precision resolves no fraction of a rotation or of a millimetre. */
const MAX_COORDINATE = 1e8;

/** @throws FigureError for a coordinate past {@link MAX_COORDINATE}. */
export function checkMagnitude(pose: Float64Array): void {
  for (let i = 0; i < pose.length; i++) {
    if (Math.abs(pose[i]) <= MAX_COORDINATE) continue;
    throw new FigureError('out-of-range', `is ${pose[i]}.`, {
      path: `pose[${i}]`,
      remedy:
        'Start from createPose(figure), or take whole turns out of rotation vectors with regularizePose; give a slider that runs away a limit.',
    });
  }
}

/** Bounds the coordinates of a result by {@link MAX_COORDINATE}, so that it may be a start. @returns whether one changed. */
export function boundMagnitude(pose: Float64Array): boolean {
  let changed = false;
  for (let i = 0; i < pose.length; i++) {
    if (Math.abs(pose[i]) <= MAX_COORDINATE) continue;
    pose[i] = Math.sign(pose[i]) * MAX_COORDINATE;
    changed = true;
  }
  return changed;
}

/**
 * Validates a pose.
 *
 * @throws FigureError `wrong-size` or `not-finite`, naming the bone.
 */
export function checkPose(figure: Figure, pose: Numbers, path = 'pose'): void {
  checkPoseSize(figure, pose, path);
  for (let i = 0; i < pose.length; i++) {
    if (Number.isFinite(pose[i])) continue;
    const bone = figure.bones[figure.boneOfCoordinate[i]].name;
    throw new FigureError('not-finite', `is ${shown(pose[i])} (bone '${bone}').`, {
      path: `${path}[${i}]`,
      remedy: 'Give finite coordinates.',
    });
  }
}

/** @throws FigureError `wrong-size` unless a pose has `figure.dof` coordinates. */
export function checkPoseSize(figure: Figure, pose: Numbers, path = 'pose'): void {
  const length: unknown = (pose as Numbers | null | undefined)?.length;
  if (typeof pose === 'object' && length === figure.dof) return;
  const what =
    typeof pose === 'object' && length !== undefined
      ? `has ${length} coordinates`
      : `is ${shown(pose)}, no list of coordinates`;
  throw new FigureError('wrong-size', `${what}; ${figure.name} has ${figure.dof}.`, {
    path,
    remedy: 'Make it with createPose(figure).',
  });
}
