import type { Manifold } from '../manifold/manifold.js';
import {
  addHeightfieldContact,
  cellsInBounds,
  EDGE,
  EDGE_I,
  EDGE_J,
  FEATURES_PER_VERTEX,
  type HeightfieldGrid,
  isBorderEdge,
  isInEdgeNormalCone,
  isInVertexNormalCone,
  LOWER_FACE,
  type SurfaceSample,
  sampleSurface,
  UPPER_FACE,
  VERTEX,
} from './heightfield.js';

/*
 * A sphere about p against a heightfield, in the heightfield's frame. p above the surface: a contact at each local minimum of the distance to the
 * surface. Edges and vertices count only where p is in their normal cone, so interior edges of flat or concave regions give no contact, and
 * sliding shapes do not catch on them (ghost collisions). p below the surface: one contact at the closest point, from any depth.
 */

/** Number of feature ids of the other shape for each feature of the heightfield. */
export const SHAPE_FEATURES = 32;
/** Search radius around a point below the surface, in cells. */
const MAX_SEARCH_CELLS = 4;
/** Overlap of faces, as a fraction of the cell, so that rounding leaves no gap between them. */
const FACE_OVERLAP = 1e-10;
/** Smallest vertical component of the exit direction. */
const MIN_NORMAL_Y = 0.05;

const surface: SurfaceSample = {
  inside: false,
  height: 0,
  feature: 0,
  normal: /* @__PURE__ */ new Float64Array(3),
};
const cells = /* @__PURE__ */ new Int32Array(4);
/** Of the projection of p on a face: signed distance from its plane, normal. */
const faceProjection = /* @__PURE__ */ new Float64Array(4);
/** Point on an edge or vertex [1..3], and the direction from it to p [4..6]. */
const nearest = /* @__PURE__ */ new Float64Array(7);

/** Contacts of a sphere with a heightfield. @param shapeFeature - Feature id of the other shape, below {@link SHAPE_FEATURES}. */
export function sphereHeightfield(
  grid: HeightfieldGrid,
  x: number,
  y: number,
  z: number,
  radius: number,
  shapeFeature: number,
  m: Manifold,
): void {
  sampleSurface(grid, x, z, surface);
  if (surface.inside && y < surface.height) {
    addPenetratingContact(grid, x, y, z, radius, shapeFeature, m);
    return;
  }
  const range = radius + m.margin;
  if (!cellsInBounds(grid, x - range, x + range, z - range, z + range, cells)) return;
  const { columns, heights, convexFeatures } = grid;
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      const k = j * columns + i;
      const id = SHAPE_FEATURES * FEATURES_PER_VERTEX * k + shapeFeature;
      if (i <= i1 && j <= j1) {
        const highest = Math.max(heights[k], heights[k + 1], heights[k + columns], heights[k + columns + 1]);
        if (y - highest <= range) {
          for (let face = LOWER_FACE; face <= UPPER_FACE; face++) {
            if (!projectOnFace(grid, i, j, face, x, y, z) || faceProjection[0] < 0) continue;
            const d = faceProjection[0];
            addHeightfieldContact(
              grid,
              x - d * faceProjection[1],
              y - d * faceProjection[2],
              z - d * faceProjection[3],
              faceProjection[1],
              faceProjection[2],
              faceProjection[3],
              d - radius,
              id + SHAPE_FEATURES * face,
              m,
            );
          }
        }
      }
      const bits = convexFeatures[k];
      if (bits === 0) continue;
      for (let edge = 0; edge < 3; edge++) {
        if ((bits & (1 << edge)) === 0) continue;
        const t = projectOnEdge(grid, i, j, edge, x, y, z);
        if (t <= 0 || t >= 1) continue;
        const d = distanceToEdgePoint(grid, i, j, edge, t, x, y, z);
        if (!(d <= range) || !(nearest[5] > 0)) continue;
        if (!isInEdgeNormalCone(grid, i, j, edge, nearest[4], nearest[5], nearest[6], false, true)) continue;
        addNearestContact(grid, d - radius, id + SHAPE_FEATURES * (EDGE + edge), m);
      }
      const d = distanceToEdgePoint(grid, i, j, 0, 0, x, y, z);
      if (!(d <= range) || !(nearest[5] > 0)) continue;
      if (!isInVertexNormalCone(grid, i, j, nearest[4], nearest[5], nearest[6], false, true)) continue;
      addNearestContact(grid, d - radius, id + SHAPE_FEATURES * VERTEX, m);
    }
  }
}

function addNearestContact(grid: HeightfieldGrid, separation: number, feature: number, m: Manifold): void {
  addHeightfieldContact(
    grid,
    nearest[1],
    nearest[2],
    nearest[3],
    nearest[4],
    nearest[5],
    nearest[6],
    separation,
    feature,
    m,
  );
}

/** Adds the contact of p below the surface, at the closest point of the surrounding cells; the face above is in `surface`. */
function addPenetratingContact(
  grid: HeightfieldGrid,
  x: number,
  y: number,
  z: number,
  radius: number,
  shapeFeature: number,
  m: Manifold,
): void {
  const { columns, rows, dx, dz } = grid;
  // The point straight above bounds the distance.
  const depth = surface.height - y;
  const rx = Math.min(depth, MAX_SEARCH_CELLS * dx);
  const rz = Math.min(depth, MAX_SEARCH_CELLS * dz);
  cellsInBounds(grid, x - rx, x + rx, z - rz, z + rz, cells);
  const i0 = cells[0];
  const i1 = cells[1];
  const j0 = cells[2];
  const j1 = cells[3];
  let min = Number.POSITIVE_INFINITY;
  let feature = 0;
  let px = 0;
  let py = 0;
  let pz = 0;
  let nx = 0;
  let ny = 0;
  let nz = 0;
  // Faces first: close to a face the direction from an edge is dominated by rounding.
  for (let j = j0; j <= j1; j++) {
    for (let i = i0; i <= i1; i++) {
      for (let face = LOWER_FACE; face <= UPPER_FACE; face++) {
        if (!projectOnFace(grid, i, j, face, x, y, z) || faceProjection[0] > 0 || -faceProjection[0] >= min)
          continue;
        min = -faceProjection[0];
        nx = faceProjection[1];
        ny = faceProjection[2];
        nz = faceProjection[3];
        px = x + min * nx;
        py = y + min * ny;
        pz = z + min * nz;
        feature = FEATURES_PER_VERTEX * (j * columns + i) + face;
      }
    }
  }
  const tolerance = 1e-9 * (dx + dz);
  for (let j = j0; j <= j1 + 1; j++) {
    for (let i = i0; i <= i1 + 1; i++) {
      for (let f = EDGE; f <= VERTEX; f++) {
        const edge = f === VERTEX ? 0 : f - EDGE;
        let t = 0;
        if (f !== VERTEX) {
          if (i + EDGE_I[edge] >= columns || j + EDGE_J[edge] >= rows) continue;
          // No exit through the border: it has no vertical face.
          if (isBorderEdge(grid, i, j, edge)) continue;
          t = projectOnEdge(grid, i, j, edge, x, y, z);
          if (t <= 0 || t >= 1) continue;
        } else if (i === 0 || j === 0 || i === columns - 1 || j === rows - 1) {
          continue;
        }
        const d = distanceToEdgePoint(grid, i, j, edge, t, x, y, z);
        if (d >= min - tolerance || !(nearest[5] < -MIN_NORMAL_Y)) continue;
        min = d;
        px = nearest[1];
        py = nearest[2];
        pz = nearest[3];
        nx = -nearest[4];
        ny = -nearest[5];
        nz = -nearest[6];
        feature = FEATURES_PER_VERTEX * (j * columns + i) + f;
      }
    }
  }
  const ux = surface.normal[0];
  const uy = surface.normal[1];
  const uz = surface.normal[2];
  const planeDistance = depth * uy;
  const footX = x + planeDistance * ux;
  const footZ = z + planeDistance * uz;
  const beyond = footX < 0 || footZ < 0 || footX > (columns - 1) * dx || footZ > (rows - 1) * dz;
  if (min === Number.POSITIVE_INFINITY || (beyond && planeDistance < min)) {
    // Near the border, or without an exit: along the normal of the face above.
    min = planeDistance;
    nx = ux;
    ny = uy;
    nz = uz;
    px = footX;
    py = y + planeDistance * uy;
    pz = footZ;
    feature = surface.feature;
  }
  addHeightfieldContact(
    grid,
    px,
    py,
    pz,
    nx,
    ny,
    nz,
    -min - radius,
    SHAPE_FEATURES * feature + shapeFeature,
    m,
  );
}

/** Projects p on a face of cell (i, j): distance (negative below) and normal to `faceProjection`. @returns whether the projection is in the face. */
function projectOnFace(
  grid: HeightfieldGrid,
  i: number,
  j: number,
  face: number,
  x: number,
  y: number,
  z: number,
): boolean {
  const { columns, dx, dz, heights } = grid;
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
    ? t >= -FACE_OVERLAP && t <= s + FACE_OVERLAP && s <= 1 + FACE_OVERLAP
    : s >= -FACE_OVERLAP && s <= t + FACE_OVERLAP && t <= 1 + FACE_OVERLAP;
  if (!inside) return false;
  faceProjection[0] = d;
  faceProjection[1] = -a * ny;
  faceProjection[2] = ny;
  faceProjection[3] = -b * ny;
  return true;
}

/** Parameter of the projection of p on an edge of vertex (i, j), 0 to 1 inside. */
function projectOnEdge(
  { columns, dx, dz, heights }: HeightfieldGrid,
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

/** Distance of p from the point at parameter t of an edge; the point and the direction from it to p go to `nearest`. */
function distanceToEdgePoint(
  { columns, dx, dz, heights }: HeightfieldGrid,
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
  // t = 0 is the vertex itself, which at the border has no such edge.
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
