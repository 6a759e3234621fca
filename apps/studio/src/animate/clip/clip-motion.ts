import { clampToLimits, type Figure } from 'poise/figure';
import {
  type Curve,
  catmullRomJointCurve,
  createCurve,
  createMotion,
  createMotionSampler,
  evaluateCurve,
  hermiteCurve,
  type Motion,
  type MotionSampler,
  motionFromPoses,
  orientationHermite,
  samplePose,
  type TrackData,
} from 'poise/motion';
import { angularVelocityFromRate, quatFromRotationVector } from 'poise/rotation';
import type { Character } from '../../character/character.js';
import { type Clip, type ClipKey, hasKeys } from './clip.js';
import { type JointGroup, jointGroups } from './joint-groups.js';
import { type CurvePart, isCurved, partOf, ratesAt } from './tangents.js';

/** Cubic pieces of a curve, one after the other. */
interface Pieces {
  readonly knots: number[];
  readonly controls: number[];
}

const POINTS = 4;
const samplers = new WeakMap<Clip, { readonly figure: Figure; readonly sampler: MotionSampler }>();
/** Curves of groups by their keys: a change of some leaves the others as they are. */
const curves = new WeakMap<
  readonly ClipKey[],
  { readonly figure: Figure; readonly duration: number; readonly tracks: readonly TrackData[] }
>();

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

/** A pose, and its rates by coordinate, per s. */
export interface Moment {
  readonly pose: Float64Array;
  readonly rates: Float64Array;
}

/** A motion of curves at a time, s, its pose within the limits. */
export function momentOf({ base, tracks }: Motion, figure: Figure, time: number): Moment {
  const [pose, rates] = [Float64Array.from(base), new Float64Array(figure.dof)];
  for (const { coordinate, curve } of tracks) {
    const { value, first } = evaluateCurve(curve, time);
    pose.set(value, coordinate);
    rates.set(first, coordinate);
  }
  clampToLimits(figure, pose);
  return { pose, rates };
}

function samplerOf(clip: Clip, character: Character): MotionSampler {
  const { figure } = character;
  const before = samplers.get(clip);
  if (before?.figure === figure) return before.sampler;
  const sampler = createMotionSampler(figure, curvesOf(clip, character));
  samplers.set(clip, { figure, sampler });
  return sampler;
}

/** The curves of a clip: they pass its keys, and may leave the limits between them. */
export function curvesOf({ keys, base, duration }: Clip, character: Character): Motion {
  const { figure } = character;
  const tracks = jointGroups(character).flatMap((group) => {
    const own = keys[group.id] ?? [];
    if (own.length === 0) return [];
    const before = curves.get(own);
    if (before?.figure === figure && before.duration === duration) return before.tracks;
    const made = groupTracks(figure, group, own, duration);
    curves.set(own, { figure, duration, tracks: made });
    return made;
  });
  return createMotion(figure, { base, tracks });
}

/** The clip as a motion with a pose a frame and at its end: within the limits everywhere, since these are convex. */
export function clipMotion(clip: Clip, character: Character, name: string): Motion {
  const times = frameTimes(clip);
  const poses = times.map((time) => poseAt(clip, character, time));
  return motionFromPoses(character.figure, times, poses, { name, interpolation: 'linear' });
}

/** The clip from its start to its end: its curves, or where keys lie beyond the end its frames. */
export function playedMotion(clip: Clip, character: Character): Motion {
  const all = curvesOf(clip, character);
  return all.end > clip.duration ? clipMotion(clip, character, '') : all;
}

/** Frames of a clip and its end, s. */
export function frameTimes({ duration, rate }: Pick<Clip, 'duration' | 'rate'>): number[] {
  const count = Math.max(1, Math.ceil(duration * rate - 1e-3));
  return Array.from({ length: count + 1 }, (_, frame) => (frame < count ? frame / rate : duration));
}

/** The parts of a group that have a curve of their own: joints, and of a free joint its place and its rotation. */
export function partsOf({ bones }: Figure, group: JointGroup): readonly JointPart[] {
  let start = 0;
  return group.bones.flatMap((bone): JointPart[] => {
    const { dof, joint } = bones[bone];
    const first = start;
    start += dof;
    const isRotation = joint.type === 'ball';
    if (joint.type !== 'free') return [{ bone, component: 0, start: first, size: dof, isRotation }];
    return [
      { bone, component: 0, start: first, size: 3, isRotation: false },
      { bone, component: 3, start: first + 3, size: 3, isRotation: true },
    ];
  });
}

export interface JointPart extends CurvePart {
  readonly bone: number;
  /** Its first coordinate within the joint. */
  readonly component: number;
}

/** Curves of the joints of a group through its keys, from the start of the clip to its end. */
export function groupTracks(
  figure: Figure,
  group: JointGroup,
  keys: readonly ClipKey[],
  duration: number,
): TrackData[] {
  return partsOf(figure, group).map((part) => ({
    bone: part.bone,
    component: part.component,
    curve: partCurve(keys, part, duration),
  }));
}

function partCurve(keys: readonly ClipKey[], part: CurvePart, duration: number): Curve {
  const first = keys[0];
  const last = keys[keys.length - 1];
  const pieces: Pieces = { knots: [Math.min(0, first.time)], controls: [] };
  if (first.time > 0) addConstant(pieces, first.time, partOf(first, part));
  for (let k = 0; k + 1 < keys.length; ) {
    const { interpolation } = keys[k];
    let end = k + 1;
    if (interpolation === 'step') {
      const isEnd = end === keys.length - 1 && keys[end].time >= duration;
      // A curve ends with a piece: the last jump is one rounding unit early.
      const until = isEnd ? keys[end].time * (1 - Number.EPSILON) : keys[end].time;
      addConstant(pieces, until, partOf(keys[k], part));
      if (isEnd) addConstant(pieces, keys[end].time, partOf(keys[end], part));
    } else {
      while (isCurved(interpolation) && end + 1 < keys.length && isCurved(keys[end].interpolation)) end++;
      addCurve(pieces, part, keys, k, end);
    }
    k = end;
  }
  if (last.time < duration) addConstant(pieces, duration, partOf(last, part));
  return createCurve({ size: part.size, degree: POINTS - 1, ...pieces });
}

function addConstant({ knots, controls }: Pieces, until: number, value: readonly number[]): void {
  knots.push(until);
  for (let point = 0; point < POINTS; point++) controls.push(...value);
}

/** Pieces through keys: a line between two, along which a rotation takes the short way; Catmull-Rom where all are smooth; else by their rates. */
function addCurve(
  { knots, controls }: Pieces,
  part: CurvePart,
  keys: readonly ClipKey[],
  from: number,
  to: number,
): void {
  const run = keys.slice(from, to + 1);
  const times = Float64Array.from(run, ({ time }) => time);
  const isSmooth = run.every(
    ({ interpolation }, n) =>
      interpolation === 'smooth' || (n === run.length - 1 && !isCurved(interpolation)),
  );
  if (isSmooth || run[0].interpolation === 'linear') {
    const values = Float64Array.from(run.flatMap((key) => partOf(key, part)));
    append(catmullRomJointCurve(times, values, part.size, part.isRotation ? 0 : -1).curve);
  } else {
    const all = run.map((key, n) => ({ values: partOf(key, part), ...ratesAt(keys, from + n, part) }));
    append(
      part.isRotation
        ? orientationHermite({
            times,
            quaternions: all.flatMap(({ values }) => quatFromRotationVector(values)),
            angularVelocities: all.flatMap(({ values, leaving }) => spinOf(values, leaving)),
            arriving: all.flatMap(({ values, arriving }) => spinOf(values, arriving)),
          })
        : hermiteCurve({
            times,
            values: all.flatMap(({ values }) => values),
            tangents: all.flatMap(({ leaving }) => leaving),
            arriving: all.flatMap(({ arriving }) => arriving),
          }),
    );
  }

  function append(curve: Curve): void {
    for (let n = 1; n < curve.knots.length; n++) knots.push(curve.knots[n]);
    for (let n = 0; n < curve.controls.length; n++) controls.push(curve.controls[n]);
  }
}

/** Angular velocity of a rotation vector that changes, body axes, rad/s. */
function spinOf(vector: readonly number[], rate: readonly number[]): readonly number[] {
  return Array.from(angularVelocityFromRate(vector, triple(rate), 'body'));
}

function triple([x, y, z]: readonly number[]): [number, number, number] {
  return [x, y, z];
}
