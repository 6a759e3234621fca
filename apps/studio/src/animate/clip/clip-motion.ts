import { type Bone, clampToLimits, type Figure } from 'poise/figure';
import {
  type Curve,
  catmullRomJointCurve,
  createCurve,
  createMotion,
  createMotionSampler,
  type Motion,
  type MotionSampler,
  motionFromPoses,
  samplePose,
  type TrackData,
} from 'poise/motion';
import type { Character } from '../../character/character.js';
import { type Clip, type ClipKey, hasKeys } from './clip.js';
import { type JointGroup, jointGroups } from './joint-groups.js';

/** Cubic pieces of a curve, one after the other. */
interface Pieces {
  readonly knots: number[];
  readonly controls: number[];
}

const POINTS = 4;
const samplers = new WeakMap<Clip, { readonly figure: Figure; readonly sampler: MotionSampler }>();

/** The pose of a clip at a time, s, within the limits. @param clip - Of this character. */
export function poseAt(
  clip: Clip,
  character: Character,
  time: number,
  out = new Float64Array(character.figure.dof),
): Float64Array {
  if (!hasKeys(clip)) out.set(clip.base);
  else samplePose(samplerOf(clip, character), time, out);
  // Splines pass their keys.
  clampToLimits(character.figure, out);
  return out;
}

function samplerOf(clip: Clip, character: Character): MotionSampler {
  const { figure } = character;
  const before = samplers.get(clip);
  if (before?.figure === figure) return before.sampler;
  const tracks = jointGroups(character).flatMap((group) => {
    const keys = clip.keys[group.id] ?? [];
    return keys.length === 0 ? [] : groupTracks(figure, group, keys, clip.duration);
  });
  const sampler = createMotionSampler(figure, createMotion(figure, { base: clip.base, tracks }));
  samplers.set(clip, { figure, sampler });
  return sampler;
}

/** The clip as a motion with a pose a frame and at its end: within the limits everywhere, since these are convex. */
export function clipMotion(clip: Clip, character: Character, name: string): Motion {
  const times = frameTimes(clip);
  const poses = times.map((time) => poseAt(clip, character, time));
  return motionFromPoses(character.figure, times, poses, { name, interpolation: 'linear' });
}

/** Frames of a clip and its end, s. */
export function frameTimes({ duration, rate }: Pick<Clip, 'duration' | 'rate'>): number[] {
  const count = Math.max(1, Math.ceil(duration * rate - 1e-3));
  return Array.from({ length: count + 1 }, (_, frame) => (frame < count ? frame / rate : duration));
}

/** Curves of the joints of a group through its keys, from the start of the clip to its end. */
export function groupTracks(
  { bones }: Figure,
  group: JointGroup,
  keys: readonly ClipKey[],
  duration: number,
): TrackData[] {
  let offset = 0;
  return group.bones.map((bone) => {
    const { dof } = bones[bone];
    const start = offset;
    offset += dof;
    return { bone, curve: jointCurve(bones[bone], keys, start, duration) };
  });
}

/** @param start - Index of the joint's first coordinate in the values of a key. */
function jointCurve(bone: Bone, keys: readonly ClipKey[], start: number, duration: number): Curve {
  const { dof } = bone;
  const value = (key: ClipKey) => key.values.slice(start, start + dof);
  const first = keys[0];
  const last = keys[keys.length - 1];
  const pieces: Pieces = { knots: [Math.min(0, first.time)], controls: [] };
  if (first.time > 0) addConstant(pieces, first.time, value(first));
  for (let k = 0; k + 1 < keys.length; ) {
    const { interpolation } = keys[k];
    let end = k + 1;
    if (interpolation === 'step') {
      const isEnd = end === keys.length - 1 && keys[end].time >= duration;
      // A curve ends with a piece: the last jump is one rounding unit early.
      const until = isEnd ? keys[end].time * (1 - Number.EPSILON) : keys[end].time;
      addConstant(pieces, until, value(keys[k]));
      if (isEnd) addConstant(pieces, keys[end].time, value(keys[end]));
    } else {
      while (interpolation === 'smooth' && end + 1 < keys.length && keys[end].interpolation === 'smooth')
        end++;
      addSmooth(pieces, bone, keys.slice(k, end + 1), value);
    }
    k = end;
  }
  if (last.time < duration) addConstant(pieces, duration, value(last));
  return createCurve({ size: dof, degree: POINTS - 1, ...pieces });
}

function addConstant({ knots, controls }: Pieces, until: number, value: readonly number[]): void {
  knots.push(until);
  for (let point = 0; point < POINTS; point++) controls.push(...value);
}

/** Catmull-Rom pieces through keys; through two keys a line, along which a rotation takes the short way. */
function addSmooth(
  { knots, controls }: Pieces,
  { dof, joint }: Bone,
  keys: readonly ClipKey[],
  value: (key: ClipKey) => readonly number[],
): void {
  const rotation = joint.type === 'ball' || joint.type === 'free' ? dof - 3 : -1;
  const times = Float64Array.from(keys, ({ time }) => time);
  const { curve } = catmullRomJointCurve(times, Float64Array.from(keys.flatMap(value)), dof, rotation);
  for (const { time } of keys.slice(1)) knots.push(time);
  for (let n = 0; n < curve.controls.length; n++) controls.push(curve.controls[n]);
}
