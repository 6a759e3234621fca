import type { Heightfield } from '../../../src/dynamics/collide/index.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import { dot, minus, norm, type V } from './support.js';

export type Triangle = readonly [V, V, V];

export function fieldOf(
  columns: number,
  rows: number,
  spacing: readonly [number, number],
  height: (i: number, j: number) => number,
  rest: Partial<Heightfield> = {},
): Heightfield {
  const heights = Array.from({ length: columns * rows }, (_, k) =>
    height(k % columns, Math.floor(k / columns)),
  );
  return { type: 'heightfield', columns, rows, spacing, heights, ...rest };
}

export function frameOf({ placement }: Heightfield): number[] {
  return rigid.fromQuatPosition(placement?.rotation ?? [0, 0, 0, 1], placement?.position ?? [0, 0, 0]);
}

/** All triangles in world axes, per the TSDoc of `Heightfield`. */
export function triangles(field: Heightfield): Triangle[] {
  const frame = frameOf(field);
  const vertex = (i: number, j: number) =>
    rigid.transformPoint(frame, [
      i * field.spacing[0],
      field.heights[j * field.columns + i],
      j * field.spacing[1],
    ]) as unknown as V;
  const all: Triangle[] = [];
  for (let j = 0; j + 1 < field.rows; j++) {
    for (let i = 0; i + 1 < field.columns; i++) {
      all.push([vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)]);
      all.push([vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)]);
    }
  }
  return all;
}

function along(a: V, b: V, t: number): V {
  return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])];
}

export function cross(a: V, b: V): V {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Closest point of a triangle to p: the projection where it is inside, else on the nearest edge. */
export function nearestOn([a, b, c]: Triangle, p: V): V {
  const n = cross(minus(b, a), minus(c, a));
  const square = dot(n, n);
  const d = dot(minus(p, a), n) / square;
  const foot: V = [p[0] - d * n[0], p[1] - d * n[1], p[2] - d * n[2]];
  const inside = [
    [a, b],
    [b, c],
    [c, a],
  ].every(([u, v]) => dot(cross(minus(v, u), minus(foot, u)), n) >= 0);
  if (inside) return foot;
  let best: V = a;
  for (const [u, v] of [
    [a, b],
    [b, c],
    [c, a],
  ]) {
    const edge = minus(v, u);
    const t = Math.min(1, Math.max(0, dot(minus(p, u), edge) / dot(edge, edge)));
    const q = along(u, v, t);
    if (norm(minus(p, q)) < norm(minus(p, best))) best = q;
  }
  return best;
}

export function distanceTo(all: readonly Triangle[], p: V): number {
  return Math.min(...all.map((triangle) => norm(minus(p, nearestOn(triangle, p)))));
}

/** Height at (x, z) of the heightfield's frame, interpolated in the triangle. */
export function heightAt({ columns, spacing, heights }: Heightfield, x: number, z: number): number {
  const i = Math.min(columns - 2, Math.floor(x / spacing[0]));
  const j = Math.min(heights.length / columns - 2, Math.floor(z / spacing[1]));
  const u = x / spacing[0] - i;
  const v = z / spacing[1] - j;
  const h = (k: number, l: number) => heights[(j + l) * columns + i + k];
  return u >= v
    ? h(0, 0) * (1 - u) + h(1, 0) * (u - v) + h(1, 1) * v
    : h(0, 0) * (1 - v) + h(0, 1) * (v - u) + h(1, 1) * u;
}
