/** Puts displacements on a clip, at the clip's own keys. */
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import { displaceTrack } from './displace-track.js';
import type { Displacement } from './displacement.js';

/**
 * The clip with displacements added: R_ref exp(d) for rotation vectors, the sum for all else. Its keys are those of the clip: to the Bezier points
 * of each piece those are added that have the displacement's value and rate (from degree 4 on its second rate too) at both keys, so that nothing
 * of the clip is fitted or smoothed, and what lies outside the spans stays to the last bit. Pieces longer than `longest` are cut first.
 *
 * No Bezier point comes to lie farther outside a joint's limit than the clip's own does: so a clip within its limits stays within them, at the keys
 * and between.
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

/** Coordinates that have stood still until now get a track, with the keys of the first. */
function withTracks(
  figure: Figure,
  { base }: Motion,
  tracks: Motion['tracks'],
  moving: Int32Array,
): Motion['tracks'] {
  const tracked = new Uint8Array(figure.dof);
  for (const { coordinate, curve } of tracks) tracked.fill(1, coordinate, coordinate + curve.size);
  const still = Array.from(moving).filter((i) => tracked[i] === 0);
  if (still.length === 0) return tracks;
  const { knots, outside } = tracks[0].curve;
  const points = 4 * (knots.length - 1);
  const added = still.map((coordinate) => {
    const controls = new Float64Array(points).fill(base[coordinate]);
    return { coordinate, curve: { size: 1, degree: 3, knots, controls, outside } };
  });
  return [...tracks, ...added];
}
