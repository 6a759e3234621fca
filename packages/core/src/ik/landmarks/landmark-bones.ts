import { FigureError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { findHumanoid, type Humanoid } from '../../humanoid/find-humanoid.js';
import { ESSENTIAL_BONES, type HumanBoneMap } from '../../humanoid/recognition/human-bones.js';

/** Bones of a figure by their VRM names, as names or indices of the figure: from `vrmHumanoid`, `findHumanoid`, or written down. */
export type LandmarkBones = Readonly<Record<string, string | number | undefined>>;

/** The bones that landmarks lie on. */
export interface BoneLookup {
  /** Index of the bone of a VRM name: as given, else the bone of that name, else as recognised by `findHumanoid`; -1 for none. */
  readonly indexOf: (vrm: string) => number;
  /** The direction that the human bones face at rest; undefined for a figure that is not a humanoid. */
  readonly forward: () => Triple | undefined;
}

/** @throws FigureError `unknown-name` for a bone that the figure does not have. */
export function lookUpBones(figure: Figure, given: LandmarkBones, up: Triple = figure.up): BoneLookup {
  const indices = new Map<string, number>();
  for (const [vrm, bone] of Object.entries(given)) {
    if (bone !== undefined) indices.set(vrm, boneIndex(figure, bone, `options.bones.${vrm}`));
  }
  let humanoid: Humanoid | undefined;
  let isRecognised = false;
  const recognised = (): Humanoid | undefined => {
    if (!isRecognised) humanoid = recognise(figure, indices, up);
    isRecognised = true;
    return humanoid;
  };
  return {
    indexOf: (vrm) => {
      const own = indices.get(vrm) ?? figure.bones.findIndex(({ name }) => name === vrm);
      return own >= 0 ? own : ((recognised()?.bones as Record<string, number> | undefined)?.[vrm] ?? -1);
    },
    forward: () => recognised()?.forward,
  };
}

function recognise(figure: Figure, given: ReadonlyMap<string, number>, up: Triple): Humanoid | undefined {
  if (ESSENTIAL_BONES.every((bone) => given.has(bone))) {
    const bones: HumanBoneMap<number> = Object.fromEntries(given);
    return findHumanoid(figure, { bones, up });
  }
  return findHumanoid(figure, { up });
}

/** The error for a figure without any of the bones wanted. */
export function noBones(figure: Figure, of: string, example: string): FigureError {
  return new FigureError('unknown-name', `${figure.name} has none of the bones of a ${of}.`, {
    path: 'figure',
    remedy: `Map them in options.bones, by VRM names: ${example}.`,
  });
}
