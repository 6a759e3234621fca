/** The target as a figure whose root translates, and whose feet do where they stand beside the legs. */
import { FigureError } from '../../errors.js';
import { createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import { type FindHumanoidOptions, findHumanoid } from '../../humanoid/find-humanoid.js';

/** The figure itself where nothing is missing. */
export function movableTarget(figure: Figure, options: FindHumanoidOptions): Figure {
  const bones = findHumanoid(figure, options)?.bones;
  if (bones?.hips === undefined) return figure;
  const freed = new Set<number>();
  const chain: number[] = [];
  for (let b = bones.hips; b >= 0; b = figure.parents[b]) chain.push(b);
  if (!chain.some((bone) => figure.bones[bone].joint.type === 'free')) {
    // The topmost joint of the chain; of a chain of fixed bones the hips.
    const root = chain.filter((bone) => figure.bones[bone].joint.type !== 'fixed').at(-1) ?? bones.hips;
    const { name, joint } = figure.bones[root];
    if (joint.type !== 'fixed' && joint.type !== 'ball') {
      throw new FigureError(
        'unsupported',
        `'${figure.name}' cannot move: the joint of '${name}', above the hips, is of type ${joint.type}.`,
        {
          path: 'target',
          remedy: `Give '${name}' or a bone above it a joint of type 'free'.`,
        },
      );
    }
    freed.add(root);
  }
  for (const side of ['left', 'right'] as const) {
    const [foot, lower] = [bones[`${side}Foot`], bones[`${side}LowerLeg`]];
    if (foot === undefined || lower === undefined || isBelow(figure, foot, lower)) continue;
    if (figure.bones[foot].joint.type !== 'free') freed.add(foot);
  }
  if (freed.size === 0) return figure;
  const data = figureToData(figure);
  return createFigure({
    ...data,
    bones: data.bones.map((bone, b) => {
      if (!freed.has(b)) return bone;
      const { limit: _, mimic: __, ...rest } = bone;
      return { ...rest, joint: { type: 'free' } };
    }),
  });
}

function isBelow({ parents }: Figure, bone: number, above: number): boolean {
  let b = bone;
  while (b > above) b = parents[b];
  return b === above;
}
