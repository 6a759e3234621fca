import type { Manifold } from '../manifold/manifold.js';
import {
  addOnField,
  type Below,
  cellsWithin,
  EDGE,
  EDGE_I,
  EDGE_J,
  FEATURES,
  type Field,
  isBorder,
  isPeak,
  isRidge,
  LOWER_FACE,
  lookBelow,
  UPPER_FACE,
  VERTEX,
} from './heightfield.js';

/*
 * A ball about p against a heightfield, in the frame of the field. Above the surface: each point of it that is nearer to p than all points round it.
 * A point of an edge or corner is one only where every face there falls away from it: inside a flat floor and in a hollow none is, and nothing that
 * slides is caught. Below the surface: the nearest point of all, pushed out through it however deep p is.
 */

/** Features of the other shape on one of the field. */
export const SIDES = 32;
/** Cells that are searched round a point below the surface, each way. */
const DEEPEST_SEARCH = 4;
/** Share of a cell by which faces overlap, lest rounding leave a gap between them. */
const BORDER = 1e-10;
/** Sine of the angle over the horizon at which the way out has to point. */
const UPWARDS = 0.05;

const below: Below = { over: false, height: 0, feature: 0, normal: /* @__PURE__ */ new Float64Array(3) };
const cells = /* @__PURE__ */ new Int32Array(4);
/** Where the foot of p on a face is: distance from its plane, normal. */
const foot = /* @__PURE__ */ new Float64Array(4);
/** A point of the surface [1..3], and the direction from it to p [4..6]. */
const nearest = /* @__PURE__ */ new Float64Array(7);

/** @param side - Which part of the other shape it is, below {@link SIDES}. */
export function pointField(
  field: Field,
  x: number,
  y: number,
  z: number,
  radius: number,
  side: number,
  m: Manifold,
): void {
  lookBelow(field, x, z, below);
  if (below.over && y < below.height) {
    addBelow(field, x, y, z, radius, side, m);
    return;
  }
  const range = radius + m.reach;
  if (!cellsWithin(field, x - range, x + range, z - range, z + range, cells)) return;
  const { columns, heights, sharp } = field;
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      const k = j * columns + i;
      const id = SIDES * FEATURES * k + side;
      if (i <= i1 && j <= j1) {
        const highest = Math.max(heights[k], heights[k + 1], heights[k + columns], heights[k + columns + 1]);
        if (y - highest <= range) {
          for (let face = LOWER_FACE; face <= UPPER_FACE; face++) {
            if (!isOverFace(field, i, j, face, x, y, z) || foot[0] < 0) continue;
            const d = foot[0];
            addOnField(
              field,
              x - d * foot[1],
              y - d * foot[2],
              z - d * foot[3],
              foot[1],
              foot[2],
              foot[3],
              d - radius,
              id + SIDES * face,
              m,
            );
          }
        }
      }
      const bits = sharp[k];
      if (bits === 0) continue;
      for (let edge = 0; edge < 3; edge++) {
        if ((bits & (1 << edge)) === 0) continue;
        const t = alongEdge(field, i, j, edge, x, y, z);
        if (t <= 0 || t >= 1) continue;
        const d = apart(field, i, j, edge, t, x, y, z);
        if (!(d <= range) || !(nearest[5] > 0)) continue;
        if (!isRidge(field, i, j, edge, nearest[4], nearest[5], nearest[6], false, true)) continue;
        addNearest(field, d - radius, id + SIDES * (EDGE + edge), m);
      }
      const d = apart(field, i, j, 0, 0, x, y, z);
      if (!(d <= range) || !(nearest[5] > 0)) continue;
      if (!isPeak(field, i, j, nearest[4], nearest[5], nearest[6], false, true)) continue;
      addNearest(field, d - radius, id + SIDES * VERTEX, m);
    }
  }
}

function addNearest(field: Field, gap: number, feature: number, m: Manifold): void {
  addOnField(field, nearest[1], nearest[2], nearest[3], nearest[4], nearest[5], nearest[6], gap, feature, m);
}

/** Pushes p, which is below the face in `below`, out at the nearest point of the cells round it. */
function addBelow(
  field: Field,
  x: number,
  y: number,
  z: number,
  radius: number,
  side: number,
  m: Manifold,
): void {
  const { columns, rows, dx, dz } = field;
  // The point straight above bounds the way out.
  const depth = below.height - y;
  const rx = Math.min(depth, DEEPEST_SEARCH * dx);
  const rz = Math.min(depth, DEEPEST_SEARCH * dz);
  cellsWithin(field, x - rx, x + rx, z - rz, z + rz, cells);
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  let least = Number.POSITIVE_INFINITY;
  let feature = 0;
  let px = 0;
  let py = 0;
  let pz = 0;
  let nx = 0;
  let ny = 0;
  let nz = 0;
  // Faces first: next to one, the direction from an edge is rounding.
  for (let j = j0; j <= j1; j++) {
    for (let i = i0; i <= i1; i++) {
      for (let face = LOWER_FACE; face <= UPPER_FACE; face++) {
        if (!isOverFace(field, i, j, face, x, y, z) || foot[0] > 0 || -foot[0] >= least) continue;
        least = -foot[0];
        nx = foot[1];
        ny = foot[2];
        nz = foot[3];
        px = x + least * nx;
        py = y + least * ny;
        pz = z + least * nz;
        feature = FEATURES * (j * columns + i) + face;
      }
    }
  }
  const clearly = 1e-9 * (dx + dz);
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      for (let f = EDGE; f <= VERTEX; f++) {
        const edge = f === VERTEX ? 0 : f - EDGE;
        let t = 0;
        if (f !== VERTEX) {
          if (i + EDGE_I[edge] >= columns || j + EDGE_J[edge] >= rows) continue;
          // Nor out over the border, where there is no wall.
          if (isBorder(field, i, j, edge)) continue;
          t = alongEdge(field, i, j, edge, x, y, z);
          if (t <= 0 || t >= 1) continue;
        } else if (i === 0 || j === 0 || i === columns - 1 || j === rows - 1) {
          continue;
        }
        const d = apart(field, i, j, edge, t, x, y, z);
        if (d >= least - clearly || !(nearest[5] < -UPWARDS)) continue;
        least = d;
        px = nearest[1];
        py = nearest[2];
        pz = nearest[3];
        nx = -nearest[4];
        ny = -nearest[5];
        nz = -nearest[6];
        feature = FEATURES * (j * columns + i) + f;
      }
    }
  }
  const ux = below.normal[0];
  const uy = below.normal[1];
  const uz = below.normal[2];
  const straight = depth * uy;
  const footX = x + straight * ux;
  const footZ = z + straight * uz;
  const beyond = footX < 0 || footZ < 0 || footX > (columns - 1) * dx || footZ > (rows - 1) * dz;
  if (least === Number.POSITIVE_INFINITY || (beyond && straight < least)) {
    // Next to the border or hemmed in by walls: out of the plane of the face above.
    least = straight;
    nx = ux;
    ny = uy;
    nz = uz;
    px = footX;
    py = y + straight * uy;
    pz = footZ;
    feature = below.feature;
  }
  addOnField(field, px, py, pz, nx, ny, nz, -least - radius, SIDES * feature + side, m);
}

/** Whether the foot of p on a face of cell (i, j) is within the face; to `foot` its distance, negative below, and the normal. */
function isOverFace(
  field: Field,
  i: number,
  j: number,
  face: number,
  x: number,
  y: number,
  z: number,
): boolean {
  const { columns, dx, dz, heights } = field;
  const k = j * columns + i;
  const low = heights[k];
  const high = heights[k + columns + 1];
  const lower = face === LOWER_FACE;
  const a = (lower ? heights[k + 1] - low : high - heights[k + columns]) / dx;
  const b = (lower ? high - heights[k + 1] : heights[k + columns] - low) / dz;
  const ny = 1 / Math.sqrt(1 + a * a + b * b);
  const u = x - i * dx;
  const v = z - j * dz;
  const d = (y - low - a * u - b * v) * ny;
  // n = (-a, 1, -b) ny
  const s = (u + d * a * ny) / dx;
  const t = (v + d * b * ny) / dz;
  const inside = lower
    ? t >= -BORDER && t <= s + BORDER && s <= 1 + BORDER
    : s >= -BORDER && s <= t + BORDER && t <= 1 + BORDER;
  if (!inside) return false;
  foot[0] = d;
  foot[1] = -a * ny;
  foot[2] = ny;
  foot[3] = -b * ny;
  return true;
}

/** Share of the edge from vertex (i, j) at which p stands beside it. */
function alongEdge(
  { columns, dx, dz, heights }: Field,
  i: number,
  j: number,
  edge: number,
  x: number,
  y: number,
  z: number,
): number {
  const k = j * columns + i;
  const ex = EDGE_I[edge] * dx;
  const ey = heights[k + EDGE_J[edge] * columns + EDGE_I[edge]] - heights[k];
  const ez = EDGE_J[edge] * dz;
  return ((x - i * dx) * ex + (y - heights[k]) * ey + (z - j * dz) * ez) / (ex * ex + ey * ey + ez * ez);
}

/** Distance of p from the point at share t of an edge; to `nearest` the point and the direction from it to p. */
function apart(
  { columns, dx, dz, heights }: Field,
  i: number,
  j: number,
  edge: number,
  t: number,
  x: number,
  y: number,
  z: number,
): number {
  const k = j * columns + i;
  const qx = (i + t * EDGE_I[edge]) * dx;
  // Of a vertex no edge may be read: at the border there is none.
  const qy =
    t === 0 ? heights[k] : heights[k] + t * (heights[k + EDGE_J[edge] * columns + EDGE_I[edge]] - heights[k]);
  const qz = (j + t * EDGE_J[edge]) * dz;
  const d = Math.sqrt((x - qx) * (x - qx) + (y - qy) * (y - qy) + (z - qz) * (z - qz));
  nearest[1] = qx;
  nearest[2] = qy;
  nearest[3] = qz;
  nearest[4] = d > 0 ? (x - qx) / d : 0;
  nearest[5] = d > 0 ? (y - qy) / d : 0;
  nearest[6] = d > 0 ? (z - qz) / d : 0;
  return d;
}
