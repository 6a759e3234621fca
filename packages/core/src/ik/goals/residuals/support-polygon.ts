import { GoalError } from '../../../errors.js';
import type { MutableNumbers, Vec3 } from '../../../math/linear/types.js';
import { requireDirection, requireVector } from '../types/checks.js';
import { writeOrthonormalBasis } from './orthonormal-basis.js';

/** The convex hull of the support points, projected along the up direction. */
export interface SupportPolygon {
  /** up, e1, e2: orthonormal, in columns. */
  readonly axes: Float64Array;
  /** Coordinates along e1 and e2 of the points, then of the hull, counterclockwise about up. */
  readonly points: Float64Array;
  readonly hull: Float64Array;
  /** Number of corners in `hull`. */
  corners: number;
  /** Derivative of the displacement by the point, 3x3, where {@link nearestOnPolygon} was last called. */
  readonly gradient: Float64Array;
  /** Unit normals of the edges, pointing inside, world axes; zero for missing edges. */
  readonly edges: Float64Array;
}

/** Allocates a support polygon. @throws GoalError for an empty list. */
export function createSupportPolygon(points: readonly Vec3[], path: string): SupportPolygon {
  if (!Array.isArray(points) || points.length === 0) {
    throw new GoalError('wrong-size', 'has no points.', {
      path,
      remedy: 'Give world points under the feet.',
    });
  }
  return {
    axes: new Float64Array(9),
    points: new Float64Array(2 * points.length),
    hull: new Float64Array(2 * points.length + 2),
    corners: 0,
    gradient: new Float64Array(9),
    edges: new Float64Array(3 * edgeRows(points.length)),
  };
}

/** Reads the points and computes their hull. @throws GoalError for points that changed in number or are not finite. */
export function updateSupportPolygon(
  support: SupportPolygon,
  given: readonly Vec3[],
  up: Vec3,
  path: string,
): void {
  const { axes, points } = support;
  const count = points.length / 2;
  if (given?.length !== count) {
    throw new GoalError('wrong-size', `has ${given?.length ?? 'no'} points; it was made with ${count}.`, {
      path: `${path}.support`,
      remedy: 'Make a new solver when the number of points changes.',
    });
  }
  requireDirection(up, 3, `${path}.up`);
  writeOrthonormalBasis(up, axes);
  for (let n = 0; n < count; n++) {
    requireVector(given[n], 3, `${path}.support[${n}]`);
    const [x, y, z] = [given[n][0], given[n][1], given[n][2]];
    points[2 * n] = axes[1] * x + axes[4] * y + axes[7] * z;
    points[2 * n + 1] = axes[2] * x + axes[5] * y + axes[8] * z;
  }
  computeHull(support, count);
}

/** Gift wrapping (Jarvis 1973): from the lowest point, each next corner leaves all others on its left. */
function computeHull(support: SupportPolygon, count: number): void {
  const { points, hull } = support;
  let start = 0;
  for (let n = 1; n < count; n++) {
    const lower = points[2 * n + 1] - points[2 * start + 1];
    if (lower < 0 || (lower === 0 && points[2 * n] < points[2 * start])) start = n;
  }
  let at = start;
  let corners = 0;
  do {
    hull[2 * corners] = points[2 * at];
    hull[2 * corners + 1] = points[2 * at + 1];
    corners++;
    let next = at;
    for (let n = 0; n < count; n++) {
      if (next === at || isRightOf(points, at, next, n)) {
        if (pointDistance(points, at, n) > 0) next = n;
      }
    }
    at = next;
  } while (at !== start && corners < count);
  support.corners = corners;
}

/** Whether point n lies to the right of the line from `at` to `next`, or on it beyond `next`. */
function isRightOf(p: Float64Array, at: number, next: number, n: number): boolean {
  const ux = p[2 * next] - p[2 * at];
  const uy = p[2 * next + 1] - p[2 * at + 1];
  const vx = p[2 * n] - p[2 * at];
  const vy = p[2 * n + 1] - p[2 * at + 1];
  const cross = ux * vy - uy * vx;
  return cross < 0 || (cross === 0 && pointDistance(p, at, n) > pointDistance(p, at, next));
}

function pointDistance(p: Float64Array, a: number, b: number): number {
  return Math.hypot(p[2 * a] - p[2 * b], p[2 * a + 1] - p[2 * b + 1]);
}

/**
 * Writes the displacement from the nearest point of the hull to a point, normal to up, to out[o...], and its derivative by the
 * point to `gradient`: 0 inside, the projection onto the edge's normal at an edge, onto the plane at a corner.
 *
 * @returns the distance, m.
 */
export function nearestOnPolygon(
  { axes, hull, corners, gradient }: SupportPolygon,
  [x, y, z]: Float64Array,
  out: MutableNumbers,
  o: number,
): number {
  const p = axes[1] * x + axes[4] * y + axes[7] * z;
  const q = axes[2] * x + axes[5] * y + axes[8] * z;
  let min = Number.POSITIVE_INFINITY;
  let [dx, dy] = [0, 0];
  let corner = false;
  let inside = corners > 2;
  for (let n = 0; n < corners; n++) {
    const next = (n + 1) % corners;
    const ux = hull[2 * next] - hull[2 * n];
    const uy = hull[2 * next + 1] - hull[2 * n + 1];
    const vx = p - hull[2 * n];
    const vy = q - hull[2 * n + 1];
    if (ux * vy - uy * vx < 0) inside = false;
    const square = ux * ux + uy * uy;
    const along = square > 0 ? (ux * vx + uy * vy) / square : 0;
    const t = Math.min(1, Math.max(0, along));
    const wx = vx - t * ux;
    const wy = vy - t * uy;
    const distance = Math.hypot(wx, wy);
    if (distance >= min) continue;
    min = distance;
    [dx, dy] = [wx, wy];
    corner = along !== t || square === 0;
  }
  // A single point has no interior: its derivative is that of a corner everywhere.
  if (inside || (min === 0 && corners > 1)) {
    for (let k = 0; k < 3; k++) out[o + k] = 0;
    gradient.fill(0);
    return 0;
  }
  const [nx, ny] = [dx / min, dy / min];
  const [a, b, c] = corner ? [1, 0, 1] : [nx * nx, nx * ny, ny * ny];
  for (let k = 0; k < 3; k++) {
    const [e, f] = [axes[3 * k + 1], axes[3 * k + 2]];
    out[o + k] = dx * e + dy * f;
    for (let l = 0; l < 3; l++) {
      const [g, h] = [axes[3 * l + 1], axes[3 * l + 2]];
      gradient[3 * k + l] = a * e * g + b * (e * h + f * g) + c * f * h;
    }
  }
  return min;
}

/** Inside distance of missing edges. */
const FAR = 1e3;

/** Rows for the edges of a support of that many points: at least four, two sides and two ends of a degenerate hull. */
export function edgeRows(points: number): number {
  return Math.max(4, points);
}

/**
 * Writes the unit normal of an edge.
 *
 * @param n - From 0 to {@link edgeRows} of the points.
 * @returns the distance of a point inside of the edge, m.
 */
export function writeEdge(
  { axes, hull, corners, edges }: SupportPolygon,
  n: number,
  [x, y, z]: Float64Array,
): number {
  edges.fill(0, 3 * n, 3 * n + 3);
  const degenerate = corners < 3;
  if (n >= (degenerate ? 4 : corners)) return FAR;
  // A line has the edges there and back, then its two ends; a point is treated as a line along e1.
  const from = degenerate ? (n % 2) * (corners - 1) : n;
  const to = degenerate ? corners - 1 - from : (n + 1) % corners;
  let ux = hull[2 * to] - hull[2 * from];
  let uy = hull[2 * to + 1] - hull[2 * from + 1];
  if (corners === 1) ux = n % 2 === 0 ? 1 : -1;
  const length = Math.hypot(ux, uy);
  ux /= length;
  uy /= length;
  // Counterclockwise: inside is to the left of an edge, ahead of an end.
  const [nx, ny] = degenerate && n >= 2 ? [ux, uy] : [-uy, ux];
  for (let k = 0; k < 3; k++) edges[3 * n + k] = nx * axes[3 * k + 1] + ny * axes[3 * k + 2];
  const p = axes[1] * x + axes[4] * y + axes[7] * z;
  const q = axes[2] * x + axes[5] * y + axes[8] * z;
  return nx * (p - hull[2 * from]) + ny * (q - hull[2 * from + 1]);
}
