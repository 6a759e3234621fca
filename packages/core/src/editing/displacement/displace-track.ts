/** Adds a displacement to the Bezier points of one track. */

import type { LimitComponent } from '../../figure/limits/limit.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import { elevatePoints, slicePoints } from '../../motion/representation/bernstein.js';
import {
  type Curve,
  type CurvePoint,
  createCurvePoint,
  evaluateCurve,
  writePiece,
} from '../../motion/representation/curve.js';
import type { MotionTrack } from '../../motion/track.js';
import { clampToLimits } from './clamp-to-limits.js';
import { displacedVector } from './displaced-rotation.js';
import type { Displacement, DisplacementPoint } from './displacement.js';

/** A rotation vector of at least this length is replaced by its shorter equivalent, rad. */
const MAX_ANGLE = 1.75 * Math.PI;

/** The displaced coordinates and rotation vectors of a track, and its limits. */
interface TrackPlan {
  readonly curve: Curve;
  readonly coordinate: number;
  readonly plain: readonly number[];
  readonly vectors: readonly VectorPlan[];
  readonly limits: readonly LimitComponent[];
  /** Scratch: the clip at one time. */
  readonly clip: CurvePoint<Float64Array>;
}

/** A rotation vector with at least one component in the track. */
interface VectorPlan {
  readonly coordinate: number;
  /** Its components in the track. */
  readonly own: readonly number[];
  /** Its reference and displaced values at the last time. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  hasPrevious: boolean;
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
    const own = elevateDegree(old.subarray(s * oldStride, (s + 1) * oldStride), size, curve.degree, degree);
    if (begin >= displacement.to || knots[s + 1] <= displacement.from) {
      points.push(own);
      times.push(knots[s + 1]);
      for (const vector of plan.vectors) vector.hasPrevious = false;
      continue;
    }
    const count = Math.max(1, Math.ceil(span / longest - 1e-9));
    for (let k = 0; k < count; k++) {
      const from = begin + (span * k) / count;
      const to = k + 1 === count ? knots[s + 1] : begin + (span * (k + 1)) / count;
      const clip = count === 1 ? own : slicePoints(own, size, k / count, (k + 1) / count);
      const piece = clip.slice();
      writeDisplacement(plan, tracks, s, from, displacement.at(from), ends[0]);
      writeDisplacement(plan, tracks, s, to, displacement.at(to), ends[1]);
      addHermitePiece(piece, size, degree, to - from, ends);
      clampToLimits(plan.limits, coordinate, clip, size, piece);
      points.push(piece);
      times.push(to);
    }
  }
  const controls = new Float64Array(points.length * stride);
  points.forEach((piece, k) => {
    controls.set(piece, k * stride);
  });
  const changed = { size, degree, knots: Float64Array.from(times), controls, outside: curve.outside };
  return Object.freeze({ coordinate, curve: Object.freeze(changed) });
}

function planOf(figure: Figure, { coordinate, curve }: MotionTrack, displaced: Int32Array): TrackPlan {
  const { size } = curve;
  const plain = new Set(Array.from(displaced).filter((i) => i >= coordinate && i < coordinate + size));
  const vectors = Array.from(rotationVectors(figure)).flatMap((i): VectorPlan[] => {
    const own = [0, 1, 2].filter((k) => plain.has(i + k));
    for (const k of own) plain.delete(i + k);
    const scratch = { before: new Float64Array(3), after: new Float64Array(3), hasPrevious: false };
    return own.length === 0 ? [] : [{ coordinate: i, own, ...scratch }];
  });
  const displacedSet = new Set(displaced);
  const limits = figure.limitComponents.filter(
    (limit) =>
      displacedSet.has(limit.coordinate) &&
      limit.coordinate >= coordinate &&
      limit.coordinate + limit.size <= coordinate + size,
  );
  return { curve, coordinate, plain: [...plain], vectors, limits, clip: createCurvePoint(size) };
}

function elevateDegree(points: Float64Array, size: number, from: number, to: number): Float64Array {
  let out = points;
  for (let d = from; d < to; d++) out = elevatePoints(out, size);
  return out;
}

const reference = /* @__PURE__ */ createCurvePoint(3);
const displacementVector = /* @__PURE__ */ createCurvePoint(3);
const result = /* @__PURE__ */ createCurvePoint(3);
const near: number[] = [0, 0, 0];

function writeDisplacement(
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
      const from = own ? clip : evaluateOtherTrack(tracks, i + k, time);
      const at = own ? i + k - coordinate : 0;
      reference.value[k] = from.value[at];
      reference.first[k] = from.first[at];
      reference.second[k] = from.second[at];
      displacementVector.value[k] = d.value[i + k];
      displacementVector.first[k] = d.first[i + k];
      displacementVector.second[k] = d.second[i + k];
      const moved = vector.hasPrevious ? vector.after[k] - vector.before[k] : 0;
      near[k] = reference.value[k] + moved;
    }
    displacedVector(reference, displacementVector, near, result);
    const length = lengthOf(result.value);
    if (length > MAX_ANGLE && length > lengthOf(reference.value)) {
      for (let k = 0; k < 3; k++) near[k] = result.value[k] * (1 - (2 * Math.PI) / length);
      displacedVector(reference, displacementVector, near, result);
    }
    for (const k of vector.own) {
      const c = i + k - coordinate;
      out.value[c] = result.value[k] - reference.value[k];
      out.first[c] = result.first[k] - reference.first[k];
      out.second[c] = result.second[k] - reference.second[k];
    }
    vector.before.set(reference.value);
    vector.after.set(result.value);
    vector.hasPrevious = true;
  }
}

function lengthOf(v: Numbers): number {
  return Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/** Evaluates a component that is in another track. */
function evaluateOtherTrack(tracks: readonly MotionTrack[], i: number, time: number): CurvePoint {
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

/** Adds the Hermite interpolant of the displacement at both ends: a cubic, or from degree 5 on a quintic. */
function addHermitePiece(
  points: Float64Array,
  size: number,
  degree: number,
  h: number,
  [a, b]: readonly [CurvePoint<Float64Array>, CurvePoint<Float64Array>],
): void {
  if (degree === 3) {
    const firstStep = h / 3;
    for (let c = 0; c < size; c++) {
      points[c] += a.value[c];
      points[size + c] += a.value[c] + firstStep * a.first[c];
      points[2 * size + c] += b.value[c] - firstStep * b.first[c];
      points[3 * size + c] += b.value[c];
    }
    return;
  }
  const quintic = new Float64Array(6 * size);
  const firstStep = h / 5;
  const secondStep = (h * h) / 20;
  for (let c = 0; c < size; c++) {
    quintic[c] = a.value[c];
    quintic[size + c] = a.value[c] + firstStep * a.first[c];
    quintic[2 * size + c] = a.value[c] + 2 * firstStep * a.first[c] + secondStep * a.second[c];
    quintic[3 * size + c] = b.value[c] - 2 * firstStep * b.first[c] + secondStep * b.second[c];
    quintic[4 * size + c] = b.value[c] - firstStep * b.first[c];
    quintic[5 * size + c] = b.value[c];
  }
  const added = elevateDegree(quintic, size, 5, degree);
  for (let o = 0; o < points.length; o++) points[o] += added[o];
}
