/** The human bones of a rig. */
import { FigureError } from 'poise';
import type { Figure } from 'poise/figure';
import {
  DETAIL_BONES,
  findHumanoid,
  HUMAN_BONES,
  type HumanBoneMap,
  type Humanoid,
  namedHumanStands,
} from 'poise/humanoid';

/** A figure, with its human bones as the command line or its file names them. */
interface NamedFigure {
  readonly figure: Figure;
  readonly human?: Readonly<HumanBoneMap<string | null>>;
}

/**
 * The human bones of a source, as recognised around those that its file and the command line name, in the order of {@link HUMAN_BONES};
 * none where a file declares what is no body.
 */
export function humanoidOf({ figure, human }: NamedFigure): Humanoid | undefined {
  try {
    const found = findHumanoid(figure, human && { bones: human });
    if (found === undefined) return undefined;
    const names = [...HUMAN_BONES, ...DETAIL_BONES].filter((name) => found.bones[name] !== undefined);
    return { ...found, bones: Object.fromEntries(names.map((name) => [name, found.bones[name]])) };
  } catch (error) {
    // Those of the command line were checked when the file was read.
    if (error instanceof FigureError) return undefined;
    throw error;
  }
}

/** Why a figure is no humanoid, and what to do. @param option - That names its bones. */
export function noHumanoid(
  { figure }: Pick<NamedFigure, 'figure'>,
  path: string,
  option: HumanOption,
  cause?: unknown,
): FigureError {
  const [what, remedy] =
    namedHumanStands(figure) === undefined
      ? [
          'is not a humanoid: hips, a spine, two arms and two legs were not found.',
          `Name its bones, ${option} hips=NAME ${option} leftUpperLeg=NAME ...: 'poise inspect' lists them.`,
        ]
      : [
          'has the bones of a human, but its rest pose does not stand.',
          'Export it with a rest pose that stands, as a T-pose; that of a BVH is its OFFSETs, or a frame: --rest-frame N.',
        ];
  return new FigureError('unsupported', what, { path, remedy, ...(cause !== undefined && { cause }) });
}

/** Options that name the human bones of a rig, and of a clip. */
export type HumanOption = '--human' | '--clip-human';

/** Refuses names of human bones that are wrong, where they are given. @throws FigureError with the option. */
export function checkHumanBones({ figure, human }: NamedFigure, option: HumanOption): void {
  try {
    findHumanoid(figure, human && { bones: human });
  } catch (error) {
    if (!(error instanceof FigureError)) throw error;
    const { code, what, remedy } = error;
    const [, name] = /^options\.bones\.(.*)$/s.exec(error.path) ?? [];
    const bone = human?.[name as keyof typeof human];
    const path = name === undefined ? option : `${option} ${name}=${bone ?? 'none'}`;
    throw new FigureError(code, what, { path, remedy, cause: error });
  }
}
