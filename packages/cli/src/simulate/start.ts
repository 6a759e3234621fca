/** Starting pose and placement of a simulation. */
import { GoalError } from 'poise';
import type { BoneShape, Ragdoll } from 'poise/dynamics';
import {
  createPose,
  createState,
  type Figure,
  type FigureState,
  findRootJoints,
  forwardKinematics,
  limitViolation,
  poseFromLocalTransforms,
} from 'poise/figure';
import { mat3, type Numbers, quat, rigid, vec3 } from 'poise/math';
import { significant } from '../io/parse-number.js';
import { type BodyAxes, fromBodyAxes } from './world.js';

/** Limit violation within rounding, rad or m. */
const ROUNDING = 1e-9;
/** Smallest reported difference of bone transforms, rad and m. */
const MIN_REPORTED = 1e-3;

export interface Placement {
  /** Height of the lowest point of all shapes, m. */
  readonly level: number;
  /** Forward tilt, rad. */
  readonly tilt: number;
}

/**
 * The pose of a ragdoll for a pose of the figure that it was made of, within its limits.
 *
 * @returns the pose, and warnings.
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
      `${name}: violates the limits of the ragdoll by up to ${significant(excess)} (rad or m); starts at the nearest allowed pose.`,
    );
  }
  forwardKinematics(state, free);
  const unreachable = figure.bones.filter(
    ({ index }) => maxDifference(given.parentFromBone, state.parentFromBone, 12 * index) > MIN_REPORTED,
  );
  if (unreachable.length > 0) {
    const more = unreachable.length > 3 ? ` and ${unreachable.length - 3} more` : '';
    const names = unreachable.slice(0, 3).map((bone) => bone.name);
    notes.push(
      `${name}: the joints of the ragdoll cannot reproduce the pose of ${names.join(', ')}${more}; starts at the nearest pose (--joints given keeps all joints).`,
    );
  }
  return { pose: within, notes };
}

function maxDifference(a: Numbers, b: Numbers, o: number): number {
  let max = 0;
  for (let k = o; k < o + 12; k++) max = Math.max(max, Math.abs(a[k] - b[k]));
  return max;
}

/** The root joints if all of them are free, so that the figure is floating; else none. */
export function floatingBones(figure: Figure): number[] {
  const roots = findRootJoints(figure);
  return roots.every((b) => figure.bones[b].joint.type === 'free') ? roots : [];
}

/** Tilts a floating figure about the centre of its bounding box and places it on a level, in place. */
export function placeOnLevel(
  { figure, shapes }: Pick<Ragdoll, 'figure' | 'shapes'>,
  pose: Float64Array,
  axes: BodyAxes,
  { level, tilt }: Placement,
): void {
  const floating = floatingBones(figure);
  const state = createState(figure);
  forwardKinematics(state, pose);
  if (tilt !== 0) {
    const rotation = quat.toMatrix(quat.fromAxisAngle(axes[0], tilt));
    const { min, max } = extentOf(state, shapes, axes);
    const middle = fromBodyAxes(vec3.scale(vec3.add(min, max), 0.5), axes);
    const moved = vec3.subtract(middle, mat3.multiplyVector(rotation, middle));
    moveBones(state, floating, pose, [...rotation, ...moved]);
  }
  if (shapes.length === 0) return;
  const lift = level - extentOf(state, shapes, axes).min[1];
  moveBones(state, floating, pose, [...mat3.identity(), ...vec3.scale(axes[1], lift)]);
}

/** Moves the floating bones and their descendants by a rigid transform of the world. */
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

/** Bounding box of all shapes along the axes of the body, m. */
export function extentOf(
  { figure, worldFromBone }: FigureState,
  shapes: readonly BoneShape[],
  bodyAxes: BodyAxes,
): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  const add = (center: Numbers, half: (axis: number) => number): void => {
    for (let k = 0; k < 3; k++) {
      const along = vec3.dot(center, bodyAxes[k]);
      min[k] = Math.min(min[k], along - half(k));
      max[k] = Math.max(max[k], along + half(k));
    }
  };
  const indexOf = new Map(figure.bones.map(({ name, index }) => [name, index]));
  for (const shape of shapes) {
    const b = typeof shape.bone === 'number' ? shape.bone : (indexOf.get(shape.bone) as number);
    const frame = worldFromBone.subarray(12 * b, 12 * b + 12);
    if (shape.type === 'box') {
      const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
      const axes = mat3.multiply(frame.subarray(0, 9), quat.toMatrix(rotation));
      const column = (n: number): number[] => [axes[n], axes[3 + n], axes[6 + n]];
      add(rigid.transformPoint(frame, position), (k) =>
        shape.halfSizes.reduce((sum, half, n) => sum + half * Math.abs(vec3.dot(column(n), bodyAxes[k])), 0),
      );
      continue;
    }
    const ends = shape.type === 'sphere' ? [shape.center ?? [0, 0, 0]] : [shape.from, shape.to];
    for (const end of ends) add(rigid.transformPoint(frame, end), () => shape.radius);
  }
  return { min, max };
}

/** @throws GoalError for an option that needs a floating figure. */
export function requireFloating(figure: Figure, option: string): void {
  if (floatingBones(figure).length > 0) return;
  throw new GoalError('unsupported', `is for floating figures; the root of ${figure.name} is fixed.`, {
    path: option,
    remedy: 'Remove the option.',
  });
}
