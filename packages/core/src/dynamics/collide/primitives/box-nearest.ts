import { back, center, turn } from './box-axes.js';
import { excess, nearestToBox } from './segment-box.js';

/* The nearest points of two boxes that `relateBoxes` has seen, in world axes. */

/** Nearest points and the normal, world axes: on B, then from B to A. */
export const point: Float64Array = /* @__PURE__ */ new Float64Array(3);
export const normal: Float64Array = /* @__PURE__ */ new Float64Array(3);
const p = /* @__PURE__ */ new Float64Array(3);
const e = /* @__PURE__ */ new Float64Array(3);

/** Writes the nearest points of two boxes apart to `point` and `normal`, and gives their distance. */
export function nearestPoints(placed: Float64Array, a: number, b: number): number {
  let least = Number.POSITIVE_INFINITY;
  const bx = placed[b + 12];
  const by = placed[b + 13];
  const bz = placed[b + 14];
  // Edges of A in the frame of B, where the axes of A are the rows of `turn`.
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const h = placed[a + 12 + k];
    for (let side = 0; side < 4; side++) {
      const u = side & 1 ? placed[a + 12 + i] : -placed[a + 12 + i];
      const v = side & 2 ? placed[a + 12 + j] : -placed[a + 12 + j];
      const cx = back[0] + u * turn[3 * i] + v * turn[3 * j];
      const cy = back[1] + u * turn[3 * i + 1] + v * turn[3 * j + 1];
      const cz = back[2] + u * turn[3 * i + 2] + v * turn[3 * j + 2];
      const hx = h * turn[3 * k];
      const hy = h * turn[3 * k + 1];
      const hz = h * turn[3 * k + 2];
      const t = nearestToBox(cx, cy, cz, hx, hy, hz, bx, by, bz);
      const x = cx + t * hx;
      const y = cy + t * hy;
      const z = cz + t * hz;
      const ex = excess(x, bx);
      const ey = excess(y, by);
      const ez = excess(z, bz);
      const square = ex * ex + ey * ey + ez * ez;
      if (square >= least) continue;
      least = square;
      p[0] = x - ex;
      p[1] = y - ey;
      p[2] = z - ez;
      e[0] = ex;
      e[1] = ey;
      e[2] = ez;
    }
  }
  toWorld(placed, b, p, e);
  // Corners of B in the frame of A; n points from B to A.
  let corner = -1;
  for (let i = 0; i < 8; i++) {
    writeCorner(placed, b, i);
    const ex = excess(p[0], placed[a + 12]);
    const ey = excess(p[1], placed[a + 13]);
    const ez = excess(p[2], placed[a + 14]);
    const square = ex * ex + ey * ey + ez * ez;
    if (square >= least) continue;
    least = square;
    corner = i;
  }
  if (corner >= 0) {
    writeCorner(placed, b, corner);
    for (let k = 0; k < 3; k++) e[k] = -excess(p[k], placed[a + 12 + k]);
    toWorld(placed, a, p, e);
  }
  const distance = Math.sqrt(least);
  if (distance > 0) for (let k = 0; k < 3; k++) normal[k] /= distance;
  return distance;
}

/** Writes corner i of B, in the frame of A, to `p`. */
function writeCorner(placed: Float64Array, b: number, i: number): void {
  const u = i & 1 ? placed[b + 12] : -placed[b + 12];
  const v = i & 2 ? placed[b + 13] : -placed[b + 13];
  const w = i & 4 ? placed[b + 14] : -placed[b + 14];
  for (let k = 0; k < 3; k++) {
    p[k] = center[k] + turn[3 * k] * u + turn[3 * k + 1] * v + turn[3 * k + 2] * w;
  }
}

/** A point and a direction in the frame of a box, to `point` and `normal`. */
function toWorld(placed: Float64Array, b: number, x: Float64Array, d: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const r = b + 3 + 3 * k;
    point[k] = placed[b + k] + placed[r] * x[0] + placed[r + 1] * x[1] + placed[r + 2] * x[2];
    normal[k] = placed[r] * d[0] + placed[r + 1] * d[1] + placed[r + 2] * d[2];
  }
}

/** Writes the point of B and the normal where edge i of A crosses edge j of B, n = 3 i + j, in the frame of A. */
export function crossEdges(placed: Float64Array, a: number, b: number, n: number): void {
  const i = (n / 3) | 0;
  const j = n % 3;
  const i1 = (i + 1) % 3;
  const i2 = (i + 2) % 3;
  const u = turn[3 * i1 + j];
  const v = turn[3 * i2 + j];
  // From B to A.
  const scale = (center[i2] * u - center[i1] * v > 0 ? -1 : 1) / Math.sqrt(u * u + v * v);
  e[i] = 0;
  e[i2] = u * scale;
  e[i1] = -v * scale;
  // Both edges: that of B furthest along n, that of A furthest against it. x from the origin of A's edge to that of B's.
  let x1 = center[i1] + (e[i1] > 0 ? placed[a + 12 + i1] : -placed[a + 12 + i1]);
  let x2 = center[i2] + (e[i2] > 0 ? placed[a + 12 + i2] : -placed[a + 12 + i2]);
  p[0] = center[0];
  p[1] = center[1];
  p[2] = center[2];
  for (let s = 1; s < 3; s++) {
    const q = (j + s) % 3;
    const rise = e[0] * turn[q] + e[1] * turn[3 + q] + e[2] * turn[6 + q];
    const h = rise < 0 ? -placed[b + 12 + q] : placed[b + 12 + q];
    x1 += h * turn[3 * i1 + q];
    x2 += h * turn[3 * i2 + q];
    for (let k = 0; k < 3; k++) p[k] += h * turn[3 * k + q];
  }
  // Across edge i of A both lines are seen: x + t B_j next to 0 in the plane of A_i1 and A_i2.
  const reach = placed[b + 12 + j];
  const t = Math.min(reach, Math.max(-reach, -(x1 * u + x2 * v) / (u * u + v * v)));
  for (let k = 0; k < 3; k++) p[k] += t * turn[3 * k + j];
  toWorld(placed, a, p, e);
}
