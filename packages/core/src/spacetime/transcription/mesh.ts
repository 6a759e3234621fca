/** The mesh of a problem: its knot intervals, and how densely inequalities are sampled in each of them. */
import { SpacetimeError } from '../../errors.js';
import type { SplineBasis } from './spline-basis.js';

export interface Mesh {
  /** Interval boundaries, nominal, s. */
  readonly breaks: Float64Array;
  /** Factor of the number of sample points of inequalities in each interval. */
  readonly density: Float64Array;
}

export function coarseMesh({ breaks, intervals }: SplineBasis): Mesh {
  return { breaks, density: new Float64Array(intervals).fill(1) };
}

/** Whether two meshes are the same. */
export function isSameMesh(a: Mesh, b: Mesh): boolean {
  const same = (x: Float64Array, y: Float64Array): boolean =>
    x.length === y.length && x.every((value, k) => value === y[k]);
  return same(a.breaks, b.breaks) && same(a.density, b.density);
}

/** @throws SpacetimeError unless the mesh is a refinement of the basis: all of its breaks, and others between them. */
export function requireRefinement({ breaks: coarse }: SplineBasis, { breaks, density }: Mesh): void {
  const known = new Set(breaks);
  const isRefined =
    density.length === breaks.length - 1 &&
    breaks[0] === coarse[0] &&
    breaks[breaks.length - 1] === coarse[coarse.length - 1] &&
    breaks.every((time, k) => k === 0 || time > breaks[k - 1]) &&
    coarse.every((time) => known.has(time)) &&
    density.every((factor) => Number.isInteger(factor) && factor >= 1 && factor <= MAX_DENSITY);
  if (isRefined) return;
  throw new SpacetimeError('wrong-size', 'has a mesh that is no refinement of the mesh of the problem.', {
    path: 'start.breaks',
    remedy: 'Give the save of a problem with the same figure, duration, intervals and contacts.',
  });
}

/** Largest density. */
export const MAX_DENSITY = 64;
