/** The animations of a glTF file as motions of its rig. */
import { nearestName } from 'poise/errors';
import type { Bone } from 'poise/figure';
import { type Curve, createCurve, createMotion, type Motion, type TrackData } from 'poise/motion';
import { followingCurve } from '../../clip/adaptive-curve.js';
import { arrayAt, fail } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { animatedBones } from './animated-nodes.js';
import {
  type GltfLeftOut,
  type GltfResidual,
  leftOutOf,
  ROUNDING,
  STANDING,
  warningsOf,
} from './animation-report.js';
import { type FileAnimation, readChannels } from './read-channels.js';
import { followBone } from './sample-bone.js';

/** An animation of a file, before it is read as a motion. */
export interface GltfAnimationEntry {
  readonly index: number;
  /** As written: not unique, and empty where the file has none. */
  readonly name: string;
  /** First and last key, s. */
  readonly start: number;
  readonly end: number;
  readonly channels: number;
}

/** Options of {@link readGltfAnimation}. */
export interface ReadGltfAnimationOptions {
  /** Name of the motion. Default: the animation's, else `animation_0` with its index. */
  readonly name?: string;
  /**
   * How far the motion may be between keys from what a player shows of the coordinates, for each joint: `rotation` in rad (default 1e-5), `translation` in m
   * (default 1e-6). Kept with a tenth in hand at seven moments of every piece. At the keys there is no difference.
   */
  readonly tolerance?: { readonly rotation?: number; readonly translation?: number };
}

/** An animation read as a motion. */
export interface GltfClip {
  readonly index: number;
  /** Times are those of the file. It lasts as long as the animation; one of a single moment stands still for a second. */
  readonly motion: Motion;
  /** Largest differences seen between keys, rad and m: within the tolerance. */
  readonly deviation: { readonly rotation: number; readonly translation: number };
  /** Of the joints that cannot follow, by more than rounding; largest distance first. */
  readonly residuals: readonly GltfResidual[];
  readonly leftOut: readonly GltfLeftOut[];
  /** What was read with a reservation, one sentence each, the place in front. */
  readonly warnings: readonly string[];
}

/** Moments of a stretch at which a bone without coordinates is looked at. */
const VISITS = 4;

/**
 * The animations of a file, in its order.
 * @throws FormatError as {@link readGltfAnimation}.
 */
export function listGltfAnimations(document: GltfDocument): GltfAnimationEntry[] {
  return animationsOf(document).map((_, index) => {
    const { name, start, end, channels, others } = readChannels(document, index);
    return { index, name, start, end, channels: channels.length + others.length };
  });
}

/**
 * Reads an animation as a motion of the rig's figure: what `LINEAR`, `STEP` and `CUBICSPLINE` mean in the standard (glTF 2.0, appendix C), as coordinates of the
 * joints. Bones that stand still have no track and stay in the `base` of the motion. Limits are not looked at.
 *
 * What the joints cannot follow is told in `residuals`, and what moves no bone in `leftOut`. To have it too read the rig with `joints: animatedJoints(document)` and with
 * `bones: 'all'`.
 *
 * @param animation - Name or index. Default: the first.
 * @throws FormatError with place (`fox.glb#/animations/0/samplers/3/output`) and remedy: `unknown-name`, `out-of-range`, `invalid-file`, `wrong-size`, `not-increasing`,
 *   `not-finite`, `not-unit`, `unsupported` (compressed keys, a figure without joints).
 */
export function readGltfAnimation(
  rig: GltfRig,
  animation: string | number = 0,
  options: ReadGltfAnimationOptions = {},
): GltfClip {
  const { figure, document } = rig;
  const { rotation = 1e-5, translation = 1e-6 } = options.tolerance ?? {};
  requirePositive(rotation, 'tolerance.rotation');
  requirePositive(translation, 'tolerance.translation');
  const index = indexOf(document, animation);
  const file = readChannels(document, index);
  if (figure.dof === 0) {
    const what = `${figure.name} has no joint that moves.`;
    fail('unsupported', document.source, what, 'Give joints when the rig is read.');
  }
  const base = new Float64Array(figure.dof);
  const tracks: { bone: number; curve: Curve }[] = [];
  const residuals: GltfResidual[] = [];
  const deviation = { rotation: 0, translation: 0 };
  for (const [b, animated] of animatedBones(rig, file)) {
    const bone = figure.bones[b];
    const follower = followBone(bone, animated);
    const { dof, coordinate, joint } = bone;
    if (animated.stretches.length === 0 || dof === 0) {
      const pose = new Float64Array(dof);
      follower.read(file.start, file.start, pose);
      base.set(pose, coordinate);
      for (const { start, end, during } of animated.stretches) {
        for (let n = 0; n <= VISITS; n++) follower.read(during, start + ((end - start) * n) / VISITS, pose);
      }
    } else {
      const lengths = joint.type === 'free' ? 3 : joint.type === 'slider' ? 1 : 0;
      const found = followingCurve({
        size: dof,
        rotation: joint.type === 'ball' || joint.type === 'free' ? dof - 3 : -1,
        lengths,
        stretches: animated.stretches,
        read: follower.read,
        tolerance: { rotation, translation },
      });
      deviation.rotation = Math.max(deviation.rotation, found.deviation.rotation);
      deviation.translation = Math.max(deviation.translation, found.deviation.translation);
      if (found.still) base.set(Array.from(found.curve.controls).slice(0, dof), coordinate);
      else tracks.push({ bone: b, curve: found.curve });
    }
    const { angle, distance } = follower;
    if (angle > ROUNDING || distance > ROUNDING)
      residuals.push({ bone: b, name: bone.name, angle, distance });
  }
  residuals.sort((a, b) => b.distance - a.distance || b.angle - a.angle);
  const leftOut = leftOutOf(rig, file);
  const name = options.name ?? (file.name || `animation_${index}`);
  const motion = createMotion(figure, { name, base, tracks: spanning(rig, file, tracks, base) });
  const warnings = warningsOf(file, residuals, leftOut);
  return { index, motion, deviation, residuals, leftOut, warnings };
}

function animationsOf({ json, source }: GltfDocument): readonly unknown[] {
  return arrayAt(json.animations, `${source}#/animations`);
}

function indexOf(document: GltfDocument, animation: string | number): number {
  const place = `${document.source}#/animations`;
  const names = animationsOf(document).map((entry) => {
    const { name } = (entry ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' ? name : '';
  });
  if (typeof animation === 'number') {
    if (Number.isInteger(animation) && animation >= 0 && animation < names.length) return animation;
    return fail(
      'out-of-range',
      place,
      `there is no animation ${animation}.`,
      `The file has ${names.length}.`,
    );
  }
  const index = names.indexOf(animation);
  if (index >= 0) return index;
  const near = nearestName(animation, names);
  return fail(
    'unknown-name',
    place,
    `no animation is called '${animation}'.`,
    near ? `Did you mean '${near}'?` : 'List them with listGltfAnimations.',
  );
}

/** The tracks, one of them made as long as the animation; one that stands still where none moves. */
function spanning(
  { figure }: GltfRig,
  { start, end }: FileAnimation,
  tracks: readonly { readonly bone: number; readonly curve: Curve }[],
  base: Float64Array,
): TrackData[] {
  if (tracks.length === 0) {
    const { index, coordinate, dof } = figure.bones.find((bone) => bone.dof > 0) as Bone;
    const point = Array.from(base.subarray(coordinate, coordinate + dof));
    const knots = [start, end > start ? end : start + STANDING];
    return [
      { bone: index, curve: createCurve({ size: dof, degree: 1, knots, controls: [...point, ...point] }) },
    ];
  }
  const [{ bone, curve }, ...others] = tracks;
  const { size, degree } = curve;
  const knots = Array.from(curve.knots);
  const controls = Array.from(curve.controls);
  const stay = (point: readonly number[]): number[] => Array.from({ length: degree + 1 }, () => point).flat();
  if (knots[0] > start) {
    controls.unshift(...stay(controls.slice(0, size)));
    knots.unshift(start);
  }
  if (knots[knots.length - 1] < end) {
    controls.push(...stay(controls.slice(-size)));
    knots.push(end);
  }
  return [{ bone, curve: createCurve({ size, degree, knots, controls }) }, ...others];
}

function requirePositive(value: number, path: string): void {
  if (Number.isFinite(value) && value > 0) return;
  fail('out-of-range', path, `is ${value}.`, 'Give a number above 0.');
}
