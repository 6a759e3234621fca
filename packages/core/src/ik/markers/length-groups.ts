import { GoalError } from '../../errors.js';
import type { BoneData, Triple } from '../../figure/data/types.js';
import { boneIndex, createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';

/**
 * Groups of bones with a common length factor. The factor of a bone scales the rest positions of its children and its markers. The
 * positions of roots are unscaled.
 */
export interface LengthGroups {
  /** Bone names of each group, for display. */
  readonly names: readonly string[];
  /** Group of each bone; -1 for a bone of constant length. */
  readonly groupOfBone: Int32Array;
  /** One per group, initially 1. */
  readonly factors: Float64Array;
  /** One per bone. */
  readonly factorOfBone: Float64Array;
  /** Rest position of each bone in its parent's frame at factor 1, 3 numbers per bone, m. */
  readonly restPositions: Float64Array;
}

/**
 * @param groups - Each a list of bones. Without groups all lengths are constant.
 * @throws GoalError for a bone in two groups, FigureError for an unknown one.
 */
export function createLengthGroups(
  figure: Figure,
  groups: readonly (readonly (string | number)[])[] = [],
): LengthGroups {
  const groupOfBone = new Int32Array(figure.bones.length).fill(-1);
  groups.forEach((members, g) => {
    members.forEach((member, k) => {
      const path = `options.lengths[${g}][${k}]`;
      const bone = boneIndex(figure, member, path);
      if (groupOfBone[bone] >= 0) {
        throw new GoalError('duplicate-name', `'${figure.bones[bone].name}' is in two groups.`, {
          path,
          remedy: 'Put each bone in one group.',
        });
      }
      groupOfBone[bone] = g;
    });
  });
  return {
    names: groups.map((members) =>
      members.map((member) => figure.bones[boneIndex(figure, member)].name).join(', '),
    ),
    groupOfBone,
    factors: new Float64Array(groups.length).fill(1),
    factorOfBone: new Float64Array(figure.bones.length).fill(1),
    restPositions: Float64Array.from(figure.bones.flatMap(({ rest }) => [...rest.position])),
  };
}

/** Applies the factors to the rest transforms of a state of the same figure. */
export function applyLengths(lengths: LengthGroups, state: FigureState): void {
  const { groupOfBone, factors, factorOfBone, restPositions } = lengths;
  const { parents, bones } = state.figure;
  for (let b = 0; b < bones.length; b++) factorOfBone[b] = groupOfBone[b] < 0 ? 1 : factors[groupOfBone[b]];
  for (let b = 0; b < bones.length; b++) {
    if (parents[b] < 0) continue;
    const factor = factorOfBone[parents[b]];
    // The rest of a translating joint is in `movedRest`; the local positions of other bones are constant.
    const row = state.translatingBones.indexOf(b);
    const [into, o] = row < 0 ? [state.parentFromBone, 12 * b + 9] : [state.translatingRests, 12 * row + 9];
    for (let k = 0; k < 3; k++) into[o + k] = factor * restPositions[3 * b + k];
  }
}

/**
 * The figure with scaled bone lengths: children's rest positions, tip and centre of mass times the factor, inertia times its square
 * (masses are unchanged).
 *
 * @param factorOfBone - One number per bone, in the order of `figure.bones`.
 */
export function scaleFigure(figure: Figure, factorOfBone: ArrayLike<number>): Figure {
  const data = figureToData(figure);
  return createFigure({
    ...data,
    bones: data.bones.map((bone, b): BoneData => {
      const parent = figure.parents[b];
      const own = factorOfBone[b];
      const { rest, tip, centerOfMass, inertia } = bone;
      const position = rest?.position ?? [0, 0, 0];
      return {
        ...bone,
        rest: { ...rest, position: parent < 0 ? position : scaled(position, factorOfBone[parent]) },
        ...(tip === undefined ? {} : { tip: scaled(tip, own) }),
        ...(centerOfMass === undefined ? {} : { centerOfMass: scaled(centerOfMass, own) }),
        ...(inertia === undefined
          ? {}
          : { inertia: inertia.map((x) => x * own * own) as unknown as typeof inertia }),
      };
    }),
  });
}

function scaled([x, y, z]: Triple, factor: number): Triple {
  return [factor * x, factor * y, factor * z];
}
