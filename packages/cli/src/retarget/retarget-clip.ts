/** Puts the clip of a file on a rig. */
import { boneVertices } from '@poise/formats';
import { FigureError, FormatError, GoalError, PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import type { HumanBoneMap, Humanoid } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import {
  createRetargeter,
  type HandRelation,
  type RetargetedMotion,
  type Retargeter,
  retargetMotion,
} from 'poise/retarget';
import { type HumanOption, humanoidOf, noHumanoid } from '../io/humanoid.js';
import { readInput } from '../io/input.js';
import type { Io } from '../io/io.js';
import type { Source } from '../io/source.js';
import { type ClipOptions, checkClipOptions, type LoadedClip, loadClip } from '../trajectory/load-clip.js';
import { type GivenContacts, readContacts } from './contacts-file.js';
import type { RelationSpec } from './parse-relation.js';

/** Options of the clip and of the way it is put on the rig. */
export interface RetargetClipOptions extends ClipOptions {
  /** Corrects the human bones of the clip's figure; `human` those of the rig. */
  readonly clipHuman?: Readonly<HumanBoneMap<string | null>>;
  /** `found`, `none`, or a file that has them. */
  readonly contacts?: string;
  /** Relations of hands. */
  readonly relation?: readonly RelationSpec[];
}

/** A clip on a rig, with what was found. */
export interface RetargetedClip extends RetargetedMotion {
  /** Of the clip, as given. */
  readonly path: string;
  readonly clip: LoadedClip;
  readonly rig: Source;
  readonly retargeter: Retargeter;
  readonly from: Humanoid;
  readonly to: Humanoid;
}

/**
 * @throws FormatError for a file without a clip; FigureError `unsupported` where the clip or the rig is not a humanoid.
 */
export async function retargetClip(
  path: string,
  rig: Source,
  options: RetargetClipOptions,
  io: Io,
): Promise<RetargetedClip> {
  const input = await readInput(path, io);
  checkClipOptions(input, options);
  const { rig: skeleton, animation, budget, units, up, restFrame, clipHuman } = options;
  const isBvh = input.kind === 'bvh';
  const clip = await loadClip(
    input,
    {
      ...(skeleton !== undefined && { rig: skeleton }),
      ...(animation !== undefined && { animation }),
      ...(budget && { budget }),
      ...(isBvh && units !== undefined && { units }),
      ...(isBvh && up !== undefined && { up }),
      ...(isBvh && restFrame !== undefined && { restFrame }),
      ...(clipHuman && { human: clipHuman, humanOption: '--clip-human' as const }),
    },
    true,
  );
  const from = requireHumanoid({ ...clip.source, figure: clip.figure }, path, '--clip-human');
  const to = requireHumanoid(rig, rig.path ?? rig.figure.name, '--human');
  const vertices = rig.rig && boneVertices(rig.rig);
  const { source, figure } = clip;
  const retargeter = createChecked(figure, rig, {
    ...(source.human && { sourceBones: source.human }),
    ...(rig.human && { targetBones: rig.human }),
    ...(vertices && Object.keys(vertices).length > 0 && { targetVertices: vertices }),
  });
  const { contacts = 'found' } = options;
  const given = contacts === 'found' ? undefined : contacts === 'none' ? NONE : await readContacts(contacts);
  const { motion, report } = retargetRelated(retargeter, clip.motion, given, options);
  return { path, clip, rig, retargeter, from, to, motion, report };
}

const NONE: GivenContacts = { contacts: [], places: [] };

/** Errors of a relation have the option as typed, those of a contact its place in the file. */
function retargetRelated(
  retargeter: Retargeter,
  motion: Motion,
  given: GivenContacts | undefined,
  { relation: specs = [] }: RetargetClipOptions,
): RetargetedMotion {
  const relations = specs.map(({ text: _, ...spec }): HandRelation => {
    return { over: [motion.start, motion.end], ...spec };
  });
  try {
    return retargetMotion(retargeter, motion, {
      ...(given && { contacts: given.contacts }),
      ...(relations.length > 0 && { relations }),
    });
  } catch (error) {
    if (!(error instanceof PoiseError)) throw error;
    const [, what, index] = /^options\.(relations|contacts)\[(\d+)\]/.exec(error.path) ?? [];
    if (index === undefined) throw error;
    const { code, remedy } = error;
    if (what === 'contacts') {
      const path = given?.places[Number(index)] ?? error.path;
      throw new FormatError(code, error.what, { path, remedy, cause: error });
    }
    const others = error.what.replace(/options\.relations\[(\d+)\]/g, (_, k) => specs[Number(k)].text);
    throw new GoalError(code, others, { path: specs[Number(index)].text, remedy, cause: error });
  }
}

function requireHumanoid(
  source: Pick<Source, 'figure' | 'human'>,
  path: string,
  option: HumanOption,
): Humanoid {
  const found = humanoidOf(source);
  if (found !== undefined) return found;
  throw noHumanoid(source, path, option);
}

/** Errors of the target have the path of the rig. */
function createChecked(
  figure: Figure,
  { figure: target, path }: Source,
  options: NonNullable<Parameters<typeof createRetargeter>[2]>,
): Retargeter {
  try {
    return createRetargeter(figure, target, options);
  } catch (error) {
    if (!(error instanceof PoiseError) || error.path !== 'target') throw error;
    const { code, what, remedy } = error;
    throw new FigureError(code, what, { path: path ?? target.name, remedy, cause: error });
  }
}
