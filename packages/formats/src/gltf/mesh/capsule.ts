/** A capsule as triangles: the mesh of a bone for figures without meshes. */

/** Triangles with normals. */
export interface Mesh {
  /** Three numbers a vertex, m. */
  readonly positions: number[];
  /** Unit normals, three numbers a vertex. */
  readonly normals: number[];
  /** Three vertices a triangle, counter-clockwise seen from outside. */
  readonly indices: number[];
}

/** Segments around the axis, and rings on each hemisphere. */
const SEGMENTS = 16;
const RINGS = 4;

/**
 * Adds the capsule of all points within `radius` of the segment from `a` to `b` to a mesh (a sphere where a = b):
 * two hemispheres and a cylinder.
 *
 * @param a - Start of the segment, m.
 * @param b - End of the segment, m.
 * @param radius - Above zero, m.
 * @returns how many vertices were added.
 */
export function addCapsule(mesh: Mesh, a: readonly number[], b: readonly number[], radius: number): number {
  const { positions, normals, indices } = mesh;
  const first = positions.length / 3;
  const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const axis = length > 0 ? [0, 1, 2].map((k) => (b[k] - a[k]) / length) : [0, 1, 0];
  const [u, v] = perpendiculars(axis);
  // Rings from the pole at a to the pole at b; the cylinder connects the two equators.
  for (let ring = 0; ring <= 2 * RINGS + 1; ring++) {
    const atEnd = ring > RINGS;
    const latitude = ((atEnd ? ring - 1 : ring) / RINGS - 1) * (Math.PI / 2);
    const center = atEnd ? b : a;
    for (let step = 0; step <= SEGMENTS; step++) {
      const longitude = (2 * Math.PI * step) / SEGMENTS;
      for (let k = 0; k < 3; k++) {
        const radial = u[k] * Math.cos(longitude) + v[k] * Math.sin(longitude);
        const normal = axis[k] * Math.sin(latitude) + radial * Math.cos(latitude);
        normals.push(normal);
        positions.push(center[k] + radius * normal);
      }
    }
  }
  const row = SEGMENTS + 1;
  for (let ring = 0; ring <= 2 * RINGS; ring++) {
    // A sphere has no cylinder between its hemispheres.
    if (ring === RINGS && length === 0) continue;
    for (let step = 0; step < SEGMENTS; step++) {
      const corner = first + ring * row + step;
      // At a pole one of the two triangles is degenerate.
      if (ring > 0) indices.push(corner, corner + 1, corner + row + 1);
      if (ring < 2 * RINGS) indices.push(corner, corner + row + 1, corner + row);
    }
  }
  return positions.length / 3 - first;
}

/** Two unit vectors u and v normal to `axis`, u x v = axis. */
function perpendiculars([x, y, z]: readonly number[]): [number[], number[]] {
  // The coordinate axis with the smallest component of `axis`, orthogonalized against it.
  const smallest =
    Math.abs(x) <= Math.abs(y) && Math.abs(x) <= Math.abs(z) ? 0 : Math.abs(y) <= Math.abs(z) ? 1 : 2;
  const component = [x, y, z][smallest];
  const orthogonalized = [0, 1, 2].map((k) => (k === smallest ? 1 : 0) - component * [x, y, z][k]);
  const size = Math.hypot(...orthogonalized);
  const u = orthogonalized.map((value) => value / size);
  return [u, [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]]];
}
