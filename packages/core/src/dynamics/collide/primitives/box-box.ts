import { addCandidate, type Manifold, moveCandidate } from '../manifold/manifold.js';
import { back, center, edgeGap, faceGap, relateBoxes } from './box-axes.js';
import { crossEdges, nearestPoints, normal, point } from './box-nearest.js';
import { clipFace } from './clip-face.js';
import { FACING } from './sphere-capsule-box.js';

/*
 * Two boxes. Where they overlap, the axis that parts them soonest; where they do not, the nearest points: of an edge of A and B, or of a corner of B
 * and A. Faces that face each other are clipped for what else touches.
 */

const p = /* @__PURE__ */ new Float64Array(3);

/** 1 - cos of the angle below which two faces are one as good as the other: 0.08 degrees. */
const LYING_FLAT = 1e-6;
/** Feature of the nearest points, where they are none of the clipped face's. */
const NEAREST = 24;

/** A box against a box. */
export function boxBox(placed: Float64Array, a: number, b: number, m: Manifold): void {
  relateBoxes(placed, a, b);
  let most = Number.NEGATIVE_INFINITY;
  let axis = 0;
  for (let i = 0; i < 6; i++) {
    const gap = faceGap(placed, a, b, i);
    if (gap <= most) continue;
    most = gap;
    axis = i;
  }
  if (most > m.reach) return;
  for (let i = 0; i < 9; i++) {
    const gap = edgeGap(placed, a, b, i);
    // An edge only where it says more than the faces do: next to parallel edges it would say the same, less well.
    if (gap <= most + 1e-9 * placed[a + 12]) continue;
    most = gap;
    axis = 6 + i;
  }
  if (most > m.reach) return;
  if (most > 0) {
    const distance = nearestPoints(placed, a, b);
    if (distance > m.reach) return;
    if (distance > 0) {
      addNearest(distance, m);
      clipFacing(placed, a, b, m);
      return;
    }
  }
  if (axis < 6) {
    const onA = axis < 3;
    const k = onA ? axis : axis - 3;
    const sign = (onA ? center[k] : back[k]) < 0 ? -1 : 1;
    clipFace(placed, onA ? a : b, onA ? b : a, k, sign, onA, m);
    if (m.count === 0) {
      addSupport(placed, onA ? a : b, onA ? b : a, k, sign, onA, most, m);
      return;
    }
    const depth = takeDeepest(m);
    addNearest(depth, m);
    clipFacing(placed, a, b, m);
    return;
  }
  crossEdges(placed, a, b, axis - 6);
  addNearest(most, m);
  clipFacing(placed, a, b, m);
}

function addNearest(gap: number, m: Manifold): void {
  addCandidate(m, point[0], point[1], point[2], normal[0], normal[1], normal[2], gap, NEAREST);
}

/** Moves the deepest candidate to `point` and `normal`, and gives its gap. */
function takeDeepest(m: Manifold): number {
  let deepest = 0;
  for (let i = 1; i < m.count; i++) if (m.gap[i] < m.gap[deepest]) deepest = i;
  for (let k = 0; k < 3; k++) {
    point[k] = m.point[3 * deepest + k];
    normal[k] = m.normal[3 * deepest + k];
  }
  m.count = 0;
  return m.gap[deepest];
}

/** Adds what the face that the normal is that of finds beside the nearest points. */
function clipFacing(placed: Float64Array, a: number, b: number, m: Manifold): void {
  let best = FACING;
  let axis = -1;
  let sign = 1;
  for (let i = 0; i < 6; i++) {
    const o = (i < 3 ? a : b) + 3 + (i % 3);
    const along = normal[0] * placed[o] + normal[1] * placed[o + 3] + normal[2] * placed[o + 6];
    // A face of B only where it faces clearly better, lest contacts change their names on boxes that lie flat.
    if (Math.abs(along) <= (i < 3 ? best : best + LYING_FLAT)) continue;
    best = Math.abs(along);
    axis = i;
    // Out of the box that has the face: against n for A.
    sign = along < 0 === i < 3 ? 1 : -1;
  }
  if (axis < 0) return;
  const onA = axis < 3;
  const found = m.count;
  clipFace(placed, onA ? a : b, onA ? b : a, axis % 3, sign, onA, m);
  keepShallower(found, best > 1 - 2 * LYING_FLAT, m);
}

/**
 * The gap of the pair is that of the nearest points, found before: what clipping found deeper is dropped, or counts as no deeper where the two
 * faces are one as good as the other. Where one is the same point, the nearest take its name.
 */
function keepShallower(found: number, flat: boolean, m: Manifold): void {
  const { count, merge } = m;
  const nearest = found - 1;
  const least = m.gap[nearest];
  m.count = found;
  for (let i = found; i < count; i++) {
    const o = 3 * i;
    const x = m.point[o] - point[0];
    const y = m.point[o + 1] - point[1];
    const z = m.point[o + 2] - point[2];
    if (x * x + y * y + z * z < merge * merge) {
      m.feature[nearest] = m.feature[i];
    } else if (m.gap[i] >= least - (flat ? 4 * merge : 0)) {
      m.gap[i] = Math.max(m.gap[i], least);
      moveCandidate(m, i);
    }
  }
}

/** The corner furthest into a face, where clipping found none: both only touch, and rounding says that they do not. */
function addSupport(
  placed: Float64Array,
  r: number,
  i: number,
  k: number,
  sign: number,
  onA: boolean,
  gap: number,
  m: Manifold,
): void {
  const nx = sign * placed[r + 3 + k];
  const ny = sign * placed[r + 6 + k];
  const nz = sign * placed[r + 9 + k];
  for (let q = 0; q < 3; q++) p[q] = placed[i + q];
  for (let q = 0; q < 3; q++) {
    const ux = placed[i + 3 + q];
    const uy = placed[i + 6 + q];
    const uz = placed[i + 9 + q];
    const h = nx * ux + ny * uy + nz * uz > 0 ? -placed[i + 12 + q] : placed[i + 12 + q];
    p[0] += h * ux;
    p[1] += h * uy;
    p[2] += h * uz;
  }
  if (onA) addCandidate(m, p[0], p[1], p[2], -nx, -ny, -nz, gap, NEAREST);
  else addCandidate(m, p[0] - gap * nx, p[1] - gap * ny, p[2] - gap * nz, nx, ny, nz, gap, NEAREST);
}
