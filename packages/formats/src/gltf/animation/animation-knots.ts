/** Intervals on which the motion of a node is smooth, by knots of the tracks and bounds of joint speed. */
import type { Bone, MimicData } from 'poise/figure';
import type { Curve, Motion } from 'poise/motion';
import { fail } from '../../text/json-checks.js';

/** An interval on which the motion is smooth and no joint travels far. */
export interface SmoothInterval {
  /** s, of the motion. */
  readonly start: number;
  readonly end: number;
}

/** Whether a track moves a bone's joint. */
export function hasTrack({ coordinate, dof }: Bone, { tracks }: Motion): boolean {
  return tracks.some(
    (track) => coordinate < track.coordinate + track.curve.size && coordinate + dof > track.coordinate,
  );
}

/** Bound of the travel of a joint on an interval: the sum over its coordinates, rad or m. */
const MAX_TRAVEL = 1;

/** Splits of all intervals together: an hour in which a joint travels 250 rad or m a second. A wild motion of a stranger would ask for any number. */
const MAX_SPLITS = 1e6;

/**
 * Splits the motion's range at all knots of the bones' tracks, and further so that none of their joints travels more than {@link MAX_TRAVEL} in one
 * interval (by the hull of its Bezier points): then no full rotation can pass unnoticed between two samples.
 *
 * @throws FormatError `out-of-range` for a motion that travels without end.
 */
export function smoothIntervals(motion: Motion, bones: readonly Bone[]): SmoothInterval[] {
  const { start, end } = motion;
  const cuts = [start, end];
  const joints = bones.map((bone) =>
    bone.mimic === undefined ? piecesOfJoint(motion, bone) : piecesOfMimic(motion, bone.mimic, bones),
  );
  for (const piece of joints.flat()) {
    if (piece.start > start && piece.start < end) cuts.push(piece.start);
    if (piece.end > start && piece.end < end) cuts.push(piece.end);
  }
  const times = new Float64Array(cuts).sort().filter((t, i, sorted) => i === 0 || t !== sorted[i - 1]);
  const travel = new Float64Array(times.length);
  const jointTravel = new Float64Array(times.length);
  for (const pieces of joints) {
    jointTravel.fill(0);
    for (const piece of pieces) {
      for (
        let i = indexOf(times, Math.max(piece.start, start));
        i + 1 < times.length && times[i] < piece.end;
        i++
      ) {
        jointTravel[i] += piece.speed * (times[i + 1] - times[i]);
      }
    }
    for (let i = 0; i < jointTravel.length; i++) travel[i] = Math.max(travel[i], jointTravel[i]);
  }
  const intervals: SmoothInterval[] = [];
  let splits = 0;
  for (let i = 0; i + 1 < times.length; i++) {
    const from = times[i];
    const to = times[i + 1];
    const count = Math.max(1, Math.ceil(travel[i] / MAX_TRAVEL));
    splits += count - 1;
    if (!(splits <= MAX_SPLITS)) {
      const what = `'${bones[0].name}' or what it follows travels ${travel[i].toPrecision(3)} rad or m from ${from} to ${to} s: its keys would not end.`;
      fail('out-of-range', motion.name, what, 'Correct the motion, or leave the track out.');
    }
    for (let k = 0; k < count; k++) {
      intervals.push({
        start: from + ((to - from) * k) / count,
        end: k + 1 === count ? to : from + ((to - from) * (k + 1)) / count,
      });
    }
  }
  return intervals;
}

/** Pieces of all tracks of a joint, each with the speed of the joint's own coordinates. */
function piecesOfJoint({ tracks, start, end }: Motion, { coordinate, dof }: Bone): Piece[] {
  return tracks.flatMap((track) => {
    const first = Math.max(0, coordinate - track.coordinate);
    const last = Math.min(track.curve.size, coordinate + dof - track.coordinate);
    return first < last ? piecesOf(track.curve, first, last, start, end) : [];
  });
}

/**
 * Pieces of the source joint y of a mimic joint phi(y), each with the speed of the mimic joint: |phi'| is at most the sum of k |c_k| Y^(k-1) over
 * k, with |y| <= Y by the hull of its Bezier points and its travel outside its own range.
 */
function piecesOfMimic(
  motion: Motion,
  { bone, polynomial, pieces: splinePieces = [] }: MimicData,
  bones: readonly Bone[],
): readonly Piece[] {
  const source = bones.find(({ name }) => name === bone);
  if (source === undefined) return [];
  const pieces = piecesOfJoint(motion, source);
  let maxValue = 0;
  for (const { coordinate, curve } of motion.tracks) {
    const c = source.coordinate - coordinate;
    if (c < 0 || c >= curve.size) continue;
    for (let i = c; i < curve.controls.length; i += curve.size) {
      maxValue = Math.max(maxValue, Math.abs(curve.controls[i]));
    }
    const [first, last] = [curve.knots[0], curve.knots[curve.knots.length - 1]];
    for (const { start, end, speed } of pieces) {
      if (end <= first || start >= last) maxValue += speed * (end - start);
    }
  }
  const maxDerivative = splinePieces.reduce(
    (most, piece, n) => {
      const end = Math.min(splinePieces[n + 1]?.from ?? maxValue, maxValue);
      return Math.max(most, maxSlope(piece.polynomial, Math.max(0, end - piece.from)));
    },
    maxSlope(polynomial, maxValue),
  );
  return pieces.map(({ start, end, speed }) => ({ start, end, speed: maxDerivative * speed }));
}

/** At least the largest |phi'| for |y| up to a value. */
function maxSlope(polynomial: readonly number[], size: number): number {
  return polynomial.reduce((sum, c, k) => (k === 0 ? 0 : sum + k * Math.abs(c) * size ** (k - 1)), 0);
}

/** Index of the last time at or before `t`. */
function indexOf(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Bound of the sum of |q'| over the coordinates, rad/s or m/s. */
  readonly speed: number;
}

/** The pieces of coordinates [from, to) of a curve over [start, end], with repetitions outside its range where the curve repeats. */
function piecesOf(
  { size, degree, knots, controls, outside }: Curve,
  from: number,
  to: number,
  start: number,
  end: number,
): Piece[] {
  const count = knots.length - 1;
  const first = knots[0];
  const span = knots[count] - first;
  const basePieces: Piece[] = [];
  for (let s = 0; s < count; s++) {
    let speed = 0;
    for (let c = from; c < to; c++) {
      let maxDifference = 0;
      for (let k = 0; k < degree; k++) {
        const at = ((degree + 1) * s + k) * size + c;
        maxDifference = Math.max(maxDifference, Math.abs(controls[at + size] - controls[at]));
      }
      speed += (degree * maxDifference) / (knots[s + 1] - knots[s]);
    }
    basePieces.push({ start: knots[s], end: knots[s + 1], speed });
  }
  const pieces = [...basePieces];
  const repeat = (firstCycle: number, lastCycle: number, mirror: boolean): void => {
    for (let cycle = firstCycle; cycle <= lastCycle; cycle++) {
      const shift = cycle * span;
      const back = mirror && cycle % 2 !== 0;
      for (const piece of basePieces) {
        // Backwards t becomes first + (first + span - t).
        const [a, b] = back
          ? [2 * first + span - piece.end, 2 * first + span - piece.start]
          : [piece.start, piece.end];
        if (b + shift > start && a + shift < end)
          pieces.push({ start: a + shift, end: b + shift, speed: piece.speed });
      }
    }
  };
  const last = Math.ceil((end - first) / span) - 1;
  const earliest = Math.floor((start - first) / span);
  if (start < first) {
    if (outside.before === 'linear') pieces.push({ start, end: first, speed: basePieces[0].speed });
    else if (outside.before !== 'clamp') repeat(earliest, -1, outside.before === 'mirror');
  }
  if (end > first + span) {
    if (outside.after === 'linear')
      pieces.push({ start: first + span, end, speed: basePieces[count - 1].speed });
    else if (outside.after !== 'clamp') repeat(1, last, outside.after === 'mirror');
  }
  return pieces;
}
