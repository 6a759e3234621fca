/** A key of a curve of rotation vectors, apart from the chart that it is written in. */

import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';

const TWO_PI = 2 * Math.PI;

/**
 * The rotation vector (short + 2 pi turns) axis, short in [-pi, pi]. In a chart k turns down it is (short + 2 pi (turns - k)) axis, which
 * loses no digit however many turns there were.
 */
export interface ChartKey {
  readonly time: number;
  /** Unit vector; zeros where the rotation vector is zero. */
  readonly axis: readonly number[];
  readonly short: number;
  readonly turns: number;
  /** Angular velocity on arriving and on leaving, body axes, rad/s. */
  readonly arriving: readonly number[];
  readonly leaving: readonly number[];
}

/** The key of a rotation vector as given. */
export function createChartKey(time: number, v: Numbers, arriving: Numbers, leaving: Numbers): ChartKey {
  const length = vec3.norm(v);
  const turns = Math.round(length / TWO_PI);
  return {
    time,
    axis: length > 0 ? vec3.normalize(v) : [0, 0, 0],
    short: length - TWO_PI * turns,
    turns,
    arriving: vec3.copy(arriving),
    leaving: vec3.copy(leaving),
  };
}

/** The rotation vector in the chart `down` turns down. A zero vector stays where it is: it has no axis to turn about. */
export function inChart({ axis, short, turns }: ChartKey, down: number): number[] {
  return vec3.scale(axis, short + TWO_PI * (turns - down));
}

/** The same key written by the rotation vector nearest to `reference`, which is at most pi long. */
export function nearestTo(key: ChartKey, reference: Numbers): ChartKey {
  const along = vec3.dot(key.axis, reference);
  const turns = Math.round((along - key.short) / TWO_PI);
  if (key.short + TWO_PI * turns >= 0) return { ...key, turns };
  return { ...key, axis: vec3.negate(key.axis), short: -key.short, turns: -turns };
}

/** Length up to which tangents are steered well: beyond, J^-1 stretches them by more than 3.4. No chart is changed within it. */
export const WELL_INSIDE = 1.5 * Math.PI;
/** Cosine of the angle between two axes up to which they count as one and the same turning. */
const ALIGNED = 0.5;

/**
 * How many turns down neighbours are brought together (paper, section 3.2.2, with one number for the group, erratum 5): the whole turns in their
 * mean length. Where lengths are more than a turn apart, those of the shortest; none where axes are far apart or nothing is long, for then the
 * way between them is as the vectors stand.
 */
export function commonTurns(keys: readonly ChartKey[]): number {
  const lengths = keys.map(({ short, turns }) => short + TWO_PI * turns);
  const longest = Math.max(...lengths);
  if (longest <= WELL_INSIDE) return 0;
  for (let i = 1; i < keys.length; i++) if (vec3.dot(keys[i - 1].axis, keys[i].axis) < ALIGNED) return 0;
  const shortest = Math.min(...lengths);
  if (longest - shortest >= TWO_PI) return Math.round(shortest / TWO_PI);
  return Math.round(lengths.reduce((sum, length) => sum + length, 0) / (lengths.length * TWO_PI));
}
