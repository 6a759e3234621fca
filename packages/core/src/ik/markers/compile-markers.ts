import { type FieldsOf, requireFields, requireOneOf, requirePositive } from '../../checks.js';
import { GoalError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import type { FigureState } from '../../figure/model/state.js';
import type { CoordinateCoupling, CoordinateName, Loss } from './types.js';

export interface CompiledCoupling {
  readonly coordinate: number;
  readonly driver: number;
  readonly map: CoordinateCoupling['map'];
  derivative: number;
  curvature: number;
}

/** Index in the pose of a coordinate named by its bone. @throws GoalError, FigureError */
export function coordinateIndex(
  figure: Figure,
  { bone, coordinate = 0 }: CoordinateName,
  path: string,
): number {
  const { coordinate: first, dof, name } = figure.bones[boneIndex(figure, bone, `${path}.bone`)];
  if (Number.isInteger(coordinate) && coordinate >= 0 && coordinate < dof) return first + coordinate;
  throw new GoalError('out-of-range', `is ${coordinate}; the joint of '${name}' has ${dof} coordinates.`, {
    path: `${path}.coordinate`,
    remedy: 'Count the coordinates of the joint from 0.',
  });
}

const COUPLING: FieldsOf<CoordinateCoupling> = { bone: true, coordinate: true, driver: true, map: true };

export function compileCouplings(
  figure: Figure,
  couplings: readonly CoordinateCoupling[],
  free: Uint8Array,
): CompiledCoupling[] {
  const compiled = couplings.map((coupling, n) => {
    const path = `options.couplings[${n}]`;
    requireFields(coupling, COUPLING, path, GoalError);
    const coordinate = coordinateIndex(figure, coupling, path);
    const driver = coordinateIndex(figure, coupling.driver, `${path}.driver`);
    const limited = figure.limitComponents.some(
      (limit) => coordinate >= limit.coordinate && coordinate < limit.coordinate + limit.size,
    );
    const twice = free[coordinate] === 0;
    if (limited || twice || typeof coupling.map !== 'function') {
      const what = limited
        ? 'has a limit of its own.'
        : twice
          ? 'is locked or coupled already.'
          : 'has no map.';
      throw new GoalError('unsupported', what, {
        path,
        remedy:
          'Couple a coordinate that is free, once, with map: (driver) => [value, derivative, curvature].',
      });
    }
    free[coordinate] = 0;
    return { coordinate, driver, map: coupling.map, derivative: 0, curvature: 0 };
  });
  compiled.forEach(({ driver }, n) => {
    if (!compiled.some(({ coordinate }) => coordinate === driver)) return;
    throw new GoalError('unsupported', 'is itself coupled to another coordinate.', {
      path: `options.couplings[${n}].driver`,
      remedy: 'Couple both to the same driver.',
    });
  });
  return compiled;
}

/**
 * Predecessor of each coordinate on its chain: of its own joint, or the last of the nearest ancestor with coordinates; -1 for none. The joints
 * of bones with no marker below (fingers, with landmarks of a body) are on no chain: they are coupled to no other joint.
 *
 * @param bones - Those with markers.
 */
export function predecessorsOf(
  { dof, parents, coordinateStart, boneOfCoordinate }: Figure,
  bones: Int32Array,
): Int32Array {
  const carries = new Uint8Array(parents.length);
  for (const bone of bones) for (let b = bone; b >= 0 && carries[b] === 0; b = parents[b]) carries[b] = 1;
  return Int32Array.from({ length: dof }, (_, i) => {
    let b = boneOfCoordinate[i];
    if (i > coordinateStart[b]) return i - 1;
    if (carries[b] === 0) return -1;
    for (b = parents[b]; b >= 0; b = parents[b]) {
      if (coordinateStart[b + 1] > coordinateStart[b]) return coordinateStart[b + 1] - 1;
    }
    return -1;
  });
}

export function priorMask(figure: Figure, free: Uint8Array): Uint8Array {
  const mask = Uint8Array.from(free);
  for (const bone of figure.bones) {
    const unlimited = jointTypes[bone.joint.type].rotationVector >= 0 && bone.limit?.type !== 'angle';
    if (unlimited) mask.fill(0, bone.coordinate, bone.coordinate + bone.dof);
  }
  return mask;
}

/** Longest path along the bones from a root, or a free root below fixed bones, to an origin or marker, at rest: the length scale L. 1 for a figure without extent. */
export function extent(
  figure: Figure,
  { parentFromBone }: FigureState,
  bones: Int32Array,
  points: Float64Array,
): number {
  const roots = findFreeRoots(figure);
  const pathLength = new Float64Array(figure.bones.length);
  let longest = 0;
  for (const { index, parent } of figure.bones) {
    const o = 12 * index + 9;
    if (parent < 0 || roots.includes(index)) continue;
    pathLength[index] =
      pathLength[parent] + Math.hypot(parentFromBone[o], parentFromBone[o + 1], parentFromBone[o + 2]);
    longest = Math.max(longest, pathLength[index]);
  }
  for (let m = 0; m < bones.length; m++) {
    const distance = Math.hypot(points[3 * m], points[3 * m + 1], points[3 * m + 2]);
    longest = Math.max(longest, pathLength[bones[m]] + distance);
  }
  return longest > 0 && Number.isFinite(longest) ? longest : 1;
}

export function checkedLoss(loss: Loss): Loss {
  requireFields(loss, { type: true, scale: true }, 'options.loss', GoalError);
  requireOneOf(loss.type, ['squared', 'huber', 'geman-mcclure'], 'options.loss.type', GoalError);
  if (loss.type === 'squared') return loss;
  requirePositive(loss.scale, 'options.loss.scale', GoalError, 'm');
  return { ...loss };
}
