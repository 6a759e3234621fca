import { appendContactPoint, type Manifold } from '../manifold/manifold.js';
import { excess } from '../primitives/segment-box.js';
import {
  addHeightfieldContact,
  cellsInBounds,
  FEATURES_PER_VERTEX,
  type HeightfieldGrid,
  isInVertexNormalCone,
  VERTEX,
} from './heightfield.js';
import { SHAPE_FEATURES, sphereHeightfield } from './heightfield-point.js';
import { segmentHeightfield } from './heightfield-segment.js';

/** Feature ids of a box: corners from 0, edges from 8, one for all faces. */
const BOX_EDGES = 8;
const BOX_FACES = 20;
/** Feature id of a capsule between its ends, which are 0 and 1. */
const CAPSULE_SEGMENT = 2;
/** Smallest vertical component of the normal of a vertex against a box face. */
const MIN_NORMAL_Y = 0.05;

const c = /* @__PURE__ */ new Float64Array(3);
const h = /* @__PURE__ */ new Float64Array(3);
/** Heightfield from box, row by row. */
const r = /* @__PURE__ */ new Float64Array(9);
const q = /* @__PURE__ */ new Float64Array(3);
const e = /* @__PURE__ */ new Float64Array(3);
const cells = /* @__PURE__ */ new Int32Array(4);

/** A capsule or sphere against a heightfield. */
export function capsuleHeightfield(
  shapes: Float64Array,
  a: number,
  grid: HeightfieldGrid,
  m: Manifold,
): void {
  const w = grid.worldFromHeightfield;
  toHeightfieldAxes(w, shapes[a] - w[9], shapes[a + 1] - w[10], shapes[a + 2] - w[11], c);
  const radius = shapes[a + 6];
  if (!(shapes[a + 7] > 0)) {
    if (c[1] - radius - m.margin <= grid.maxHeight) sphereHeightfield(grid, c[0], c[1], c[2], radius, 0, m);
    return;
  }
  toHeightfieldAxes(w, shapes[a + 3], shapes[a + 4], shapes[a + 5], h);
  if (c[1] - Math.abs(h[1]) - radius - m.margin > grid.maxHeight) return;
  sphereHeightfield(grid, c[0] - h[0], c[1] - h[1], c[2] - h[2], radius, 0, m);
  sphereHeightfield(grid, c[0] + h[0], c[1] + h[1], c[2] + h[2], radius, 1, m);
  segmentHeightfield(grid, c[0], c[1], c[2], h[0], h[1], h[2], radius, CAPSULE_SEGMENT, m);
}

/** A box against a heightfield: corners against all features, edges against convex edges and vertices, faces against vertices. */
export function boxHeightfield(shapes: Float64Array, a: number, grid: HeightfieldGrid, m: Manifold): void {
  const w = grid.worldFromHeightfield;
  toHeightfieldAxes(w, shapes[a] - w[9], shapes[a + 1] - w[10], shapes[a + 2] - w[11], c);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      r[3 * i + k] = w[i] * shapes[a + 3 + k] + w[3 + i] * shapes[a + 6 + k] + w[6 + i] * shapes[a + 9 + k];
    }
  }
  const bx = shapes[a + 12];
  const by = shapes[a + 13];
  const bz = shapes[a + 14];
  const height = bx * Math.abs(r[3]) + by * Math.abs(r[4]) + bz * Math.abs(r[5]);
  if (c[1] - height - m.margin > grid.maxHeight) return;
  for (let corner = 0; corner < 8; corner++) {
    const u = corner & 1 ? bx : -bx;
    const v = corner & 2 ? by : -by;
    const s = corner & 4 ? bz : -bz;
    const found = m.count;
    sphereHeightfield(
      grid,
      c[0] + r[0] * u + r[1] * v + r[2] * s,
      c[1] + r[3] * u + r[4] * v + r[5] * s,
      c[2] + r[6] * u + r[7] * v + r[8] * s,
      0,
      corner,
      m,
    );
    dropInwardContacts(shapes, a, found, corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1, m);
  }
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    for (let edge = 0; edge < 4; edge++) {
      const si = edge & 1 ? 1 : -1;
      const sj = edge & 2 ? 1 : -1;
      const u = si * shapes[a + 12 + i];
      const v = sj * shapes[a + 12 + j];
      const s = shapes[a + 12 + k];
      const found = m.count;
      segmentHeightfield(
        grid,
        c[0] + u * r[i] + v * r[j],
        c[1] + u * r[3 + i] + v * r[3 + j],
        c[2] + u * r[6 + i] + v * r[6 + j],
        s * r[k],
        s * r[3 + k],
        s * r[6 + k],
        0,
        BOX_EDGES + 4 * k + edge,
        m,
      );
      if (k === 0) dropInwardContacts(shapes, a, found, 0, si, sj, m);
      else if (k === 1) dropInwardContacts(shapes, a, found, sj, 0, si, m);
      else dropInwardContacts(shapes, a, found, si, sj, 0, m);
    }
  }
  addVerticesInBox(shapes, a, grid, m);
}

/**
 * Drops the contact points from index `found` on whose normal points into the box: there the corner or edge is not a support feature. (sx, sy, sz)
 * are the signs of the corner or edge, 0 for the axis along the edge. Penetrating points are kept.
 */
function dropInwardContacts(
  shapes: Float64Array,
  a: number,
  found: number,
  sx: number,
  sy: number,
  sz: number,
  m: Manifold,
): void {
  const { count, normal, separation } = m;
  m.count = found;
  for (let n = found; n < count; n++) {
    const x = normal[3 * n];
    const y = normal[3 * n + 1];
    const z = normal[3 * n + 2];
    const outward =
      separation[n] < 0
        ? 0
        : Math.max(
            sx * (shapes[a + 3] * x + shapes[a + 6] * y + shapes[a + 9] * z),
            sy * (shapes[a + 4] * x + shapes[a + 7] * y + shapes[a + 10] * z),
            sz * (shapes[a + 5] * x + shapes[a + 8] * y + shapes[a + 11] * z),
          );
    if (outward <= 1e-9) appendContactPoint(m, n);
  }
}

/** Adds the vertices of the heightfield under the faces of the box or inside it; the box is in `c` and `r`. */
function addVerticesInBox(shapes: Float64Array, a: number, grid: HeightfieldGrid, m: Manifold): void {
  const { columns, dx, dz, heights } = grid;
  const bx = shapes[a + 12];
  const by = shapes[a + 13];
  const bz = shapes[a + 14];
  const rx = bx * Math.abs(r[0]) + by * Math.abs(r[1]) + bz * Math.abs(r[2]) + m.margin;
  const ry = bx * Math.abs(r[3]) + by * Math.abs(r[4]) + bz * Math.abs(r[5]) + m.margin;
  const rz = bx * Math.abs(r[6]) + by * Math.abs(r[7]) + bz * Math.abs(r[8]) + m.margin;
  if (!cellsInBounds(grid, c[0] - rx, c[0] + rx, c[2] - rz, c[2] + rz, cells)) return;
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      const y = heights[j * columns + i] - c[1];
      if (Math.abs(y) > ry) continue;
      const x = i * dx - c[0];
      const z = j * dz - c[2];
      for (let k = 0; k < 3; k++) q[k] = r[k] * x + r[3 + k] * y + r[6 + k] * z;
      const d = distanceToBoxFace(shapes, a);
      if (!(d <= m.margin)) continue;
      const nx = r[0] * e[0] + r[1] * e[1] + r[2] * e[2];
      const ny = r[3] * e[0] + r[4] * e[1] + r[5] * e[2];
      const nz = r[6] * e[0] + r[7] * e[1] + r[8] * e[2];
      if (!(ny > MIN_NORMAL_Y) || !isInVertexNormalCone(grid, i, j, nx, ny, nz, true, d > 0)) continue;
      const feature = SHAPE_FEATURES * (FEATURES_PER_VERTEX * (j * columns + i) + VERTEX) + BOX_FACES;
      addHeightfieldContact(grid, i * dx, heights[j * columns + i], j * dz, nx, ny, nz, d, feature, m);
    }
  }
}

/**
 * Signed distance of the point q of the box's frame from a face of the box, negative inside, with the contact normal to `e`; infinity where the
 * closest feature is not a face. From inside: the nearest face with an upward normal.
 */
function distanceToBoxFace(shapes: Float64Array, a: number): number {
  let outside = 0;
  let axis = 0;
  for (let k = 0; k < 3; k++) {
    e[k] = excess(q[k], shapes[a + 12 + k]);
    if (e[k] === 0) continue;
    outside++;
    axis = k;
  }
  if (outside > 1) return Number.POSITIVE_INFINITY;
  if (outside === 1) {
    const d = Math.abs(e[axis]);
    e[axis] = e[axis] > 0 ? -1 : 1;
    return d;
  }
  let depth = Number.POSITIVE_INFINITY;
  let sign = 0;
  for (let n = 0; n < 6; n++) {
    const k = n >> 1;
    const s = n & 1 ? 1 : -1;
    const d = shapes[a + 12 + k] - s * q[k];
    if (d >= depth || !(-s * r[3 + k] > MIN_NORMAL_Y)) continue;
    depth = d;
    axis = k;
    sign = -s;
  }
  if (sign === 0) return Number.POSITIVE_INFINITY;
  e[axis] = sign;
  return -depth;
}

function toHeightfieldAxes(w: ArrayLike<number>, x: number, y: number, z: number, out: Float64Array): void {
  out[0] = w[0] * x + w[3] * y + w[6] * z;
  out[1] = w[1] * x + w[4] * y + w[7] * z;
  out[2] = w[2] * x + w[5] * y + w[8] * z;
}
