/** Reads animations of a glTF file as motions of its rig. */
import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import type { Bone } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { type Curve, createCurve, createMotion, type Motion, type TrackData } from 'poise/motion';
import { createMeter } from '../../budget.js';
import { adaptiveCurve } from '../../clip/adaptive-curve.js';
import { arrayAt, fail } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { animatedBones } from './animated-nodes.js';
import type { FileKey } from './animation-player.js';
import {
  type GltfResidual,
  type GltfSkippedChannel,
  ROUNDING,
  STATIC_DURATION,
  skippedChannels,
  warningsOf,
} from './animation-report.js';
import { type FileAnimation, readChannels } from './read-channels.js';
import { createBoneSampler } from './sample-bone.js';

/** An entry of the list of animations of a file. */
export interface GltfAnimationEntry {
  readonly index: number;
  /** As written: not unique; empty if the file has none. */
  readonly name: string;
  /** First and last key, s. */
  readonly start: number;
  readonly end: number;
  readonly channels: number;
  /** Keys of the channel that has most; 0 where no channel animates a node. */
  readonly keys: number;
  /** Keys per second of that channel; absent where they are not equally spaced, or fewer than two. */
  readonly rate?: number;
}

/** Options of {@link readGltfAnimation}. */
export interface ReadGltfAnimationOptions {
  /** Name of the motion. Default: the animation's, else `animation_0` with its index. */
  readonly name?: string;
  /**
   * Largest error of the coordinates of each joint between keys: `rotation` in rad (default 1e-5), `translation` in m (default 1e-6). Checked with a margin
   * of 10 % at seven samples of every piece. At the keys the motion is exact.
   */
  readonly tolerance?: { readonly rotation?: number; readonly translation?: number };
}

const FIELDS: FieldsOf<ReadGltfAnimationOptions> = { name: true, tolerance: true };

/** An animation read as a motion. */
export interface GltfClip {
  readonly index: number;
  /** With the times of the file, from the first key to the last; an animation of a single time becomes a static motion of 1 s. */
  readonly motion: Motion;
  /** Largest sampled errors between keys, rad and m: within the tolerance. */
  readonly deviation: { readonly rotation: number; readonly translation: number };
  /** Joints that cannot reproduce the animation within rounding; largest distance first. */
  readonly residuals: readonly GltfResidual[];
  /** Channels that the motion does not contain. */
  readonly skipped: readonly GltfSkippedChannel[];
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

/** Samples of an interval for the error of a bone without coordinates. */
const ERROR_SAMPLES = 4;

/**
 * The animations of a file, in its order.
 * @throws FormatError as {@link readGltfAnimation}.
 */
export function listGltfAnimations(document: GltfDocument): GltfAnimationEntry[] {
  const spendKeys = createMeter(document.budget, 'keys', `${document.source}#/animations`);
  return animationsOf(document).map((_, index) => {
    const { name, start, end, channels, others } = readChannels(document, index, spendKeys);
    const densest = channels.reduce<readonly FileKey[]>(
      (most, { keys }) => (keys.length > most.length ? keys : most),
      [],
    );
    const rate = rateOf(densest);
    return {
      index,
      name,
      start,
      end,
      channels: channels.length + others.length,
      keys: densest.length,
      ...(rate !== undefined && { rate }),
    };
  });
}

/** Largest deviation of a key from its place in a row of equally spaced ones, in spacings. */
const SPACING_TOLERANCE = 0.01;

/** Keys per second of equally spaced keys. Times are single precision: six digits are kept. */
function rateOf(keys: readonly FileKey[]): number | undefined {
  const intervals = keys.length - 1;
  if (intervals < 1) return undefined;
  const first = keys[0].time;
  const spacing = (keys[intervals].time - first) / intervals;
  const isEven = keys.every(
    ({ time }, k) => Math.abs(time - first - k * spacing) <= SPACING_TOLERANCE * spacing,
  );
  return isEven ? Number((1 / spacing).toPrecision(6)) : undefined;
}

/**
 * Reads an animation as a motion of the rig's figure: `LINEAR`, `STEP` and `CUBICSPLINE` as glTF defines them (2.0, appendix C), converted to joint
 * coordinates. Static bones have no track; the `base` of the motion has their pose. Limits are not applied.
 *
 * `residuals` lists joints that cannot reproduce the animation, `skipped` the channels that move no bone. To read these too, read the rig with
 * `joints: animatedJoints(document)` and `bones: 'all'`.
 *
 * @param animation - Name or index. Default: the first.
 * @throws FormatError with location (`fox.glb#/animations/0/samplers/3/output`) and remedy: `unknown-name`, `out-of-range`, `invalid-file`, `wrong-size`, `not-increasing`,
 *   `not-finite`, `not-unit`, `unsupported` (compressed keys, a figure without joints).
 */
export function readGltfAnimation(
  rig: GltfRig,
  animation: string | number = 0,
  options: ReadGltfAnimationOptions = {},
): GltfClip {
  requireFields(options, FIELDS, 'options', FormatError);
  requireFields(
    options.tolerance ?? {},
    { rotation: true, translation: true },
    'options.tolerance',
    FormatError,
  );
  const { figure, document } = rig;
  const { rotation = 1e-5, translation = 1e-6 } = options.tolerance ?? {};
  requirePositive(rotation, 'tolerance.rotation', FormatError);
  requirePositive(translation, 'tolerance.translation', FormatError);
  const index = indexOf(document, animation);
  const file = readChannels(document, index);
  if (figure.dof === 0) {
    const what = `${figure.name} has no movable joint.`;
    fail(
      'unsupported',
      document.source,
      what,
      'Give the rig joints that move (the option joints of the rig).',
    );
  }
  const base = new Float64Array(figure.dof);
  const tracks: { bone: number; curve: Curve }[] = [];
  const residuals: GltfResidual[] = [];
  const deviation = { rotation: 0, translation: 0 };
  for (const [b, animated] of animatedBones(rig, file)) {
    const bone = figure.bones[b];
    const sampler = createBoneSampler(bone, animated);
    const { dof, coordinate, joint } = bone;
    if (animated.intervals.length === 0 || dof === 0) {
      const pose = new Float64Array(dof);
      sampler.read(file.start, file.start, pose);
      base.set(pose, coordinate);
      for (const { start, end, keyTime } of animated.intervals) {
        for (let n = 0; n <= ERROR_SAMPLES; n++)
          sampler.read(keyTime, start + ((end - start) * n) / ERROR_SAMPLES, pose);
      }
    } else {
      const lengths = joint.type === 'free' ? 3 : joint.type === 'slider' ? 1 : 0;
      const result = adaptiveCurve({
        size: dof,
        rotation: joint.type === 'ball' || joint.type === 'free' ? dof - 3 : -1,
        lengths,
        intervals: animated.intervals,
        read: sampler.read,
        tolerance: { rotation, translation },
      });
      deviation.rotation = Math.max(deviation.rotation, result.deviation.rotation);
      deviation.translation = Math.max(deviation.translation, result.deviation.translation);
      if (result.isStatic) base.set(Array.from(result.curve.controls).slice(0, dof), coordinate);
      else tracks.push({ bone: b, curve: result.curve });
    }
    const { angle, distance } = sampler;
    if (angle > ROUNDING || distance > ROUNDING)
      residuals.push({ bone: b, name: bone.name, angle, distance });
  }
  residuals.sort((a, b) => b.distance - a.distance || b.angle - a.angle);
  const skipped = skippedChannels(rig, file);
  const name = options.name ?? (file.name || `animation_${index}`);
  const motion = createMotion(figure, { name, base, tracks: extendToRange(rig, file, tracks, base) });
  const warnings = warningsOf(file, residuals, skipped);
  return { index, motion, deviation, residuals, skipped, warnings };
}

function animationsOf({ json, source }: GltfDocument): readonly unknown[] {
  return arrayAt(json.animations, `${source}#/animations`);
}

function indexOf(document: GltfDocument, animation: string | number): number {
  const location = `${document.source}#/animations`;
  const names = animationsOf(document).map((entry) => {
    const { name } = (entry ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' ? name : '';
  });
  if (names.length === 0) {
    return fail('out-of-range', location, 'there are no animations.', 'Give a file with animations.');
  }
  if (typeof animation === 'number') {
    if (Number.isInteger(animation) && animation >= 0 && animation < names.length) return animation;
    return fail(
      'out-of-range',
      location,
      `there is no animation ${animation}.`,
      `The file has ${names.length}.`,
    );
  }
  const index = names.indexOf(animation);
  if (index >= 0) return index;
  const near = nearestName(animation, names);
  return fail(
    'unknown-name',
    location,
    `no animation is called '${animation}'.`,
    near ? `Did you mean '${near}'?` : `The file has ${listed(names)}.`,
  );
}

/** Names that an error lists at most. */
const MAX_LISTED = 5;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return `${names
    .slice(0, MAX_LISTED)
    .map((name) => `'${name}'`)
    .join(', ')}${more}`;
}

/** The tracks, the first extended to the range of the animation; a constant track if there is none. */
function extendToRange(
  { figure }: GltfRig,
  { start, end }: FileAnimation,
  tracks: readonly { readonly bone: number; readonly curve: Curve }[],
  base: Float64Array,
): TrackData[] {
  if (tracks.length === 0) {
    const { index, coordinate, dof } = figure.bones.find((bone) => bone.dof > 0) as Bone;
    const point = Array.from(base.subarray(coordinate, coordinate + dof));
    const knots = [start, end > start ? end : start + STATIC_DURATION];
    return [
      { bone: index, curve: createCurve({ size: dof, degree: 1, knots, controls: [...point, ...point] }) },
    ];
  }
  const [{ bone, curve }, ...others] = tracks;
  const { size, degree } = curve;
  const knots = Array.from(curve.knots);
  const controls = Array.from(curve.controls);
  const constantPiece = (point: readonly number[]): number[] =>
    Array.from({ length: degree + 1 }, () => point).flat();
  if (knots[0] > start) {
    controls.unshift(...constantPiece(controls.slice(0, size)));
    knots.unshift(start);
  }
  if (knots[knots.length - 1] < end) {
    controls.push(...constantPiece(controls.slice(-size)));
    knots.push(end);
  }
  return [{ bone, curve: createCurve({ size, degree, knots, controls }) }, ...others];
}
