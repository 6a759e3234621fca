/** Converts goals of the scene to goals of the figure: objects become bones or numbers, read at each solve. */
import { GoalError } from 'poise';
import { boneIndex, type Figure, type FigureState } from 'poise/figure';
import type { Goal, GoalTypes } from 'poise/ik';
import { requireFields } from 'poise/internal/checks';
import { quat, rigid, vec3 } from 'poise/math';
import type { FigureBinding } from '../binding/bind-figure.js';
import { slerp } from '../binding/slerp.js';
import { readOrientation, readPlane, readPoint } from './read-targets.js';
import {
  type GoalSnapshot,
  isUnchanged,
  LIVE_FIELDS,
  resolveGoal,
  snapshotGoal,
  WORLD_TARGETS,
} from './resolve-goal.js';
import type { OrientationTarget, PlaneTarget, PointTarget, SceneGoal } from './scene-goals.js';

/** Fields of every goal of a scene. */
const COMMON = { type: true, weight: true, priority: true, blend: true };

/** Goal types with a blend between 0 and 1. */
const BLENDABLE_TYPES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'position',
  'orientation',
  'points-at',
]);

/** A goal of the scene and the corresponding goal of the figure. */
export interface BoundGoal {
  readonly scene: SceneGoal;
  /** Its fields when it was bound. */
  readonly snapshot: GoalSnapshot;
  /** Reference of a posture goal without `reference`. */
  readonly defaultReference: Float64Array;
  /** The solver's goal: its target is rewritten before each solve. */
  readonly goal: Goal;
  /** Numbers of the scene's current target in the figure's world, one array for each of `solverTargets`. */
  readonly targetValues: readonly Float64Array[];
  /** The arrays of `goal` that the solver reads. */
  readonly solverTargets: readonly Float64Array[];
  /** Values of the live fields, 0 where the goal has none. */
  readonly live: Float64Array;
  /** How much of the goal is applied, 0 to 1. */
  blend: number;
}

/**
 * Binds the current goals; unchanged ones keep their binding. A new goal, a target moved from the scene to a bone or back, an
 * object moved relative to its bone, or a changed mask is bound anew.
 *
 * @param currentPose - Reference of a new posture goal without `reference`.
 * @returns `before` itself if nothing has changed.
 * @throws GoalError, FigureError naming the goal.
 */
export function bindGoals(
  binding: FigureBinding,
  goals: readonly SceneGoal[],
  goalTypes: GoalTypes,
  before: readonly BoundGoal[],
  currentPose: Float64Array,
): readonly BoundGoal[] {
  if (!Array.isArray(goals)) {
    throw new GoalError('wrong-size', 'is not a list.', { path: 'goals', remedy: 'Give an array of goals.' });
  }
  let isSame = goals.length === before.length;
  const bound = goals.map((scene: SceneGoal, n) => {
    const old = before[n]?.scene === scene ? before[n] : before.find((one) => one.scene === scene);
    if (old !== undefined && isUnchanged(binding, scene, old.snapshot)) {
      isSame &&= old === before[n];
      return old;
    }
    isSame = false;
    const fields = goalTypes?.[scene?.type]?.fields;
    if (fields !== undefined) requireFields(scene, { ...COMMON, ...fields }, `goals[${n}]`, GoalError);
    return bindGoal(binding, scene, old?.defaultReference ?? currentPose.slice(), `goals[${n}]`);
  });
  return isSame ? before : bound;
}

/** Binds a goal, and reads its target once. */
function bindGoal(
  binding: FigureBinding,
  scene: SceneGoal,
  defaultReference: Float64Array,
  path: string,
): BoundGoal {
  const resolved = resolveGoal(binding, scene, path);
  const fields: Record<string, unknown> = { ...resolved };
  if (scene.type === 'posture' && fields.reference === undefined) fields.reference = defaultReference;
  const arrays: Float64Array[] = [];
  if (resolved.target === 'plane') {
    arrays.push(new Float64Array(3), new Float64Array(3));
    fields.target = { point: arrays[0], normal: arrays[1] };
  } else if (resolved.target === 'point' || resolved.target === 'orientation') {
    arrays.push(new Float64Array(resolved.target === 'orientation' ? 4 : 3));
    fields.target = arrays[0];
  }
  if (typeof resolved.support === 'number') {
    const support = Array.from({ length: resolved.support }, () => new Float64Array(3));
    arrays.push(...support);
    fields.support = support;
  }
  const bound: BoundGoal = {
    scene,
    snapshot: snapshotGoal(binding, scene),
    defaultReference,
    // The fields of a scene goal of this type, with bones and targets as the figure has them.
    goal: fields as unknown as Goal,
    targetValues: arrays.map((array) => array.slice()),
    solverTargets: arrays,
    live: new Float64Array(LIVE_FIELDS.length),
    blend: 1,
  };
  readGoal(binding, bound, path);
  setTarget(bound);
  return bound;
}

/** Copies the scene's target to the solver's goal. */
export function setTarget({ solverTargets, targetValues }: BoundGoal): void {
  solverTargets.forEach((array, k) => {
    array.set(targetValues[k]);
  });
}

/** Reads the target and the live fields of a goal from the scene into `wanted` and `goal`. @throws GoalError */
export function readGoal(binding: FigureBinding, bound: BoundGoal, path: string): void {
  const { scene, goal, targetValues, live } = bound;
  LIVE_FIELDS.forEach((key, k) => {
    const value = (scene as Partial<Record<typeof key, number>>)[key];
    if (value === undefined) return;
    (goal as Partial<Record<typeof key, number>>)[key] = value;
    live[k] = value;
  });
  bound.blend = readBlend(bound, `${path}.blend`);
  if (targetValues.length === 0) return;
  const { target, support } = scene as {
    readonly target?: unknown;
    readonly support?: readonly PointTarget[];
  };
  const targetPath = `${path}.target`;
  let next = 0;
  switch (WORLD_TARGETS[scene.type]) {
    case 'plane':
      readPlane(binding, target as PlaneTarget, targetValues[0], targetValues[1], targetPath);
      next = 2;
      break;
    case 'orientation':
      readOrientation(binding, target as OrientationTarget, targetValues[0], targetPath);
      next = 1;
      break;
    default:
      if (target === undefined) break;
      readPoint(binding, target as PointTarget, targetValues[0], targetPath);
      next = 1;
  }
  for (let n = next; n < targetValues.length; n++) {
    readPoint(binding, support?.[n - next] as PointTarget, targetValues[n], `${path}.support[${n - next}]`);
  }
}

function readBlend({ scene, solverTargets }: BoundGoal, path: string): number {
  const blend = unitFraction(scene.blend ?? 1, path);
  if (blend > 0 && blend < 1 && !(BLENDABLE_TYPES.has(scene.type) && solverTargets.length > 0)) {
    throw new GoalError('unsupported', `is ${blend} on a ${scene.type} goal.`, {
      path,
      remedy: `Give 0 or 1, or a goal with a target in the world of type ${[...BLENDABLE_TYPES].join(', ')}.`,
    });
  }
  return blend;
}

/** Clamps to 0 to 1. @throws GoalError for NaN. */
export function unitFraction(value: number, path: string): number {
  if (value >= 0) return Math.min(1, value);
  if (value < 0) return 0;
  throw new GoalError('out-of-range', `is ${value}.`, { path, remedy: 'Give a number from 0 to 1.' });
}

const position: number[] = [0, 0, 0];
const rotation: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];

/**
 * Interpolates the solver's target by `blend` from the bone's pose in `state` to the scene's target: linearly for a point,
 * along the shortest arc for an orientation or a direction.
 */
export function blendTarget(
  figure: Figure,
  state: FigureState,
  { goal, targetValues, solverTargets, blend }: BoundGoal,
): void {
  const [target] = solverTargets;
  target.set(targetValues[0]);
  if (blend === 1) return;
  if (goal.type !== 'position' && goal.type !== 'orientation' && goal.type !== 'points-at') return;
  const o = 12 * boneIndex(figure, goal.bone);
  const frame = state.worldFromBone.subarray(o, o + 12);
  if (goal.type === 'position') {
    rigid.transformPoint(frame, goal.point ?? ZERO, position);
    vec3.lerp(position, targetValues[0], blend, target);
  } else if (goal.type === 'orientation') {
    rigid.toQuat(frame, rotation);
    if (goal.offset !== undefined) quat.multiply(rotation, quat.normalize(goal.offset), rotation);
    slerp(rotation, quat.normalize(targetValues[0]), blend, target);
  } else {
    rigid.transformPoint(frame, goal.origin ?? ZERO, position);
    vec3.subtract(targetValues[0], position, target);
    const distance = vec3.norm(target);
    if (distance === 0) return;
    rigid.transformVector(frame, goal.axis, vector);
    const [x, y, z] = vec3.normalize(vector);
    // Fraction of the shortest rotation from the axis to the target: q = [axis x target, |.||.| + axis . target].
    const [cx, cy, cz] = vec3.cross([x, y, z], target);
    const w = distance + x * target[0] + y * target[1] + z * target[2];
    quat.set(cx, cy, cz, w, rotation);
    if (!(quat.norm(rotation) > 1e-12 * distance)) return;
    slerp(IDENTITY, quat.normalize(rotation), blend, rotation);
    quat.rotate(rotation, [distance * x, distance * y, distance * z], target);
    vec3.add(target, position, target);
  }
}

const ZERO: readonly number[] = [0, 0, 0];
const IDENTITY: readonly number[] = [0, 0, 0, 1];
