/** Tracks with common knots, evaluated as one curve: piece search and Bernstein weights are shared. */
import type { MutableNumbers } from '../math/linear/types.js';
import {
  type Curve,
  type CurvePoint,
  createCurvePoint,
  evaluateCurve,
  MAX_DEGREE,
  pieceAt,
  writePiece,
} from './representation/curve.js';
import { pointWriterOf } from './representation/deferred-curve.js';
import type { MotionTrack } from './track.js';

/** One curve for many tracks, and the pose coordinates it writes. */
export interface Timeline {
  readonly curve: Curve;
  /** Pose index of each number of the curve. */
  readonly coordinates: Int32Array;
  /** Index of the first coordinate if they are contiguous, else -1. */
  readonly first: number;
  readonly start: number;
  readonly end: number;
  readonly point: CurvePoint;
  /** Piece of the last evaluation, a cache: the next time is usually in it or in the one after. */
  piece: number;
}

/** Timelines of the tracks: those of equal degree, knots and `outside` are merged. */
export function timelinesOf(tracks: readonly MotionTrack[]): Timeline[] {
  const groups: MotionTrack[][] = [];
  for (const track of tracks) {
    const group = groups.find(([{ curve }]) => haveCommonKnots(curve, track.curve));
    if (group === undefined) groups.push([track]);
    else group.push(track);
  }
  return groups.map(timelineOf);
}

function haveCommonKnots(a: Curve, b: Curve): boolean {
  if (a.degree !== b.degree || a.knots.length !== b.knots.length) return false;
  if (a.outside.before !== b.outside.before || a.outside.after !== b.outside.after) return false;
  if (a.knots === b.knots) return true;
  for (let i = 0; i < a.knots.length; i++) if (a.knots[i] !== b.knots[i]) return false;
  return true;
}

function timelineOf(tracks: readonly MotionTrack[]): Timeline {
  const { degree, knots, outside } = tracks[0].curve;
  const size = tracks.reduce((sum, { curve }) => sum + curve.size, 0);
  const coordinates = new Int32Array(size);
  const points = (knots.length - 1) * (degree + 1);
  const controls = new Float64Array(points * size);
  let at = 0;
  for (const { coordinate, curve } of tracks) {
    const write = pointWriterOf(curve);
    // Without a copy of the points that the curve would keep.
    write?.(controls, at, size);
    for (let c = 0; c < curve.size; c++) {
      coordinates[at + c] = coordinate + c;
      if (write !== undefined) continue;
      for (let p = 0; p < points; p++) controls[p * size + at + c] = curve.controls[p * curve.size + c];
    }
    at += curve.size;
  }
  return {
    curve: { size, degree, knots, controls, outside },
    coordinates,
    first: coordinates.every((coordinate, i) => coordinate === coordinates[0] + i) ? coordinates[0] : -1,
    start: knots[0],
    end: knots[knots.length - 1],
    point: createCurvePoint(size),
    piece: 0,
  };
}

/**
 * Writes values, and optionally rates and second rates, to their pose coordinates; equal to `evaluateCurve` to the last bit.
 * Outside the timeline's own range its curve is extrapolated.
 */
export function evaluateTimeline(
  line: Timeline,
  time: number,
  pose: MutableNumbers,
  rates: MutableNumbers | undefined,
  secondRates: MutableNumbers | undefined,
): void {
  const { curve, coordinates, first, point } = line;
  const inside = time >= line.start && time <= line.end;
  if (inside) {
    seek(line, time);
    if (rates === undefined && secondRates === undefined) {
      writeValues(line, time, pose);
      return;
    }
    if (first >= 0) {
      writePiece(curve, line.piece, time, pose, rates, secondRates, first);
      return;
    }
    writePiece(curve, line.piece, time, point.value, point.first, point.second, 0);
  } else evaluateCurve(curve, time, point);
  for (let c = 0; c < coordinates.length; c++) {
    const i = coordinates[c];
    pose[i] = point.value[c];
    if (rates !== undefined) rates[i] = point.first[c];
    if (secondRates !== undefined) secondRates[i] = point.second[c];
  }
}

/** Updates the cached piece to the one that contains `time`; constant time for the same piece or the next. */
function seek(line: Timeline, time: number): void {
  const { knots } = line.curve;
  const last = knots.length - 2;
  const { piece } = line;
  if (time >= knots[piece]) {
    if (time < knots[piece + 1] || piece === last) return;
    if (piece + 1 === last || time < knots[piece + 2]) {
      line.piece = piece + 1;
      return;
    }
  }
  line.piece = pieceAt(knots, time);
}

const weights = /* @__PURE__ */ new Float64Array(MAX_DEGREE + 1);

/** Values only. Sums are formed in the order of `writePiece`, so that both give the same bits. */
function writeValues(
  { curve, piece, coordinates, first }: Timeline,
  time: number,
  out: MutableNumbers,
): void {
  const { size, degree, knots, controls } = curve;
  const u = (time - knots[piece]) / (knots[piece + 1] - knots[piece]);
  const w = weights;
  writeWeights(degree, u, w);
  const base = piece * (degree + 1) * size;
  if (degree === 3 && first >= 0) {
    const w0 = w[0];
    const w1 = w[1];
    const w2 = w[2];
    const w3 = w[3];
    const b1 = base + size;
    const b2 = b1 + size;
    const b3 = b2 + size;
    for (let c = 0; c < size; c++) {
      out[first + c] =
        w0 * controls[base + c] + w1 * controls[b1 + c] + w2 * controls[b2 + c] + w3 * controls[b3 + c];
    }
    return;
  }
  for (let c = 0; c < size; c++) {
    let at = base + c;
    let sum = w[0] * controls[at];
    for (let k = 1; k <= degree; k++) {
      at += size;
      sum += w[k] * controls[at];
    }
    out[coordinates[c]] = sum;
  }
}

/** Bernstein weights at u, by degree elevation as in `writePiece`: b_k <- (1 - u) b_k + u b_{k-1}. */
function writeWeights(degree: number, u: number, w: Float64Array): void {
  const rest = 1 - u;
  w[0] = 1;
  for (let d = 1; d <= degree; d++) {
    w[d] = u * w[d - 1];
    for (let k = d - 1; k > 0; k--) w[k] = rest * w[k] + u * w[k - 1];
    w[0] *= rest;
  }
}
