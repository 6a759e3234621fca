/** Clips: curves for the coordinates of a figure. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose, createPose } from '../figure/model/pose.js';
import type { Numbers } from '../math/linear/types.js';
import { curveToData, requireLength } from './representation/curve.js';
import { type Extrapolation, type OutsideRange, outsideRange } from './representation/time-range.js';
import { checkedTrack, type MotionTrack, requireObject, type TrackData, withoutMinusZero } from './track.js';

/**
 * A motion of a figure, a clip: a pose for every moment. Immutable plain data, which survives `structuredClone` and `postMessage` whole, and
 * JSON by {@link motionToData}. Play it with a sampler ({@link createMotionSampler}).
 */
export interface Motion {
  readonly name: string;
  /** Length of its poses, that of the figure it was made for. */
  readonly dof: number;
  /** The moment where its first track begins, s. */
  readonly start: number;
  /** The moment where its last track ends, s. */
  readonly end: number;
  /** In the order of their coordinates; no two share one. */
  readonly tracks: readonly MotionTrack[];
  /** A pose: the coordinates without a track stay there. */
  readonly base: Numbers;
  /** What it does before `start` and after `end`. */
  readonly outside: OutsideRange;
}

/** What {@link createMotion} makes a clip from. */
export interface MotionData {
  /** Default `motion`. */
  readonly name?: string;
  /** One at least. */
  readonly tracks: readonly TrackData[];
  /** The pose of the coordinates without a track, length `figure.dof`. Default: `createPose(figure)`, which is rest. */
  readonly base?: Numbers;
  /**
   * What the clip does before its start and after its end. Default `clamp`.
   *
   * Rotation vectors go on as rotations: with `offset` the turn from start to end is made anew every round (a free joint moves on by
   * the rigid motion from start to end, so that a walk along a bend goes on along it), with `linear` the angular velocity stays. All other
   * coordinates go on by themselves. A track shorter than the clip goes on as its own curve says, number by number.
   */
  readonly outside?: Extrapolation | Partial<OutsideRange>;
}

/**
 * A clip of a figure. Everything is checked and copied; minus zero becomes zero, for JSON has none. `outside` or `base` that is null counts as
 * left out.
 *
 * @throws MotionError naming the place (`tracks[2].keys.times[4]`) and the remedy: `unknown-name` with the nearest name, `wrong-size` (a curve
 *   that does not fit its joint, an empty clip, numbers without a length), `duplicate-name` (two tracks for one coordinate), `not-finite`, `not-increasing`,
 *   `out-of-range`, `singular`, `unsupported` (a joint that has nothing to move, a curve that has no Bezier points). FigureError for a `base` that is no pose.
 */
export function createMotion(figure: Figure, data: MotionData): Motion {
  requireObject(data, 'data', 'Give { tracks: [...] }.');
  const { name = 'motion', tracks: given } = data;
  if (typeof name !== 'string') {
    throw new MotionError('unsupported', `is ${String(name)}.`, { path: 'name', remedy: 'Give a string.' });
  }
  if (!Array.isArray(given) || given.length === 0) {
    throw new MotionError('wrong-size', 'has no track: the clip is empty.', {
      path: 'tracks',
      remedy: 'Give a curve for one joint at least.',
    });
  }
  const pose = data.base ?? createPose(figure);
  requireLength(pose, 'base');
  const base = withoutMinusZero(pose);
  checkPose(figure, base, 'base');
  const places = given.map((track: TrackData, i) => ({
    i,
    track: checkedTrack(figure, track, `tracks[${i}]`),
  }));
  places.sort((a, b) => a.track.coordinate - b.track.coordinate);
  for (let k = 1; k < places.length; k++) {
    const before = places[k - 1];
    const { i, track } = places[k];
    if (track.coordinate >= before.track.coordinate + before.track.curve.size) continue;
    const bone = figure.bones[figure.boneOfCoordinate[track.coordinate]].name;
    throw new MotionError(
      'duplicate-name',
      `moves coordinate ${track.coordinate} ('${bone}'), which tracks[${before.i}] moves already.`,
      { path: `tracks[${i}]`, remedy: 'Give each coordinate one track.' },
    );
  }
  const tracks = places.map(({ track }) => Object.freeze(track));
  return Object.freeze({
    name,
    dof: figure.dof,
    start: Math.min(...tracks.map(({ curve }) => curve.knots[0])),
    end: Math.max(...tracks.map(({ curve }) => curve.knots[curve.knots.length - 1])),
    tracks: Object.freeze(tracks),
    base,
    outside: Object.freeze(outsideRange(data.outside ?? 'clamp')),
  });
}

/**
 * A clip with plain arrays, for JSON, which does not keep typed ones: `createMotion(figure, JSON.parse(JSON.stringify(motionToData(motion))))`
 * is the motion to the last bit.
 */
export function motionToData({ name, tracks, base, outside }: Motion): MotionData {
  return {
    name,
    tracks: tracks.map(({ coordinate, curve }) => ({
      coordinate,
      curve: { ...curveToData(curve), outside: curve.outside },
    })),
    base: Array.from(base),
    outside,
  };
}
