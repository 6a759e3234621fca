/** Goals of the scene with bones and carried targets as the figure has them: all that a solver is made for. */
import { GoalError } from 'poise';
import { boneIndex } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { quat, rigid } from 'poise/math';
import type { Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { nearestQuaternion } from '../binding/nearest-rotation.js';
import { checkFields } from '../binding/validate-options.js';
import { isObject3D, planeNormal } from './read-targets.js';
import type { SceneBone, SceneGoal } from './scene-goals.js';

/** What kind of place in the world the target of a goal is. */
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

/** Fields of a goal that are read at each solve, and numbers. */
export const LIVE_FIELDS = ['weight', 'value', 'distance', 'clearance'] as const;

/** Fields of a goal that are bones. */
const BONE_FIELDS = ['bone', 'middle', 'start', 'of', 'bones', 'chain'] as const;

/**
 * A goal with bones and targets of the figure, but for what is read at each solve: a target in the world is the word for its kind
 * here, a support the number of its points.
 */
export type GoalDraft = Readonly<Record<string, unknown>>;

/** @throws GoalError, FigureError naming the place. */
export function draftOf(binding: FigureBinding, scene: SceneGoal, path: string): GoalDraft {
  if (typeof scene !== 'object' || scene === null) {
    throw new GoalError('unsupported', `is ${scene}.`, { path, remedy: 'Give { type, bone, target }.' });
  }
  const draft: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(scene)) {
    if (value === undefined || key === 'blend' || key === 'target') continue;
    draft[key] = isReadAtSolve(scene, key, value) ? lengthOf(value) : copyPlain(value);
  }
  for (const key of BONE_FIELDS) {
    if (draft[key] !== undefined) draft[key] = bonesOf(binding, draft[key], `${path}.${key}`);
  }
  const { target } = scene as { readonly target?: unknown };
  if (target !== undefined) {
    const kind = WORLD_TARGETS[scene.type];
    draft.target = carriedTarget(binding, kind, target, `${path}.target`) ?? kind ?? target;
  }
  return draft;
}

/**
 * All of a goal that a solver is made for, as it was seen: copies of its fields but for those that are read at each solve, and where its
 * target hangs on the figure.
 */
export interface GoalSeen {
  readonly fields: Readonly<Record<string, unknown>>;
  /** How many fields there were. */
  readonly count: number;
  /** Bone that an object given as target hangs below, -1 for none, and its place there. */
  readonly carrier: number;
  readonly place: Float64Array | undefined;
}

export function seeGoal(binding: FigureBinding, scene: SceneGoal): GoalSeen {
  const fields: Record<string, unknown> = {};
  let count = 0;
  for (const [key, value] of Object.entries(scene)) {
    if (value === undefined || key === 'blend') continue;
    count++;
    fields[key] = isReadAtSolve(scene, key, value) ? lengthOf(value) : copyPlain(value);
  }
  const { target } = scene as { readonly target?: unknown };
  const carrier = carrierOf(binding, target);
  const place = carrier < 0 ? undefined : placeBelow(binding, carrier, scene, target as Object3D);
  return { fields, count, carrier, place };
}

/** Whether a goal still is as it was seen, to the bit: the question of each update, with nothing looked up by name. */
export function isAsSeen(binding: FigureBinding, scene: SceneGoal, seen: GoalSeen): boolean {
  let count = 0;
  const fields = scene as unknown as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) {
    const value = fields[key];
    if (value === undefined || key === 'blend') continue;
    count++;
    if (!Object.hasOwn(seen.fields, key)) return false;
    const now = isReadAtSolve(scene, key, value) ? lengthOf(value) : value;
    if (!isSamePlain(now, seen.fields[key])) return false;
  }
  if (count !== seen.count || carrierOf(binding, fields.target) !== seen.carrier) return false;
  if (seen.carrier < 0) return true;
  const place = placeBelow(binding, seen.carrier, scene, fields.target as Object3D);
  return place.every((value, k) => Object.is(value, seen.place?.[k]));
}

/** Whether a field is read at each solve: numbers that are live, targets in the world, points of a support. */
function isReadAtSolve({ type }: SceneGoal, key: string, value: unknown): boolean {
  if ((LIVE_FIELDS as readonly string[]).includes(key)) return true;
  if (key === 'support') return type === 'center-of-mass';
  return (
    key === 'target' && WORLD_TARGETS[type] !== undefined && (isObject3D(value) || !isCarriedRecord(value))
  );
}

/** What is seen of such a field: how many points a support has. */
function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : -1;
}

/** Whether a value is what its copy was made of, number by number. */
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

/** @throws GoalError `unknown-name` for a field that a goal of this type has not. */
export function checkGoalFields(scene: SceneGoal, path: string): void {
  // By name: a union of the fields of all types would have the compiler compare all that three's objects are, for seconds.
  const fieldsOf: Readonly<Record<string, object>> = GOAL_FIELDS;
  const known = Object.hasOwn(fieldsOf, scene.type) ? fieldsOf[scene.type] : undefined;
  // Of a type that there is not, the solver itself says so.
  if (known === undefined) return;
  const check = (value: unknown, fields: object, place: string): void => {
    if (isPlain(value) && !Array.isArray(value)) checkFields(value, fields, place, GoalError);
  };
  check(scene, known, path);
  const { up, chain, target } = scene as { up?: unknown; chain?: unknown; target?: unknown };
  if (scene.type !== 'center-of-mass') check(up, { axis: true, direction: true }, `${path}.up`);
  if (Array.isArray(chain)) {
    chain.forEach((link, n) => {
      check(link, { bone: true, share: true }, `${path}.chain[${n}]`);
    });
  }
  if (!isPlain(target) || !('bone' in target)) return;
  const point = { bone: true, point: true };
  const kind = WORLD_TARGETS[scene.type];
  if (kind === 'orientation') check(target, { bone: true, offset: true }, `${path}.target`);
  else if (kind === 'plane') check(target, { ...point, normal: true }, `${path}.target`);
  else check(target, kind === undefined ? { ...point, offset: true } : point, `${path}.target`);
}

type FieldsOf<Type extends Goal['type']> = Record<keyof SceneGoal<Type>, true>;

const COMMON = { type: true, weight: true, priority: true, blend: true } as const;
const ON_BONE = { ...COMMON, bone: true, tolerance: true, target: true } as const;

/** The fields of each type of goal; the compiler holds them to the types themselves. */
const GOAL_FIELDS: { readonly [Type in Goal['type']]: FieldsOf<Type> } = {
  position: { ...ON_BONE, point: true, mask: true },
  orientation: { ...ON_BONE, offset: true, mask: true },
  'points-at': { ...ON_BONE, axis: true, origin: true, up: true },
  'look-at': { ...ON_BONE, axis: true, origin: true, up: true, chain: true },
  pole: { ...ON_BONE, middle: true, start: true },
  distance: { ...ON_BONE, point: true, distance: true },
  plane: { ...ON_BONE, point: true },
  'half-space': { ...ON_BONE, point: true, clearance: true },
  'relative-pose': {
    ...ON_BONE,
    point: true,
    offset: true,
    positionMask: true,
    orientationMask: true,
    angleTolerance: true,
  },
  'center-of-mass': { ...COMMON, target: true, mask: true, support: true, up: true, tolerance: true },
  posture: { ...COMMON, bones: true, stiffness: true, reference: true },
  'joint-value': { ...COMMON, bone: true, coordinate: true, value: true, tolerance: true },
  mirror: { ...COMMON, bone: true, of: true, plane: true, points: true, tolerance: true },
};

/** Bones of a field, one or several or with shares, as indices. */
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
 * A target on the figure itself: a bone that the goal names, or an object that hangs below one, as a place of that bone. Found from the
 * local transforms between the two, so that it is the same to the bit until one of them changes.
 */
function carriedTarget(
  binding: FigureBinding,
  kind: WorldTarget | undefined,
  target: unknown,
  path: string,
): object | undefined {
  if (!isObject3D(target)) {
    if (!isCarriedRecord(target)) return undefined;
    const { bone, ...place } = target;
    return { ...(copyPlain(place) as object), bone: boneOf(binding, bone as SceneBone, `${path}.bone`) };
  }
  const bone = carrierOf(binding, target);
  if (kind === undefined || bone < 0) return undefined;
  const place = binding.boneFromBelow(bone, target, kind !== 'point');
  const point = rigid.toPosition(place);
  if (kind === 'orientation') return { bone, offset: quat.normalize(nearestQuaternion(place)) };
  return kind === 'plane' ? { bone, point, normal: planeNormal(place) } : { bone, point };
}

/** The bone that an object hangs below, or is the object of; -1 for none, and for what is no object. */
function carrierOf(binding: FigureBinding, target: unknown): number {
  if (!isObject3D(target)) return -1;
  for (let above: Object3D | null = target; above !== null; above = above.parent) {
    const bone = binding.boneOfObject(above);
    if (bone >= 0) return bone;
  }
  return -1;
}

function placeBelow(
  binding: FigureBinding,
  bone: number,
  { type }: SceneGoal,
  target: Object3D,
): Float64Array {
  return binding.boneFromBelow(bone, target, WORLD_TARGETS[type] !== 'point');
}

function isCarriedRecord(value: unknown): value is Record<string, unknown> {
  return isPlain(value) && value.bone !== undefined;
}

/** Copies of arrays and plain objects, all the way down; what has a class stands for itself. */
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
