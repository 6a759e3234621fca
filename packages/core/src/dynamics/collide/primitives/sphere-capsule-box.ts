import { addCandidate, type Manifold } from '../manifold/manifold.js';
import { excess, nearestToBox } from './segment-box.js';

/*
 * A sphere or capsule A against a box B, in the frame of the box. Apart: the nearest points of segment and box. Where the segment itself is inside:
 * the shortest way out along the faces or across an edge and the segment (separating axes, exact for convex bodies).
 */

/** cos of the angle below which a normal counts as that of a face: 18 degrees. */
export const FACING = 0.95;
/** Sine of the angle to a face below which a segment lies along it: the same 18 degrees. */
const LYING = 0.31;
/** Share of the box below which the segment counts as touching. */
const TOUCHING = 1e-9;

const c = /* @__PURE__ */ new Float64Array(3);
const h = /* @__PURE__ */ new Float64Array(3);
const half = /* @__PURE__ */ new Float64Array(3);
const p = /* @__PURE__ */ new Float64Array(3);
/** Direction, or normal from the box. */
const n = /* @__PURE__ */ new Float64Array(3);
const span = /* @__PURE__ */ new Float64Array(2);

/** A round shape against a box. */
export function roundBox(placed: Float64Array, a: number, b: number, m: Manifold): void {
  const x = placed[a] - placed[b];
  const y = placed[a + 1] - placed[b + 1];
  const z = placed[a + 2] - placed[b + 2];
  const u = placed[a + 3];
  const v = placed[a + 4];
  const w = placed[a + 5];
  for (let k = 0; k < 3; k++) {
    const r0 = placed[b + 3 + k];
    const r1 = placed[b + 6 + k];
    const r2 = placed[b + 9 + k];
    c[k] = r0 * x + r1 * y + r2 * z;
    h[k] = r0 * u + r1 * v + r2 * w;
    half[k] = placed[b + 12 + k];
  }
  const radius = placed[a + 6];
  const t = nearestToBox(c[0], c[1], c[2], h[0], h[1], h[2], half[0], half[1], half[2]);
  for (let k = 0; k < 3; k++) n[k] = excess(c[k] + t * h[k], half[k]);
  const distance = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (distance - radius > m.reach) return;
  if (distance > TOUCHING * (half[0] + half[1] + half[2])) {
    for (let k = 0; k < 3; k++) n[k] /= distance;
    addOutside(placed, b, t, radius, distance, placed[a + 7], m);
  } else {
    addInside(placed, b, radius, placed[a + 7], m);
  }
}

/** Adds the contact of the segment's point p, whose nearest point of the box is d back along n. */
function addFrom(
  placed: Float64Array,
  b: number,
  d: number,
  radius: number,
  feature: number,
  m: Manifold,
): void {
  const x = p[0] - d * n[0];
  const y = p[1] - d * n[1];
  const z = p[2] - d * n[2];
  const r = b + 3;
  addCandidate(
    m,
    placed[b] + placed[r] * x + placed[r + 1] * y + placed[r + 2] * z,
    placed[b + 1] + placed[r + 3] * x + placed[r + 4] * y + placed[r + 5] * z,
    placed[b + 2] + placed[r + 6] * x + placed[r + 7] * y + placed[r + 8] * z,
    placed[r] * n[0] + placed[r + 1] * n[1] + placed[r + 2] * n[2],
    placed[r + 3] * n[0] + placed[r + 4] * n[1] + placed[r + 5] * n[2],
    placed[r + 6] * n[0] + placed[r + 7] * n[1] + placed[r + 8] * n[2],
    d - radius,
    feature,
  );
}

function place(t: number): void {
  for (let k = 0; k < 3; k++) p[k] = c[k] + t * h[k];
}

/** The nearest points, and the ends of what lies along the same face or edge. `length` is half that of the segment. */
function addOutside(
  placed: Float64Array,
  b: number,
  t: number,
  radius: number,
  distance: number,
  length: number,
  m: Manifold,
): void {
  place(t);
  if (length === 0) {
    addFrom(placed, b, distance, radius, 0, m);
    return;
  }
  const face = dominantAxis();
  if (Math.abs(n[face]) > FACING) {
    const spanned = clipToSlabs(face);
    addFrom(placed, b, distance, radius, spanned ? endAt(t, length, radius) : 0, m);
    if (spanned) addAlongFace(placed, b, face, n[face] < 0 ? -1 : 1, t, length, radius, m);
    return;
  }
  // Beside an edge: two coordinates outside, and the segment along the third.
  let along = 0;
  for (let k = 1; k < 3; k++) if (Math.abs(n[k]) < Math.abs(n[along])) along = k;
  if (Math.abs(h[along]) < FACING * length || n[along] !== 0) {
    addFrom(placed, b, distance, radius, 0, m);
    return;
  }
  span[0] = -1;
  span[1] = 1;
  clipToSlab(along);
  addFrom(placed, b, distance, radius, endAt(t, length, radius), m);
  const other = t - span[0] > span[1] - t ? 0 : 1;
  if (isEnd(other, t, length, radius)) return;
  place(span[other]);
  for (let k = 0; k < 3; k++) n[k] = k === along ? 0 : excess(p[k], half[k]);
  const d = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(d > TOUCHING * (half[0] + half[1] + half[2]))) return;
  for (let k = 0; k < 3; k++) n[k] /= d;
  addFrom(placed, b, d, radius, 1 + other, m);
}

/** The shortest way out of the box for a segment that is inside. */
function addInside(placed: Float64Array, b: number, radius: number, length: number, m: Manifold): void {
  let depth = Number.POSITIVE_INFINITY;
  let face = 0;
  for (let k = 0; k < 3; k++) {
    const d = half[k] + Math.abs(h[k]) - Math.abs(c[k]);
    if (d >= depth) continue;
    depth = d;
    face = k;
  }
  let edge = -1;
  for (let k = 0; k < 3 && length > 0; k++) {
    // Across e_k x h.
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const across = Math.sqrt(h[i] * h[i] + h[j] * h[j]);
    if (across < 1e-6 * length) continue;
    const d =
      (half[i] * Math.abs(h[j]) + half[j] * Math.abs(h[i]) - Math.abs(c[j] * h[i] - c[i] * h[j])) / across;
    if (d >= depth - 1e-9 * half[k]) continue;
    depth = d;
    edge = k;
  }
  if (edge < 0) {
    const side = c[face] < 0 ? -1 : 1;
    // The end that is deepest, moved along a segment that lies level until it is over the face.
    let t = side * h[face] > 0 ? -1 : 1;
    const spanned = length > 0 && clipToSlabs(face);
    if (spanned) t = Math.min(span[1], Math.max(span[0], t));
    n.fill(0);
    n[face] = side;
    place(t);
    addFrom(placed, b, side * p[face] - half[face], radius, spanned ? endAt(t, length, radius) : 0, m);
    if (spanned) addAlongFace(placed, b, face, side, t, length, radius, m);
    return;
  }
  const i = (edge + 1) % 3;
  const j = (edge + 2) % 3;
  const across = Math.sqrt(h[i] * h[i] + h[j] * h[j]);
  // e_k x h = -h_j e_i + h_i e_j
  const side = c[j] * h[i] - c[i] * h[j] < 0 ? -1 : 1;
  n[edge] = 0;
  n[i] = (-side * h[j]) / across;
  n[j] = (side * h[i]) / across;
  // The edge of the box furthest along n; the segment's point beside it, seen along the edge.
  const ei = n[i] < 0 ? -half[i] : half[i];
  const ej = n[j] < 0 ? -half[j] : half[j];
  const t = ((ei - c[i]) * h[i] + (ej - c[j]) * h[j]) / (across * across);
  place(Math.min(1, Math.max(-1, t)));
  addFrom(placed, b, -depth, radius, 0, m);
}

/** The ends of the piece of a segment that lies along a face, but for the one at t. */
function addAlongFace(
  placed: Float64Array,
  b: number,
  face: number,
  side: number,
  t: number,
  length: number,
  radius: number,
  m: Manifold,
): void {
  if (Math.abs(h[face]) > LYING * length) return;
  n.fill(0);
  n[face] = side;
  for (let end = 0; end < 2; end++) {
    if (isEnd(end, t, length, radius)) continue;
    place(span[end]);
    addFrom(placed, b, side * p[face] - half[face], radius, 1 + end, m);
  }
}

/** Whether t is as good as an end of `span`: next to it seen with the radius. */
function isEnd(end: number, t: number, length: number, radius: number): boolean {
  return Math.abs(span[end] - t) * length < 0.1 * radius;
}

/** 1 or 2 at an end of `span`, 0 between. */
function endAt(t: number, length: number, radius: number): number {
  return isEnd(0, t, length, radius) ? 1 : isEnd(1, t, length, radius) ? 2 : 0;
}

function dominantAxis(): number {
  let axis = 0;
  for (let k = 1; k < 3; k++) if (Math.abs(n[k]) > Math.abs(n[axis])) axis = k;
  return axis;
}

/** Writes the piece of the segment over a face to `span`; whether there is one. */
function clipToSlabs(face: number): boolean {
  span[0] = -1;
  span[1] = 1;
  for (let k = 0; k < 3; k++) if (k !== face && !clipToSlab(k)) return false;
  return true;
}

function clipToSlab(k: number): boolean {
  if (h[k] === 0) return Math.abs(c[k]) <= half[k];
  const t = (-half[k] - c[k]) / h[k];
  const u = (half[k] - c[k]) / h[k];
  span[0] = Math.max(span[0], Math.min(t, u));
  span[1] = Math.min(span[1], Math.max(t, u));
  return span[0] <= span[1];
}
