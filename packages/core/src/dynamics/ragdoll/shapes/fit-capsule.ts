import type { Triple } from '../../../figure/data/types.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { diagonalize } from '../../../math/linear/symmetric-eigen.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { Box } from '../../collide/shapes/shapes.js';
import { triple } from '../body/rest-pose.js';
import { quantile } from '../body/vertex-sets.js';

/** A capsule, or a ball where its ends coincide. */
export interface Round {
  readonly from: Triple;
  readonly to: Triple;
  /** m */
  readonly radius: number;
}

/** Fewest points that a shape is fitted to. */
export const FEWEST_POINTS = 8;

/** What is left off at either end of an axis, and across it. */
const ENDS = 0.02;
const SIDES = 0.05;
const BOX_SIDES = 0.03;
/** Radii tried: these shares of the points are nearer to the axis. */
const SHARES = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
/** Another axis than the first is taken where it fits so much better. */
const BETTER = 0.85;

/** How much a point inside of a shape counts, to one outside: meshes have insides. */
const INSIDE = 0.5;

/** A shape and how far points are from its surface in the mean, those inside as much as those outside, m. */
export interface Fit<Shape> {
  readonly shape: Shape;
  readonly error: number;
}

/** What bounds a fit. */
export interface Bounds {
  /** Radius, m. */
  readonly least: number;
  readonly most: number;
  /** Along the first axis the shape reaches at least from here to there, m. */
  readonly span?: readonly [number, number] | undefined;
}

/**
 * The capsule nearest to a cloud of points: of several directions and radii the one whose surface the points are nearest to, in the mean of
 * their distances, which a few stray points do not pull far; inside counts half. Its ends are those of the cloud but for 2 %.
 *
 * @param axes - Directions to try, the preferred one first, unit.
 */
export function fitRound(points: readonly Triple[], axes: readonly Vec3[], bounds: Bounds): Fit<Round> {
  let best: Round | undefined;
  let nearest = Number.POSITIVE_INFINITY;
  axes.forEach((axis, k) => {
    for (const round of along(points, axis, k === 0 ? bounds : { ...bounds, span: undefined })) {
      const score = meanError(points, (point) => distanceTo(round, point)) * (k === 0 ? BETTER : 1);
      if (score >= nearest) continue;
      nearest = score;
      best = round;
    }
  });
  const shape = best as Round;
  return { shape, error: meanError(points, (point) => Math.abs(distanceTo(shape, point))) };
}

/**
 * The box around a cloud along three directions, without 3 % of it at each side.
 *
 * @param axes - Orthonormal, right-handed.
 * @param least - Least half size, m.
 */
export function fitBox(
  points: readonly Triple[],
  axes: readonly [Vec3, Vec3, Vec3],
  least: number,
): Fit<Box> {
  const sides = axes.map((axis) => {
    const sorted = Float64Array.from(points, (point) => vec3.dot(point, axis)).sort();
    return [quantile(sorted, BOX_SIDES), quantile(sorted, 1 - BOX_SIDES)] as const;
  });
  const half = sides.map(([low, high]) => Math.max((high - low) / 2, least));
  const middle = sides.map(([low, high]) => (low + high) / 2);
  const position = [0, 1, 2].map((k) => axes.reduce((sum, axis, n) => sum + middle[n] * axis[k], 0));
  const [x, y, z, w] = quat.fromMatrix([0, 1, 2].flatMap((k) => axes.map((axis) => axis[k])));
  const error = meanError(points, (point) => {
    const d = axes.map((axis, n) => Math.abs(vec3.dot(point, axis) - middle[n]) - half[n]);
    return Math.hypot(...d.map((far) => Math.max(far, 0))) - Math.min(Math.max(...d), 0);
  });
  const placement = { position: triple(position), rotation: [x, y, z, w] as const };
  return { shape: { type: 'box', halfSizes: triple(half), placement }, error };
}

function along(points: readonly Triple[], axis: Vec3, { least, most, span }: Bounds): Round[] {
  const u = vec3.perpendicular(axis);
  const v = vec3.cross(axis, u);
  const on = (direction: Vec3): Float64Array =>
    Float64Array.from(points, (point) => vec3.dot(point, direction)).sort();
  const middle = (sorted: Float64Array): number =>
    (quantile(sorted, SIDES) + quantile(sorted, 1 - SIDES)) / 2;
  const [a, b] = [middle(on(u)), middle(on(v))];
  const center = [0, 1, 2].map((k) => a * u[k] + b * v[k]);
  const radii = Float64Array.from(points, (point) =>
    Math.hypot(vec3.dot(point, u) - a, vec3.dot(point, v) - b),
  ).sort();
  const heights = on(axis);
  const low = Math.min(quantile(heights, ENDS), span?.[0] ?? Number.POSITIVE_INFINITY);
  const high = Math.max(quantile(heights, 1 - ENDS), span?.[1] ?? Number.NEGATIVE_INFINITY);
  return SHARES.map((share) => {
    const radius = Math.min(Math.max(quantile(radii, share), least), most);
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
    sum += d > 0 ? d : -INSIDE * d;
  }
  return sum / points.length;
}

/** Distance of a point from the surface of a capsule, negative inside. */
function distanceTo({ from, to, radius }: Round, point: Vec3): number {
  const h = vec3.subtract(to, from);
  const square = vec3.normSquared(h);
  const r = vec3.subtract(point, from);
  const t = square > 0 ? Math.min(Math.max(vec3.dot(r, h) / square, 0), 1) : 0;
  return vec3.norm(vec3.addScaled(r, h, -t)) - radius;
}

/** The direction in which a cloud is longest, unit. */
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
