/** Where a simulation starts: the ragdoll of a figure, put on the floor. */
import { GoalError } from 'poise';
import type { BoneShape, Ragdoll } from 'poise/dynamics';
import {
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  limitViolation,
  poseFromLocalTransforms,
} from 'poise/figure';
import { mat3, type Numbers, quat, rigid, vec3 } from 'poise/math';
import { significant } from '../io/parse-number.js';
import { turned, type UpAxis } from './world.js';

/** Coordinates outside their limits by less are so by rounding, rad or m. */
const ROUNDING = 1e-9;
/** Turns and offsets of bones that are worth a word, rad and m together. */
const NOTICEABLE = 1e-3;

export interface Placement {
  /** Height of the lowest point of all shapes, m. */
  readonly level: number;
  /** Lean ahead, rad. */
  readonly tilt: number;
}

/**
 * The pose of a ragdoll for a pose of the figure that it was made of, within its limits.
 *
 * @returns the pose, and what there is to say of it.
 */
export function ragdollPose(
  figure: Figure,
  pose: Numbers,
  ragdoll: Figure,
  name: string,
): { pose: Float64Array; notes: string[] } {
  const given = createState(figure);
  forwardKinematics(given, pose);
  const state = createState(ragdoll);
  const free = poseFromLocalTransforms(state, given.parentFromBone, createPose(ragdoll));
  const within = poseFromLocalTransforms(state, given.parentFromBone, createPose(ragdoll), { clamp: true });
  const notes: string[] = [];
  const excess = limitViolation(ragdoll, free);
  if (excess > ROUNDING) {
    notes.push(
      `${name}: is outside the limits of the ragdoll by up to ${significant(excess)} (rad or m); starts at the nearest allowed pose.`,
    );
  }
  forwardKinematics(state, free);
  const stiff = figure.bones.filter(
    ({ index }) => farApart(given.parentFromBone, state.parentFromBone, 12 * index) > NOTICEABLE,
  );
  if (stiff.length > 0) {
    const more = stiff.length > 3 ? ` and ${stiff.length - 3} more` : '';
    const names = stiff.slice(0, 3).map((bone) => bone.name);
    notes.push(
      `${name}: the joints of the ragdoll cannot bend ${names.join(', ')}${more} so; starts at the nearest pose (--joints given keeps all joints).`,
    );
  }
  return { pose: within, notes };
}

function farApart(a: Numbers, b: Numbers, o: number): number {
  let most = 0;
  for (let k = o; k < o + 12; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  return most;
}

/** The topmost joints, where all of them are free: they put the figure anywhere. None where something holds it. */
export function floatingBones({ bones }: Figure): number[] {
  const carried = new Set<number>();
  const top: number[] = [];
  for (const { index, parent, dof } of bones) {
    if (carried.has(parent)) carried.add(index);
    else if (dof > 0) {
      carried.add(index);
      top.push(index);
    }
  }
  return top.every((b) => bones[b].joint.type === 'free') ? top : [];
}

/** Tilts a figure that floats about its middle and puts it on a level, in place. */
export function placeOnLevel(
  { figure, shapes }: Pick<Ragdoll, 'figure' | 'shapes'>,
  pose: Float64Array,
  up: UpAxis,
  { level, tilt }: Placement,
): void {
  const floating = floatingBones(figure);
  const state = createState(figure);
  forwardKinematics(state, pose);
  if (tilt !== 0) {
    const turn = quat.toMatrix(quat.fromAxisAngle(turned([1, 0, 0], up), tilt));
    const { least, most } = extentOf(state, shapes);
    const middle = vec3.scale(vec3.add(least, most), 0.5);
    const moved = vec3.subtract(middle, mat3.multiplyVector(turn, middle));
    moveBones(state, floating, pose, [...turn, ...moved]);
  }
  if (shapes.length === 0) return;
  const lift = level - extentOf(state, shapes).least[up];
  moveBones(state, floating, pose, [...mat3.identity(), ...turned([0, lift, 0], up)]);
}

/** Moves the floating bones by a rigid transform of the world, with all that they carry. */
function moveBones(state: FigureState, floating: readonly number[], pose: Float64Array, move: Numbers): void {
  const { figure, worldFromBone, parentFromBone } = state;
  const local = parentFromBone.slice();
  for (const b of floating) {
    const parent = figure.parents[b];
    const world = rigid.compose(move, worldFromBone.subarray(12 * b, 12 * b + 12));
    const outer = parent < 0 ? undefined : worldFromBone.subarray(12 * parent, 12 * parent + 12);
    local.set(outer ? rigid.relative(outer, world) : world, 12 * b);
  }
  poseFromLocalTransforms(state, local, pose, { clamp: true });
  forwardKinematics(state, pose);
}

/** Corners of the box around all shapes, world axes, m. */
export function extentOf(
  { figure, worldFromBone }: FigureState,
  shapes: readonly BoneShape[],
): { least: number[]; most: number[] } {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  const add = (center: Numbers, half: (axis: number) => number): void => {
    for (let k = 0; k < 3; k++) {
      least[k] = Math.min(least[k], center[k] - half(k));
      most[k] = Math.max(most[k], center[k] + half(k));
    }
  };
  for (const shape of shapes) {
    const b =
      typeof shape.bone === 'number' ? shape.bone : figure.bones.findIndex(({ name }) => name === shape.bone);
    const frame = worldFromBone.subarray(12 * b, 12 * b + 12);
    if (shape.type === 'box') {
      const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
      const turn = mat3.multiply(frame.subarray(0, 9), quat.toMatrix(rotation));
      add(rigid.transformPoint(frame, position), (k) =>
        shape.halfSizes.reduce((sum, half, n) => sum + half * Math.abs(turn[3 * k + n]), 0),
      );
      continue;
    }
    const ends = shape.type === 'sphere' ? [shape.center ?? [0, 0, 0]] : [shape.from, shape.to];
    for (const end of ends) add(rigid.transformPoint(frame, end), () => shape.radius);
  }
  return { least, most };
}

/** @throws GoalError where an option needs a figure that can be put anywhere. */
export function requireFloating(figure: Figure, option: string): void {
  if (floatingBones(figure).length > 0) return;
  throw new GoalError('unsupported', `is for figures that stand free; ${figure.name} is held by its root.`, {
    path: option,
    remedy: 'Leave it out.',
  });
}
