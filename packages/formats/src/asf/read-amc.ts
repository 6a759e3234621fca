/** Reads an AMC motion of an ASF skeleton. */
import { FormatError } from 'poise';
import type { Bone } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { quat } from 'poise/math';
import { catmullRomJointCurve, createMotion, type Motion, type TrackData } from 'poise/motion';
import { rotationVectorFromQuat } from 'poise/rotation';
import { budgetOf, createMeter } from '../budget.js';
import { decimalOf } from '../text/decimal.js';
import { cut, describe, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import type { ReadAmcOptions } from './options.js';
import { type AsfSkeleton, axisIndex } from './read-asf.js';
import type { AsfBone } from './skeleton-text.js';

/** A motion read from an AMC file. */
export interface AmcClip {
  /** Of the skeleton's figure. Keys at the frames, frame k at k times the frame time. */
  readonly motion: Motion;
  readonly frames: number;
  /** Duration of a frame, s. */
  readonly frameTime: number;
  /** The numbers of the file, frame by frame: of each bone of the skeleton a number for each of its degrees of freedom. */
  readonly values: Float64Array;
  /** Radians in a unit of its angles. */
  readonly angle: number;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

const FIELDS: FieldsOf<ReadAmcOptions> = { source: true, name: true, frameTime: true, budget: true };

export const CMU_RATE = 120;
const TWO_PI = 2 * Math.PI;

/**
 * Reads an AMC file (Acclaim motion) for a skeleton. The motion is a Catmull-Rom curve for each joint, as of `readBvh`: at the frames it has the
 * rotations of the file. Frames follow each other, with a warning where their numbers do not. A bone that a frame leaves out keeps its values; a file of one frame becomes a motion at rest that lasts one frame time.
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`01_01.amc:12`, the line) and remedy.
 */
export function readAmc(
  input: string | Uint8Array | ArrayBuffer,
  skeleton: AsfSkeleton,
  options: ReadAmcOptions = {},
): AmcClip {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'motion.amc', frameTime = 1 / CMU_RATE } = options;
  if (!(frameTime > 0 && frameTime < Infinity)) {
    fail('out-of-range', 'options.frameTime', `is ${frameTime}.`, 'Give seconds, above 0.');
  }
  const name = options.name ?? source.replace(/\.amc$/i, '');
  const { figure, bones } = skeleton;
  const warnings: string[] = [];
  const text = textOf(input, source);
  const countKeys = createMeter(budgetOf(options.budget, text.length), 'keys', source);
  const frames = framesOf(text, bones, source, countKeys, warnings);
  const angle = frames.degrees === undefined ? skeleton.angle : frames.degrees ? Math.PI / 180 : 1;
  const times = Float64Array.from({ length: Math.max(2, frames.count) }, (_, k) => k * frameTime);
  const boneNamed = new Map(figure.bones.map((bone) => [bone.name, bone]));
  const tracks = bones.flatMap((element, k): TrackData[] => {
    const bone = boneNamed.get(element.name) as Bone;
    if (bone.dof === 0) return [];
    let values = coordinatesOf(element, bone, frames, frames.firstOf[k], skeleton.scale, angle);
    if (frames.count === 1) values = Float64Array.from([...values, ...values]);
    const rotates = bone.joint.type === 'ball' || bone.joint.type === 'free';
    const { curve, chartChanges } = catmullRomJointCurve(
      times,
      values,
      bone.dof,
      rotates ? bone.dof - 3 : -1,
    );
    if (chartChanges.length > 0) {
      warnings.push(
        `${source}: '${bone.name}' rotates by more than 270 degrees from rest: its rotation vector jumps by 2 pi at frame ${chartChanges[0] + 1}; the rotation itself is continuous.`,
      );
    }
    return [{ bone: bone.index, curve }];
  });
  return {
    motion: createMotion(figure, { name, tracks }),
    frames: frames.count,
    frameTime,
    values: frames.values,
    angle,
    warnings,
  };
}

interface Frames {
  readonly count: number;
  /** Numbers in a frame. */
  readonly size: number;
  /** Of each bone, index of its first number in a frame. */
  readonly firstOf: readonly number[];
  /** Frame by frame, in file units. */
  readonly values: Float64Array;
  /** As the file says; undefined where it does not. */
  readonly degrees: boolean | undefined;
}

/** @throws FormatError `invalid-file`, `unknown-name`, `wrong-size`, `not-finite`. */
function framesOf(
  text: string,
  bones: readonly AsfBone[],
  source: string,
  countKeys: (count: number) => void,
  warnings: string[],
): Frames {
  const indexOf = new Map(bones.map(({ name }, k) => [name, k]));
  const firstOf: number[] = [];
  let size = 0;
  for (const { dof } of bones) {
    firstOf.push(size);
    size += dof.length;
  }
  const values: number[] = [];
  let count = 0;
  let degrees: boolean | undefined;
  let missing = 0;
  let lastNumber = 0;
  let jump: string | undefined;
  let jumps = 0;
  let seen = new Set<number>();
  const moving = bones.filter(({ dof }) => dof.length > 0).length;
  let line = 0;
  for (let at = 0; at <= text.length; line++) {
    const lineFeed = text.indexOf('\n', at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const words = text.slice(at, end).split('#', 1)[0].trim().split(/\s+/);
    at = end + 1;
    const [first] = words;
    if (first === '') continue;
    const location = `${source}:${line + 1}`;
    if (first.startsWith(':')) {
      if (/^:deg/i.test(first)) degrees = true;
      if (/^:rad/i.test(first)) degrees = false;
    } else if (words.length === 1 && /^\d+$/.test(first)) {
      if (count > 0 && seen.size < moving) missing++;
      const number = Number(first);
      if (count > 0 && number !== lastNumber + 1) {
        jump ??= `${location}: frame ${cut(first)} follows frame ${lastNumber}`;
        jumps++;
      }
      lastNumber = number;
      seen = new Set();
      countKeys(size);
      // What a frame leaves out stays as it was.
      const last = values.length - size;
      for (let k = 0; k < size; k++) values.push(count === 0 ? 0 : values[last + k]);
      count++;
    } else {
      const bone = indexOf.get(first);
      if (count === 0)
        fail('invalid-file', location, `is ${describe(first)} before the first frame.`, 'Give an AMC file.');
      if (bone === undefined) {
        return fail(
          'unknown-name',
          location,
          `the skeleton has no bone '${cut(first)}'.`,
          'Give the ASF file of this motion.',
        );
      }
      if (seen.has(bone))
        fail('duplicate-name', location, `moves '${cut(first)}' twice in a frame.`, 'Keep one.');
      seen.add(bone);
      const { dof } = bones[bone];
      if (words.length !== 1 + dof.length) {
        const what = `'${first}' has ${words.length - 1} numbers for ${dof.length} degrees of freedom.`;
        fail('wrong-size', location, what, 'Give the ASF file of this motion.');
      }
      const o = values.length - size + firstOf[bone];
      for (let k = 0; k < dof.length; k++) values[o + k] = decimalOf(words[1 + k], location);
    }
  }
  if (count === 0) fail('invalid-file', source, 'has no frame.', 'Give an AMC file.');
  if (seen.size < moving) missing++;
  if (jump !== undefined) {
    const more = jumps > 1 ? ` (the first of ${jumps} jumps)` : '';
    warnings.push(`${jump}${more}; frames are read one after the other, whatever their numbers.`);
  }
  if (missing > 0) warnings.push(`${source}: ${missing} frames leave out bones, which stay as they were.`);
  return { count, size, firstOf, values: Float64Array.from(values), degrees };
}

/** Coordinates of a joint in every frame, `bone.dof` numbers a frame, rad and m. Hinges are unwrapped from frame to frame. */
function coordinatesOf(
  { dof }: AsfBone,
  { joint, dof: size }: Bone,
  { count, size: frameSize, values }: Frames,
  first: number,
  scale: number,
  angle: number,
): Float64Array {
  const out = new Float64Array(count * size);
  const turn = [0, 0, 0, 1];
  const rotation = [0, 0, 0, 1];
  const order = joint.type === 'euler' ? joint.order.toLowerCase() : '';
  for (let frame = 0; frame < count; frame++) {
    const o = frame * size;
    rotation.fill(0);
    rotation[3] = 1;
    for (let k = 0; k < dof.length; k++) {
      const value = values[frame * frameSize + first + k];
      const name = dof[k];
      if (name === 'l') continue;
      if (name.startsWith('t')) {
        out[o + (joint.type === 'slider' ? 0 : axisIndex(name))] = scale * value;
      } else if (joint.type === 'hinge' || joint.type === 'euler') {
        const i = o + (joint.type === 'hinge' ? 0 : order.indexOf(name[1]));
        const rad = angle * value;
        out[i] = frame === 0 ? rad : rad - TWO_PI * Math.round((rad - out[i - size]) / TWO_PI);
      } else {
        const half = 0.5 * angle * value;
        turn.fill(0);
        turn[axisIndex(name)] = Math.sin(half);
        turn[3] = Math.cos(half);
        // The first is applied first.
        quat.multiply(turn, rotation, rotation);
      }
    }
    if (joint.type === 'ball' || joint.type === 'free') {
      rotationVectorFromQuat(rotation, undefined, out.subarray(o + size - 3, o + size));
    }
  }
  return out;
}
