import { describe, expect, test } from 'vitest';
import type { LimitKind } from '../../src/figure/limits/limit.js';
import { limitShapes } from '../../src/figure/limits/shapes.js';
import {
  type ActiveSet,
  addLimitCurvature,
  createActiveSet,
  FIXED,
  findTouchedLimits,
  projectOutNormals,
  projectOutSymmetric,
  stationarityOf,
  updateActiveSet,
} from '../../src/math/optimization/active-limits.js';
import { createRandom } from '../figure/support.js';

/** An interval (a translation in units of 0.5), an ellipse, a fixed interval, a disk: seven columns, the coordinates in reverse. */
const scale = Float64Array.of(0.5, 1, 1, 1, 1, 1, 1);

function limitAt(kind: LimitKind, column: number, size: number, parameters: readonly number[]) {
  const limit = { bone: 0, coordinate: column + 1, size, kind, role: 'angle', parameters } as const;
  return { limit, shape: limitShapes[kind], column };
}

const limits = [
  limitAt('interval', 0, 1, [-1, 2]),
  limitAt('ellipse', 1, 2, [0.5, 0.9]),
  limitAt('interval', 3, 1, [0.3, 0.3]),
  limitAt('disk', 4, 3, [0.7]),
];

/** A pose of eight coordinates, the first unlimited, on every boundary. */
function boundaryPose(): Float64Array {
  const pose = Float64Array.of(5, 9, 9, 9, 9, 9, -9, 3);
  for (const { limit, shape } of limits) shape.project(limit.parameters, pose, limit.coordinate, limit.size);
  return pose;
}

function freshSet(): ActiveSet {
  return createActiveSet(limits, Int32Array.of(1, 2, 3, 4, 5, 6, 7), scale);
}

/** The unit normal of limit n on all columns. */
function normalOf({ normals }: ActiveSet, n: number): number[] {
  const { column, limit } = limits[n];
  return Array.from(normals, (x, k) => (k >= column && k < column + limit.size ? x : 0));
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, k) => sum + x * b[k], 0);

describe('active limits', () => {
  test('are those that are touched and that -grad f would violate, with grad f + lambda n orthogonal to n', () => {
    const pose = boundaryPose();
    const random = createRandom(31);
    for (let trial = 0; trial < 200; trial++) {
      const set = freshSet();
      const gradient = Float64Array.from(scale, () => 2 * random() - 1);
      updateActiveSet(set, pose, gradient);
      limits.forEach(({ column, limit }, n) => {
        const n1 = normalOf(set, n);
        if (limit.kind === 'interval') {
          // At the upper bound of the first; the second is an equality, active for either sign.
          expect(set.active[n]).toBe(n === 2 || gradient[column] < 0 ? 1 : 0);
        }
        if (set.active[n] === 0) return;
        expect(Math.hypot(...n1)).toBeCloseTo(1, 14);
        expect(set.multipliers[n]).toBeGreaterThan(0);
        expect(set.multipliers[n]).toBeCloseTo(-dot(gradient, n1), 14);
      });
    }
  });

  test('are not touched a little inside, and a fixed interval always is', () => {
    const pose = boundaryPose().map((x) => x * (1 - 1e-8));
    pose[4] = 0.3;
    const touched = new Uint8Array(limits.length);
    findTouchedLimits(freshSet(), pose, touched);
    expect(Array.from(touched)).toEqual([0, 0, FIXED, 0]);
    findTouchedLimits(freshSet(), boundaryPose(), touched);
    expect(Array.from(touched)).toEqual([1, 1, FIXED, 1]);
  });

  test('give Z M Z + s (1 - Z), from the lower triangle as by projecting rows and columns', () => {
    const random = createRandom(32);
    const set = freshSet();
    findTouchedLimits(set, boundaryPose(), set.active);
    const size = scale.length;
    const matrix = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) matrix[i * size + j] = matrix[j * size + i] = 2 * random() - 1;
    }
    const lower = matrix.slice();
    projectOutSymmetric(set, lower, size, 3);
    const transposed = (m: Float64Array): Float64Array =>
      m.map((_, k) => m[(k % size) * size + Math.floor(k / size)]);
    projectOutNormals(set, matrix, size, size);
    const projected = transposed(matrix);
    projectOutNormals(set, projected, size, size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        let expected = projected[i * size + j];
        limits.forEach((_, n) => {
          expected += 3 * normalOf(set, n)[i] * normalOf(set, n)[j];
        });
        expect(lower[i * size + j]).toBeCloseTo(expected, 13);
      }
    }
  });

  test('curve as their unit normals turn: lambda d2g t = lambda |dg| dn/dt across the normal', () => {
    const pose = boundaryPose();
    const set = freshSet();
    findTouchedLimits(set, pose, set.active);
    set.multipliers.fill(2);
    const size = scale.length;
    const hessian = new Float64Array(size * size);
    addLimitCurvature(set, pose, hessian, size);
    const { column, limit } = limits[1];
    const [nx, ny] = [set.normals[column], set.normals[column + 1]];
    const h = 1e-5;
    const along = [-1, 1].map((sign) => {
      const moved = pose.slice();
      moved[limit.coordinate] -= sign * h * ny;
      moved[limit.coordinate + 1] += sign * h * nx;
      const other = freshSet();
      // Outside by h^2, so touched.
      findTouchedLimits(other, moved, other.active);
      return other.normals.slice(column, column + 2);
    });
    const rate = (-(along[1][0] - along[0][0]) * ny + (along[1][1] - along[0][1]) * nx) / (2 * h);
    const at = (i: number, j: number): number => hessian[(column + i) * size + column + j];
    const curvature = at(0, 0) * ny * ny - 2 * at(1, 0) * nx * ny + at(1, 1) * nx * nx;
    expect(curvature).toBeCloseTo(2 * rate, 8);
    expect(at(0, 1)).toBe(at(1, 0));
    expect(hessian[0]).toBe(0);
  });

  test('hold a pose whose gradient is along outward normals: the projected gradient is zero', () => {
    const pose = boundaryPose();
    const set = freshSet();
    findTouchedLimits(set, pose, set.active);
    const gradient = set.normals.map((x) => -0.2 * x);
    const trial = new Float64Array(pose.length);
    expect(stationarityOf(set, pose, gradient, trial)).toBeLessThan(1e-14);
    // Inward by 0.2 in scaled coordinates, on all but the fixed one.
    const inward = gradient.map((x, k) => (k === 3 ? x : -x));
    expect(stationarityOf(set, pose, inward, trial)).toBeCloseTo(0.2 * Math.sqrt(3), 12);
  });
});
