/** The bones of a human in a character, and their correction by hand. */
import { PoiseError } from 'poise';
import { createState, type Figure, forwardKinematics, poseFromLocalTransforms } from 'poise/figure';
import {
  DETAIL_BONES,
  type DetailBone,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
} from 'poise/humanoid';
import { type Clip, type ClipKey, clipFor, emptyClip, hasKeys } from '../animate/clip/clip.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import { jointGroups } from '../animate/clip/joint-groups.js';
import type { Character } from '../character/character.js';
import { withLimits } from '../character/limits.js';
import type { Document } from '../document/document.js';
import { Session } from '../session/session.js';
import { boneWords } from '../session/words.js';

export type AnyHumanBone = HumanBone | DetailBone;

export interface MapGroup {
  readonly label: string;
  readonly bones: readonly AnyHumanBone[];
}

const FINGER = /Thumb|Index|Middle|Ring|Little/;
const isLimb = (side: string) => (bone: string) => bone.startsWith(side) && !/Eye/.test(bone);
const ALL: readonly AnyHumanBone[] = [...HUMAN_BONES, ...DETAIL_BONES];

/** The bones of a human in the order of the panel. */
export const MAP_GROUPS: readonly MapGroup[] = [
  { label: 'Body', bones: ALL.filter((bone) => !isLimb('left')(bone) && !isLimb('right')(bone)) },
  { label: 'Left arm and leg', bones: HUMAN_BONES.filter(isLimb('left')) },
  { label: 'Right arm and leg', bones: HUMAN_BONES.filter(isLimb('right')) },
  { label: 'Left fingers', bones: DETAIL_BONES.filter((bone) => isLimb('left')(bone) && FINGER.test(bone)) },
  {
    label: 'Right fingers',
    bones: DETAIL_BONES.filter((bone) => isLimb('right')(bone) && FINGER.test(bone)),
  },
];

/** Those that are asked for where no human is recognised: the others are found around them. */
export const NEEDED: MapGroup = {
  label: 'Needed',
  bones: [
    'hips',
    'spine',
    'leftUpperArm',
    'rightUpperArm',
    'leftUpperLeg',
    'rightUpperLeg',
    'leftLowerLeg',
    'rightLowerLeg',
  ],
};

/** How sure a bone is, in a word, and why. */
export function certaintyOf(
  { humanoid }: Character,
  bone: AnyHumanBone,
): { readonly word: string; readonly tone: 'good' | 'far' | 'warn'; readonly why: string } | undefined {
  const confidence = humanoid?.confidence[bone];
  if (humanoid === undefined || humanoid.bones[bone] === undefined || confidence === undefined)
    return undefined;
  const why = (humanoid.reasons[bone] ?? []).join(', ');
  if (confidence === 1) return { word: 'given', tone: 'good', why };
  if (confidence >= 0.85) return { word: 'sure', tone: 'good', why };
  if (confidence >= 0.6) return { word: 'likely', tone: 'far', why };
  return { word: 'doubtful', tone: 'warn', why };
}

/** The bones chosen by hand with one more: no bone of the figure is two of the human. @param name - Null for none. */
export function choose(
  chosen: HumanBoneMap<string | null>,
  bone: AnyHumanBone,
  name: string | null,
): HumanBoneMap<string | null> {
  const others = Object.entries(chosen).filter(([, other]) => other === null || other !== name);
  return { ...Object.fromEntries(others), [bone]: name };
}

/**
 * A document whose character has the bones that were chosen: the figure stands as it stood, its kept poses and its clip are
 * the same, within the limits that follow from the bones.
 *
 * @throws Error where the figure is no human with these bones, in words.
 */
export async function remapped(document: Document, chosen: HumanBoneMap<string | null>): Promise<Document> {
  const { character: before, pose, pins, poses, clip } = document;
  const [file, ...others] = before.files.map(({ name, bytes }) => new File([bytes], name));
  const { openCharacter } = await import('../character/open-character.js');
  let character: Character;
  try {
    const opened = await openCharacter(file, others, chosen);
    // The same files: what is selected is of the same character.
    character = { ...withLimits(opened, before.limits), files: before.files };
  } catch (error) {
    throw new Error(wordsOf(error));
  }
  const convert = converter(before.figure, character.figure);
  const known = new Set(character.handles.map(({ id }) => id));
  const holds = new Map([...pins].flatMap(([id, pin]) => (known.has(id) ? [[id, pin.holds]] : [])));
  const session = new Session(character);
  session.setPose(character, convert(pose), holds);
  const dof = before.figure.dof;
  const snapshot = session.snapshot();
  return {
    ...document,
    character,
    pose: snapshot.pose,
    pins: snapshot.pins,
    poses: poses.map((kept) =>
      kept.pose.length === dof ? { ...kept, pose: [...convert(kept.pose)] } : kept,
    ),
    clip: clip && convertedClip(clip, before, character, convert),
  };
}

function wordsOf(error: unknown): string {
  const what = error instanceof PoiseError ? error.what : String(error);
  const missing = /^lacks (.*)\.$/.exec(what)?.[1].split(', ');
  return missing === undefined
    ? `These bones make no human: ${what}`
    : `Choose these too: ${missing.map((bone) => boneWords(bone).toLowerCase()).join(', ')}.`;
}

type Convert = (pose: ArrayLike<number>) => Float64Array;

/** Poses of a figure as those of another with the same bones and other joints. */
function converter(from: Figure, to: Figure): Convert {
  const [before, after] = [createState(from), createState(to)];
  return (pose) => {
    forwardKinematics(before, pose);
    return poseFromLocalTransforms(after, before.parentFromBone, new Float64Array(to.dof));
  };
}

/** Each group has keys where one of the groups had that its joints belonged to. */
function convertedClip(clip: Clip, before: Character, character: Character, convert: Convert): Clip {
  const given = clipFor(clip, before);
  if (given === undefined) return clip;
  const empty = { ...emptyClip(character, convert(given.base)), ...pick(given) };
  if (!hasKeys(given)) return empty;
  const poses = new Map<number, Float64Array>();
  const poseOf = (time: number) => {
    const known = poses.get(time) ?? convert(poseAt(given, before, time));
    poses.set(time, known);
    return known;
  };
  const old = jointGroups(before);
  const keys = jointGroups(character).map(({ id, bones, coordinates }): [string, ClipKey[]] => {
    const from = old.filter((group) => group.bones.some((bone) => bones.includes(bone)));
    const times = new Map(
      from.flatMap((group) => (given.keys[group.id] ?? []).map((key) => [key.time, key])),
    );
    const own = [...times.values()]
      .sort((a, b) => a.time - b.time)
      .map(({ time, interpolation }): ClipKey => {
        const pose = poseOf(time);
        // Rates are of the joints that were.
        return {
          time,
          interpolation: interpolation === 'free' ? 'auto' : interpolation,
          values: coordinates.map((n) => pose[n]),
        };
      });
    return [id, own];
  });
  return { ...empty, keys: Object.fromEntries(keys.filter(([, own]) => own.length > 0)) };
}

function pick({
  duration,
  rate,
  imported,
  ground,
}: Clip): Pick<Clip, 'duration' | 'rate' | 'imported' | 'ground'> {
  return { duration, rate, imported, ground };
}
