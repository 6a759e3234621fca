import { product } from './vectors.js';

/** Principal moments of an inertia [xx, yy, zz, xy, xz, yz] and the quaternion [x, y, z, w] of their axes, by Jacobi's rotations. */
export function principal(inertia: readonly number[]): {
  readonly moments: number[];
  readonly axes: number[];
} {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  let m = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  let axes = [0, 0, 0, 1];
  for (let sweep = 0; sweep < 20; sweep++) {
    for (const [p, q, r] of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ]) {
      if (Math.abs(m[p][q]) < 1e-16 * (m[p][p] + m[q][q])) continue;
      const angle = 0.5 * Math.atan2(2 * m[p][q], m[p][p] - m[q][q]);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const rotation = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? (i === r ? 1 : c) : 0)));
      rotation[p][q] = -s;
      rotation[q][p] = s;
      const half = [0, 1, 2].map((i) =>
        [0, 1, 2].map((j) => m[i].reduce((sum, x, k) => sum + x * rotation[k][j], 0)),
      );
      m = [0, 1, 2].map((i) =>
        [0, 1, 2].map((j) => half.reduce((sum, row, k) => sum + rotation[k][i] * row[j], 0)),
      );
      const by = [0, 0, 0, Math.cos(angle / 2)];
      by[r] = Math.sin(angle / 2);
      axes = product(axes, by);
    }
  }
  return { moments: [m[0][0], m[1][1], m[2][2]], axes };
}
