import { type Manifold, moveCandidate } from '../manifold/manifold.js';
import { excess } from '../primitives/segment-box.js';
import { addOnField, cellsWithin, FEATURES, type Field, isPeak, VERTEX } from './heightfield.js';
import { pointField, SIDES } from './heightfield-point.js';
import { segmentField } from './heightfield-segment.js';

/** Parts of a box: corners from 0, edges from 8, all faces together. */
const EDGES = 8;
const FACES = 20;
/** Part of a capsule between its ends. */
const BETWEEN = 2;
/** Sine of the angle over the horizon at which a peak has to push a box. */
const UPWARDS = 0.05;

const c = /* @__PURE__ */ new Float64Array(3);
const h = /* @__PURE__ */ new Float64Array(3);
/** Field from box, row by row. */
const r = /* @__PURE__ */ new Float64Array(9);
const q = /* @__PURE__ */ new Float64Array(3);
const e = /* @__PURE__ */ new Float64Array(3);
const cells = /* @__PURE__ */ new Int32Array(4);

/** A round shape against a heightfield. */
export function roundField(placed: Float64Array, a: number, field: Field, m: Manifold): void {
  const w = field.worldFromField;
  toField(w, placed[a] - w[9], placed[a + 1] - w[10], placed[a + 2] - w[11], c);
  const radius = placed[a + 6];
  if (!(placed[a + 7] > 0)) {
    if (c[1] - radius - m.reach <= field.top) pointField(field, c[0], c[1], c[2], radius, 0, m);
    return;
  }
  toField(w, placed[a + 3], placed[a + 4], placed[a + 5], h);
  if (c[1] - Math.abs(h[1]) - radius - m.reach > field.top) return;
  pointField(field, c[0] - h[0], c[1] - h[1], c[2] - h[2], radius, 0, m);
  pointField(field, c[0] + h[0], c[1] + h[1], c[2] + h[2], radius, 1, m);
  segmentField(field, c[0], c[1], c[2], h[0], h[1], h[2], radius, BETWEEN, m);
}

/** A box against a heightfield: corners against all, edges against ridges and peaks, faces against peaks. */
export function boxField(placed: Float64Array, a: number, field: Field, m: Manifold): void {
  const w = field.worldFromField;
  toField(w, placed[a] - w[9], placed[a + 1] - w[10], placed[a + 2] - w[11], c);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      r[3 * i + k] = w[i] * placed[a + 3 + k] + w[3 + i] * placed[a + 6 + k] + w[6 + i] * placed[a + 9 + k];
    }
  }
  const bx = placed[a + 12];
  const by = placed[a + 13];
  const bz = placed[a + 14];
  const height = bx * Math.abs(r[3]) + by * Math.abs(r[4]) + bz * Math.abs(r[5]);
  if (c[1] - height - m.reach > field.top) return;
  for (let corner = 0; corner < 8; corner++) {
    const u = corner & 1 ? bx : -bx;
    const v = corner & 2 ? by : -by;
    const s = corner & 4 ? bz : -bz;
    const found = m.count;
    pointField(
      field,
      c[0] + r[0] * u + r[1] * v + r[2] * s,
      c[1] + r[3] * u + r[4] * v + r[5] * s,
      c[2] + r[6] * u + r[7] * v + r[8] * s,
      0,
      corner,
      m,
    );
    keepFacing(placed, a, found, corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1, m);
  }
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    for (let side = 0; side < 4; side++) {
      const si = side & 1 ? 1 : -1;
      const sj = side & 2 ? 1 : -1;
      const u = si * placed[a + 12 + i];
      const v = sj * placed[a + 12 + j];
      const s = placed[a + 12 + k];
      const found = m.count;
      segmentField(
        field,
        c[0] + u * r[i] + v * r[j],
        c[1] + u * r[3 + i] + v * r[3 + j],
        c[2] + u * r[6 + i] + v * r[6 + j],
        s * r[k],
        s * r[3 + k],
        s * r[6 + k],
        0,
        EDGES + 4 * k + side,
        m,
      );
      if (k === 0) keepFacing(placed, a, found, 0, si, sj, m);
      else if (k === 1) keepFacing(placed, a, found, sj, 0, si, m);
      else keepFacing(placed, a, found, si, sj, 0, m);
    }
  }
  addPeaks(placed, a, field, m);
}

/**
 * Of the candidates from `found` on drops those above the surface against whose normal the box does not end at this corner or edge; a sign of 0
 * is for the axis along the edge. Those below the surface stay.
 */
function keepFacing(
  placed: Float64Array,
  a: number,
  found: number,
  sx: number,
  sy: number,
  sz: number,
  m: Manifold,
): void {
  const { count, normal, gap } = m;
  m.count = found;
  for (let n = found; n < count; n++) {
    const x = normal[3 * n];
    const y = normal[3 * n + 1];
    const z = normal[3 * n + 2];
    const along =
      gap[n] < 0
        ? 0
        : Math.max(
            sx * (placed[a + 3] * x + placed[a + 6] * y + placed[a + 9] * z),
            sy * (placed[a + 4] * x + placed[a + 7] * y + placed[a + 10] * z),
            sz * (placed[a + 5] * x + placed[a + 8] * y + placed[a + 11] * z),
          );
    if (along <= 1e-9) moveCandidate(m, n);
  }
}

/** Vertices of the field under or in the faces of the box; it is in `c` and `r`. */
function addPeaks(placed: Float64Array, a: number, field: Field, m: Manifold): void {
  const { columns, dx, dz, heights } = field;
  const bx = placed[a + 12];
  const by = placed[a + 13];
  const bz = placed[a + 14];
  const rx = bx * Math.abs(r[0]) + by * Math.abs(r[1]) + bz * Math.abs(r[2]) + m.reach;
  const ry = bx * Math.abs(r[3]) + by * Math.abs(r[4]) + bz * Math.abs(r[5]) + m.reach;
  const rz = bx * Math.abs(r[6]) + by * Math.abs(r[7]) + bz * Math.abs(r[8]) + m.reach;
  if (!cellsWithin(field, c[0] - rx, c[0] + rx, c[2] - rz, c[2] + rz, cells)) return;
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
      const d = towardsBox(placed, a);
      if (!(d <= m.reach)) continue;
      const nx = r[0] * e[0] + r[1] * e[1] + r[2] * e[2];
      const ny = r[3] * e[0] + r[4] * e[1] + r[5] * e[2];
      const nz = r[6] * e[0] + r[7] * e[1] + r[8] * e[2];
      if (!(ny > UPWARDS) || !isPeak(field, i, j, nx, ny, nz, true, d > 0)) continue;
      const feature = SIDES * (FEATURES * (j * columns + i) + VERTEX) + FACES;
      addOnField(field, i * dx, heights[j * columns + i], j * dz, nx, ny, nz, d, feature, m);
    }
  }
}

/**
 * Distance from the point q of the box's frame to a face of the box, negative inside, and the direction of the way in to `e`; infinity where it is
 * nearest to an edge. Of the ways in from inside the shortest that lifts the box.
 */
function towardsBox(placed: Float64Array, a: number): number {
  let outside = 0;
  let axis = 0;
  for (let k = 0; k < 3; k++) {
    e[k] = excess(q[k], placed[a + 12 + k]);
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
    const d = placed[a + 12 + k] - s * q[k];
    if (d >= depth || !(-s * r[3 + k] > UPWARDS)) continue;
    depth = d;
    axis = k;
    sign = -s;
  }
  if (sign === 0) return Number.POSITIVE_INFINITY;
  e[axis] = sign;
  return -depth;
}

function toField(w: ArrayLike<number>, x: number, y: number, z: number, out: Float64Array): void {
  out[0] = w[0] * x + w[3] * y + w[6] * z;
  out[1] = w[1] * x + w[4] * y + w[7] * z;
  out[2] = w[2] * x + w[5] * y + w[8] * z;
}
