/** A keyframe of a curve of rotation vectors, independent of its chart. */

import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';

const TWO_PI = 2 * Math.PI;

/**
 * The rotation vector (angle + 2 pi revolutions) axis, angle in [-pi, pi]. In chart k it is (angle + 2 pi (revolutions - k))
 * axis, which loses no digits however many revolutions there are.
 */
export interface ChartKey {
  readonly time: number;
  /** Unit vector; zeros where the rotation vector is zero. */
  readonly axis: readonly number[];
  readonly angle: number;
  readonly revolutions: number;
  /** Angular velocity on arriving and on leaving, body axes, rad/s. */
  readonly arriving: readonly number[];
  readonly leaving: readonly number[];
}

/** The keyframe of a rotation vector. */
export function createChartKey(time: number, v: Numbers, arriving: Numbers, leaving: Numbers): ChartKey {
  const length = vec3.norm(v);
  const revolutions = Math.round(length / TWO_PI);
  return {
    time,
    axis: length > 0 ? vec3.normalize(v) : [0, 0, 0],
    angle: length - TWO_PI * revolutions,
    revolutions,
    arriving: vec3.copy(arriving),
    leaving: vec3.copy(leaving),
  };
}

/**
 * The rotation vector in a chart: shorter by 2 pi times its index. A zero vector is unchanged, because it has no
 * axis.
 */
export function inChart({ axis, angle, revolutions }: ChartKey, chart: number): number[] {
  return vec3.scale(axis, angle + TWO_PI * (revolutions - chart));
}

/** The same keyframe with the rotation vector nearest to `reference`, whose length is at most pi. */
export function nearestKey(key: ChartKey, reference: Numbers): ChartKey {
  const projection = vec3.dot(key.axis, reference);
  const revolutions = Math.round((projection - key.angle) / TWO_PI);
  if (key.angle + TWO_PI * revolutions >= 0) return { ...key, revolutions };
  return { ...key, axis: vec3.negate(key.axis), angle: -key.angle, revolutions: -revolutions };
}

/**
 * Length up to which tangents are well conditioned: beyond, J^-1 scales them by more than 3.4. No chart is changed
 * within it.
 */
export const WELL_CONDITIONED_LENGTH = 1.5 * Math.PI;
/** Cosine of the angle between two axes above which they count as aligned. */
const MIN_AXIS_COSINE = 0.5;

/**
 * Index of the common chart of neighbours (Grassia 1997, section 3.2.2, with one index for the group, erratum 5): their mean length in
 * multiples of 2 pi, rounded. If lengths differ by 2 pi or more, that of the shortest; 0 where axes are not aligned or all
 * vectors are short, because the path between them is then the straight line of the given vectors.
 */
export function commonChart(keys: readonly ChartKey[]): number {
  const lengths = keys.map(({ angle, revolutions }) => angle + TWO_PI * revolutions);
  const longest = Math.max(...lengths);
  if (longest <= WELL_CONDITIONED_LENGTH) return 0;
  for (let i = 1; i < keys.length; i++)
    if (vec3.dot(keys[i - 1].axis, keys[i].axis) < MIN_AXIS_COSINE) return 0;
  const shortest = Math.min(...lengths);
  if (longest - shortest >= TWO_PI) return Math.round(shortest / TWO_PI);
  return Math.round(lengths.reduce((sum, length) => sum + length, 0) / (lengths.length * TWO_PI));
}
