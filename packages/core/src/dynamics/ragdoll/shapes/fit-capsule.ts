import type { Triple } from '../../../figure/data/types.js';
import { triple } from '../../../figure/kinematics/rest-pose.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { diagonalize } from '../../../math/linear/symmetric-eigen.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { Box } from '../../collide/shapes/shapes.js';
import { quantile } from '../body/vertex-sets.js';

/** A capsule, or a sphere where its ends coincide. */
export interface CapsuleFit {
  readonly from: Triple;
  readonly to: Triple;
  /** m */
  readonly radius: number;
}

/** Minimum number of points for a fit. */
export const MIN_POINTS = 8;

/** Trimmed quantiles: at either end of the axis, across it, and at each side of a box. */
const END_FRACTION = 0.02;
const SIDE_FRACTION = 0.05;
const BOX_SIDE_FRACTION = 0.03;
/** Candidate radii: these quantiles of the distances from the axis. */
const RADIUS_QUANTILES = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/** Error ratio below which another axis is preferred to the first. */
const FIRST_AXIS_BIAS = 0.85;

/** Weight of a point inside the shape relative to one outside: meshes have interior vertices. */
const INSIDE_WEIGHT = 0.5;

/** A fitted shape and the weighted mean distance of the points from its surface, m. */
export interface Fit<Shape> {
  readonly shape: Shape;
  readonly error: number;
}

/** Bounds of a fit. */
export interface FitBounds {
  /** Radius, m. */
  readonly minRadius: number;
  readonly maxRadius: number;
  /** Interval that the shape covers at least along the first axis, m. */
  readonly span?: readonly [number, number] | undefined;
}

/**
 * Fits a capsule to points: of the given directions and several radii, the one with the smallest mean distance of the points from its surface
 * (robust against outliers); points inside count half. Its ends are the 2 % and 98 % quantiles along the axis.
 *
 * @param axes - Directions to try, the preferred one first, unit.
 */
export function fitCapsule(
  points: readonly Triple[],
  axes: readonly Vec3[],
  bounds: FitBounds,
): Fit<CapsuleFit> {
  let best: CapsuleFit | undefined;
  let nearest = Number.POSITIVE_INFINITY;
  axes.forEach((axis, k) => {
    for (const capsule of capsulesAlong(points, axis, k === 0 ? bounds : { ...bounds, span: undefined })) {
      const score =
        meanError(points, (point) => distanceTo(capsule, point)) * (k === 0 ? FIRST_AXIS_BIAS : 1);
      if (score >= nearest) continue;
      nearest = score;
      best = capsule;
    }
  });
  const shape = best as CapsuleFit;
  return { shape, error: meanError(points, (point) => Math.abs(distanceTo(shape, point))) };
}

/**
 * Fits a box along three directions, from the 3 % to the 97 % quantile of the points.
 *
 * @param axes - Orthonormal, right-handed.
 * @param minHalfSize - m.
 */
export function fitBox(
  points: readonly Triple[],
  axes: readonly [Vec3, Vec3, Vec3],
  minHalfSize: number,
): Fit<Box> {
  const intervals = axes.map((axis) => {
    const sorted = Float64Array.from(points, (point) => vec3.dot(point, axis)).sort();
    return [quantile(sorted, BOX_SIDE_FRACTION), quantile(sorted, 1 - BOX_SIDE_FRACTION)] as const;
  });
  const half = intervals.map(([low, high]) => Math.max((high - low) / 2, minHalfSize));
  const middle = intervals.map(([low, high]) => (low + high) / 2);
  const position = [0, 1, 2].map((k) => axes.reduce((sum, axis, n) => sum + middle[n] * axis[k], 0));
  const [x, y, z, w] = quat.fromMatrix([0, 1, 2].flatMap((k) => axes.map((axis) => axis[k])));
  const error = meanError(points, (point) => {
    const d = axes.map((axis, n) => Math.abs(vec3.dot(point, axis) - middle[n]) - half[n]);
    return Math.hypot(...d.map((excess) => Math.max(excess, 0))) - Math.min(Math.max(...d), 0);
  });
  const placement = { position: triple(position), rotation: [x, y, z, w] as const };
  return { shape: { type: 'box', halfSizes: triple(half), placement }, error };
}

/** Candidate capsules along an axis, one for each radius. */
function capsulesAlong(
  points: readonly Triple[],
  axis: Vec3,
  { minRadius, maxRadius, span }: FitBounds,
): CapsuleFit[] {
  const u = vec3.perpendicular(axis);
  const v = vec3.cross(axis, u);
  const on = (direction: Vec3): Float64Array =>
    Float64Array.from(points, (point) => vec3.dot(point, direction)).sort();
  const middle = (sorted: Float64Array): number =>
    (quantile(sorted, SIDE_FRACTION) + quantile(sorted, 1 - SIDE_FRACTION)) / 2;
  const [a, b] = [middle(on(u)), middle(on(v))];
  const center = [0, 1, 2].map((k) => a * u[k] + b * v[k]);
  const radii = Float64Array.from(points, (point) =>
    Math.hypot(vec3.dot(point, u) - a, vec3.dot(point, v) - b),
  ).sort();
  const heights = on(axis);
  const low = Math.min(quantile(heights, END_FRACTION), span?.[0] ?? Number.POSITIVE_INFINITY);
  const high = Math.max(quantile(heights, 1 - END_FRACTION), span?.[1] ?? Number.NEGATIVE_INFINITY);
  return RADIUS_QUANTILES.map((fraction) => {
    const radius = Math.min(Math.max(quantile(radii, fraction), minRadius), maxRadius);
    const inset = Math.min(radius, (high - low) / 2);
    return {
      from: triple(vec3.addScaled(center, axis, low + inset)),
      to: triple(vec3.addScaled(center, axis, high - inset)),
      radius,
    };
  });
}

function meanError(points: readonly Triple[], distance: (point: Triple) => number): number {
  let sum = 0;
  for (const point of points) {
    const d = distance(point);
    sum += d > 0 ? d : -INSIDE_WEIGHT * d;
  }
  return sum / points.length;
}

/** Signed distance of a point from the surface of a capsule, negative inside. */
function distanceTo({ from, to, radius }: CapsuleFit, point: Vec3): number {
  const h = vec3.subtract(to, from);
  const square = vec3.normSquared(h);
  const r = vec3.subtract(point, from);
  const t = square > 0 ? Math.min(Math.max(vec3.dot(r, h) / square, 0), 1) : 0;
  return vec3.norm(vec3.addScaled(r, h, -t)) - radius;
}

/** First principal axis of points, unit. */
export function longestAxis(points: readonly Triple[]): Triple {
  const mean = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const m = new Array<number>(9).fill(0);
  for (const point of points) {
    const r = vec3.subtract(point, mean);
    for (let k = 0; k < 9; k++) m[k] += r[Math.floor(k / 3)] * r[k % 3];
  }
  const vectors = new Array<number>(9).fill(0);
  diagonalize(m, 3, vectors);
  const k = [m[0], m[4], m[8]].indexOf(Math.max(m[0], m[4], m[8]));
  return triple(vectors.slice(3 * k, 3 * k + 3));
}
