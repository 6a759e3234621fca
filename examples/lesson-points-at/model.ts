import { createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { aimBoneAt, type BonePoint, pointsAtInObject, pointsAtInWorld } from 'poise/ik';
import { rigid, vec3 } from 'poise/math';

/** The head of the lamp shines along its own z; its fin is along y. */
export const AXIS = [0, 0, 1] as const;
const FIN = [0, 1, 0] as const;
export const ARM_LENGTH = 0.85;
/** Largest rotation of the head where it is limited, rad. */
export const LIMIT = Math.PI / 3;
/** Of the circle that the target is led around: steps, and its radius and distance from the head, m. */
export const LOOP_STEPS = 120;
export const LOOP_RADIUS = 0.8;
export const LOOP_DISTANCE = 1.1;

/** From where the head is rotated: its rest, where it was, or its rest with its fin upwards. */
export type Start = 'rest' | 'previous' | 'upright';
export type Target = readonly number[] | BonePoint;

/** A lamp: a table that rotates, an arm that leans, a head that rotates freely or within a limit. Its pose: table, arm, head (3). */
export function createLamp(limited: boolean): Figure {
  return createFigure({
    bones: [
      { name: 'table', joint: { type: 'hinge', axis: [0, 1, 0] } },
      {
        name: 'arm',
        parent: 'table',
        rest: { position: [0, 0.1, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
      },
      {
        name: 'head',
        parent: 'arm',
        rest: { position: [0, ARM_LENGTH, 0] },
        joint: { type: 'ball' },
        ...(limited ? { limit: { type: 'angle', max: LIMIT } as const } : {}),
        tip: [0, 0, 0.3],
      },
    ],
  });
}

/** The pose from which the head is rotated. */
export function startPose(start: Start, pose: Float64Array): Float64Array {
  return start === 'previous' ? Float64Array.from(pose) : Float64Array.of(pose[0], pose[1], 0, 0, 0);
}

export interface Aimed {
  readonly pose: Float64Array;
  /** Angle that remains, rad. */
  readonly angle: number;
}

/** Aims the head at the target: the smallest rotation from its start, within its limit. */
export function aimHead(figure: Figure, start: Start, pose: Float64Array, target: Target): Aimed {
  const next = startPose(start, pose);
  const state = createState(figure);
  forwardKinematics(state, next);
  const options = start === 'upright' ? { up: { axis: FIN } } : {};
  const { angle } = aimBoneAt(state, next, 'head', AXIS, target, options);
  return { pose: next, angle };
}

/** One of the two ways, step by step. */
export interface Way {
  readonly target: readonly number[];
  readonly joint: readonly number[];
  /** Unit vectors: towards the target, and along the light before. */
  readonly desired: readonly number[];
  readonly current: readonly number[];
  /** Of the rotation that takes one to the other, rad. */
  readonly angle: number;
  /** Of the head afterwards, in the world, 12 numbers. */
  readonly frame: readonly number[];
}

/** Both ways of the lecture notes from one pose, without limits. */
export function bothWays(
  figure: Figure,
  pose: Float64Array,
  target: Target,
): { world: Way; object: Way; difference: number } {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const before = frameOf(figure, pose, 'head');
  const joint = rigid.toPosition(before);
  const goal = worldTarget(figure, pose, target);
  const aims = (desired: readonly number[], current: readonly number[]): number =>
    Math.atan2(vec3.norm(vec3.cross(current, desired)), vec3.dot(current, desired));
  const desired = vec3.normalize(vec3.subtract(goal, joint));
  const current = rigid.transformVector(before, AXIS);
  const world = {
    target: goal,
    joint,
    desired,
    current,
    angle: aims(desired, current),
    frame: Array.from(pointsAtInWorld(state, 'head', AXIS, target), Number),
  };
  const local = rigid.inverseTransformPoint(before, goal);
  const wanted = vec3.normalize(local);
  const rotation = rigid.fromQuatPosition(pointsAtInObject(state, 'head', AXIS, target), [0, 0, 0]);
  const object = {
    target: local,
    joint: [0, 0, 0],
    desired: wanted,
    current: AXIS,
    angle: aims(wanted, AXIS),
    frame: rigid.compose(before, rotation),
  };
  const difference = Math.max(...world.frame.map((x, n) => Math.abs(x - object.frame[n])));
  return { world, object, difference };
}

/** The target in the world, m. */
export function worldTarget(figure: Figure, pose: Float64Array, target: Target): readonly number[] {
  if (!('bone' in target)) return target;
  return rigid.transformPoint(frameOf(figure, pose, String(target.bone)), target.point ?? [0, 0, 0]);
}

/** Frame of a bone in the world, 12 numbers. */
export function frameOf(figure: Figure, pose: Float64Array, bone: string): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone);
  return state.worldFromBone.slice(o, o + 12);
}

/** Roll of the head about its light: the angle of its fin from the upright direction, rad. */
export function rollOf(frame: ArrayLike<number>): number {
  const light = rigid.transformVector(frame, AXIS);
  const fin = rigid.transformVector(frame, FIN);
  const upright = vec3.addScaled(FIN, light, -vec3.dot(FIN, light));
  return Math.atan2(vec3.dot(vec3.cross(upright, fin), light), vec3.dot(upright, fin));
}

/** The target on its circle about the head of a pose, after a number of steps, m. */
export function loopTarget(figure: Figure, pose: Float64Array, step: number): number[] {
  const [x, y, z] = rigid.toPosition(frameOf(figure, pose, 'head'));
  const angle = (2 * Math.PI * step) / LOOP_STEPS;
  return [x + LOOP_RADIUS * Math.cos(angle), y + LOOP_RADIUS * Math.sin(angle), z + LOOP_DISTANCE];
}
