/** Pose differences by coordinate; rotation vectors by log(R_target^-1 R). */

import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeQuaternion, writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

/** Selected coordinates and the rotation vectors among them. */
export interface Selection {
  readonly coordinates: Int32Array;
  /** First coordinates of the rotation vectors that are selected entirely, and their index in `coordinates`. */
  readonly vectors: readonly { readonly coordinate: number; readonly at: number }[];
}

export function selectCoordinates(figure: Figure, chosen: (coordinate: number) => boolean): Selection {
  const coordinates = Int32Array.from(Array.from({ length: figure.dof }, (_, i) => i).filter(chosen));
  const vectors = Array.from(rotationVectors(figure)).flatMap((coordinate) => {
    const at = coordinates.indexOf(coordinate);
    return at < 0 ? [] : [{ coordinate, at }];
  });
  return { coordinates, vectors };
}

const own = /* @__PURE__ */ new Float64Array(4);
const target = /* @__PURE__ */ new Float64Array(4);
const relative: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];
const inverse = /* @__PURE__ */ new Float64Array(9);

/** pose - from, one entry per selected coordinate, to out[o ..]. */
export function writeDifference(
  { coordinates, vectors }: Selection,
  pose: Numbers,
  from: Numbers,
  out: MutableNumbers,
  o: number,
): void {
  for (let k = 0; k < coordinates.length; k++) out[o + k] = pose[coordinates[k]] - from[coordinates[k]];
  for (const { coordinate: i, at } of vectors) {
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], own, 0);
    writeQuaternion(from[i], from[i + 1], from[i + 2], target, 0);
    quat.multiply(quat.conjugate(target, target), own, relative);
    rotationVectorFromQuat(relative, undefined, vector);
    for (let k = 0; k < 3; k++) out[o + at + k] = vector[k];
  }
}

/**
 * Writes its derivative with respect to eps of `pose` to rows of `out`, `dof` columns: J_r^-1(e) where e is the difference of a rotation
 * vector, 1 elsewhere.
 *
 * @param sign - 1; or -1 for the derivative with respect to eps of `from`: -J_l^-1(e).
 */
export function writeDifferenceRows(
  { coordinates, vectors }: Selection,
  difference: Numbers,
  o: number,
  sign: 1 | -1,
  dof: number,
  out: Float64Array,
): void {
  for (let k = 0; k < coordinates.length; k++) out[k * dof + coordinates[k]] = sign;
  for (const { coordinate: i, at } of vectors) {
    const x = sign * difference[o + at];
    const y = sign * difference[o + at + 1];
    const z = sign * difference[o + at + 2];
    // J_l(e) = J_r(-e).
    writeRightJacobianInverse(x, y, z, inverse, 0);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) out[(at + r) * dof + i + c] = sign * inverse[3 * r + c];
    }
  }
}
