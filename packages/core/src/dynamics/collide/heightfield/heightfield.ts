import type { Mat3x4 } from '../../../math/linear/types.js';
import { addCandidate, type Manifold } from '../manifold/manifold.js';

/** A heightfield as numbers. Its own frame: x along the columns, z along the rows, solid below. */
export interface Field {
  readonly columns: number;
  readonly rows: number;
  readonly dx: number;
  readonly dz: number;
  /** Vertex (i, j) at j columns + i. */
  readonly heights: Float64Array;
  /** The greatest height, m. */
  readonly top: number;
  /**
   * What sticks out at each vertex, one bit each: its edges in order of the features, 8 for the vertex. Elsewhere a face or a neighbour is nearer
   * to all that is above.
   */
  readonly sharp: Uint8Array;
  readonly worldFromField: Mat3x4;
}

/** Features of a field: six to a vertex, those of the cell that it is the low corner of. */
export const LOWER_FACE = 0;
export const UPPER_FACE = 1;
/** The first of three: along x, along z, the diagonal. */
export const EDGE = 2;
export const VERTEX = 5;
export const FEATURES = 6;

/*
 * Neighbours of a vertex along edges of the grid, in turn: +x, +x+z, +z, -x, -x-z, -z. The lower face of a cell is (0,0), (1,1), (1,0): it has
 * the edge along x; the upper is (0,0), (0,1), (1,1), with the edge along z. Counter-clockwise from above.
 */
const RING_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 0, -1, -1, 0);
const RING_J: Int32Array = /* @__PURE__ */ Int32Array.of(0, 1, 1, 0, -1, -1);

/** What a field is asked about one point: filled by {@link lookBelow}. */
export interface Below {
  /** Whether the point is over or under the field. */
  over: boolean;
  /** Height of the surface there. */
  height: number;
  /** Face there. */
  feature: number;
  /** Its unit normal. */
  readonly normal: Float64Array;
}

/** Finds the face over or under (x, z). */
export function lookBelow(field: Field, x: number, z: number, out: Below): void {
  const { columns, rows, dx, dz, heights } = field;
  const u = x / dx;
  const v = z / dz;
  out.over = u >= 0 && v >= 0 && u <= columns - 1 && v <= rows - 1;
  if (!out.over) return;
  const i = Math.min(columns - 2, Math.floor(u));
  const j = Math.min(rows - 2, Math.floor(v));
  const k = j * columns + i;
  const s = u - i;
  const t = v - j;
  const low = heights[k];
  const high = heights[k + columns + 1];
  // Slopes along x and z of the face.
  const lower = s >= t;
  const a = lower ? heights[k + 1] - low : high - heights[k + columns];
  const b = lower ? high - heights[k + 1] : heights[k + columns] - low;
  out.height = low + s * a + t * b;
  out.feature = FEATURES * k + (lower ? LOWER_FACE : UPPER_FACE);
  const nx = -a / dx;
  const nz = -b / dz;
  const length = Math.sqrt(nx * nx + 1 + nz * nz);
  out.normal[0] = nx / length;
  out.normal[1] = 1 / length;
  out.normal[2] = nz / length;
}

/** Cells that lie within a box of the field's frame: [i0, i1] x [j0, j1] to `out`; false for none. */
export function cellsWithin(
  { columns, rows, dx, dz }: Field,
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

/** Share of a cell below which a rise is none. */
const LEVEL = 1e-9;
/** Share of a cell below which a fall is none: where the surface is as flat as that, the ends of an edge that lies on it say all. */
const FLAT = 1e-4;

/**
 * Whether the surface falls away from vertex (i, j) seen along m: no neighbour w has m . (w - q) > 0. Then the vertex is nearer to what is above
 * it along m than all points round it.
 *
 * @param sharp - Whether it must fall away clearly, or be on the border.
 * @param border - Whether the border may be one: for what is above, not for the way out from below, where there is no wall.
 */
export function isPeak(
  field: Field,
  i: number,
  j: number,
  mx: number,
  my: number,
  mz: number,
  sharp: boolean,
  border: boolean,
): boolean {
  const { columns, rows, dx, dz, heights } = field;
  const height = heights[j * columns + i];
  let sum = 0;
  for (let r = 0; r < 6; r++) {
    const p = i + RING_I[r];
    const q = j + RING_J[r];
    if (p < 0 || q < 0 || p >= columns || q >= rows) {
      if (!border) return false;
      sum = Number.NEGATIVE_INFINITY;
      continue;
    }
    const rise = mx * RING_I[r] * dx + my * (heights[q * columns + p] - height) + mz * RING_J[r] * dz;
    if (rise > LEVEL * (dx + dz)) return false;
    sum += rise;
  }
  return !sharp || sum < -FLAT * (dx + dz);
}

/** Edges of vertex (i, j) run to (i, j) + EDGE_I, EDGE_J; the faces beside them end at + LEFT and + RIGHT. In order of the features. */
export const EDGE_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 0, 1);
export const EDGE_J: Int32Array = /* @__PURE__ */ Int32Array.of(0, 1, 1);
const LEFT_I: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 1);
const LEFT_J: Int32Array = /* @__PURE__ */ Int32Array.of(1, 1, 0);
const RIGHT_I: Int32Array = /* @__PURE__ */ Int32Array.of(0, -1, 0);
const RIGHT_J: Int32Array = /* @__PURE__ */ Int32Array.of(-1, 0, 1);

/** Whether an edge of vertex (i, j) is on the border. */
export function isBorder({ columns, rows }: Field, i: number, j: number, edge: number): boolean {
  return edge === 0 ? j === 0 || j === rows - 1 : edge === 1 && (i === 0 || i === columns - 1);
}

/** Likewise for the edge `edge` (0 along x, 1 along z, 2 the diagonal) of vertex (i, j), m normal to it. */
export function isRidge(
  field: Field,
  i: number,
  j: number,
  edge: number,
  mx: number,
  my: number,
  mz: number,
  sharp: boolean,
  border: boolean,
): boolean {
  const left = riseTo(field, i, j, LEFT_I[edge], LEFT_J[edge], mx, my, mz);
  const right = riseTo(field, i, j, RIGHT_I[edge], RIGHT_J[edge], mx, my, mz);
  const level = LEVEL * (field.dx + field.dz);
  if (left > level || right > level) return false;
  if (!border && left + right === Number.NEGATIVE_INFINITY) return false;
  return !sharp || left + right < -FLAT * (field.dx + field.dz);
}

/** m . (w - q) for the vertex w that is (k, l) from (i, j); minus infinity beyond the border. */
function riseTo(
  { columns, rows, dx, dz, heights }: Field,
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

/** Bit of the vertex in `sharp`. */
export const SHARP_VERTEX = 8;

/** Writes `sharp` of a field: edges whose faces fall away from each other or that are on the border, vertices that have such an edge. */
export function markSharp(field: Field): void {
  const { columns, rows, dx, dz, heights, sharp } = field;
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      for (let edge = 0; edge < 3; edge++) {
        const p = i + EDGE_I[edge];
        const q = j + EDGE_J[edge];
        if (p >= columns || q >= rows) continue;
        if (!isBorder(field, i, j, edge)) {
          const left = (j + LEFT_J[edge]) * columns + i + LEFT_I[edge];
          const right = (j + RIGHT_J[edge]) * columns + i + RIGHT_I[edge];
          const k = j * columns + i;
          const end = q * columns + p;
          // The two faces are a parallelogram seen from above: the middles of its diagonals lie one over the other.
          const sum = heights[left] + heights[right];
          const crease = sum - heights[k] - heights[end];
          if (crease >= -LEVEL * (dx + dz)) continue;
        }
        sharp[j * columns + i] |= (1 << edge) | SHARP_VERTEX;
        sharp[q * columns + p] |= SHARP_VERTEX;
      }
    }
  }
}

/** Adds a candidate given in the frame of the field: point of the field, normal out of it. */
export function addOnField(
  { worldFromField: w }: Field,
  x: number,
  y: number,
  z: number,
  nx: number,
  ny: number,
  nz: number,
  gap: number,
  feature: number,
  m: Manifold,
): void {
  if (gap > m.reach) return;
  addCandidate(
    m,
    w[0] * x + w[1] * y + w[2] * z + w[9],
    w[3] * x + w[4] * y + w[5] * z + w[10],
    w[6] * x + w[7] * y + w[8] * z + w[11],
    w[0] * nx + w[1] * ny + w[2] * nz,
    w[3] * nx + w[4] * ny + w[5] * nz,
    w[6] * nx + w[7] * ny + w[8] * nz,
    gap,
    feature,
  );
}
