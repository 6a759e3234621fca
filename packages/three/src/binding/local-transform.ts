/** Reads and writes local transforms of objects in double precision, without a run-time import of three.js. */
import { FigureError } from 'poise';
import { type MutableNumbers, mat3, type Numbers, quat } from 'poise/math';
import type { Object3D } from 'three';

const rotation: number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
const quaternion: number[] = [0, 0, 0, 1];
const arm: number[] = [0, 0, 0];

/** Updates `matrix` from position, quaternion and scale, or those from `matrix` if `matrixAutoUpdate` is false. */
export function refresh(object: Object3D): void {
  if (object.matrixAutoUpdate) object.updateMatrix();
  else object.matrix.decompose(object.position, object.quaternion, object.scale);
}

/** Name of an object for messages. */
export function pathOf(object: Object3D | null): string {
  if (object === null) return 'the scene';
  return object.name === '' ? `an unnamed ${object.type}` : `${object.type} '${object.name}'`;
}

/** Unit quaternion of a refreshed object relative to its parent. @throws FigureError `not-finite`, naming the object. */
export function localRotation(object: Object3D, out: number[]): number[] {
  const { x, y, z, w } = object.quaternion;
  const norm = quat.norm(quat.set(x, y, z, w, out));
  if (norm > 0 && norm < Number.POSITIVE_INFINITY) return quat.normalize(out, out);
  throw new FigureError('not-finite', `has the quaternion [${x}, ${y}, ${z}, ${w}], which is no rotation.`, {
    path: pathOf(object),
    remedy: 'Give it finite numbers that are not all zero.',
  });
}

/** Origin of a refreshed object in its parent's frame: its position, corrected for a pivot. */
export function localPosition(object: Object3D, out: number[]): number[] {
  const e = object.matrix.elements;
  out[0] = e[12];
  out[1] = e[13];
  out[2] = e[14];
  return out;
}

/** Twelve numbers, parent from object, of a refreshed object: rotation times scale row by row, then position. */
export function localAffine(object: Object3D, out: MutableNumbers): void {
  const e = object.matrix.elements;
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) out[3 * row + column] = e[4 * column + row];
    out[9 + row] = e[12 + row];
  }
}

/** Rotation times scale of an object relative to its parent, row by row, with a scale of 0 read as 1. */
export function linearWithoutZeroScale(object: Object3D): number[] {
  refresh(object);
  const { x, y, z } = object.scale;
  const matrix = quat.toMatrix(localRotation(object, [0, 0, 0, 1]));
  const nonZero = (scale: number) => (scale === 0 ? 1 : scale);
  return mat3.multiply(matrix, [nonZero(x), 0, 0, 0, nonZero(y), 0, 0, 0, nonZero(z)]);
}

/**
 * Requires an invertible matrix.
 *
 * @param object - Owner of the matrix; the singular scale is its own or an ancestor's.
 * @throws FigureError `singular`, naming the object that is scaled by 0.
 */
export function requireInverse(m: Numbers, object: Object3D | null): void {
  try {
    mat3.inverse(m, rotation);
    return;
  } catch {
    // Thrown again below, with the name of the object.
  }
  let fault = object;
  while (fault !== null && fault.scale.x * fault.scale.y * fault.scale.z !== 0) fault = fault.parent;
  const path = pathOf(fault ?? object);
  if (fault === null) {
    throw new FigureError('singular', 'has a singular world matrix.', {
      path,
      remedy: 'Look for NaN and for extreme scales in it and in the objects above it.',
    });
  }
  throw new FigureError('singular', 'is scaled by 0, so objects below it cannot be positioned.', {
    path,
    remedy:
      'Skip the update while the scale is 0, or hide the object with `visible = false` or a small scale.',
  });
}

/** Writes rotation and position relative to the parent; scale stays. Of q and -q it writes the one nearer the current. */
export function setLocalTransform(object: Object3D, q: Numbers, position: Numbers): void {
  const { x, y, z, w } = object.quaternion;
  const sign = x * q[0] + y * q[1] + z * q[2] + w * q[3] < 0 ? -1 : 1;
  object.quaternion.set(sign * q[0], sign * q[1], sign * q[2], sign * q[3]);
  object.position.set(position[0], position[1], position[2]);
  const { pivot, scale } = object;
  if (pivot) {
    // matrix position = position + pivot - R S pivot
    quat.toMatrix(quat.copy(q, quaternion), rotation);
    mat3.multiplyVector(rotation, [scale.x * pivot.x, scale.y * pivot.y, scale.z * pivot.z], arm);
    object.position.x += arm[0] - pivot.x;
    object.position.y += arm[1] - pivot.y;
    object.position.z += arm[2] - pivot.z;
  }
  // Also marks the world matrix of an object that does not update by itself.
  object.updateMatrix();
}
