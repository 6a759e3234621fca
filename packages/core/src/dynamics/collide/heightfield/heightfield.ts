import type { Mat3x4 } from '../../../math/linear/types.js';
import { addContactPoint, type Manifold } from '../manifold/manifold.js';

/** A heightfield as packed numbers. Its frame: x along the columns, z along the rows, solid below. */
export interface HeightfieldGrid {
  readonly columns: number;
  readonly rows: number;
  readonly dx: number;
  readonly dz: number;
  /** Vertex (i, j) at j columns + i. */
  readonly heights: Float64Array;
  /** Largest height, m. */
  readonly maxHeight: number;
  /**
   * Convex features at each vertex, one bit each: bits 0 to 2 for its edges in order of the feature ids, bit 3 for the vertex. Points above the
   * surface are closest to a face, or to a convex edge or vertex.
   */
  readonly convexFeatures: Uint8Array;
  readonly worldFromHeightfield: Mat3x4;
}

/** Features of a heightfield, six for each vertex: those of the cell at its +x, +z side. */
export const LOWER_FACE = 0;
export const UPPER_FACE = 1;
/** The first of three: along x, along z, the diagonal. */
export const EDGE = 2;
export const VERTEX = 5;
export const FEATURES_PER_VERTEX = 6;

/*
 * Neighbours of a vertex along edges of the grid, in cyclic order: +x, +x+z, +z, -x, -x-z, -z. The lower face of a cell is (0,0), (1,1), (1,0): it has
 * the edge along x; the upper is (0,0), (0,1), (1,1), with the edge along z. Counter-clockwise from above.
 */
const RING_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 0, -1, -1, 0);
const RING_J: Int32Array = /* @__PURE__ */ Int32Array.of(0, 1, 1, 0, -1, -1);

/** The surface above or below a point: written by {@link sampleSurface}. */
export interface SurfaceSample {
  /** Whether the point is inside the border of the grid. */
  inside: boolean;
  /** Height of the surface there. */
  height: number;
  /** Feature of the face there. */
  feature: number;
  /** Its unit normal. */
  readonly normal: Float64Array;
}

/** Samples the surface at (x, z). */
export function sampleSurface(grid: HeightfieldGrid, x: number, z: number, out: SurfaceSample): void {
  const { columns, rows, dx, dz, heights } = grid;
  const u = x / dx;
  const v = z / dz;
  out.inside = u >= 0 && v >= 0 && u <= columns - 1 && v <= rows - 1;
  if (!out.inside) return;
  const i = Math.min(columns - 2, Math.floor(u));
  const j = Math.min(rows - 2, Math.floor(v));
  const k = j * columns + i;
  const s = u - i;
  const t = v - j;
  const low = heights[k];
  const high = heights[k + columns + 1];
  // Height differences of the face along x and z.
  const lower = s >= t;
  const a = lower ? heights[k + 1] - low : high - heights[k + columns];
  const b = lower ? high - heights[k + 1] : heights[k + columns] - low;
  out.height = low + s * a + t * b;
  out.feature = FEATURES_PER_VERTEX * k + (lower ? LOWER_FACE : UPPER_FACE);
  const nx = -a / dx;
  const nz = -b / dz;
  const length = Math.sqrt(nx * nx + 1 + nz * nz);
  out.normal[0] = nx / length;
  out.normal[1] = 1 / length;
  out.normal[2] = nz / length;
}

/** Cells within bounds of the heightfield's frame: [i0, i1] x [j0, j1] to `out`; false for none. */
export function cellsInBounds(
  { columns, rows, dx, dz }: HeightfieldGrid,
  x0: number,
  x1: number,
  z0: number,
  z1: number,
  out: Int32Array,
): boolean {
  out[0] = Math.max(0, Math.floor(x0 / dx));
  out[1] = Math.min(columns - 2, Math.floor(x1 / dx));
  out[2] = Math.max(0, Math.floor(z0 / dz));
  out[3] = Math.min(rows - 2, Math.floor(z1 / dz));
  return out[0] <= out[1] && out[2] <= out[3];
}

/** Height difference, relative to the cell, below which it counts as zero. */
const LEVEL_TOLERANCE = 1e-9;
/** Drop, relative to the cell, below which a convex feature counts as flat: the ends of a segment lying on it give enough contacts. */
const FLAT_TOLERANCE = 1e-4;

/**
 * Whether direction m is in the normal cone of vertex (i, j): m . (w - q) <= 0 for all neighbours w. The vertex q is then the closest point of its
 * neighbourhood to the points q + s m.
 *
 * @param strict - Whether the surface must drop by more than the flatness tolerance, or the vertex be on the border.
 * @param allowBorder - Whether border vertices count: true for points above the surface, false for penetration, since the border has no vertical
 *   face to exit through.
 */
export function isInVertexNormalCone(
  grid: HeightfieldGrid,
  i: number,
  j: number,
  mx: number,
  my: number,
  mz: number,
  strict: boolean,
  allowBorder: boolean,
): boolean {
  const { columns, rows, dx, dz, heights } = grid;
  const height = heights[j * columns + i];
  let sum = 0;
  for (let r = 0; r < 6; r++) {
    const p = i + RING_I[r];
    const q = j + RING_J[r];
    if (p < 0 || q < 0 || p >= columns || q >= rows) {
      if (!allowBorder) return false;
      sum = Number.NEGATIVE_INFINITY;
      continue;
    }
    const offset = mx * RING_I[r] * dx + my * (heights[q * columns + p] - height) + mz * RING_J[r] * dz;
    if (offset > LEVEL_TOLERANCE * (dx + dz)) return false;
    sum += offset;
  }
  return !strict || sum < -FLAT_TOLERANCE * (dx + dz);
}

/** Edges of vertex (i, j) end at (i, j) + EDGE_I, EDGE_J; the third vertices of the adjacent faces are at + LEFT and + RIGHT. */
export const EDGE_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 0, 1);
export const EDGE_J: Int32Array = /* @__PURE__ */ Int32Array.of(0, 1, 1);
const LEFT_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 1);
const LEFT_J: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 0);
const RIGHT_I: Int32Array = /* @__PURE__ */ Int32Array.of(0, -1, 0);
const RIGHT_J: Int32Array = /* @__PURE__ */ Int32Array.of(-1, 0, 1);

/** Whether an edge of vertex (i, j) is on the border of the grid. */
export function isBorderEdge(
  { columns, rows }: HeightfieldGrid,
  i: number,
  j: number,
  edge: number,
): boolean {
  return edge === 0 ? j === 0 || j === rows - 1 : edge === 1 && (i === 0 || i === columns - 1);
}

/** Whether m, perpendicular to it, is in the normal cone of an edge (0 along x, 1 along z, 2 diagonal) of vertex (i, j); see {@link isInVertexNormalCone}. */
export function isInEdgeNormalCone(
  grid: HeightfieldGrid,
  i: number,
  j: number,
  edge: number,
  mx: number,
  my: number,
  mz: number,
  strict: boolean,
  allowBorder: boolean,
): boolean {
  const left = neighbourHeight(grid, i, j, LEFT_I[edge], LEFT_J[edge], mx, my, mz);
  const right = neighbourHeight(grid, i, j, RIGHT_I[edge], RIGHT_J[edge], mx, my, mz);
  const level = LEVEL_TOLERANCE * (grid.dx + grid.dz);
  if (left > level || right > level) return false;
  if (!allowBorder && left + right === Number.NEGATIVE_INFINITY) return false;
  return !strict || left + right < -FLAT_TOLERANCE * (grid.dx + grid.dz);
}

/** m . (w - q) for the vertex w at (i + k, j + l) and q at (i, j); minus infinity beyond the border. */
function neighbourHeight(
  { columns, rows, dx, dz, heights }: HeightfieldGrid,
  i: number,
  j: number,
  k: number,
  l: number,
  mx: number,
  my: number,
  mz: number,
): number {
  const p = i + k;
  const q = j + l;
  if (p < 0 || q < 0 || p >= columns || q >= rows) return Number.NEGATIVE_INFINITY;
  return mx * k * dx + my * (heights[q * columns + p] - heights[j * columns + i]) + mz * l * dz;
}

/** Bit of the vertex in `convexFeatures`. */
export const CONVEX_VERTEX = 8;

/** Writes `convexFeatures` of a grid: convex edges, border edges, and vertices with such an edge. */
export function markConvexFeatures(grid: HeightfieldGrid): void {
  const { columns, rows, dx, dz, heights, convexFeatures } = grid;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      for (let edge = 0; edge < 3; edge++) {
        const p = i + EDGE_I[edge];
        const q = j + EDGE_J[edge];
        if (p >= columns || q >= rows) continue;
        if (!isBorderEdge(grid, i, j, edge)) {
          const left = (j + LEFT_J[edge]) * columns + i + LEFT_I[edge];
          const right = (j + RIGHT_J[edge]) * columns + i + RIGHT_I[edge];
          const k = j * columns + i;
          const end = q * columns + p;
          // From above the two faces form a parallelogram: convex where the midpoint of the edge is above that of the other diagonal.
          const sum = heights[left] + heights[right];
          const crease = sum - heights[k] - heights[end];
          if (crease >= -LEVEL_TOLERANCE * (dx + dz)) continue;
        }
        convexFeatures[j * columns + i] |= (1 << edge) | CONVEX_VERTEX;
        convexFeatures[q * columns + p] |= CONVEX_VERTEX;
      }
    }
  }
}

/** Adds a contact point given in the heightfield's frame: point on the surface, outward normal. */
export function addHeightfieldContact(
  { worldFromHeightfield: w }: HeightfieldGrid,
  x: number,
  y: number,
  z: number,
  nx: number,
  ny: number,
  nz: number,
  separation: number,
  feature: number,
  m: Manifold,
): void {
  if (separation > m.margin) return;
  addContactPoint(
    m,
    w[0] * x + w[1] * y + w[2] * z + w[9],
    w[3] * x + w[4] * y + w[5] * z + w[10],
    w[6] * x + w[7] * y + w[8] * z + w[11],
    w[0] * nx + w[1] * ny + w[2] * nz,
    w[3] * nx + w[4] * ny + w[5] * nz,
    w[6] * nx + w[7] * ny + w[8] * nz,
    separation,
    feature,
  );
}
