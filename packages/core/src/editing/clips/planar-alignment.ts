/** Alignment of one state to another in the ground plane and about the vertical. */
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { twistAngleFromQuat } from '../../rotation/swing-twist/twist.js';
import { type ClipState, freeRoots, type RootTransforms, worldFromRest } from './clip-state.js';

/** The alignment in the world: a rotation about the vertical through the origin and a translation. */
export interface PlanarTransform {
  /** About `up`, rad. */
  readonly angle: number;
  /** World, m. */
  readonly translation: readonly [number, number, number];
}

/**
 * The rotation about `up` and the horizontal translation that align the first free root of `from` to that of `to`: its horizontal position
 * exactly, its heading by the twist of R_to R_from^-1. Identity for a figure without a free root.
 *
 * @param rotates - Whether to rotate, or only to translate.
 */
export function alignPlanar(
  figure: Figure,
  from: ClipState,
  to: ClipState,
  up: Vec3,
  rotates = true,
): RootTransforms & PlanarTransform {
  const roots = freeRoots(figure);
  const [first] = roots;
  if (first === undefined) return { roots: [], angle: 0, translation: [0, 0, 0] };
  const rest = worldFromRest(figure, first.bone);
  const axis = vec3.normalize(up);
  const own = vec3.normalize(quat.rotate(quat.conjugate(rest.rotation), axis));
  const difference = quat.multiply(
    to.rotations[first.rotation].quaternion,
    quat.conjugate(from.rotations[first.rotation].quaternion),
  );
  const angle = rotates
    ? twistAngleFromQuat([difference[0], difference[1], difference[2], difference[3]], own)
    : 0;
  const world = quat.fromAxisAngle(axis, angle);
  const originOf = ({ value }: ClipState): number[] => {
    const p = first.position;
    return vec3.add(quat.rotate(rest.rotation, [value[p], value[p + 1], value[p + 2]]), rest.position);
  };
  const rotated = quat.rotate(world, originOf(from));
  const offset = vec3.subtract(originOf(to), rotated);
  const vertical = vec3.dot(offset, axis);
  const translation = [0, 1, 2].map((k) => offset[k] - vertical * axis[k]);
  return {
    angle,
    translation: [translation[0], translation[1], translation[2]],
    roots: roots.map(({ bone, position, rotation }) => {
      const { rotation: own, position: r } = worldFromRest(figure, bone);
      const back = quat.conjugate(own);
      const yaw = quat.multiply(back, quat.multiply(world, own));
      // p' = rest^-1 (Y (r + rest p) + t - r)
      const shift = quat.rotate(back, vec3.subtract(vec3.add(quat.rotate(world, r), translation), r));
      return { position, rotation, yaw: [yaw[0], yaw[1], yaw[2], yaw[3]] as const, shift };
    }),
  };
}

/** A transform of world points, or its inverse. */
export type PointTransform = (point: Vec3, direction: 1 | -1) => [number, number, number];

/** Rotation about the vertical and translation. */
export function planarTransform({ angle, translation }: PlanarTransform, up: Vec3): PointTransform {
  const yaw = quat.fromAxisAngle(vec3.normalize(up), angle);
  const back = quat.conjugate(yaw);
  return (point, direction) => {
    const [x, y, z] =
      direction > 0
        ? vec3.add(quat.rotate(yaw, point), translation)
        : quat.rotate(back, vec3.subtract(point, translation));
    return [x, y, z];
  };
}
