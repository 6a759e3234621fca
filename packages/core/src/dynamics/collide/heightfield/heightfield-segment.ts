import type { Manifold } from '../manifold/manifold.js';
import {
  addHeightfieldContact,
  cellsInBounds,
  EDGE,
  EDGE_I,
  EDGE_J,
  FEATURES_PER_VERTEX,
  type HeightfieldGrid,
  isInEdgeNormalCone,
  isInVertexNormalCone,
  VERTEX,
} from './heightfield.js';
import { SHAPE_FEATURES } from './heightfield-point.js';

/*
 * The interior of a segment against the convex edges and vertices of a heightfield, in the heightfield's frame. For faces and concave features the
 * closest point of the segment is an end. An edge that penetrates the segment gives an upward normal.
 */

const cells = /* @__PURE__ */ new Int32Array(4);

/** Contacts of the interior of a capsule, c + s h with |s| < 1, with a heightfield. */
export function segmentHeightfield(
  grid: HeightfieldGrid,
  cx: number,
  cy: number,
  cz: number,
  hx: number,
  hy: number,
  hz: number,
  radius: number,
  shapeFeature: number,
  m: Manifold,
): void {
  const { columns, dx, dz, heights, convexFeatures } = grid;
  const range = radius + m.margin;
  const rx = Math.abs(hx) + range;
  const rz = Math.abs(hz) + range;
  if (!cellsInBounds(grid, cx - rx, cx + rx, cz - rz, cz + rz, cells)) return;
  const lowest = cy - Math.abs(hy) - range;
  const hh = hx * hx + hy * hy + hz * hz;
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      const k = j * columns + i;
      const bits = convexFeatures[k];
      if (bits === 0) continue;
      const vy = heights[k];
      const wx = cx - i * dx;
      const wy = cy - vy;
      const wz = cz - j * dz;
      const id = SHAPE_FEATURES * FEATURES_PER_VERTEX * k + shapeFeature;
      for (let edge = 0; edge < 3; edge++) {
        if ((bits & (1 << edge)) === 0) continue;
        const end = heights[k + EDGE_J[edge] * columns + EDGE_I[edge]];
        if (vy < lowest && end < lowest) continue;
        const ex = EDGE_I[edge] * dx;
        const ey = end - vy;
        const ez = EDGE_J[edge] * dz;
        let nx = hy * ez - hz * ey;
        let ny = hz * ex - hx * ez;
        let nz = hx * ey - hy * ex;
        const nn = nx * nx + ny * ny + nz * nz;
        const ee = ex * ex + ey * ey + ez * ez;
        if (!(nn > 1e-12 * hh * ee)) continue;
        // The closest point by the common normal: s = -n . (w x e) / n^2, as for two capsules.
        const s = -(nx * (wy * ez - wz * ey) + ny * (wz * ex - wx * ez) + nz * (wx * ey - wy * ex)) / nn;
        if (!(s > -1 && s < 1)) continue;
        const t = ((wx + s * hx) * ex + (wy + s * hy) * ey + (wz + s * hz) * ez) / ee;
        if (!(t > 0 && t < 1)) continue;
        const scale = (ny < 0 ? -1 : 1) / Math.sqrt(nn);
        nx *= scale;
        ny *= scale;
        nz *= scale;
        if (!(ny > 1e-9)) continue;
        const d = wx * nx + wy * ny + wz * nz;
        if (d > range || !isInEdgeNormalCone(grid, i, j, edge, nx, ny, nz, true, d > 0)) continue;
        addHeightfieldContact(
          grid,
          i * dx + t * ex,
          vy + t * ey,
          j * dz + t * ez,
          nx,
          ny,
          nz,
          d - radius,
          id + SHAPE_FEATURES * (EDGE + edge),
          m,
        );
      }
      if (vy < lowest || !(hh > 0)) continue;
      const s = -(wx * hx + wy * hy + wz * hz) / hh;
      if (!(s > -1 && s < 1)) continue;
      const x = wx + s * hx;
      const y = wy + s * hy;
      const z = wz + s * hz;
      const distance = Math.sqrt(x * x + y * y + z * z);
      const d = y < 0 ? -distance : distance;
      if (d > range || !(Math.abs(y) > 1e-9 * distance)) continue;
      if (!isInVertexNormalCone(grid, i, j, x / d, y / d, z / d, true, d > 0)) continue;
      addHeightfieldContact(
        grid,
        i * dx,
        vy,
        j * dz,
        x / d,
        y / d,
        z / d,
        d - radius,
        id + SHAPE_FEATURES * VERTEX,
        m,
      );
    }
  }
}
