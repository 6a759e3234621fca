/** Writes a figure and a motion as a BVH file. */
import { FormatError } from 'poise';
import { createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import { type FieldsOf, requireFields, requireOneOf, requirePositive } from 'poise/internal/checks';
import { mat3, rigid } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { EulerOrder } from 'poise/rotation/alternatives';
import { isNear, isSameRotation, nearestAngles, ROUNDING } from '../clip/euler-angles.js';
import { numberPrinter } from '../text/decimal.js';
import { fail } from '../text/json-checks.js';
import type { BvhChannel, BvhJoint } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';
import type { BvhClip } from './read-bvh.js';

/** Options of `writeBvh`. */
export interface WriteBvhOptions {
  /**
   * The file that the figure was read from: its joints, channels, units, End Sites and frame time are kept, and a joint that has
   * the rotation of a frame of it gets the numbers of that frame, to the last digit. Default: none.
   */
  readonly like?: Pick<BvhClip, 'frames' | 'frameTime' | 'scale' | 'fileUpAxis' | 'positions' | 'layout'>;
  /** Order of the rotation channels of joints that `like` does not have. Default: `ZXY`. */
  readonly order?: 'XYZ' | 'XZY' | 'YXZ' | 'YZX' | 'ZXY' | 'ZYX';
  /** Duration of a frame, s. Default: that of `like`, else 1/60. */
  readonly frameTime?: number;
  /** Metres in a unit of the file. Default: that of `like`, else 0.01: centimetres. */
  readonly scale?: number;
  /** Decimals of numbers that are not of `like`. Default: 6. */
  readonly digits?: number;
}

const FIELDS: FieldsOf<WriteBvhOptions> = {
  like: true,
  order: true,
  frameTime: true,
  scale: true,
  digits: true,
};

const ORDERS = ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'] as const;
const DEGREES = 180 / Math.PI;
const AXES = 'XYZ';

/** The file as it is laid out: joints in order, with the bone of each. */
interface Output {
  readonly figure: Figure;
  readonly joints: readonly OutputJoint[];
  readonly scale: number;
  readonly positions: BvhPositions;
  readonly frameTime: number;
  readonly count: number;
  readonly print: (value: number) => string;
}

interface OutputJoint extends Omit<BvhJoint, 'line' | 'firstChannel'> {
  readonly bone: number;
  /** Numbers of the file that the figure was read from, `channels.length` a frame; undefined where there are none. */
  readonly given: ((frame: number) => ArrayLike<number>) | undefined;
}

/**
 * A figure and its motion as BVH. Joints of BVH have no axes of their own: their rotations are those away from rest (all coordinates
 * zero), in the axes of the world. Every bone becomes a joint with three rotation channels, in their order continued from frame to frame
 * without jumps; roots and joints that move their origin get position channels too; a bone without children ends in an End Site at its tip.
 *
 * The written file, read again, has every bone's origin in its place. Limits, masses and joint types are lost.
 *
 * @returns text with a frame for each `frameTime` from the start of the motion to its end.
 * @throws FormatError `unknown-name` | `wrong-size` where `like` is of another figure; `out-of-range`.
 */
export function writeBvh(figure: Figure, motion: Motion, options: WriteBvhOptions = {}): string {
  requireFields(options, FIELDS, 'options', FormatError);
  const output = outputOf(figure, motion, options);
  const frames = framesOf(output, motion, options);
  const { joints, print, frameTime, count } = output;
  const lines = ['HIERARCHY'];
  const children = childrenOf(joints);
  for (const [j, { parent }] of joints.entries()) {
    if (parent < 0) writeJoint(joints, children, frames.channels, j, 0, print, lines);
  }
  lines.push('MOTION', `Frames: ${count}`, `Frame Time: ${frameTime}`, ...frames.rows, '');
  return lines.join('\n');
}

function childrenOf(joints: readonly OutputJoint[]): readonly (readonly number[])[] {
  const children = joints.map((): number[] => []);
  for (const [j, { parent }] of joints.entries()) if (parent >= 0) children[parent].push(j);
  return children;
}

/** The joints in the order in which the hierarchy of the file has them, which is that of its numbers: each with all below it. */
function fileOrder(joints: readonly OutputJoint[]): readonly number[] {
  const children = childrenOf(joints);
  const below = (j: number): number[] => [j, ...children[j].flatMap(below)];
  return joints.flatMap(({ parent }, j) => (parent < 0 ? below(j) : []));
}

function outputOf(figure: Figure, motion: Motion, options: WriteBvhOptions): Output {
  const { like, order = 'ZXY', digits = 6 } = options;
  const frameTime = options.frameTime ?? like?.frameTime ?? 1 / 60;
  const scale = options.scale ?? like?.scale ?? 0.01;
  requirePositive(frameTime, 'options.frameTime', FormatError);
  requirePositive(scale, 'options.scale', FormatError);
  requireOneOf(order, ORDERS, 'options.order', FormatError);
  const print = numberPrinter(digits, 'options.digits');
  const intervals = (motion.end - motion.start) / frameTime;
  // A file of one frame is read as a motion of one frame time; one of none as a rest pose.
  const isShort = like !== undefined && like.frames <= 1 && like.frameTime === frameTime && intervals <= 1.5;
  return {
    figure,
    joints: jointsOf(figure, options, scale, order),
    scale,
    positions: like?.positions ?? 'absolute',
    frameTime,
    count: isShort ? like.frames : Math.floor(intervals + 1e-6) + 1,
    print,
  };
}

/** The joints of `like`, or one a bone. */
function jointsOf(
  figure: Figure,
  { like }: WriteBvhOptions,
  scale: number,
  order: string,
): readonly OutputJoint[] {
  const rest = restOf(figure, like?.fileUpAxis === 'z');
  const offsetOf = (bone: number): Triple => {
    const { parent } = figure.bones[bone];
    const [x, y, z] = [9, 10, 11].map(
      (k) => (rest[12 * bone + k] - (parent < 0 ? 0 : rest[12 * parent + k])) / scale,
    );
    return [x, y, z];
  };
  if (like === undefined) {
    return figure.bones.map(({ name, parent, joint, tip, index }): OutputJoint => {
      const moves = parent < 0 || joint.type === 'free' || joint.type === 'slider';
      const isLeaf = figure.bones.every((other) => other.parent !== index);
      const end = rigid.transformVector(rest.subarray(12 * index, 12 * index + 12), tip ?? [0, 0, 0]);
      return {
        name: name.replace(/[\s{}]+/g, '_'),
        bone: index,
        parent,
        offset: offsetOf(index),
        channels: [
          ...(moves ? [...AXES].map((axis) => channelOf('position', axis)) : []),
          ...[...order].map((axis) => channelOf('rotation', axis)),
        ],
        ends: isLeaf && tip ? [[end[0] / scale, end[1] / scale, end[2] / scale]] : [],
        given: undefined,
      };
    });
  }
  const { joints, values } = like.layout;
  if (joints.length !== figure.bones.length) {
    const what = `has ${joints.length} joints for ${figure.bones.length} bones.`;
    fail('wrong-size', 'options.like', what, 'Give the clip that the figure was read from.');
  }
  const size = joints.reduce((sum, { channels }) => sum + channels.length, 0);
  const boneNamed = new Map(figure.bones.map((bone) => [bone.name, bone]));
  return joints.map(({ name, parent, offset, channels, ends, firstChannel }): OutputJoint => {
    const bone = boneNamed.get(name);
    if (bone === undefined) {
      const what = `has a joint '${name}' that the figure has not.`;
      return fail('unknown-name', 'options.like', what, 'Give the clip that the figure was read from.');
    }
    const computed = offsetOf(bone.index);
    const isSame = like.scale === scale && computed.every((x, k) => isNear(x, offset[k]));
    return {
      name,
      bone: bone.index,
      parent,
      offset: isSame ? offset : computed,
      channels,
      ends: ends.map(([x, y, z]): Triple => {
        const k = like.scale / scale;
        return [x * k, y * k, z * k];
      }),
      given:
        like.scale === scale
          ? (frame) =>
              values.subarray(frame * size + firstChannel, frame * size + firstChannel + channels.length)
          : undefined,
    };
  });
}

function channelOf(kind: BvhChannel['kind'], axis: string): BvhChannel {
  return { kind, axis: AXES.indexOf(axis) as BvhChannel['axis'] };
}

/** World frames in file axes with all coordinates zero. */
function restOf(figure: Figure, isZUp: boolean): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  return inFileAxes(state.worldFromBone, isZUp);
}

/** +Y up as it is; +Z up: x stays, y is -z, z is y. */
function inFileAxes(frames: Float64Array, isZUp: boolean): Float64Array {
  const out = frames.slice();
  if (!isZUp) return out;
  for (let o = 0; o < out.length; o += 12) {
    for (let k = 0; k < 3; k++) {
      out[o + 3 + k] = 0 - frames[o + 6 + k];
      out[o + 6 + k] = frames[o + 3 + k];
    }
    out[o + 10] = 0 - frames[o + 11];
    out[o + 11] = frames[o + 10];
  }
  return out;
}

/** Lines of numbers, and the channels of each joint: those it has, or three rotations where its own cannot show what it does. */
function framesOf(
  output: Output,
  motion: Motion,
  { like, order = 'ZXY' }: WriteBvhOptions,
): { readonly rows: readonly string[]; readonly channels: readonly (readonly BvhChannel[])[] } {
  const { figure, joints, count, frameTime } = output;
  const isZUp = like?.fileUpAxis === 'z';
  const rest = restOf(figure, isZUp);
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  // Of each joint, its frame away from rest in that of its parent: nine numbers of the rotation, three of the position.
  const local = joints.map(() => new Float64Array(12 * count));
  for (let frame = 0; frame < count; frame++) {
    samplePose(sampler, Math.min(motion.start + frame * frameTime, motion.end), pose);
    forwardKinematics(state, pose);
    const world = inFileAxes(state.worldFromBone, isZUp);
    const moved = figure.bones.map(({ index: b }) => {
      const rotated = mat3.multiply(block(world, b), mat3.transpose(block(rest, b)));
      return Float64Array.from([...rotated, ...world.subarray(12 * b + 9, 12 * b + 12)]);
    });
    for (const [j, { bone, parent }] of joints.entries()) {
      const own = moved[bone];
      const relative = parent < 0 ? own : rigid.relative(moved[joints[parent].bone], own);
      local[j].set(relative, 12 * frame);
    }
  }
  const columns = joints.map((joint, j) => numbersOf(joint, local[j], output, order));
  const ordered = fileOrder(joints).map((j) => columns[j]);
  const rows = Array.from({ length: count }, (_, frame) =>
    ordered
      .flatMap(({ texts, channels: { length } }) => texts.slice(frame * length, (frame + 1) * length))
      .join(' '),
  );
  return { rows, channels: columns.map(({ channels }) => channels) };
}

function block(frames: Float64Array, bone: number): Float64Array {
  return frames.subarray(12 * bone, 12 * bone + 9);
}

/** The numbers of a joint in all frames. */
function numbersOf(
  joint: OutputJoint,
  local: Float64Array,
  output: Output,
  order: string,
): { readonly texts: readonly string[]; readonly channels: readonly BvhChannel[] } {
  const { scale, positions, count, print } = output;
  const { channels, offset, given } = joint;
  const turns = channels.filter((channel) => !isPosition(channel));
  const angles = [0, 0, 0];
  const texts: string[] = [];
  // The missing letters stand last: they turn by nothing.
  const own = turns.map(({ axis }) => AXES[axis]).join('');
  const full = [...own, ...[...AXES].filter((letter) => !own.includes(letter))].join('') as EulerOrder;
  for (let frame = 0; frame < count; frame++) {
    const r = local.subarray(12 * frame, 12 * frame + 9);
    const numbers = given?.(frame);
    const file = numbers && numbers.length === channels.length ? numbers : undefined;
    const degrees = turns.map((_, k) => file?.[channels.indexOf(turns[k])] ?? 0);
    const isGiven =
      file !== undefined &&
      isSameRotation(
        degrees.map((angle) => angle / DEGREES),
        full,
        r,
      );
    if (isGiven) for (let k = 0; k < 3; k++) angles[k] = (degrees[k] ?? 0) / DEGREES;
    else nearestAngles(r, full, angles, frame === 0);
    const lost = angles.slice(turns.length).some((angle) => Math.abs(Math.sin(angle / 2)) > ROUNDING);
    if (lost && !isGiven) {
      const rotations = [...order].map((axis) => channelOf('rotation', axis));
      return numbersOf(
        { ...joint, channels: [...channels.filter(isPosition), ...rotations], given: undefined },
        local,
        output,
        order,
      );
    }
    for (const [k, channel] of channels.entries()) {
      if (isPosition(channel)) {
        const x = local[12 * frame + 9 + channel.axis] / scale;
        const value = positions === 'added' ? x - offset[channel.axis] : x;
        texts.push(file && isNear(value, file[k]) ? String(file[k]) : print(value));
      } else {
        texts.push(isGiven ? String(file[k]) : print(angles[turns.indexOf(channel)] * DEGREES));
      }
    }
  }
  return { texts, channels };
}

function writeJoint(
  joints: readonly OutputJoint[],
  children: readonly (readonly number[])[],
  channels: readonly (readonly BvhChannel[])[],
  j: number,
  depth: number,
  print: (value: number) => string,
  lines: string[],
): void {
  const { name, parent, offset, ends, given } = joints[j];
  const indent = '\t'.repeat(depth);
  const text = (point: Triple) => point.map(given ? String : print).join(' ');
  const own = channels[j].map(({ kind, axis }) => `${AXES[axis]}${kind}`);
  lines.push(`${indent}${parent < 0 ? 'ROOT' : 'JOINT'} ${name}`, `${indent}{`);
  lines.push(`${indent}\tOFFSET ${text(offset)}`);
  if (own.length > 0) lines.push(`${indent}\tCHANNELS ${own.length} ${own.join(' ')}`);
  for (const child of children[j]) writeJoint(joints, children, channels, child, depth + 1, print, lines);
  for (const end of ends) {
    lines.push(`${indent}\tEnd Site`, `${indent}\t{`, `${indent}\t\tOFFSET ${text(end)}`, `${indent}\t}`);
  }
  lines.push(`${indent}}`);
}
