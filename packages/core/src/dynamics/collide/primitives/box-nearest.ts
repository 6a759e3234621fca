import type { BoxPair } from './box-axes.js';
import { closestSegmentParameter, excess } from './segment-box.js';

/** Closest point on B and the normal from B to A, world axes. */
export interface ClosestPoint {
  readonly point: Float64Array;
  readonly normal: Float64Array;
}

export function createClosestPoint(): ClosestPoint {
  return { point: new Float64Array(3), normal: new Float64Array(3) };
}

const p = /* @__PURE__ */ new Float64Array(3);
const e = /* @__PURE__ */ new Float64Array(3);

/** Writes the closest point of two separated boxes at their relative pose `pair`. @returns their distance. */
export function closestPoints(
  pair: BoxPair,
  shapes: Float64Array,
  a: number,
  b: number,
  out: ClosestPoint,
): number {
  const { relativeRotation, centerInB } = pair;
  let min = Number.POSITIVE_INFINITY;
  const bx = shapes[b + 12];
  const by = shapes[b + 13];
  const bz = shapes[b + 14];
  // Edges of A in the frame of B, where the axes of A are the rows of `relativeRotation`.
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const h = shapes[a + 12 + k];
    for (let edge = 0; edge < 4; edge++) {
      const u = edge & 1 ? shapes[a + 12 + i] : -shapes[a + 12 + i];
      const v = edge & 2 ? shapes[a + 12 + j] : -shapes[a + 12 + j];
      const cx = centerInB[0] + u * relativeRotation[3 * i] + v * relativeRotation[3 * j];
      const cy = centerInB[1] + u * relativeRotation[3 * i + 1] + v * relativeRotation[3 * j + 1];
      const cz = centerInB[2] + u * relativeRotation[3 * i + 2] + v * relativeRotation[3 * j + 2];
      const hx = h * relativeRotation[3 * k];
      const hy = h * relativeRotation[3 * k + 1];
      const hz = h * relativeRotation[3 * k + 2];
      const t = closestSegmentParameter(cx, cy, cz, hx, hy, hz, bx, by, bz);
      const x = cx + t * hx;
      const y = cy + t * hy;
      const z = cz + t * hz;
      const ex = excess(x, bx);
      const ey = excess(y, by);
      const ez = excess(z, bz);
      const square = ex * ex + ey * ey + ez * ez;
      if (square >= min) continue;
      min = square;
      p[0] = x - ex;
      p[1] = y - ey;
      p[2] = z - ez;
      e[0] = ex;
      e[1] = ey;
      e[2] = ez;
    }
  }
  toWorld(shapes, b, p, e, out);
  // Corners of B in the frame of A; the normal points from B to A.
  let corner = -1;
  for (let i = 0; i < 8; i++) {
    writeCorner(pair, shapes, b, i);
    const ex = excess(p[0], shapes[a + 12]);
    const ey = excess(p[1], shapes[a + 13]);
    const ez = excess(p[2], shapes[a + 14]);
    const square = ex * ex + ey * ey + ez * ez;
    if (square >= min) continue;
    min = square;
    corner = i;
  }
  if (corner >= 0) {
    writeCorner(pair, shapes, b, corner);
    for (let k = 0; k < 3; k++) e[k] = -excess(p[k], shapes[a + 12 + k]);
    toWorld(shapes, a, p, e, out);
  }
  const distance = Math.sqrt(min);
  if (distance > 0) for (let k = 0; k < 3; k++) out.normal[k] /= distance;
  return distance;
}

/** Writes corner i of B, in the frame of A, to `p`. */
function writeCorner(
  { relativeRotation, centerInA }: BoxPair,
  shapes: Float64Array,
  b: number,
  i: number,
): void {
  const u = i & 1 ? shapes[b + 12] : -shapes[b + 12];
  const v = i & 2 ? shapes[b + 13] : -shapes[b + 13];
  const w = i & 4 ? shapes[b + 14] : -shapes[b + 14];
  for (let k = 0; k < 3; k++) {
    p[k] =
      centerInA[k] +
      relativeRotation[3 * k] * u +
      relativeRotation[3 * k + 1] * v +
      relativeRotation[3 * k + 2] * w;
  }
}

/** Transforms a point and a direction from the frame of a box to world axes. */
function toWorld(
  shapes: Float64Array,
  b: number,
  x: Float64Array,
  d: Float64Array,
  { point, normal }: ClosestPoint,
): void {
  for (let k = 0; k < 3; k++) {
    const r = b + 3 + 3 * k;
    point[k] = shapes[b + k] + shapes[r] * x[0] + shapes[r + 1] * x[1] + shapes[r + 2] * x[2];
    normal[k] = shapes[r] * d[0] + shapes[r + 1] * d[1] + shapes[r + 2] * d[2];
  }
}

/** Writes the closest point of the edges along A_i and B_j that face each other, n = 3 i + j. */
export function closestEdgePoints(
  { relativeRotation, centerInA }: BoxPair,
  shapes: Float64Array,
  a: number,
  b: number,
  n: number,
  out: ClosestPoint,
): void {
  const i = (n / 3) | 0;
  const j = n % 3;
  const i1 = (i + 1) % 3;
  const i2 = (i + 2) % 3;
  const u = relativeRotation[3 * i1 + j];
  const v = relativeRotation[3 * i2 + j];
  // From B to A.
  const scale = (centerInA[i2] * u - centerInA[i1] * v > 0 ? -1 : 1) / Math.sqrt(u * u + v * v);
  e[i] = 0;
  e[i2] = u * scale;
  e[i1] = -v * scale;
  // Support edges: of B furthest along the normal, of A furthest against it. x is from the origin of A's edge to that of B's.
  let x1 = centerInA[i1] + (e[i1] > 0 ? shapes[a + 12 + i1] : -shapes[a + 12 + i1]);
  let x2 = centerInA[i2] + (e[i2] > 0 ? shapes[a + 12 + i2] : -shapes[a + 12 + i2]);
  p[0] = centerInA[0];
  p[1] = centerInA[1];
  p[2] = centerInA[2];
  for (let s = 1; s < 3; s++) {
    const q = (j + s) % 3;
    const height =
      e[0] * relativeRotation[q] + e[1] * relativeRotation[3 + q] + e[2] * relativeRotation[6 + q];
    const h = height < 0 ? -shapes[b + 12 + q] : shapes[b + 12 + q];
    x1 += h * relativeRotation[3 * i1 + q];
    x2 += h * relativeRotation[3 * i2 + q];
    for (let k = 0; k < 3; k++) p[k] += h * relativeRotation[3 * k + q];
  }
  // In projection along A_i: x + t B_j closest to 0 in the plane of A_i1 and A_i2.
  const halfLength = shapes[b + 12 + j];
  const t = Math.min(halfLength, Math.max(-halfLength, -(x1 * u + x2 * v) / (u * u + v * v)));
  for (let k = 0; k < 3; k++) p[k] += t * relativeRotation[3 * k + j];
  toWorld(shapes, a, p, e, out);
}
