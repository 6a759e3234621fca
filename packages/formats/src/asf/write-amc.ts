/** Writes a motion as AMC, for the skeleton that `writeAsf` writes. */
import { FormatError } from 'poise';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { rigid } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { isNear, isSameRotation, nearestAngles, ROUNDING } from '../clip/euler-angles.js';
import { numberPrinter } from '../text/decimal.js';
import { fail } from '../text/json-checks.js';
import { eulerOrder } from './euler-order.js';
import { type Layout, layoutOf, type OutputBone } from './layout.js';
import { type AmcClip, CMU_RATE } from './read-amc.js';
import { type AsfSkeleton, axisIndex } from './read-asf.js';

/** Options of {@link writeAmc}. */
export interface WriteAmcOptions {
  /** As of `writeAsf`: what that writes with the same is the skeleton of the motion. */
  readonly skeleton?: AsfSkeleton;
  readonly scale?: number;
  /** The file that the motion was read from: a joint that has the rotation of a frame of it gets the numbers of that frame, to the last digit. Default: none. */
  readonly clip?: AmcClip;
  /** Duration of a frame, s. Default: that of `clip`, else 1/120, the CMU database's. */
  readonly frameTime?: number;
  /** Decimals of numbers that are not of `clip`. Default: 6. */
  readonly digits?: number;
}

const FIELDS: FieldsOf<WriteAmcOptions> = {
  skeleton: true,
  scale: true,
  clip: true,
  frameTime: true,
  digits: true,
};

/**
 * A motion as AMC (Acclaim motion), fully specified, in degrees (in the unit of `clip`): a frame for each `frameTime` from the start of the motion to its
 * end. Angles are continued from frame to frame. Its skeleton is what `writeAsf` writes of the figure, with the same `skeleton` and `scale`.
 *
 * @throws FormatError `unsupported` where a joint rotates or moves as the degrees of freedom of the skeleton cannot; those of `writeAsf`;
 *   `wrong-size` for the clip of another skeleton. MotionError `wrong-size` for a motion of another figure.
 */
export function writeAmc(figure: Figure, motion: Motion, options: WriteAmcOptions = {}): string {
  requireFields(options, FIELDS, 'options', FormatError);
  const { skeleton, clip, digits = 6 } = options;
  const frameTime = options.frameTime ?? clip?.frameTime ?? 1 / CMU_RATE;
  requirePositive(frameTime, 'options.frameTime', FormatError);
  if (options.scale !== undefined) requirePositive(options.scale, 'options.scale', FormatError);
  const print = numberPrinter(digits, 'options.digits');
  const layout = layoutOf(figure, skeleton, options.scale);
  const { bones, scale } = layout;
  const size = bones.reduce((sum, { dof }) => sum + dof.length, 0);
  const isOfClip = clip !== undefined && clip.values.length === size * clip.frames;
  if (clip !== undefined && !isOfClip) {
    const what = `has ${clip.values.length / clip.frames} numbers a frame for ${size} degrees of freedom.`;
    fail('wrong-size', 'options.clip', what, 'Give the clip of this skeleton.');
  }
  const angle = clip?.angle ?? Math.PI / 180;
  const intervals = (motion.end - motion.start) / frameTime;
  // A file of one frame is read as a motion of one frame time.
  const isPose = clip !== undefined && clip.frames === 1 && clip.frameTime === frameTime && intervals <= 1.5;
  const count = isPose ? 1 : Math.floor(intervals + 1e-6) + 1;
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const joints = bones.flatMap((bone): JointOutput[] => {
    if (bone.dof.length === 0) return [];
    const turns = bone.dof.filter((name) => name.startsWith('r'));
    return [{ bone, turns, order: eulerOrder(turns), angles: [0, 0, 0], first: 0 }];
  });
  let first = 0;
  for (const joint of joints) {
    joint.first = first;
    first += joint.bone.dof.length;
  }
  const lines = ['# Written by Poise', ':FULLY-SPECIFIED', angle === 1 ? ':RADIANS' : ':DEGREES'];
  for (let frame = 0; frame < count; frame++) {
    samplePose(sampler, Math.min(motion.start + frame * frameTime, motion.end), pose);
    forwardKinematics(state, pose);
    lines.push(String(frame + 1));
    const given = isOfClip && frame < clip.frames ? clip.values.subarray(frame * size) : undefined;
    for (const joint of joints) {
      const local = awayFromRest(figure, layout, joint.bone, state.parentFromBone);
      const numbers = numbersOf(joint, local, frame, scale, angle, given);
      lines.push(
        `${joint.bone.name} ${numbers.map((x, k) => (given && x === given[joint.first + k] ? String(x) : print(x))).join(' ')}`,
      );
    }
  }
  lines.push('');
  return lines.join('\n');
}

/** The frame of a bone at an instant as its degrees of freedom show it: away from rest, in its axes; of the root of another layout in the axes of the file. */
function awayFromRest(
  figure: Figure,
  { isRead, fileFromWorld }: Layout,
  { bone, parent }: OutputBone,
  parentFromBone: Float64Array,
): Float64Array {
  const { position, rotation } = figure.bones[bone].rest;
  const frame = parentFromBone.subarray(12 * bone, 12 * bone + 12);
  const out = new Float64Array(12);
  if (isRead || parent >= 0) return rigid.relative(rigid.fromQuatPosition(rotation, position), frame, out);
  const restFromFile = rigid.inverse(
    rigid.compose(fileFromWorld, rigid.fromQuatPosition(rotation, [0, 0, 0])),
  );
  return rigid.compose(rigid.compose(fileFromWorld, frame), restFromFile, out);
}

interface JointOutput {
  readonly bone: OutputBone;
  readonly turns: OutputBone['dof'];
  readonly order: ReturnType<typeof eulerOrder>;
  /** Of the frame before, rad, in the order's order. */
  readonly angles: number[];
  /** Index of its first number in a frame. */
  first: number;
}

/** The numbers of a joint in a frame, in file units. @param local - Its frame away from rest. */
function numbersOf(
  { bone, turns, order, angles, first }: JointOutput,
  local: Float64Array,
  frame: number,
  scale: number,
  angle: number,
  given: ArrayLike<number> | undefined,
): number[] {
  const { name, dof } = bone;
  // The last degree of freedom is applied last: it is the first of the order.
  const file = given && turns.map((_, k) => given[first + dof.indexOf(turns[turns.length - 1 - k])] * angle);
  const rotation = local.subarray(0, 9);
  if (file !== undefined && isSameRotation(file, order, rotation)) {
    for (let k = 0; k < 3; k++) angles[k] = file[k] ?? 0;
  } else {
    nearestAngles(rotation, order, angles, frame === 0);
    for (let k = turns.length; k < 3; k++) requireNone(Math.sin(angles[k] / 2), name, frame, 'rotates');
  }
  for (let k = 0; k < 3; k++) {
    if (!dof.includes(TRANSLATIONS[k])) requireNone(local[9 + k] / scale, name, frame, 'moves');
  }
  return dof.map((entry, k) => {
    const own = given?.[first + k];
    if (entry === 'l') return own ?? 0;
    const value = entry.startsWith('t')
      ? local[9 + axisIndex(entry)] / scale
      : angles[order.indexOf(entry[1].toUpperCase())] / angle;
    return own !== undefined && isNear(value, own) ? own : value;
  });
}

const TRANSLATIONS = ['tx', 'ty', 'tz'] as const;

/** @throws FormatError `unsupported` for what the degrees of freedom of a bone cannot show. */
function requireNone(value: number, name: string, frame: number, verb: string): void {
  if (Math.abs(value) <= ROUNDING) return;
  fail(
    'unsupported',
    `${name} in frame ${frame + 1}`,
    `${verb} as the degrees of freedom of the skeleton cannot.`,
    "Read the skeleton with the option joints 'euler', or leave it out: another is written.",
  );
}
