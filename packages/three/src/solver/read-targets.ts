/** Converts targets of a scene (objects, vectors, planes) to the figure's world. */
import { GoalError } from 'poise';
import { mat3, type Numbers, vec3 } from 'poise/math';
import type { Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { linearWithoutZeroScale, pathOf } from '../binding/local-transform.js';
import { nearestQuaternion } from '../binding/nearest-rotation.js';
import type { OrientationTarget, PlaneTarget, PointTarget, Xyz } from './scene-goals.js';

const rotation: number[] = [0, 0, 0, 1];

/** Writes a point of the scene's world in the figure's. @throws GoalError */
export function readPoint(
  binding: FigureBinding,
  target: PointTarget,
  out: Float64Array,
  path: string,
): Float64Array {
  if (isObject3D(target)) {
    target.updateWorldMatrix(true, false);
    const e = target.matrixWorld.elements;
    return binding.pointFromWorld({ x: e[12], y: e[13], z: e[14] }, out);
  }
  if (isList(target)) {
    if (target.length === 3) return binding.pointFromWorld({ x: target[0], y: target[1], z: target[2] }, out);
  } else if (typeof target === 'object' && target !== null) {
    const point: unknown = 'position' in target ? target.position : target;
    if (isXyz(point)) return binding.pointFromWorld(point, out);
  }
  throw new GoalError('wrong-size', `is ${describe(target)}.`, {
    path,
    remedy: 'Give an object, a Vector3, { position } or [x, y, z] in the scene, or { bone }.',
  });
}

/** Writes an orientation in the scene's world, in the figure's. @throws GoalError */
export function readOrientation(
  binding: FigureBinding,
  target: OrientationTarget,
  out: Float64Array,
  path: string,
): Float64Array {
  if (isObject3D(target)) {
    const [x, y, z, w] = nearestQuaternion(worldLinear(target, path), rotation);
    return binding.orientationFromWorld({ x, y, z, w }, out);
  }
  if (isList(target)) {
    const [x, y, z, w] = Array.from(target);
    if (target.length === 4) return binding.orientationFromWorld({ x, y, z, w }, out);
  } else if (typeof target === 'object' && target !== null) {
    const q: unknown = 'quaternion' in target ? target.quaternion : target;
    if (isXyz(q) && 'w' in q && typeof q.w === 'number') {
      return binding.orientationFromWorld({ x: q.x, y: q.y, z: q.z, w: q.w }, out);
    }
  }
  throw new GoalError('wrong-size', `is ${describe(target)}.`, {
    path,
    remedy: 'Give an object, a Quaternion, { quaternion } or [x, y, z, w] in the scene, or { bone }.',
  });
}

/** Writes a plane of the scene's world in the figure's: a point and a unit normal. @throws GoalError @returns the point */
export function readPlane(
  binding: FigureBinding,
  target: PlaneTarget,
  point: Float64Array,
  normal: Float64Array,
  path: string,
): Float64Array {
  if (isObject3D(target)) {
    const [x, y, z] = planeNormal(worldLinear(target, path));
    binding.normalFromWorld({ x, y, z }, normal);
    const e = target.matrixWorld.elements;
    return binding.pointFromWorld({ x: e[12], y: e[13], z: e[14] }, point);
  }
  const { normal: n } = (target ?? {}) as { readonly normal?: Xyz | Numbers };
  const direction = n === undefined ? undefined : isList(n) ? { x: n[0], y: n[1], z: n[2] } : n;
  if (direction !== undefined && isXyz(direction)) {
    binding.normalFromWorld(direction, normal);
    if ('point' in target) return readPoint(binding, target.point, point, `${path}.point`);
    if ('constant' in target) {
      // n.x + constant = 0
      const { x, y, z } = direction;
      const scale = -target.constant / (x * x + y * y + z * z);
      return binding.pointFromWorld({ x: scale * x, y: scale * y, z: scale * z }, point);
    }
  }
  throw new GoalError('wrong-size', `is ${describe(target)}.`, {
    path,
    remedy:
      'Give an object, a Plane, or { point, normal } in the scene; add the bone that carries it, if ancestor does.',
  });
}

/**
 * Linear part of an object's world matrix, row by row. Scales of 0 (a common way to hide objects) are read as 1, so that the
 * object keeps its orientation.
 *
 * @throws GoalError `not-finite`
 */
function worldLinear(object: Object3D, path: string): number[] {
  object.updateWorldMatrix(true, false);
  const e = object.matrixWorld.elements;
  const m = [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10]];
  if (Math.abs(mat3.determinant(m)) > 0 && m.every(Number.isFinite)) return m;
  let product = mat3.identity();
  for (let ancestor: Object3D | null = object; ancestor !== null; ancestor = ancestor.parent) {
    product = mat3.multiply(linearWithoutZeroScale(ancestor), product);
  }
  if (product.every(Number.isFinite)) return product;
  throw new GoalError('not-finite', `${pathOf(object)} has a world matrix that is not finite.`, {
    path,
    remedy: 'Look for NaN in its position, quaternion and scale, and in those of the objects above it.',
  });
}

/** Normal of an object's x-y plane, any length: the cross product of the images of x and y (the inverse transpose's z). */
export function planeNormal(m: Numbers): number[] {
  return vec3.cross([m[0], m[3], m[6]], [m[1], m[4], m[7]]);
}

export function isObject3D(value: unknown): value is Object3D {
  return typeof value === 'object' && value !== null && 'isObject3D' in value && value.isObject3D === true;
}

function isList(value: unknown): value is Numbers {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function isXyz(value: unknown): value is Xyz {
  if (typeof value !== 'object' || value === null) return false;
  return 'x' in value && 'y' in value && 'z' in value && typeof value.x === 'number';
}

function describe(value: unknown): string {
  if (isList(value)) return `${value.length} numbers`;
  return typeof value === 'object' && value !== null ? 'an object without a position' : String(value);
}
