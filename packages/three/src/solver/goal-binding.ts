/** Goals of the scene as goals of the figure: what is an object there becomes a bone or numbers here, anew for each solve. */
import { GoalError } from 'poise';
import { boneIndex, type Figure, type FigureState } from 'poise/figure';
import type { Goal } from 'poise/ik';
import { quat, rigid, vec3 } from 'poise/math';
import type { FigureBinding } from '../binding/bind-figure.js';
import { slerp } from '../binding/slerp.js';
import { readOrientation, readPlane, readPoint } from './read-targets.js';
import {
  checkGoalFields,
  draftOf,
  type GoalSeen,
  isAsSeen,
  LIVE_FIELDS,
  seeGoal,
  WORLD_TARGETS,
} from './resolve-goal.js';
import type { OrientationTarget, PlaneTarget, PointTarget, SceneGoal } from './scene-goals.js';

/** Goals that can be applied in part. */
const BLENDS: ReadonlySet<string> = /* @__PURE__ */ new Set(['position', 'orientation', 'points-at']);

/** A goal of the scene and the goal of the figure that it becomes. */
export interface BoundGoal {
  readonly scene: SceneGoal;
  /** As it was when it was bound. */
  readonly seen: GoalSeen;
  /** The pose that a posture without `reference` is drawn to. */
  readonly standing: Float64Array;
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
 * Binds goals as they are now; those that are what they were when they were bound keep what they were bound to. It is different goals, a target
 * that has moved from the scene to a bone or back, an object that hangs elsewhere on its bone, or another mask that binds anew.
 *
 * @param standing - The pose that a posture is drawn to unless it says otherwise, taken when it is first seen.
 * @returns `before` itself where nothing is new.
 * @throws GoalError, FigureError naming the goal.
 */
export function bindGoals(
  binding: FigureBinding,
  goals: readonly SceneGoal[],
  before: readonly BoundGoal[],
  standing: Float64Array,
): readonly BoundGoal[] {
  if (!Array.isArray(goals)) {
    throw new GoalError('wrong-size', 'is not a list.', { path: 'goals', remedy: 'Give an array of goals.' });
  }
  let isSame = goals.length === before.length;
  const bound = goals.map((scene: SceneGoal, n) => {
    const old = before[n]?.scene === scene ? before[n] : before.find((one) => one.scene === scene);
    if (old !== undefined && isAsSeen(binding, scene, old.seen)) {
      isSame &&= old === before[n];
      return old;
    }
    isSame = false;
    return bindGoal(binding, scene, old?.standing ?? standing.slice(), `goals[${n}]`);
  });
  return isSame ? before : bound;
}

/** Binds a goal, and reads its target once. */
function bindGoal(binding: FigureBinding, scene: SceneGoal, standing: Float64Array, path: string): BoundGoal {
  const draft = draftOf(binding, scene, path);
  checkGoalFields(scene, path);
  const fields: Record<string, unknown> = { ...draft };
  if (scene.type === 'posture' && fields.reference === undefined) fields.reference = standing;
  const numbers: Float64Array[] = [];
  if (draft.target === 'plane') {
    numbers.push(new Float64Array(3), new Float64Array(3));
    fields.target = { point: numbers[0], normal: numbers[1] };
  } else if (draft.target === 'point' || draft.target === 'orientation') {
    numbers.push(new Float64Array(draft.target === 'orientation' ? 4 : 3));
    fields.target = numbers[0];
  }
  if (typeof draft.support === 'number') {
    const support = Array.from({ length: draft.support }, () => new Float64Array(3));
    numbers.push(...support);
    fields.support = support;
  }
  const bound: BoundGoal = {
    scene,
    seen: seeGoal(binding, scene),
    standing,
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
  const { target, support } = scene as {
    readonly target?: unknown;
    readonly support?: readonly PointTarget[];
  };
  const place = `${path}.target`;
  let next = 0;
  switch (WORLD_TARGETS[scene.type]) {
    case 'plane':
      readPlane(binding, target as PlaneTarget, wanted[0], wanted[1], place);
      next = 2;
      break;
    case 'orientation':
      readOrientation(binding, target as OrientationTarget, wanted[0], place);
      next = 1;
      break;
    default:
      if (target === undefined) break;
      readPoint(binding, target as PointTarget, wanted[0], place);
      next = 1;
  }
  for (let n = next; n < wanted.length; n++) {
    readPoint(binding, support?.[n - next] as PointTarget, wanted[n], `${path}.support[${n - next}]`);
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
