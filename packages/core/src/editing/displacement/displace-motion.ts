/** Adds displacements to a clip, at the clip's own keys. */
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import { displaceTrack } from './displace-track.js';
import type { Displacement } from './displacement.js';

/**
 * Adds displacements: exp(d) R_ref for rotation vectors, the sum for all else. The result has the keys of the clip: to the Bezier points of
 * each piece those of the Hermite interpolant of the displacement are added (value and rate, from degree 4 on also second rate, at both
 * keys), so that the clip is neither fitted nor smoothed, and is unchanged to the bit outside the spans. Pieces longer than `longest` are
 * split first.
 *
 * No Bezier point ends up farther outside a joint limit than the clip's own: a clip within its limits stays within them, at keys and
 * between.
 *
 * @param longest - s.
 */
export function displaceMotion(
  figure: Figure,
  motion: Motion,
  displacements: readonly Displacement[],
  longest: number,
): Motion {
  let { tracks } = motion;
  for (const displacement of displacements) {
    const whole = withTracks(figure, motion, tracks, displacement.coordinates);
    tracks = whole.map((track) => displaceTrack(figure, whole, track, displacement, longest));
  }
  const ordered = [...tracks].sort((a, b) => a.coordinate - b.coordinate);
  return Object.freeze({ ...motion, tracks: Object.freeze(ordered) });
}

/** Adds tracks for coordinates that were constant, with the keys of the first. */
function withTracks(
  figure: Figure,
  { base }: Motion,
  tracks: Motion['tracks'],
  displaced: Int32Array,
): Motion['tracks'] {
  const tracked = new Uint8Array(figure.dof);
  for (const { coordinate, curve } of tracks) tracked.fill(1, coordinate, coordinate + curve.size);
  const constant = Array.from(displaced).filter((i) => tracked[i] === 0);
  if (constant.length === 0) return tracks;
  const { knots, outside } = tracks[0].curve;
  const points = 4 * (knots.length - 1);
  const added = constant.map((coordinate) => {
    const controls = new Float64Array(points).fill(base[coordinate]);
    return { coordinate, curve: { size: 1, degree: 3, knots, controls, outside } };
  });
  return [...tracks, ...added];
}
