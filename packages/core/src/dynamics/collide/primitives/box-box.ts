import { addContactPoint, appendContactPoint, type Manifold } from '../manifold/manifold.js';
import { createBoxPair, edgeSeparation, faceSeparation, updateBoxPair } from './box-axes.js';
import { type ClosestPoint, closestEdgePoints, closestPoints, createClosestPoint } from './box-nearest.js';
import { clipFace } from './clip-face.js';
import { FACE_COS } from './sphere-capsule-box.js';

/*
 * Box against box. Overlapping: the separating axis of least penetration. Separated: the closest points, of an edge of A and B or of a corner of B
 * and A. The manifold is completed by clipping the incident face against the reference face.
 */

const pair = /* @__PURE__ */ createBoxPair();
const closest = /* @__PURE__ */ createClosestPoint();
const p = /* @__PURE__ */ new Float64Array(3);

/** 1 - cos of the angle below which two faces count as parallel: 0.08 degrees. */
const PARALLEL_FACES = 1e-6;
/** Feature id of the closest points where they are not a clipped point. */
const CLOSEST_FEATURE = 24;

/** A box against a box. */
export function boxBox(shapes: Float64Array, a: number, b: number, m: Manifold): void {
  updateBoxPair(shapes, a, b, pair);
  let max = Number.NEGATIVE_INFINITY;
  let axis = 0;
  for (let i = 0; i < 6; i++) {
    const separation = faceSeparation(pair, shapes, a, b, i);
    if (separation <= max) continue;
    max = separation;
    axis = i;
  }
  if (max > m.margin) return;
  for (let i = 0; i < 9; i++) {
    const separation = edgeSeparation(pair, shapes, a, b, i);
    // Edges only where clearly better than faces: near-parallel edges give the same axis, with worse rounding.
    if (separation <= max + 1e-9 * shapes[a + 12]) continue;
    max = separation;
    axis = 6 + i;
  }
  if (max > m.margin) return;
  if (max > 0) {
    const distance = closestPoints(pair, shapes, a, b, closest);
    if (distance > m.margin) return;
    if (distance > 0) {
      addClosestContact(closest, distance, m);
      clipReferenceFace(closest, shapes, a, b, m);
      return;
    }
  }
  if (axis < 6) {
    const onA = axis < 3;
    const k = onA ? axis : axis - 3;
    const sign = (onA ? pair.centerInA[k] : pair.centerInB[k]) < 0 ? -1 : 1;
    clipFace(shapes, onA ? a : b, onA ? b : a, k, sign, onA, m);
    if (m.count === 0) {
      addSupportVertex(shapes, onA ? a : b, onA ? b : a, k, sign, onA, max, m);
      return;
    }
    const depth = takeDeepest(m, closest);
    addClosestContact(closest, depth, m);
    clipReferenceFace(closest, shapes, a, b, m);
    return;
  }
  closestEdgePoints(pair, shapes, a, b, axis - 6, closest);
  addClosestContact(closest, max, m);
  clipReferenceFace(closest, shapes, a, b, m);
}

/** Adds the closest point. */
function addClosestContact({ point, normal }: ClosestPoint, separation: number, m: Manifold): void {
  addContactPoint(
    m,
    point[0],
    point[1],
    point[2],
    normal[0],
    normal[1],
    normal[2],
    separation,
    CLOSEST_FEATURE,
  );
}

/** Clears the manifold and moves its deepest point to `out`. @returns its separation. */
function takeDeepest(m: Manifold, { point, normal }: ClosestPoint): number {
  let deepest = 0;
  for (let i = 1; i < m.count; i++) if (m.separation[i] < m.separation[deepest]) deepest = i;
  for (let k = 0; k < 3; k++) {
    point[k] = m.point[3 * deepest + k];
    normal[k] = m.normal[3 * deepest + k];
  }
  m.count = 0;
  return m.separation[deepest];
}

/** Adds the points of the reference face, the face whose normal is nearest to the contact normal, by clipping. */
function clipReferenceFace(
  { point, normal }: ClosestPoint,
  shapes: Float64Array,
  a: number,
  b: number,
  m: Manifold,
): void {
  let best = FACE_COS;
  let axis = -1;
  let sign = 1;
  for (let i = 0; i < 6; i++) {
    const o = (i < 3 ? a : b) + 3 + (i % 3);
    const cosine = normal[0] * shapes[o] + normal[1] * shapes[o + 3] + normal[2] * shapes[o + 6];
    // A face of B only where clearly better aligned: otherwise feature ids would flicker on parallel faces.
    if (Math.abs(cosine) <= (i < 3 ? best : best + PARALLEL_FACES)) continue;
    best = Math.abs(cosine);
    axis = i;
    // Outward from the box of the face: against the normal for A.
    sign = cosine < 0 === i < 3 ? 1 : -1;
  }
  if (axis < 0) return;
  const onA = axis < 3;
  const found = m.count;
  clipFace(shapes, onA ? a : b, onA ? b : a, axis % 3, sign, onA, m);
  dropDeeperContacts(point, found, best > 1 - 2 * PARALLEL_FACES, m);
}

/**
 * The separation of the pair is that of the closest points, found before: clipped points that are deeper are dropped or, for parallel faces, raised
 * to it. Where a clipped point is the closest point, the latter takes its feature id.
 */
function dropDeeperContacts(point: Float64Array, found: number, parallel: boolean, m: Manifold): void {
  const { count, mergeDistance } = m;
  const first = found - 1;
  const min = m.separation[first];
  m.count = found;
  for (let i = found; i < count; i++) {
    const o = 3 * i;
    const x = m.point[o] - point[0];
    const y = m.point[o + 1] - point[1];
    const z = m.point[o + 2] - point[2];
    if (x * x + y * y + z * z < mergeDistance * mergeDistance) {
      m.featureId[first] = m.featureId[i];
    } else if (m.separation[i] >= min - (parallel ? 4 * mergeDistance : 0)) {
      m.separation[i] = Math.max(m.separation[i], min);
      appendContactPoint(m, i);
    }
  }
}

/** Adds the support vertex against a face, for boxes that barely touch, where clipping finds nothing by rounding. */
function addSupportVertex(
  shapes: Float64Array,
  r: number,
  i: number,
  k: number,
  sign: number,
  onA: boolean,
  separation: number,
  m: Manifold,
): void {
  const nx = sign * shapes[r + 3 + k];
  const ny = sign * shapes[r + 6 + k];
  const nz = sign * shapes[r + 9 + k];
  for (let q = 0; q < 3; q++) p[q] = shapes[i + q];
  for (let q = 0; q < 3; q++) {
    const ux = shapes[i + 3 + q];
    const uy = shapes[i + 6 + q];
    const uz = shapes[i + 9 + q];
    const h = nx * ux + ny * uy + nz * uz > 0 ? -shapes[i + 12 + q] : shapes[i + 12 + q];
    p[0] += h * ux;
    p[1] += h * uy;
    p[2] += h * uz;
  }
  if (onA) addContactPoint(m, p[0], p[1], p[2], -nx, -ny, -nz, separation, CLOSEST_FEATURE);
  else
    addContactPoint(
      m,
      p[0] - separation * nx,
      p[1] - separation * ny,
      p[2] - separation * nz,
      nx,
      ny,
      nz,
      separation,
      CLOSEST_FEATURE,
    );
}
