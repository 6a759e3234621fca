/** A rest pose from a frame of the clip, for files whose OFFSETs say only lengths. */
import { createFigure, type Figure, type Quadruple, type Triple } from 'poise/figure';
import { findHumanoid, type Humanoid, namedHumanStands } from 'poise/humanoid';
import { quat, vec3 } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { fail } from '../text/json-checks.js';
import { coordinatesOf } from './coordinates.js';
import type { BvhFrames } from './frames.js';
import type { BvhHierarchy, BvhJoint } from './hierarchy.js';
import { bonesOf } from './joints.js';

/** A frame, and the rotation of each joint in it, relative to the OFFSETs. */
export interface RestFrame {
  /** From 0. */
  readonly frame: number;
  readonly rotations: readonly Quadruple[];
}

const UPS: readonly Triple[] = [
  [0, 1, 0],
  [0, 0, 1],
];
/** Forward of a file with +Y up, and of one with +Z up. */
const FORWARDS: readonly Triple[] = [
  [0, 0, 1],
  [0, -1, 0],
];
/** Frames that are looked at, over the whole clip. */
const MAX_LOOKED_AT = 60;

/**
 * @param rest - A frame from 0; `auto`: where the bones have the names of a human's and the OFFSETs do not stand, the frame in which legs and trunk are most upright.
 * @returns undefined where the OFFSETs are the rest pose.
 */
export function restFrameOf(
  hierarchy: BvhHierarchy,
  frames: BvhFrames,
  rest: 'offsets' | 'auto' | number,
): RestFrame | undefined {
  if (rest === 'offsets') return undefined;
  const { joints } = hierarchy;
  const lengths = createFigure({ bones: bonesOf(joints, 1, 'y') });
  if (rest !== 'auto') {
    if (!Number.isInteger(rest) || rest < 0 || rest >= frames.count) {
      const remedy = frames.count > 0 ? `Give a frame from 0 to ${frames.count - 1}.` : 'Leave it out.';
      fail('out-of-range', 'rest', `is ${rest}, which is no frame of the clip.`, remedy);
    }
    return facingForward(joints, { frame: rest, rotations: rotationsOf(hierarchy, lengths, frames, rest) })
      ?.rest;
  }
  if (UPS.some((up) => findHumanoid(lengths, { up }) !== undefined)) return undefined;
  if (namedHumanStands(lengths) === undefined) return undefined;
  let best: { readonly rest: RestFrame; readonly upright: number } | undefined;
  const step = Math.max(1, Math.ceil(frames.count / MAX_LOOKED_AT));
  for (let frame = 0; frame < frames.count; frame += step) {
    const found = facingForward(joints, { frame, rotations: rotationsOf(hierarchy, lengths, frames, frame) });
    if (found.upright > (best?.upright ?? 0)) best = found;
  }
  return best?.rest;
}

/** Rotation of each joint in a frame, relative to its parent. */
function rotationsOf(
  { joints, channelCount }: BvhHierarchy,
  figure: Figure,
  { frameTime, values }: BvhFrames,
  frame: number,
): Quadruple[] {
  const named = new Map(figure.bones.map((bone) => [bone.name, bone]));
  const bones = joints.map(({ name }) => named.get(name) as Figure['bones'][number]);
  const one = {
    count: 1,
    frameTime,
    values: values.subarray(frame * channelCount, (frame + 1) * channelCount),
  };
  return coordinatesOf(joints, bones, one, channelCount, 1, 'absolute').map((numbers, j): Quadruple => {
    const { joint, dof } = bones[j];
    if (numbers.length === 0 || joint.type === 'slider' || joint.type === 'fixed') return [0, 0, 0, 1];
    const vector =
      joint.type === 'hinge' ? vec3.scale(joint.axis, numbers[0]) : numbers.subarray(dof - 3, dof);
    const [x, y, z, w] = quatFromRotationVector(vector);
    return [x, y, z, w];
  });
}

/** The pose with its body facing as files do; how upright it stands, 0 for none of a human. */
function facingForward(
  joints: readonly BvhJoint[],
  { frame, rotations }: RestFrame,
): { readonly rest: RestFrame; readonly upright: number } {
  const figure = createFigure({ bones: bonesOf(joints, 1, 'y', rotations) });
  for (const [k, up] of UPS.entries()) {
    const humanoid = findHumanoid(figure, { up });
    if (humanoid === undefined || vec3.dot(humanoid.up, up) < 0.9) continue;
    const { forward } = humanoid;
    const angle = Math.atan2(vec3.dot(vec3.cross(FORWARDS[k], forward), up), vec3.dot(FORWARDS[k], forward));
    const back = quatFromRotationVector(vec3.scale(up, -angle));
    const faced = rotations.map((turn, j): Quadruple => {
      if (joints[j].parent >= 0) return turn;
      const [x, y, z, w] = quat.multiply(back, turn);
      return [x, y, z, w];
    });
    return { rest: { frame, rotations: faced }, upright: uprightness(figure, humanoid, up) };
  }
  return { rest: { frame, rotations }, upright: 0 };
}

/** Sum over legs and trunk of height over length: 3 for one that stands straight. */
function uprightness(figure: Figure, { bones }: Humanoid, up: Triple): number {
  const at = restOrigins(figure);
  const share = (chain: readonly (number | undefined)[]): number => {
    const points = chain.flatMap((bone) => (bone === undefined ? [] : [at(bone)]));
    if (points.length < 2) return 0;
    const length = points.slice(1).reduce((sum, point, k) => sum + vec3.distance(point, points[k]), 0);
    return vec3.dot(vec3.subtract(points[points.length - 1], points[0]), up) / length;
  };
  const leg = (side: 'left' | 'right'): number =>
    share([bones[`${side}Foot`], bones[`${side}LowerLeg`], bones[`${side}UpperLeg`]]);
  return (
    leg('left') +
    leg('right') +
    share([bones.hips, bones.spine, bones.chest, bones.upperChest, bones.neck, bones.head])
  );
}

/** Origins of bones at rest, world. */
function restOrigins({ bones }: Figure): (bone: number) => number[] {
  const rotations: number[][] = [];
  const origins: number[][] = [];
  for (const { parent, rest } of bones) {
    const base = parent < 0 ? [0, 0, 0, 1] : rotations[parent];
    rotations.push(quat.multiply(base, rest.rotation));
    const moved = quat.rotate(base, rest.position);
    origins.push(parent < 0 ? moved : vec3.add(moved, origins[parent]));
  }
  return (bone) => origins[bone];
}

/** Coordinates relative to the OFFSETs become relative to the rest frame, in place: J' = T^-1 J. */
export function turnCoordinates(
  { joint, dof }: Figure['bones'][number],
  turn: Quadruple,
  values: Float64Array,
): void {
  if (joint.type === 'hinge') {
    const angle = vec3.dot(rotationVectorFromQuat(turn), joint.axis);
    for (let k = 0; k < values.length; k++) values[k] -= angle;
    return;
  }
  if (joint.type !== 'ball' && joint.type !== 'free') return;
  const back = quat.conjugate(turn);
  for (let o = 0; o < values.length; o += dof) {
    const at = o + dof - 3;
    const rotation = quat.multiply(back, quatFromRotationVector(values.subarray(at, at + 3)));
    values.set(rotationVectorFromQuat(rotation), at);
    if (joint.type === 'free') values.set(quat.rotate(back, values.subarray(o, o + 3)), o);
  }
}
