import { GoalError } from '../../errors.js';
import type { BoneData, Triple } from '../../figure/data/types.js';
import { boneIndex, createFigure, type Figure, figureToData } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';

/**
 * Bones whose lengths change together. The factor of a bone scales what is fixed in its frame: where its children start
 * and where its markers are. Roots start where they start.
 */
export interface LengthGroups {
  /** Bones of each group, for people. */
  readonly names: readonly string[];
  /** -1 for a bone that keeps its lengths. */
  readonly groupOfBone: Int32Array;
  /** One a group, 1 at first. */
  readonly factors: Float64Array;
  /** One a bone. */
  readonly factorOfBone: Float64Array;
  /** Where each bone starts in its parent's frame at factor 1, 3 numbers a bone, m. */
  readonly restPositions: Float64Array;
}

/**
 * @param groups - Each a list of bones. No group: every length stays.
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
        throw new GoalError('duplicate-name', `'${figure.bones[bone].name}' stands in two groups.`, {
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

/** Puts the factors into the rest transforms of a state of the same figure. */
export function applyLengths(lengths: LengthGroups, state: FigureState): void {
  const { groupOfBone, factors, factorOfBone, restPositions } = lengths;
  const { parents, bones } = state.figure;
  for (let b = 0; b < bones.length; b++) factorOfBone[b] = groupOfBone[b] < 0 ? 1 : factors[groupOfBone[b]];
  for (let b = 0; b < bones.length; b++) {
    if (parents[b] < 0) continue;
    const factor = factorOfBone[parents[b]];
    // Bones whose joint slides have their rest in a table of their own; the others' local positions are never rewritten.
    const place = state.moved.indexOf(b);
    const [into, o] = place < 0 ? [state.parentFromBone, 12 * b + 9] : [state.movedRest, 12 * place + 9];
    for (let k = 0; k < 3; k++) into[o + k] = factor * restPositions[3 * b + k];
  }
}

/**
 * The figure with the lengths of each bone scaled: where its children start, its tip and its centre of mass times the factor,
 * its inertia times the square (masses stay).
 *
 * @param factorOfBone - One number a bone, in the order of `figure.bones`.
 */
export function scaleFigure(figure: Figure, factorOfBone: ArrayLike<number>): Figure {
  const { bones } = figureToData(figure);
  return createFigure({
    name: figure.name,
    bones: bones.map((bone, b): BoneData => {
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
