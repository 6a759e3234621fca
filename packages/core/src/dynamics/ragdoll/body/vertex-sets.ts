import { requireNumbers, shown } from '../../../checks.js';
import { FigureError } from '../../../errors.js';
import type { Triple } from '../../../figure/data/types.js';
import { pointIn, pointOf, type Rest } from '../../../figure/kinematics/rest-pose.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';

/** Vertices of the mesh by bone index, each in its bone's frame; empty for bones without any. */
export type VertexSets = readonly (readonly Triple[])[];

/** Maximum number of vertices of a fit; larger sets are subsampled evenly. */
const MAX_POINTS = 4000;

/** Checks and unpacks `options.vertices`. @throws FigureError `unknown-name`, `wrong-size`, `not-finite` with the path. */
export function parseVertexSets(
  figure: Figure,
  vertices: Readonly<Record<string, Numbers>> | undefined,
): VertexSets {
  const vertexSets: Triple[][] = figure.bones.map(() => []);
  for (const [name, numbers] of Object.entries(vertices ?? {})) {
    const path = `options.vertices['${name}']`;
    const bone = boneIndex(figure, name, path);
    const length: unknown = numbers?.length;
    if (typeof length !== 'number' || length % 3 !== 0) {
      const what = typeof length === 'number' ? `has ${length} numbers` : `is ${shown(numbers)}`;
      throw new FigureError('wrong-size', `${what}.`, { path, remedy: 'Give three numbers a vertex, m.' });
    }
    requireNumbers(numbers, length, path, FigureError);
    for (let i = 0; i < length; i += 3) vertexSets[bone].push([numbers[i], numbers[i + 1], numbers[i + 2]]);
  }
  return vertexSets;
}

/** The vertices of several bones in the frame of one, at rest. */
export function gatherVertices(
  rest: Rest,
  vertexSets: VertexSets,
  bones: readonly number[],
  into: number,
): Triple[] {
  const all = bones.flatMap((bone) =>
    bone === into
      ? vertexSets[bone]
      : vertexSets[bone].map((point) => pointIn(rest, into, pointOf(rest, bone, point))),
  );
  const stride = Math.ceil(all.length / MAX_POINTS);
  return stride <= 1 ? all : all.filter((_, k) => k % stride === 0);
}

/** Quantile of sorted numbers, with linear interpolation. */
export function quantile(sorted: ArrayLike<number>, fraction: number): number {
  const at = fraction * (sorted.length - 1);
  const k = Math.floor(at);
  const next = Math.min(k + 1, sorted.length - 1);
  return sorted[k] + (at - k) * (sorted[next] - sorted[k]);
}
