/** Where a node's motion may have corners, and how fast it can turn between them. */
import type { Bone, MimicData } from 'poise/figure';
import type { Curve, Motion } from 'poise/motion';

/** A stretch of the motion on which it is smooth and no joint goes far. */
export interface Stretch {
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

/** The most that a joint travels on a stretch: the sum over its coordinates, rad or m. */
const TRAVEL = 1;

/**
 * Cuts the motion's range at all knots of the bones' tracks, and finer so that none of their joints travels more than {@link TRAVEL} on one
 * part (by the hull of its Bezier points): then no turn can hide between the moments that are looked at.
 */
export function stretchesOf(motion: Motion, bones: readonly Bone[]): Stretch[] {
  const { start, end } = motion;
  const cuts = new Set([start, end]);
  const joints = bones.map((bone) =>
    bone.mimic === undefined ? piecesOfJoint(motion, bone) : piecesOfFollower(motion, bone.mimic, bones),
  );
  for (const piece of joints.flat())
    for (const t of [piece.start, piece.end]) if (t > start && t < end) cuts.add(t);
  const times = [...cuts].sort((a, b) => a - b);
  const travels = new Float64Array(times.length);
  const own = new Float64Array(times.length);
  for (const pieces of joints) {
    own.fill(0);
    for (const piece of pieces) {
      for (
        let i = indexOf(times, Math.max(piece.start, start));
        i + 1 < times.length && times[i] < piece.end;
        i++
      ) {
        own[i] += piece.speed * (times[i + 1] - times[i]);
      }
    }
    for (let i = 0; i < own.length; i++) travels[i] = Math.max(travels[i], own[i]);
  }
  const stretches: Stretch[] = [];
  for (let i = 0; i + 1 < times.length; i++) {
    const [from, to] = [times[i], times[i + 1]];
    const parts = Math.max(1, Math.ceil(travels[i] / TRAVEL));
    for (let k = 0; k < parts; k++) {
      stretches.push({
        start: from + ((to - from) * k) / parts,
        end: k + 1 === parts ? to : from + ((to - from) * (k + 1)) / parts,
      });
    }
  }
  return stretches;
}

/** The pieces of all tracks that move a joint, each with the speed of the joint's coordinates alone. */
function piecesOfJoint({ tracks, start, end }: Motion, { coordinate, dof }: Bone): Piece[] {
  return tracks.flatMap((track) => {
    const first = Math.max(0, coordinate - track.coordinate);
    const last = Math.min(track.curve.size, coordinate + dof - track.coordinate);
    return first < last ? piecesOf(track.curve, first, last, start, end) : [];
  });
}

/**
 * The pieces of the leader's joint y, each with the speed of a joint phi(y) that follows it: |phi'| is at most the sum of k |c_k| Y^(k-1) over
 * k, with |y| <= Y by the hull of its points and what it travels past its own range.
 */
function piecesOfFollower(
  motion: Motion,
  { bone, polynomial }: MimicData,
  bones: readonly Bone[],
): readonly Piece[] {
  const leader = bones.find(({ name }) => name === bone);
  if (leader === undefined) return [];
  const pieces = piecesOfJoint(motion, leader);
  let reach = 0;
  for (const { coordinate, curve } of motion.tracks) {
    const c = leader.coordinate - coordinate;
    if (c < 0 || c >= curve.size) continue;
    for (let i = c; i < curve.controls.length; i += curve.size) {
      reach = Math.max(reach, Math.abs(curve.controls[i]));
    }
    const [first, last] = [curve.knots[0], curve.knots[curve.knots.length - 1]];
    for (const { start, end, speed } of pieces) {
      if (end <= first || start >= last) reach += speed * (end - start);
    }
  }
  const gain = polynomial.reduce((sum, c, k) => (k === 0 ? 0 : sum + k * Math.abs(c) * reach ** (k - 1)), 0);
  return pieces.map(({ start, end, speed }) => ({ start, end, speed: gain * speed }));
}

/** Index of the last of the times that is not after `t`. */
function indexOf(times: readonly number[], t: number): number {
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
  /** Bound of the sum of |q'| over the coordinates, per s. */
  readonly speed: number;
}

/** The pieces of coordinates [from, to) of a curve over [start, end], those of later and earlier rounds included where the curve makes any. */
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
  const own = Array.from({ length: count }, (_, s): Piece => {
    let speed = 0;
    for (let c = from; c < to; c++) {
      let steepest = 0;
      for (let k = 0; k < degree; k++) {
        const at = ((degree + 1) * s + k) * size + c;
        steepest = Math.max(steepest, Math.abs(controls[at + size] - controls[at]));
      }
      speed += (degree * steepest) / (knots[s + 1] - knots[s]);
    }
    return { start: knots[s], end: knots[s + 1], speed };
  });
  const pieces = [...own];
  const rounds = (least: number, most: number, mirror: boolean): void => {
    for (let round = least; round <= most; round++) {
      const shift = round * span;
      const back = mirror && round % 2 !== 0;
      for (const piece of own) {
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
    if (outside.before === 'linear') pieces.push({ start, end: first, speed: own[0].speed });
    else if (outside.before !== 'clamp') rounds(earliest, -1, outside.before === 'mirror');
  }
  if (end > first + span) {
    if (outside.after === 'linear') pieces.push({ start: first + span, end, speed: own[count - 1].speed });
    else if (outside.after !== 'clamp') rounds(1, last, outside.after === 'mirror');
  }
  return pieces;
}
