import { shown } from '../../../checks.js';
import { FigureError } from '../../../errors.js';
import type { Triple } from '../../../figure/data/types.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { pointIn, pointOf, type Rest } from './rest-pose.js';

/** Points of the mesh by bone index, each in its bone's frame; empty where there are none. */
export type Clouds = readonly (readonly Triple[])[];

/** Points that a fit looks at; of larger clouds every so many. */
const MOST_POINTS = 4000;

/** @throws FigureError `unknown-name`, `wrong-size`, `not-finite` naming the place. */
export function readClouds(figure: Figure, vertices: Readonly<Record<string, Numbers>> | undefined): Clouds {
  const clouds: Triple[][] = figure.bones.map(() => []);
  for (const [name, numbers] of Object.entries(vertices ?? {})) {
    const path = `options.vertices['${name}']`;
    const bone = boneIndex(figure, name, path);
    const length: unknown = numbers?.length;
    if (typeof length !== 'number' || length % 3 !== 0) {
      const what = typeof length === 'number' ? `has ${length} numbers` : `is ${shown(numbers)}`;
      throw new FigureError('wrong-size', `${what}.`, { path, remedy: 'Give three numbers a vertex, m.' });
    }
    for (let i = 0; i < length; i++) {
      if (Number.isFinite(numbers[i])) continue;
      throw new FigureError('not-finite', `is ${shown(numbers[i])}.`, {
        path: `${path}[${i}]`,
        remedy: 'Give finite numbers.',
      });
    }
    for (let i = 0; i < length; i += 3) clouds[bone].push([numbers[i], numbers[i + 1], numbers[i + 2]]);
  }
  return clouds;
}

/** The points of several bones in the frame of one, at rest. */
export function gather(rest: Rest, clouds: Clouds, bones: readonly number[], into: number): Triple[] {
  const all = bones.flatMap((bone) =>
    bone === into
      ? clouds[bone]
      : clouds[bone].map((point) => pointIn(rest, into, pointOf(rest, bone, point))),
  );
  const every = Math.ceil(all.length / MOST_POINTS);
  return every <= 1 ? all : all.filter((_, k) => k % every === 0);
}

/** The number that a share of all numbers lies below. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = share * (sorted.length - 1);
  const k = Math.floor(at);
  const next = Math.min(k + 1, sorted.length - 1);
  return sorted[k] + (at - k) * (sorted[next] - sorted[k]);
}
