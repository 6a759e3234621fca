import {
  type FieldsOf,
  requireFinite,
  requireNotNegative,
  requireNumbers,
  requirePositive,
  requireSize,
} from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import { type AxisMask, type BonePoint, type BoneRef, isCarried, type Plane, type UpAxis } from './goal.js';

/** Default tolerance of distances (m) and angles (rad). */
export const DEFAULT_TOLERANCE = 1e-4;

/** Largest entry of a target; beyond it squared residuals overflow. */
const MAX_COORDINATE = 1e100;

/** Fields of a target on a bone, of a plane and of an up axis. */
export const BONE_POINT: FieldsOf<BonePoint> = { bone: true, point: true };
export const PLANE: FieldsOf<Plane> = { point: true, normal: true, bone: true };
export const UP_AXIS: FieldsOf<UpAxis> = { axis: true, direction: true };

/** The goal's tolerance, or the default; infinite for a soft goal. @throws GoalError */
export function toleranceOf(
  given: number | undefined,
  path: string,
  fallback = DEFAULT_TOLERANCE,
  name = 'tolerance',
): number {
  const tolerance = given ?? fallback;
  if (tolerance !== Number.POSITIVE_INFINITY) requirePositive(tolerance, `${path}.${name}`, GoalError);
  return tolerance;
}

/** @throws GoalError unless `value` is finite, zero or more, and its square finite. */
export function requireMagnitude(value: number, path: string): void {
  requireNotNegative(value, path, GoalError);
  requireSquare(value, path);
}

/** @throws GoalError unless `value` and its square are finite. */
export function requireCoordinate(value: number, path: string): void {
  requireFinite(value, path, GoalError);
  requireSquare(value, path);
}

/** @throws GoalError unless `numbers` are `size` numbers, finite with their squares. */
export function requireVector(numbers: Numbers, size: number, path: string): void {
  requireNumbers(numbers, size, path, GoalError);
  for (let k = 0; k < size; k++)
    if (!(Math.abs(numbers[k]) <= MAX_COORDINATE)) requireSquare(numbers[k], `${path}[${k}]`);
}

function requireSquare(value: number, path: string): void {
  if (Math.abs(value) <= MAX_COORDINATE) return;
  throw new GoalError('out-of-range', `is ${value}, and its square overflows.`, {
    path,
    remedy: `Give a number of at most ${MAX_COORDINATE}; lengths are in metres.`,
  });
}

/** Checks that a vector is not zero. */
export function requireDirection(numbers: Numbers, size: number, path: string): void {
  requireVector(numbers, size, path);
  for (let k = 0; k < size; k++) if (numbers[k] !== 0) return;
  throw new GoalError('not-unit', 'is zero.', { path, remedy: 'Give a vector that has a direction.' });
}

/** A copy of an optional vector, checked. */
export function copyVector<T extends Numbers | undefined>(numbers: T, path: string): T {
  if (numbers === undefined) return numbers;
  requireVector(numbers, 3, path);
  return Array.from(numbers) as Numbers as T;
}

/** A copy of a vector of unit length. */
export function unitVector(numbers: Vec3, path: string): Vec3 {
  requireDirection(numbers, 3, path);
  const length = Math.hypot(numbers[0], numbers[1], numbers[2]);
  return [numbers[0] / length, numbers[1] / length, numbers[2] / length];
}

/** A copy of an optional quaternion, of unit length. */
export function copyQuat<T extends Numbers | undefined>(numbers: T, path: string): T {
  if (numbers === undefined) return numbers;
  requireDirection(numbers, 4, path);
  return Array.from(numbers) as Numbers as T;
}

/** A copy of a mask, undefined if all ones. @throws GoalError for a mask of zeros or out of [0, 1]. */
export function normalizeMask(mask: AxisMask | undefined, path: string): AxisMask | undefined {
  if (mask === undefined) return undefined;
  requireVector(mask, 3, path);
  if (mask.some((x) => x < 0 || x > 1)) {
    throw new GoalError('out-of-range', `is [${mask}].`, { path, remedy: 'Give three numbers from 0 to 1.' });
  }
  if (mask.every((x) => x === 0)) {
    throw new GoalError('out-of-range', 'leaves no axis.', {
      path,
      remedy: 'Leave one axis on, or switch the goal off with weight 0.',
    });
  }
  return mask.every((x) => x === 1) ? undefined : [mask[0], mask[1], mask[2]];
}

/** A target: the caller's own array in the world, read at each solve, or a copied point of a bone. */
export interface ResolvedTarget {
  readonly target: Vec3 | BonePoint;
  /** -1 for the world. */
  readonly targetBone: number;
}

export function resolveTarget(figure: Figure, target: Vec3 | BonePoint, path: string): ResolvedTarget {
  requireTarget(target, path, 3);
  if (!isCarried(target)) return { target, targetBone: -1 };
  const targetBone = boneIndex(figure, target.bone, `${path}.bone`);
  return { target: { bone: targetBone, ...copyAs('point', target.point, path) }, targetBone };
}

/** A plane: the caller's own arrays in the world, copies on a bone. */
export function resolvePlane(
  figure: Figure,
  plane: Plane,
  path: string,
): { readonly plane: Plane; readonly targetBone: number } {
  requireTarget(plane, path);
  checkPlane(plane, path);
  if (!isCarried(plane)) return { plane, targetBone: -1 };
  const targetBone = boneIndex(figure, plane.bone as BoneRef, `${path}.bone`);
  const { point, normal } = plane;
  return { plane: { bone: targetBone, point: Array.from(point), normal: Array.from(normal) }, targetBone };
}

export function checkPlane({ point, normal }: Plane, path: string): void {
  requireVector(point, 3, `${path}.point`);
  requireDirection(normal, 3, `${path}.normal`);
}

/** `{ [name]: copy }` of an optional vector, or `{}`. */
export function copyAs<K extends string>(
  name: K,
  numbers: Vec3 | undefined,
  path: string,
): { [P in K]?: Vec3 } {
  const copy = copyVector(numbers, `${path}.${name}`);
  return (copy === undefined ? {} : { [name]: copy }) as { [P in K]?: Vec3 };
}

/** Checks that a target is given: on a bone or, where `size` is given, an array of so many numbers, which each solve reads. */
export function requireTarget(target: unknown, path: string, size?: number): void {
  const remedy = 'Give numbers in the world, or { bone }.';
  if (typeof target !== 'object' || target === null) {
    throw new GoalError('wrong-size', `is ${target}.`, { path, remedy });
  }
  if (size !== undefined && !isCarried(target)) requireSize(target, size, path, GoalError, remedy);
}

/** Checks a world point, which the caller may have changed; points of bones are copies. */
export function checkWorldPoint(target: Vec3 | BonePoint, path: string): void {
  if (!isCarried(target)) requireVector(target, 3, path);
}
