import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';

/*
 * A chain bent to a circular arc: each link is rotated by the same angle t relative to the one before, so the chord is sum of l_n e^(i n t).
 * It is the initial pose of a straight chain for a target on its own line.
 */

/** sum of l_n e^(i n t) over the first `count` links, to out[0..1]. */
export function writeChord(lengths: Numbers, t: number, count: number, out: MutableNumbers): void {
  let x = 0;
  let y = 0;
  for (let n = 0; n < count; n++) {
    x += lengths[n] * Math.cos(n * t);
    y += lengths[n] * Math.sin(n * t);
  }
  out[0] = x;
  out[1] = y;
}

const chord = /* @__PURE__ */ new Float64Array(2);

function chordLength(lengths: Numbers, t: number): number {
  writeChord(lengths, t, lengths.length, chord);
  return Math.sqrt(chord[0] ** 2 + chord[1] ** 2);
}

/** Smallest t in (0, pi) whose chord equals a distance below the sum of lengths; without one, the t of the nearest chord. */
export function arcAngle(lengths: Numbers, distance: number): number {
  const stride = Math.PI / (4 * lengths.length);
  let previous = 0;
  let nearest = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (let t = stride; t < Math.PI; t += stride) {
    const length = chordLength(lengths, t);
    if (length <= distance) return bisect(lengths, distance, previous, t);
    if (length < shortest) {
      shortest = length;
      nearest = t;
    }
    previous = t;
  }
  return nearest;
}

function bisect(lengths: Numbers, distance: number, from: number, to: number): number {
  let low = from;
  let high = to;
  for (let n = 0; n < 60; n++) {
    const middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    if (chordLength(lengths, middle) > distance) low = middle;
    else high = middle;
  }
  return high;
}
