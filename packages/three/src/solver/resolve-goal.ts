/** Resolves bones and targets on bones of a scene's goals, and detects changes that need a new solver. */
import { GoalError } from 'poise';
import { boneIndex } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { quat, rigid } from 'poise/math';
import type { Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { nearestQuaternion } from '../binding/nearest-rotation.js';
import { isObject3D, planeNormal } from './read-targets.js';
import type { SceneBone, SceneGoal } from './scene-goals.js';

/** Kind of a goal's target in the world. */
type WorldTarget = 'point' | 'orientation' | 'plane';

export const WORLD_TARGETS: { readonly [Type in Goal['type']]?: WorldTarget } = {
  position: 'point',
  orientation: 'orientation',
  'points-at': 'point',
  'look-at': 'point',
  pole: 'point',
  distance: 'point',
  plane: 'plane',
  'half-space': 'plane',
  'center-of-mass': 'point',
};

/** Numeric fields of a goal that are read at each solve. */
export const LIVE_FIELDS = ['weight', 'value', 'distance', 'clearance'] as const;

/** Fields of a goal that hold bones. */
const BONE_FIELDS = ['bone', 'middle', 'start', 'of', 'bones', 'chain'] as const;

/**
 * A goal with bones and targets of the figure. Fields that are read at each solve have placeholders: a target in the world is
 * its kind, a support the number of its points.
 */
export type ResolvedGoal = Readonly<Record<string, unknown>>;

/** @throws GoalError, FigureError with the path of the field. */
export function resolveGoal(binding: FigureBinding, scene: SceneGoal, path: string): ResolvedGoal {
  if (typeof scene !== 'object' || scene === null) {
    throw new GoalError('unsupported', `is ${scene}.`, { path, remedy: 'Give { type, bone, target }.' });
  }
  const resolved: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(scene)) {
    if (value === undefined || key === 'blend' || key === 'target') continue;
    resolved[key] = isReadAtSolve(scene, key, value) ? lengthOf(value) : copyPlain(value);
  }
  for (const key of BONE_FIELDS) {
    if (resolved[key] !== undefined) resolved[key] = bonesOf(binding, resolved[key], `${path}.${key}`);
  }
  const { target } = scene as { readonly target?: unknown };
  if (target !== undefined) {
    const kind = WORLD_TARGETS[scene.type];
    resolved.target = boneTarget(binding, kind, target, `${path}.target`) ?? kind ?? target;
  }
  return resolved;
}

/**
 * The fields of a goal that a solver depends on: copies of all but those that are read at each solve, and the transform of a
 * target on the figure.
 */
export interface GoalSnapshot {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Number of fields. */
  readonly count: number;
  /** Bone of the nearest ancestor of a target object, -1 for none, and the object's transform in that bone's frame. */
  readonly carrier: number;
  readonly transform: Float64Array | undefined;
}

export function snapshotGoal(binding: FigureBinding, scene: SceneGoal): GoalSnapshot {
  const fields: Record<string, unknown> = {};
  let count = 0;
  for (const [key, value] of Object.entries(scene)) {
    if (value === undefined || key === 'blend') continue;
    count++;
    fields[key] = isReadAtSolve(scene, key, value) ? lengthOf(value) : copyPlain(value);
  }
  const { target } = scene as { readonly target?: unknown };
  const carrier = carrierOf(binding, target);
  const transform = carrier < 0 ? undefined : boneFromTarget(binding, carrier, scene, target as Object3D);
  return { fields, count, carrier, transform };
}

/** Whether a goal equals its snapshot bit for bit. Called at each update, so it looks up no names. */
export function isUnchanged(binding: FigureBinding, scene: SceneGoal, snapshot: GoalSnapshot): boolean {
  let count = 0;
  const fields = scene as unknown as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value === undefined || key === 'blend') continue;
    count++;
    if (!Object.hasOwn(snapshot.fields, key)) return false;
    const now = isReadAtSolve(scene, key, value) ? lengthOf(value) : value;
    if (!isSamePlain(now, snapshot.fields[key])) return false;
  }
  if (count !== snapshot.count || carrierOf(binding, fields.target) !== snapshot.carrier) return false;
  if (snapshot.carrier < 0) return true;
  const transform = boneFromTarget(binding, snapshot.carrier, scene, fields.target as Object3D);
  return transform.every((value, k) => Object.is(value, snapshot.transform?.[k]));
}

/** Whether a field is read at each solve: live numbers, targets in the world, points of a support. */
function isReadAtSolve({ type }: SceneGoal, key: string, value: unknown): boolean {
  if ((LIVE_FIELDS as readonly string[]).includes(key)) return true;
  if (key === 'support') return type === 'center-of-mass';
  return key === 'target' && WORLD_TARGETS[type] !== undefined && (isObject3D(value) || !isBoneTarget(value));
}

/** Placeholder of such a field: the number of points of a support. */
function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : -1;
}

/** Deep equality of a value and its copy, number by number. */
function isSamePlain(value: unknown, copy: unknown): boolean {
  if (Object.is(value, copy)) return true;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as readonly unknown[];
    if (!Array.isArray(copy) || copy.length !== list.length) return false;
    for (let k = 0; k < copy.length; k++) if (!isSamePlain(list[k], copy[k])) return false;
    return true;
  }
  if (!isPlain(value) || !isPlain(copy)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(copy).length) return false;
  return keys.every((key) => Object.hasOwn(copy, key) && isSamePlain(value[key], copy[key]));
}

/** Bones of a field, one or several or with weights, as indices. */
function bonesOf(binding: FigureBinding, value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((one, n) => bonesOf(binding, one, `${path}[${n}]`));
  if (typeof value === 'object' && value !== null && 'bone' in value) {
    return { ...value, bone: bonesOf(binding, value.bone, `${path}.bone`) };
  }
  return boneOf(binding, value as SceneBone, path);
}

/**
 * Index of a bone from its name, its index, its object or its object's name.
 *
 * @throws FigureError `unknown-name`, with the nearest name.
 */
export function boneOf(binding: FigureBinding, bone: SceneBone, path: string): number {
  const { figure, objects } = binding;
  if (isObject3D(bone)) {
    const index = objects.indexOf(bone);
    if (index >= 0) return index;
    throw new GoalError('unknown-name', `'${bone.name}' is the object of no bone of ${figure.name}.`, {
      path,
      remedy: 'Give an object that the figure is bound to, or the name of a bone.',
    });
  }
  if (typeof bone === 'string' && !figure.bones.some(({ name }) => name === bone)) {
    const index = objects.findIndex((object) => object?.name === bone);
    if (index >= 0) return index;
  }
  return boneIndex(figure, bone, path);
}

/**
 * A target on the figure itself: a named bone, or an object below a bone, in that bone's frame. Computed from the local
 * transforms between the two, so that it stays the same bit for bit until one of them changes.
 */
function boneTarget(
  binding: FigureBinding,
  kind: WorldTarget | undefined,
  target: unknown,
  path: string,
): object | undefined {
  if (!isObject3D(target)) {
    if (!isBoneTarget(target)) return undefined;
    const { bone, ...rest } = target;
    return { ...(copyPlain(rest) as object), bone: boneOf(binding, bone as SceneBone, `${path}.bone`) };
  }
  const bone = carrierOf(binding, target);
  if (kind === undefined || bone < 0) return undefined;
  const transform = binding.boneFromObject(bone, target, kind !== 'point');
  const point = rigid.toPosition(transform);
  if (kind === 'orientation') return { bone, offset: quat.normalize(nearestQuaternion(transform)) };
  return kind === 'plane' ? { bone, point, normal: planeNormal(transform) } : { bone, point };
}

/** The bone of an object or of its nearest ancestor that has one; -1 for none, and for other values. */
function carrierOf(binding: FigureBinding, target: unknown): number {
  if (!isObject3D(target)) return -1;
  for (let above: Object3D | null = target; above !== null; above = above.parent) {
    const bone = binding.boneOfObject(above);
    if (bone >= 0) return bone;
  }
  return -1;
}

function boneFromTarget(
  binding: FigureBinding,
  bone: number,
  { type }: SceneGoal,
  target: Object3D,
): Float64Array {
  return binding.boneFromObject(bone, target, WORLD_TARGETS[type] !== 'point');
}

function isBoneTarget(value: unknown): value is Record<string, unknown> {
  return isPlain(value) && value.bone !== undefined;
}

/** Deep copy of arrays and plain objects; instances of classes are kept by reference. */
function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyPlain(entry)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
