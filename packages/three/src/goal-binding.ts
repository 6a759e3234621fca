/** Goals of the scene as goals of the figure: what is an object there becomes a bone or numbers here, anew for each solve. */
import { GoalError } from 'poise';
import { boneIndex, type Figure, type FigureState } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import type { Object3D } from 'three';
import type { FigureBinding } from './bind-figure.js';
import { nearestQuaternion } from './nearest-rotation.js';
import type {
  OrientationTarget,
  PlaneTarget,
  PointTarget,
  SceneBone,
  SceneGoal,
  Xyz,
} from './scene-goals.js';
import { slerp } from './slerp.js';

/** What kind of place in the world the target of a goal is. */
type WorldTarget = 'point' | 'orientation' | 'plane';

const WORLD_TARGETS: { readonly [Type in Goal['type']]?: WorldTarget } = {
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

/** Goals that can be applied in part. */
const BLENDS: ReadonlySet<string> = /* @__PURE__ */ new Set(['position', 'orientation', 'points-at']);

/** Fields of a goal that are read at each solve, and numbers. */
const LIVE_FIELDS = ['weight', 'value', 'distance', 'clearance'] as const;

/** Fields of a goal that are bones. */
const BONE_FIELDS = ['bone', 'middle', 'start', 'of', 'bones', 'chain'] as const;

/** A goal of the scene and the goal of the figure that it becomes. */
export interface BoundGoal {
  readonly scene: SceneGoal;
  /** What the solver gets: its target is rewritten before each solve. */
  readonly goal: Goal;
  /** Numbers of the target in the figure's world, as the scene has it now: by value, one array for each of `numbers`. */
  readonly wanted: readonly Float64Array[];
  /** The arrays of `goal` that the solver reads. */
  readonly numbers: readonly Float64Array[];
  /** Values of the live fields, 0 where the goal has none. */
  readonly live: Float64Array;
  /** How much of it is applied, 0 to 1. */
  blend: number;
}

/**
 * Binds a goal, and reads its target once.
 *
 * @param state - Forward kinematics of the figure as the objects stand: what hangs on a bone is found there.
 * @param pose - The same, as a pose: what a posture is drawn to unless it says otherwise.
 * @throws GoalError, FigureError naming the place.
 */
export function bindGoal(
  binding: FigureBinding,
  state: FigureState,
  pose: Float64Array,
  scene: SceneGoal,
  path: string,
): BoundGoal {
  if (typeof scene !== 'object' || scene === null) {
    throw new GoalError('unsupported', `is ${scene}.`, { path, remedy: 'Give { type, bone, target }.' });
  }
  const { blend: _, ...rest } = scene;
  const fields: Record<string, unknown> = { ...rest };
  for (const key of BONE_FIELDS) {
    if (fields[key] !== undefined) fields[key] = bonesOf(binding, fields[key], `${path}.${key}`);
  }
  if (scene.type === 'posture' && scene.reference === undefined) fields.reference = pose.slice();
  const numbers: Float64Array[] = [];
  const kind = WORLD_TARGETS[scene.type];
  const target: unknown = 'target' in scene ? scene.target : undefined;
  const carried = carriedTarget(binding, state, kind, target, `${path}.target`);
  if (carried !== undefined) fields.target = carried;
  else if (kind !== undefined && target !== undefined) {
    if (kind === 'plane') {
      numbers.push(new Float64Array(3), new Float64Array(3));
      fields.target = { point: numbers[0], normal: numbers[1] };
    } else {
      numbers.push(new Float64Array(kind === 'orientation' ? 4 : 3));
      fields.target = numbers[0];
    }
  }
  if (scene.type === 'center-of-mass' && scene.support !== undefined) {
    const support = Array.from(scene.support, () => new Float64Array(3));
    numbers.push(...support);
    fields.support = support;
  }
  const bound: BoundGoal = {
    scene,
    // The fields of a scene goal of this type, with bones and targets as the figure has them.
    goal: fields as unknown as Goal,
    wanted: numbers.map((array) => array.slice()),
    numbers,
    live: new Float64Array(LIVE_FIELDS.length),
    blend: 1,
  };
  readGoal(binding, bound, path);
  setTarget(bound);
  return bound;
}

/** Gives the solver the target as it is wanted. */
export function setTarget({ numbers, wanted }: BoundGoal): void {
  numbers.forEach((array, k) => {
    array.set(wanted[k]);
  });
}

/** Reads the target and the live fields of a goal from the scene into `wanted` and `goal`. @throws GoalError */
export function readGoal(binding: FigureBinding, bound: BoundGoal, path: string): void {
  const { scene, goal, wanted, live } = bound;
  LIVE_FIELDS.forEach((key, k) => {
    const value = (scene as Partial<Record<typeof key, number>>)[key];
    if (value === undefined) return;
    (goal as Partial<Record<typeof key, number>>)[key] = value;
    live[k] = value;
  });
  bound.blend = readBlend(bound, `${path}.blend`);
  if (wanted.length === 0) return;
  let next = 0;
  const kind = WORLD_TARGETS[scene.type];
  if ('target' in scene && scene.target !== undefined) {
    const { target } = scene;
    const place = `${path}.target`;
    if (kind === 'plane') {
      readPlane(binding, target as PlaneTarget, wanted[0], wanted[1], place);
      next = 2;
    } else if (kind === 'orientation') {
      readOrientation(binding, target as OrientationTarget, wanted[0], place);
      next = 1;
    } else {
      readPoint(binding, target as PointTarget, wanted[0], place);
      next = 1;
    }
  }
  if (scene.type === 'center-of-mass' && scene.support !== undefined) {
    for (let n = next; n < wanted.length; n++) {
      readPoint(binding, scene.support[n - next], wanted[n], `${path}.support[${n - next}]`);
    }
  }
}

function readBlend({ scene, numbers }: BoundGoal, path: string): number {
  const blend = share(scene.blend ?? 1, path);
  if (blend > 0 && blend < 1 && !(BLENDS.has(scene.type) && numbers.length > 0)) {
    throw new GoalError('unsupported', `is ${blend} on a ${scene.type} goal.`, {
      path,
      remedy: `Give 0 or 1, or a goal with a target in the world of type ${[...BLENDS].join(', ')}.`,
    });
  }
  return blend;
}

/** A share from 0 to 1, by whatever amount it was overshot. @throws GoalError for NaN. */
export function share(value: number, path: string): number {
  if (value >= 0) return Math.min(1, value);
  if (value < 0) return 0;
  throw new GoalError('out-of-range', `is ${value}.`, { path, remedy: 'Give a number from 0 to 1.' });
}

const place: number[] = [0, 0, 0];
const turn: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];

/**
 * Sets the target that the solver gets to the share `blend` of the way from where the bone is in `state` to where it is wanted: along
 * the line for a point, along the shortest turn for an orientation or a direction.
 */
export function blendTarget(
  figure: Figure,
  state: FigureState,
  { goal, wanted, numbers, blend }: BoundGoal,
): void {
  const [target] = numbers;
  target.set(wanted[0]);
  if (blend === 1) return;
  if (goal.type !== 'position' && goal.type !== 'orientation' && goal.type !== 'points-at') return;
  const o = 12 * boneIndex(figure, goal.bone);
  const frame = state.worldFromBone.subarray(o, o + 12);
  if (goal.type === 'position') {
    rigid.transformPoint(frame, goal.point ?? ZERO, place);
    vec3.lerp(place, wanted[0], blend, target);
  } else if (goal.type === 'orientation') {
    rigid.toQuat(frame, turn);
    if (goal.offset !== undefined) quat.multiply(turn, quat.normalize(goal.offset), turn);
    slerp(turn, quat.normalize(wanted[0]), blend, target);
  } else {
    rigid.transformPoint(frame, goal.origin ?? ZERO, place);
    vec3.subtract(wanted[0], place, target);
    const distance = vec3.norm(target);
    if (distance === 0) return;
    rigid.transformVector(frame, goal.axis, vector);
    const [x, y, z] = vec3.normalize(vector);
    // The least turn from the axis to the target, in part: q = [axis x target, |.||.| + axis . target].
    const [cx, cy, cz] = vec3.cross([x, y, z], target);
    const w = distance + x * target[0] + y * target[1] + z * target[2];
    quat.set(cx, cy, cz, w, turn);
    if (!(quat.norm(turn) > 1e-12 * distance)) return;
    slerp(IDENTITY, quat.normalize(turn), blend, turn);
    quat.rotate(turn, [distance * x, distance * y, distance * z], target);
    vec3.add(target, place, target);
  }
}

const ZERO: readonly number[] = [0, 0, 0];
const IDENTITY: readonly number[] = [0, 0, 0, 1];

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
 * A target on the figure itself: a bone that the goal names, or an object that hangs below one. It stays where it is on the bone.
 */
function carriedTarget(
  binding: FigureBinding,
  state: FigureState,
  kind: WorldTarget | undefined,
  target: unknown,
  path: string,
): object | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if (!isObject3D(target)) {
    if (!('bone' in target) || target.bone === undefined) return undefined;
    return { ...target, bone: boneOf(binding, target.bone as SceneBone, `${path}.bone`) };
  }
  if (kind === undefined) return undefined;
  let above: Object3D | null = target;
  while (above !== null && !binding.objects.includes(above)) above = above.parent;
  if (above === null) return undefined;
  const bone = binding.objects.indexOf(above);
  const boneFromFigure = rigid.inverse(state.worldFromBone.subarray(12 * bone, 12 * bone + 12));
  if (kind === 'orientation') {
    const wanted = readOrientation(binding, target, new Float64Array(4), path);
    return { bone, offset: Array.from(quat.multiply(rigid.toQuat(boneFromFigure), wanted)) };
  }
  if (kind === 'plane') {
    const normal = new Float64Array(3);
    const point = readPlane(binding, target, new Float64Array(3), normal, path);
    return {
      bone,
      point: rigid.transformPoint(boneFromFigure, point),
      normal: rigid.transformVector(boneFromFigure, normal),
    };
  }
  return {
    bone,
    point: rigid.transformPoint(boneFromFigure, readPoint(binding, target, new Float64Array(3), path)),
  };
}

function readPoint(
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

function readOrientation(
  binding: FigureBinding,
  target: OrientationTarget,
  out: Float64Array,
  path: string,
): Float64Array {
  if (isObject3D(target)) {
    const e = objectMatrix(target);
    const [x, y, z, w] = nearestQuaternion([e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10]], turn);
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

function readPlane(
  binding: FigureBinding,
  target: PlaneTarget,
  point: Float64Array,
  normal: Float64Array,
  path: string,
): Float64Array {
  if (isObject3D(target)) {
    const e = objectMatrix(target);
    // A normal goes by the inverse transpose: the cross product of the images of x and y.
    const [x, y, z] = vec3.cross([e[0], e[1], e[2]], [e[4], e[5], e[6]]);
    binding.normalFromWorld({ x, y, z }, normal);
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
      const share = -target.constant / (x * x + y * y + z * z);
      return binding.pointFromWorld({ x: share * x, y: share * y, z: share * z }, point);
    }
  }
  throw new GoalError('wrong-size', `is ${describe(target)}.`, {
    path,
    remedy:
      'Give an object, a Plane, or { point, normal } in the scene; add the bone that carries it, if one does.',
  });
}

function objectMatrix(object: Object3D): readonly number[] {
  object.updateWorldMatrix(true, false);
  return object.matrixWorld.elements;
}

function isObject3D(value: unknown): value is Object3D {
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
  return typeof value === 'object' && value !== null ? 'an object that is no place' : String(value);
}
