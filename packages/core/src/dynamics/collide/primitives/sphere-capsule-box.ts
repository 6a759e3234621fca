import { addContactPoint, type Manifold } from '../manifold/manifold.js';
import { closestSegmentParameter, excess } from './segment-box.js';

/*
 * A capsule A against a box B, in the frame of the box. Segment outside the box: the closest points. Segment inside: the axis of least penetration,
 * along the face normals and the cross products of edges and segment (separating axes, exact for convex bodies).
 */

/** Cosine of the angle below which a normal counts as a face normal: 18 degrees. */
export const FACE_COS = 0.95;
/** Sine of the angle below which a segment counts as parallel to a face: the same 18 degrees. */
const FACE_SIN = 0.31;
/** Distance, relative to the size of the box, below which the segment counts as touching. */
const TOUCHING_TOLERANCE = 1e-9;

const c = /* @__PURE__ */ new Float64Array(3);
const h = /* @__PURE__ */ new Float64Array(3);
const half = /* @__PURE__ */ new Float64Array(3);
const p = /* @__PURE__ */ new Float64Array(3);
/** Contact normal, from the box. */
const n = /* @__PURE__ */ new Float64Array(3);
const span = /* @__PURE__ */ new Float64Array(2);

/** A capsule or sphere against a box. */
export function capsuleBox(shapes: Float64Array, a: number, b: number, m: Manifold): void {
  const x = shapes[a] - shapes[b];
  const y = shapes[a + 1] - shapes[b + 1];
  const z = shapes[a + 2] - shapes[b + 2];
  const u = shapes[a + 3];
  const v = shapes[a + 4];
  const w = shapes[a + 5];
  for (let k = 0; k < 3; k++) {
    const r0 = shapes[b + 3 + k];
    const r1 = shapes[b + 6 + k];
    const r2 = shapes[b + 9 + k];
    c[k] = r0 * x + r1 * y + r2 * z;
    h[k] = r0 * u + r1 * v + r2 * w;
    half[k] = shapes[b + 12 + k];
  }
  const radius = shapes[a + 6];
  const t = closestSegmentParameter(c[0], c[1], c[2], h[0], h[1], h[2], half[0], half[1], half[2]);
  for (let k = 0; k < 3; k++) n[k] = excess(c[k] + t * h[k], half[k]);
  const distance = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (distance - radius > m.margin) return;
  if (distance > TOUCHING_TOLERANCE * (half[0] + half[1] + half[2])) {
    for (let k = 0; k < 3; k++) n[k] /= distance;
    addSeparatedContacts(shapes, b, t, radius, distance, shapes[a + 7], m);
  } else {
    addPenetratingContacts(shapes, b, radius, shapes[a + 7], m);
  }
}

/** Adds the contact of the segment's point p, whose closest point on the box is p - d n. */
function addSegmentContact(
  shapes: Float64Array,
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
  addContactPoint(
    m,
    shapes[b] + shapes[r] * x + shapes[r + 1] * y + shapes[r + 2] * z,
    shapes[b + 1] + shapes[r + 3] * x + shapes[r + 4] * y + shapes[r + 5] * z,
    shapes[b + 2] + shapes[r + 6] * x + shapes[r + 7] * y + shapes[r + 8] * z,
    shapes[r] * n[0] + shapes[r + 1] * n[1] + shapes[r + 2] * n[2],
    shapes[r + 3] * n[0] + shapes[r + 4] * n[1] + shapes[r + 5] * n[2],
    shapes[r + 6] * n[0] + shapes[r + 7] * n[1] + shapes[r + 8] * n[2],
    d - radius,
    feature,
  );
}

/** Writes the point of the segment at t to `p`. */
function evaluateSegment(t: number): void {
  for (let k = 0; k < 3; k++) p[k] = c[k] + t * h[k];
}

/** Adds the closest points and, for a segment parallel to the face or edge, its ends. `length` is half that of the segment. */
function addSeparatedContacts(
  shapes: Float64Array,
  b: number,
  t: number,
  radius: number,
  distance: number,
  length: number,
  m: Manifold,
): void {
  evaluateSegment(t);
  if (length === 0) {
    addSegmentContact(shapes, b, distance, radius, 0, m);
    return;
  }
  const face = dominantAxis();
  if (Math.abs(n[face]) > FACE_COS) {
    const spanned = clipToSlabs(face);
    addSegmentContact(shapes, b, distance, radius, spanned ? endFeature(t, length, radius) : 0, m);
    if (spanned) addAlongFace(shapes, b, face, n[face] < 0 ? -1 : 1, t, length, radius, m);
    return;
  }
  // Next to an edge of the box: two coordinates outside, the segment parallel to the third axis.
  let axis = 0;
  for (let k = 1; k < 3; k++) if (Math.abs(n[k]) < Math.abs(n[axis])) axis = k;
  if (Math.abs(h[axis]) < FACE_COS * length || n[axis] !== 0) {
    addSegmentContact(shapes, b, distance, radius, 0, m);
    return;
  }
  span[0] = -1;
  span[1] = 1;
  clipToSlab(axis);
  addSegmentContact(shapes, b, distance, radius, endFeature(t, length, radius), m);
  const other = t - span[0] > span[1] - t ? 0 : 1;
  if (isEnd(other, t, length, radius)) return;
  evaluateSegment(span[other]);
  for (let k = 0; k < 3; k++) n[k] = k === axis ? 0 : excess(p[k], half[k]);
  const d = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(d > TOUCHING_TOLERANCE * (half[0] + half[1] + half[2]))) return;
  for (let k = 0; k < 3; k++) n[k] /= d;
  addSegmentContact(shapes, b, d, radius, 1 + other, m);
}

/** Adds the contacts along the axis of least penetration, for a segment inside the box. */
function addPenetratingContacts(
  shapes: Float64Array,
  b: number,
  radius: number,
  length: number,
  m: Manifold,
): void {
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
    // Along e_k x h.
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const norm = Math.sqrt(h[i] * h[i] + h[j] * h[j]);
    if (norm < 1e-6 * length) continue;
    const d =
      (half[i] * Math.abs(h[j]) + half[j] * Math.abs(h[i]) - Math.abs(c[j] * h[i] - c[i] * h[j])) / norm;
    if (d >= depth - 1e-9 * half[k]) continue;
    depth = d;
    edge = k;
  }
  if (edge < 0) {
    const sign = c[face] < 0 ? -1 : 1;
    // The deepest end, clamped to the piece of the segment over the face.
    let t = sign * h[face] > 0 ? -1 : 1;
    const spanned = length > 0 && clipToSlabs(face);
    if (spanned) t = Math.min(span[1], Math.max(span[0], t));
    n.fill(0);
    n[face] = sign;
    evaluateSegment(t);
    addSegmentContact(
      shapes,
      b,
      sign * p[face] - half[face],
      radius,
      spanned ? endFeature(t, length, radius) : 0,
      m,
    );
    if (spanned) addAlongFace(shapes, b, face, sign, t, length, radius, m);
    return;
  }
  const i = (edge + 1) % 3;
  const j = (edge + 2) % 3;
  const norm = Math.sqrt(h[i] * h[i] + h[j] * h[j]);
  // e_k x h = -h_j e_i + h_i e_j
  const sign = c[j] * h[i] - c[i] * h[j] < 0 ? -1 : 1;
  n[edge] = 0;
  n[i] = (-sign * h[j]) / norm;
  n[j] = (sign * h[i]) / norm;
  // The support edge of the box along n, and the closest point of the segment in projection along the edge.
  const ei = n[i] < 0 ? -half[i] : half[i];
  const ej = n[j] < 0 ? -half[j] : half[j];
  const t = ((ei - c[i]) * h[i] + (ej - c[j]) * h[j]) / (norm * norm);
  evaluateSegment(Math.min(1, Math.max(-1, t)));
  addSegmentContact(shapes, b, -depth, radius, 0, m);
}

/** Adds the ends of a segment parallel to a face, clipped to the face, except the one at t. */
function addAlongFace(
  shapes: Float64Array,
  b: number,
  face: number,
  sign: number,
  t: number,
  length: number,
  radius: number,
  m: Manifold,
): void {
  if (Math.abs(h[face]) > FACE_SIN * length) return;
  n.fill(0);
  n[face] = sign;
  for (let end = 0; end < 2; end++) {
    if (isEnd(end, t, length, radius)) continue;
    evaluateSegment(span[end]);
    addSegmentContact(shapes, b, sign * p[face] - half[face], radius, 1 + end, m);
  }
}

/** Whether t is at an end of `span`, within a tenth of the radius. */
function isEnd(end: number, t: number, length: number, radius: number): boolean {
  return Math.abs(span[end] - t) * length < 0.1 * radius;
}

/** Feature id: 1 or 2 at an end of `span`, 0 between. */
function endFeature(t: number, length: number, radius: number): number {
  return isEnd(0, t, length, radius) ? 1 : isEnd(1, t, length, radius) ? 2 : 0;
}

function dominantAxis(): number {
  let axis = 0;
  for (let k = 1; k < 3; k++) if (Math.abs(n[k]) > Math.abs(n[axis])) axis = k;
  return axis;
}

/** Clips the segment to the slabs beside a face, to `span`. @returns whether any of it is over the face. */
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
