/** Reads a BVH file as a figure and its motion. */
import { FormatError } from 'poise';
import { type Bone, createFigure, type Figure } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { catmullRomJointCurve, createMotion, type Motion, type TrackData } from 'poise/motion';
import { requireBudget } from '../budget.js';
import { fail } from '../text/json-checks.js';
import { bytesOf } from '../text/utf8.js';
import { coordinatesOf } from './coordinates.js';
import { type BvhFrames, readFrames } from './frames.js';
import { type BvhJoint, readHierarchy } from './hierarchy.js';
import { bonesOf } from './joints.js';
import { linesToMotion } from './lines.js';
import type { BvhPositions, ReadBvhOptions } from './options.js';
import { resolvePositions } from './positions.js';
import { resolveUnits } from './units.js';

/** A figure and its motion, read from a BVH file. */
export interface BvhClip {
  /** One bone a joint, by its name; rest = the OFFSETs, with no rotation. */
  readonly figure: Figure;
  /** Keys at the frames, frame k at k times the frame time. */
  readonly motion: Motion;
  /** Number of frames; 0 of a skeleton alone, whose motion is the rest pose for 1 s. */
  readonly frames: number;
  /** Duration of a frame, s. */
  readonly frameTime: number;
  /** Metres per unit of the file, and its up axis, as they were read. */
  readonly scale: number;
  readonly fileUpAxis: 'y' | 'z';
  /** How position channels were read. */
  readonly positions: BvhPositions;
  /** Joints and numbers of the file, which `writeBvh` follows where it is given. */
  readonly layout: BvhLayout;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

/** Joints and numbers as a file has them. */
export interface BvhLayout {
  /** In file order, with their names as bones. */
  readonly joints: readonly Omit<BvhJoint, 'line'>[];
  /** Frame by frame, one number a channel: file units and degrees. */
  readonly values: Float64Array;
}

const FIELDS: FieldsOf<ReadBvhOptions> = {
  source: true,
  name: true,
  scale: true,
  fileUpAxis: true,
  positions: true,
  budget: true,
};

/** Duration of the motion of a skeleton alone, s. */
const REST_DURATION = 1;
const NO_FRAMES: BvhFrames = {
  count: 0,
  frameTime: REST_DURATION,
  values: /* @__PURE__ */ new Float64Array(0),
};

/**
 * Reads a BVH file (Biovision hierarchy): skeleton and motion.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | `ROOT` | `free` joint |
 * | `JOINT` with two or three rotation channels | `ball` |
 * | with one rotation channel, with one position channel | `hinge`, `slider` |
 * | with more channels, positions among them | `free` |
 * | without channels | `fixed` |
 * | `End Site` | `tip` of its bone: the mean over End Sites and children |
 *
 * The motion is a Catmull-Rom curve for each joint. At the frames it has the coordinates of the file to the last bit; between them it is smooth, with
 * finite accelerations, unlike linear interpolation. Rotation vectors are continued from frame to frame by the nearest equivalent; see `catmullRomJointCurve`
 * for lengths over 3/2 pi. Equal names of joints get numbers, and a count of frames that is off by one is read as it is, both with a warning. A file of one frame becomes a motion at rest that lasts one frame time.
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`walk.bvh:12`, the line) and remedy.
 */
export function readBvh(input: string | Uint8Array | ArrayBuffer, options: ReadBvhOptions = {}): BvhClip {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'motion.bvh';
  const name = options.name ?? source.replace(/\.bvh$/i, '');
  requireUnits(options);
  const bytes = bytesOf(input);
  const { lines, motion: motionStart } = linesToMotion(bytes, source);
  const warnings: string[] = [];
  const hierarchy = readHierarchy(lines, source, warnings);
  requireBudget(options.budget, 'bones', hierarchy.joints.length, source);
  const { joints, channelCount } = hierarchy;
  const { scale, fileUpAxis } = resolveUnits(joints, options, source, warnings);
  const frames =
    motionStart === undefined ? NO_FRAMES : readFrames(bytes, motionStart, hierarchy, source, warnings);
  const positions = options.positions ?? resolvePositions(hierarchy, frames, source, warnings);
  const layout = { joints: joints.map(({ line: _, ...joint }) => joint), values: frames.values };
  const read = { scale, fileUpAxis, positions, layout, warnings };

  const figure = createFigure({ name, bones: bonesOf(joints, scale, fileUpAxis) });
  if (frames.count === 0) {
    warnings.push(
      `${source}: has a skeleton and no frames; its motion is the rest pose for ${REST_DURATION} s.`,
    );
    const root = figure.bones[0];
    const keys = { times: [0, REST_DURATION], values: new Float64Array(2 * root.dof) };
    const motion = createMotion(figure, { name, tracks: [{ bone: root.index, keys }] });
    return { figure, motion, frames: 0, frameTime: REST_DURATION, ...read };
  }
  const times = Float64Array.from({ length: Math.max(2, frames.count) }, (_, k) => k * frames.frameTime);
  const boneNamed = new Map(figure.bones.map((bone) => [bone.name, bone]));
  const bones = joints.map(({ name }) => boneNamed.get(name) as Bone);
  const coordinates = coordinatesOf(joints, bones, frames, channelCount, scale, positions);
  const tracks = joints.flatMap((joint, j): TrackData[] => {
    if (joint.channels.length === 0) return [];
    const bone = bones[j];
    let values = coordinates[j];
    if (frames.count === 1) values = Float64Array.from([...values, ...values]);
    const rotates = bone.joint.type === 'ball' || bone.joint.type === 'free';
    const { curve, chartChanges } = catmullRomJointCurve(
      times,
      values,
      bone.dof,
      rotates ? bone.dof - 3 : -1,
    );
    if (chartChanges.length > 0) warnings.push(chartWarning(joint, chartChanges, source));
    return [{ bone: bone.index, curve }];
  });
  const motion = createMotion(figure, { name, tracks });
  return { figure, motion, frames: frames.count, frameTime: frames.frameTime, ...read };
}

function requireUnits({ scale = 1, fileUpAxis = 'y' }: ReadBvhOptions): void {
  if (scale !== 'auto' && !(typeof scale === 'number' && scale > 0 && scale < Infinity)) {
    const remedy = "Give the metres in a unit of the file, 0.01 for centimetres, or 'auto'.";
    fail('out-of-range', 'scale', `is ${scale}.`, remedy);
  }
  if (!['y', 'z', 'auto'].includes(fileUpAxis)) {
    fail('out-of-range', 'fileUpAxis', `is ${fileUpAxis}.`, "Give 'y', 'z' or 'auto'.");
  }
}

function chartWarning({ name, line }: BvhJoint, keys: readonly number[], source: string): string {
  const more = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
  return (
    `${source}:${line}: '${name}' rotates by more than 270 degrees from rest: its rotation vector jumps by 2 pi ` +
    `at frame ${keys[0]}${more}; the rotation itself is continuous.`
  );
}
