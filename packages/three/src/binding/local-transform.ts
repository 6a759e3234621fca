/** Local transforms of objects, in and out, in double precision and with no three.js code needed at run time. */
import { FigureError } from 'poise';
import { type MutableNumbers, mat3, type Numbers, quat } from 'poise/math';
import type { Object3D } from 'three';

const rotation: number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
const quaternion: number[] = [0, 0, 0, 1];
const arm: number[] = [0, 0, 0];

/** Brings `matrix` and position, quaternion, scale of an object into line, whichever of the two it goes by. */
export function refresh(object: Object3D): void {
  if (object.matrixAutoUpdate) object.updateMatrix();
  else object.matrix.decompose(object.position, object.quaternion, object.scale);
}

/** An object in words, for messages. */
export function pathOf(object: Object3D | null): string {
  if (object === null) return 'the scene';
  return object.name === '' ? `an unnamed ${object.type}` : `${object.type} '${object.name}'`;
}

/** Unit quaternion of a refreshed object against its parent. @throws FigureError `not-finite`, naming the object. */
export function localRotation(object: Object3D, out: number[]): number[] {
  const { x, y, z, w } = object.quaternion;
  const size = quat.norm(quat.set(x, y, z, w, out));
  if (size > 0 && size < Number.POSITIVE_INFINITY) return quat.normalize(out, out);
  throw new FigureError('not-finite', `has the quaternion [${x}, ${y}, ${z}, ${w}], which is no rotation.`, {
    path: pathOf(object),
    remedy: 'Give it finite numbers that are not all zero.',
  });
}

/** Where the origin of a refreshed object stands in its parent: its position, but for a pivot. */
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

/** Rotation times scale of an object against its parent, row by row, with a scale of 0 taken for 1. */
export function shownLinear(object: Object3D): number[] {
  refresh(object);
  const { x, y, z } = object.scale;
  const turn = quat.toMatrix(localRotation(object, [0, 0, 0, 1]));
  const shown = (scale: number) => (scale === 0 ? 1 : scale);
  return mat3.multiply(turn, [shown(x), 0, 0, 0, shown(y), 0, 0, 0, shown(z)]);
}

/**
 * Requires that what stands below a matrix can be placed by its inverse.
 *
 * @param object - Whose matrix it is; the object at fault is this one or one above it.
 * @throws FigureError `singular`, naming the object that is scaled by 0.
 */
export function requireInverse(m: Numbers, object: Object3D | null): void {
  try {
    mat3.inverse(m, rotation);
    return;
  } catch {
    // Said again with the name of the object.
  }
  let fault = object;
  while (fault !== null && fault.scale.x * fault.scale.y * fault.scale.z !== 0) fault = fault.parent;
  const path = pathOf(fault ?? object);
  if (fault === null) {
    throw new FigureError('singular', 'has a world matrix without an inverse.', {
      path,
      remedy: 'Look for NaN, and for scales out of all proportion, in it and in the objects above it.',
    });
  }
  throw new FigureError('singular', 'is scaled by 0, so nothing below it has a place.', {
    path,
    remedy: 'Leave out the update while it is so, or hide it by `visible = false` or by a small scale.',
  });
}

/** Turns and places an object in its parent; its scale stays. Of q and -q it takes the one nearer to what it had. */
export function place(object: Object3D, q: Numbers, position: Numbers): void {
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
