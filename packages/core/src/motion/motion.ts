/** Clips: curves for the coordinates of a figure. */
import { type FieldsOf, requireFields, requireString } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose, createPose } from '../figure/model/pose.js';
import type { Numbers } from '../math/linear/types.js';
import { curveToData, requireLength } from './representation/curve.js';
import { type Extrapolation, type OutsideRange, outsideRange } from './representation/time-range.js';
import { checkedTrack, type MotionTrack, requireObject, type TrackData, withoutMinusZero } from './track.js';

/**
 * A motion of a figure, a clip: a pose at every time. Immutable plain data: it survives `structuredClone` and `postMessage`, and
 * JSON by {@link motionToData}. Play it with a sampler ({@link createMotionSampler}).
 */
export interface Motion {
  readonly name: string;
  /** Length of its poses, `figure.dof` of the figure it was made for. */
  readonly dof: number;
  /** Start of the first track, s. */
  readonly start: number;
  /** End of the last track, s. */
  readonly end: number;
  /** Ordered by coordinate; no two tracks share one. */
  readonly tracks: readonly MotionTrack[];
  /** Pose of the coordinates without a track. */
  readonly base: Numbers;
  /** Extrapolation before `start` and after `end`. */
  readonly outside: OutsideRange;
}

/** Input of {@link createMotion}. */
export interface MotionData {
  /** Default `motion`. */
  readonly name?: string;
  /** At least one. */
  readonly tracks: readonly TrackData[];
  /** Pose of the coordinates without a track, length `figure.dof`. Default: `createPose(figure)`, which is rest. */
  readonly base?: Numbers;
  /**
   * Extrapolation before the clip's start and after its end. Default `clamp`.
   *
   * Rotation vectors are extrapolated as rotations: with `offset` every cycle applies the rotation from start to end
   * once more (a free joint repeats the rigid motion from start to end, so that a walk along an arc continues on the
   * arc); with `linear` the angular velocity is constant. All other coordinates are extrapolated one by one. A track
   * shorter than the clip uses its own curve's `outside`, number by number.
   */
  readonly outside?: Extrapolation | Partial<OutsideRange>;
}

/** The last three are those of a {@link Motion} given as data, and are computed anew. */
const DATA: FieldsOf<Motion> = {
  name: true,
  tracks: true,
  base: true,
  outside: true,
  dof: true,
  start: true,
  end: true,
};

/**
 * A clip of a figure. All data are checked and copied, but a curve of {@link catmullRomJointCurve} is taken as it is; -0 becomes 0, because JSON has no -0.
 * `outside` or `base` that is null counts as left out.
 *
 * @throws MotionError with path (`tracks[2].keys.times[4]`) and remedy: `unknown-name` for an unknown field, `wrong-size` (a
 * curve that does not fit its joint, an empty clip, arrays without a length), `duplicate-name` (two tracks for one coordinate),
 * `not-finite`, `not-increasing`, `out-of-range`, `singular`, `unsupported` (a joint without coordinates, a curve without Bezier
 * points). FigureError for an unknown bone or an invalid `base`.
 */
export function createMotion(figure: Figure, data: MotionData): Motion {
  requireObject(data, 'data', 'Give { tracks: [...] }.');
  requireFields(data, DATA, 'data', MotionError);
  const { name = 'motion', tracks: given } = data;
  requireString(name, 'name', MotionError);
  if (!Array.isArray(given) || given.length === 0) {
    throw new MotionError('wrong-size', 'has no track: the clip is empty.', {
      path: 'tracks',
      remedy: 'Give a curve for one joint at least.',
    });
  }
  const pose = data.base ?? createPose(figure);
  requireLength(pose, 'base');
  checkPose(figure, pose, 'base');
  const base = withoutMinusZero(pose);
  const checked = given.map((track: TrackData, i) => ({
    i,
    track: checkedTrack(figure, track, `tracks[${i}]`),
  }));
  checked.sort((a, b) => a.track.coordinate - b.track.coordinate);
  for (let k = 1; k < checked.length; k++) {
    const before = checked[k - 1];
    const { i, track } = checked[k];
    if (track.coordinate >= before.track.coordinate + before.track.curve.size) continue;
    const bone = figure.bones[figure.boneOfCoordinate[track.coordinate]].name;
    throw new MotionError(
      'duplicate-name',
      `moves coordinate ${track.coordinate} ('${bone}'), which tracks[${before.i}] moves already.`,
      { path: `tracks[${i}]`, remedy: 'Give each coordinate one track.' },
    );
  }
  const tracks = checked.map(({ track }) => Object.freeze(track));
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
 * A clip with plain arrays instead of typed ones, for JSON:
 * `createMotion(figure, JSON.parse(JSON.stringify(motionToData(motion))))` equals the motion to the last bit.
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
