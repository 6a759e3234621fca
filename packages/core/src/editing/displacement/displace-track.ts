/** One track of a clip with a displacement added to its Bezier points. */

import type { LimitComponent } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import { partOfPoints, raisePoints } from '../../motion/representation/bernstein.js';
import {
  type Curve,
  type CurvePoint,
  createCurvePoint,
  evaluateCurve,
  writePiece,
} from '../../motion/representation/curve.js';
import type { MotionTrack } from '../../motion/track.js';
import { keepWithin } from './clamp-to-limits.js';
import { displacedVector } from './displaced-rotation.js';
import type { Displacement, DisplacementPoint } from './displacement.js';

/** A rotation vector is written anew, a turn shorter, where it comes to be as long as this. */
const FARTHEST = 1.75 * Math.PI;

/** The rotation vectors of a track that move, and the limits that lie in it. */
interface TrackPlan {
  readonly curve: Curve;
  readonly coordinate: number;
  readonly plain: readonly number[];
  readonly vectors: readonly VectorPlan[];
  readonly limits: readonly LimitComponent[];
  /** Scratch for the clip at a moment. */
  readonly clip: CurvePoint<Float64Array>;
}

/** A rotation vector of which at least one number is in the track. */
interface VectorPlan {
  readonly coordinate: number;
  /** Which of its three numbers the track has. */
  readonly own: readonly number[];
  /** Its reference and what it has come to, at the moment looked at last. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  begun: boolean;
}

export function displaceTrack(
  figure: Figure,
  tracks: readonly MotionTrack[],
  track: MotionTrack,
  displacement: Displacement,
  longest: number,
): MotionTrack {
  const plan = planOf(figure, track, displacement.coordinates);
  const { curve, coordinate } = plan;
  if (plan.plain.length === 0 && plan.vectors.length === 0) return track;
  const { size, knots } = curve;
  const degree = curve.degree <= 3 ? 3 : Math.max(5, curve.degree);
  const stride = (degree + 1) * size;
  const times = [knots[0]];
  const points: Float64Array[] = [];
  const ends = [createCurvePoint(size), createCurvePoint(size)] as const;
  const old = Float64Array.from(curve.controls);
  const oldStride = (curve.degree + 1) * size;
  for (let s = 0; s + 1 < knots.length; s++) {
    const begin = knots[s];
    const span = knots[s + 1] - begin;
    const own = raised(old.subarray(s * oldStride, (s + 1) * oldStride), size, curve.degree, degree);
    if (begin >= displacement.to || knots[s + 1] <= displacement.from) {
      points.push(own);
      times.push(knots[s + 1]);
      for (const vector of plan.vectors) vector.begun = false;
      continue;
    }
    const count = Math.max(1, Math.ceil(span / longest - 1e-9));
    for (let k = 0; k < count; k++) {
      const from = begin + (span * k) / count;
      const to = k + 1 === count ? knots[s + 1] : begin + (span * (k + 1)) / count;
      const clip = count === 1 ? own : partOfPoints(own, size, k / count, (k + 1) / count);
      const part = clip.slice();
      writeChange(plan, tracks, s, from, displacement.at(from), ends[0]);
      writeChange(plan, tracks, s, to, displacement.at(to), ends[1]);
      addChange(part, size, degree, to - from, ends);
      keepWithin(plan.limits, coordinate, clip, size, part);
      points.push(part);
      times.push(to);
    }
  }
  const controls = new Float64Array(points.length * stride);
  points.forEach((part, k) => {
    controls.set(part, k * stride);
  });
  const changed = { size, degree, knots: Float64Array.from(times), controls, outside: curve.outside };
  return Object.freeze({ coordinate, curve: Object.freeze(changed) });
}

function planOf(figure: Figure, { coordinate, curve }: MotionTrack, moving: Int32Array): TrackPlan {
  const { size } = curve;
  const moves = new Set(Array.from(moving).filter((i) => i >= coordinate && i < coordinate + size));
  const vectors = Array.from(rotationVectors(figure)).flatMap((i): VectorPlan[] => {
    const own = [0, 1, 2].filter((k) => moves.has(i + k));
    for (const k of own) moves.delete(i + k);
    const room = { before: new Float64Array(3), after: new Float64Array(3), begun: false };
    return own.length === 0 ? [] : [{ coordinate: i, own, ...room }];
  });
  const held = new Set(moving);
  const limits = figure.limitComponents.filter(
    (part) =>
      held.has(part.coordinate) &&
      part.coordinate >= coordinate &&
      part.coordinate + part.size <= coordinate + size,
  );
  return { curve, coordinate, plain: [...moves], vectors, limits, clip: createCurvePoint(size) };
}

function raised(points: Float64Array, size: number, from: number, to: number): Float64Array {
  let out = points;
  for (let d = from; d < to; d++) out = raisePoints(out, size);
  return out;
}

const reference = /* @__PURE__ */ createCurvePoint(3);
const turn = /* @__PURE__ */ createCurvePoint(3);
const result = /* @__PURE__ */ createCurvePoint(3);
const near: number[] = [0, 0, 0];

function writeChange(
  plan: TrackPlan,
  tracks: readonly MotionTrack[],
  piece: number,
  time: number,
  d: DisplacementPoint,
  out: CurvePoint<Float64Array>,
): void {
  const { curve, coordinate, plain, vectors } = plan;
  for (const i of plain) {
    out.value[i - coordinate] = d.value[i];
    out.first[i - coordinate] = d.first[i];
    out.second[i - coordinate] = d.second[i];
  }
  if (vectors.length === 0) return;
  const { clip } = plan;
  writePiece(curve, piece, time, clip.value, clip.first, clip.second, 0);
  for (const vector of vectors) {
    const i = vector.coordinate;
    for (let k = 0; k < 3; k++) {
      const own = vector.own.includes(k);
      const from = own ? clip : elsewhere(tracks, i + k, time);
      const at = own ? i + k - coordinate : 0;
      reference.value[k] = from.value[at];
      reference.first[k] = from.first[at];
      reference.second[k] = from.second[at];
      turn.value[k] = d.value[i + k];
      turn.first[k] = d.first[i + k];
      turn.second[k] = d.second[i + k];
      const moved = vector.begun ? vector.after[k] - vector.before[k] : 0;
      near[k] = reference.value[k] + moved;
    }
    displacedVector(reference, turn, near, result);
    const length = lengthOf(result.value);
    if (length > FARTHEST && length > lengthOf(reference.value)) {
      for (let k = 0; k < 3; k++) near[k] = result.value[k] * (1 - (2 * Math.PI) / length);
      displacedVector(reference, turn, near, result);
    }
    for (const k of vector.own) {
      const c = i + k - coordinate;
      out.value[c] = result.value[k] - reference.value[k];
      out.first[c] = result.first[k] - reference.first[k];
      out.second[c] = result.second[k] - reference.second[k];
    }
    vector.before.set(reference.value);
    vector.after.set(result.value);
    vector.begun = true;
  }
}

function lengthOf(v: Numbers): number {
  return Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/** A number that another track has. */
function elsewhere(tracks: readonly MotionTrack[], i: number, time: number): CurvePoint {
  const track = tracks.find(({ coordinate, curve }) => i >= coordinate && i < coordinate + curve.size);
  if (track === undefined) return createCurvePoint(1);
  const point = evaluateCurve(track.curve, time);
  const c = i - track.coordinate;
  return {
    value: point.value.slice(c, c + 1),
    first: point.first.slice(c, c + 1),
    second: point.second.slice(c, c + 1),
  };
}

/** Adds the Hermite piece with the change at both ends: a cubic, or from degree 5 on a quintic. */
function addChange(
  points: Float64Array,
  size: number,
  degree: number,
  h: number,
  [a, b]: readonly [CurvePoint<Float64Array>, CurvePoint<Float64Array>],
): void {
  if (degree === 3) {
    const run = h / 3;
    for (let c = 0; c < size; c++) {
      points[c] += a.value[c];
      points[size + c] += a.value[c] + run * a.first[c];
      points[2 * size + c] += b.value[c] - run * b.first[c];
      points[3 * size + c] += b.value[c];
    }
    return;
  }
  const quintic = new Float64Array(6 * size);
  const run = h / 5;
  const bend = (h * h) / 20;
  for (let c = 0; c < size; c++) {
    quintic[c] = a.value[c];
    quintic[size + c] = a.value[c] + run * a.first[c];
    quintic[2 * size + c] = a.value[c] + 2 * run * a.first[c] + bend * a.second[c];
    quintic[3 * size + c] = b.value[c] - 2 * run * b.first[c] + bend * b.second[c];
    quintic[4 * size + c] = b.value[c] - run * b.first[c];
    quintic[5 * size + c] = b.value[c];
  }
  const added = raised(quintic, size, 5, degree);
  for (let o = 0; o < points.length; o++) points[o] += added[o];
}
