/** Smooth solids of rounded cones, meshed: the skin of characters that are made here. */
import type { Vec3 } from 'poise/math';

/** A rounded cone. */
export interface Cone {
  readonly from: Vec3;
  readonly to: Vec3;
  /** At `from` and at `to`. */
  readonly radii: readonly [number, number];
}

export interface Surface {
  /** Three numbers a vertex. */
  readonly positions: Float32Array;
  /** Three vertices a triangle, counterclockwise from outside. */
  readonly indices: number[];
}

/** Distance from the surface of a cone, negative within: of the nearest sphere that its axis carries. */
export function distanceTo({ from, to, radii: [a, b] }: Cone, x: number, y: number, z: number): number {
  const [ux, uy, uz] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const [px, py, pz] = [x - from[0], y - from[1], z - from[2]];
  const square = ux * ux + uy * uy + uz * uz;
  const t = square > 0 ? Math.min(1, Math.max(0, (px * ux + py * uy + pz * uz) / square)) : 0;
  return Math.hypot(px - t * ux, py - t * uy, pz - t * uz) - (a + t * (b - a));
}

/**
 * Meshes the smooth union of cones by surface nets: a vertex in each cell that the surface passes, in the middle of where it crosses the
 * cell's edges.
 *
 * @param blend - How far the joint of two cones is filled.
 * @param cell - Size of a cell.
 */
export function meshOf(cones: readonly Cone[], blend: number, cell: number): Surface {
  const reach = 4 * blend + cell;
  const min = [0, 1, 2].map((k) =>
    cones.reduce((least, cone) => Math.min(least, span(cone, k)[0]), Infinity),
  );
  const max = [0, 1, 2].map((k) => cones.reduce((most, cone) => Math.max(most, span(cone, k)[1]), -Infinity));
  const start = min.map((x) => x - reach - cell);
  const counts = [0, 1, 2].map((k) => Math.ceil((max[k] + reach + cell - start[k]) / cell) + 1);
  const [nx, ny, nz] = counts;
  const strides = [1, nx, nx * ny];
  // The smooth minimum of the distances: the logarithm of a sum of exponentials, from the least one. What is farther than the reach adds nothing.
  const least = new Float64Array(nx * ny * nz).fill(reach);
  const sum = new Float64Array(nx * ny * nz).fill(1);
  for (const cone of cones) {
    const box = [0, 1, 2].map((k) => {
      const [from, to] = span(cone, k);
      return [Math.floor((from - reach - start[k]) / cell), Math.ceil((to + reach - start[k]) / cell)];
    });
    for (let k = box[2][0]; k <= box[2][1]; k++)
      for (let j = box[1][0]; j <= box[1][1]; j++)
        for (let i = box[0][0]; i <= box[0][1]; i++) {
          const n = i + nx * (j + ny * k);
          const d = distanceTo(cone, start[0] + i * cell, start[1] + j * cell, start[2] + k * cell);
          if (d < least[n]) {
            sum[n] = sum[n] * Math.exp((d - least[n]) / blend) + 1;
            least[n] = d;
          } else sum[n] += Math.exp((least[n] - d) / blend);
        }
  }
  const values = least.map((d, n) => d - blend * Math.log(sum[n]));

  const positions: number[] = [];
  const vertexOf = new Int32Array(values.length).fill(-1);
  for (let k = 0; k + 1 < nz; k++)
    for (let j = 0; j + 1 < ny; j++)
      for (let i = 0; i + 1 < nx; i++) {
        const n = i + nx * (j + ny * k);
        const at = crossing(values, n, strides);
        if (at === undefined) continue;
        vertexOf[n] = positions.length / 3;
        positions.push(
          start[0] + (i + at[0]) * cell,
          start[1] + (j + at[1]) * cell,
          start[2] + (k + at[2]) * cell,
        );
      }

  const indices: number[] = [];
  for (let n = 0; n < values.length; n++) {
    if (vertexOf[n] < 0) continue;
    for (const axis of [0, 1, 2]) {
      const isIn = values[n] < 0;
      if (isIn === values[n + strides[axis]] < 0) continue;
      const [u, v] = [strides[(axis + 1) % 3], strides[(axis + 2) % 3]];
      // The four cells about the edge.
      const quad = [n, n - u, n - u - v, n - v].map((each) => vertexOf[each]);
      if (quad.some((vertex) => vertex === undefined || vertex < 0)) continue;
      const [a, b, c, d] = isIn ? quad : quad.reverse();
      indices.push(a, b, c, a, c, d);
    }
  }

  return { positions: Float32Array.from(positions), indices };
}

/** Mean of the points where the surface crosses the edges of a cell, in cells; undefined where it passes none. */
function crossing(values: Float64Array, n: number, strides: readonly number[]): number[] | undefined {
  const sum = [0, 0, 0];
  let count = 0;
  for (let axis = 0; axis < 3; axis++) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const [du, dv] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      const start = n + du * strides[u] + dv * strides[v];
      const [a, b] = [values[start], values[start + strides[axis]]];
      if (a < 0 === b < 0) continue;
      sum[axis] += a / (a - b);
      sum[u] += du;
      sum[v] += dv;
      count++;
    }
  }
  return count === 0 ? undefined : sum.map((x) => x / count);
}

/** Where a cone begins and ends along an axis. */
function span({ from, to, radii: [a, b] }: Cone, k: number): [number, number] {
  return [Math.min(from[k] - a, to[k] - b), Math.max(from[k] + a, to[k] + b)];
}
