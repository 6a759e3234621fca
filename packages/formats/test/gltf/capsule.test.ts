import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addCapsule, type Mesh } from '../../src/gltf/mesh/capsule.js';

const point = fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -2, max: 2, noNaN: true })));
const empty = (): Mesh => ({ positions: [], normals: [], indices: [] });
const vertex = (numbers: readonly number[], i: number) => numbers.slice(3 * i, 3 * i + 3);
const minus = (a: readonly number[], b: readonly number[]) => a.map((value, k) => value - b[k]);
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, k) => sum + value * b[k], 0);
const cross = ([a, b, c]: readonly number[], [x, y, z]: readonly number[]) => [
  b * z - c * y,
  c * x - a * z,
  a * y - b * x,
];

/** Distance from p to the segment a b. */
function distanceToSegment(p: readonly number[], a: readonly number[], b: readonly number[]): number {
  const along = minus(b, a);
  const squared = dot(along, along);
  const t = squared > 0 ? Math.min(1, Math.max(0, dot(minus(p, a), along) / squared)) : 0;
  return Math.hypot(...p.map((value, k) => value - a[k] - t * along[k]));
}

/** Volume by the divergence theorem; right only for a closed surface with all triangles turned outwards. */
function volumeOf({ positions, indices }: Mesh): number {
  let sum = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [p, q, r] = [0, 1, 2].map((k) => vertex(positions, indices[i + k]));
    sum += dot(p, cross(q, r)) / 6;
  }
  return sum;
}

describe('addCapsule', () => {
  test('every vertex lies at the radius from the segment, with the unit normal that points away from it', () => {
    fc.assert(
      fc.property(point, point, fc.double({ min: 0.01, max: 1, noNaN: true }), (a, b, radius) => {
        const mesh = empty();
        const added = addCapsule(mesh, a, b, radius);
        expect([mesh.positions.length, mesh.normals.length]).toEqual([3 * added, 3 * added]);
        for (let i = 0; i < added; i++) {
          const p = vertex(mesh.positions, i);
          const n = vertex(mesh.normals, i);
          expect(Math.abs(distanceToSegment(p, a, b) - radius)).toBeLessThan(1e-9);
          expect(Math.abs(Math.hypot(...n) - 1)).toBeLessThan(1e-12);
          const inner = p.map((value, k) => value - radius * n[k]);
          expect(distanceToSegment(inner, a, b)).toBeLessThan(1e-9);
        }
      }),
    );
  });

  test.each([
    [
      [0, 0, 0],
      [0, 0, 3],
    ],
    [
      [1, 2, 3],
      [-1, 2.5, 0],
    ],
    [
      [0.1, 0, 0],
      [0.1, 0, 0],
    ],
  ])('from %j to %j it encloses nearly the volume of a capsule, all triangles outwards', (a, b) => {
    const mesh = empty();
    const radius = 0.5;
    addCapsule(mesh, a, b, radius);
    const exact = Math.PI * radius ** 2 * (Math.hypot(...minus(b, a)) + (4 / 3) * radius);
    const volume = volumeOf(mesh);
    // Inscribed: smaller, and by no more than the facets cut off.
    expect(volume).toBeLessThan(exact);
    expect(volume).toBeGreaterThan(0.93 * exact);
    for (let i = 0; i < mesh.indices.length; i += 3) {
      const [p, q, r] = [0, 1, 2].map((k) => vertex(mesh.positions, mesh.indices[i + k]));
      const normal = cross(minus(q, p), minus(r, p));
      expect(Math.hypot(...normal)).toBeGreaterThan(1e-6);
      for (let k = 0; k < 3; k++)
        expect(dot(normal, vertex(mesh.normals, mesh.indices[i + k]))).toBeGreaterThan(0);
    }
  });

  test('a second one is appended to the first', () => {
    const mesh = empty();
    const first = addCapsule(mesh, [0, 0, 0], [1, 0, 0], 0.1);
    const faces = mesh.indices.length;
    const second = addCapsule(mesh, [5, 0, 0], [6, 0, 0], 0.1);
    expect(second).toBe(first);
    expect(Math.min(...mesh.indices.slice(faces))).toBe(first);
    expect(Math.max(...mesh.indices)).toBe(first + second - 1);
  });
});
