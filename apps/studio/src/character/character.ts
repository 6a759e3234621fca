import {
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  type LimitData,
  type Triple,
} from 'poise/figure';
import { createHumanFigure, findHumanoid, type HumanBoneMap, type Humanoid } from 'poise/humanoid';
import { vec3 } from 'poise/math';
import type { Motion } from 'poise/motion';
import { type Contacts, findContacts } from './contacts.js';
import { endHandles, type Handle, humanHandles } from './handles.js';
import type { CharacterModel } from './model.js';
import { pointsOf } from './points.js';
import { shiftPose } from './shift-pose.js';
import { standingPose } from './standing-pose.js';

export const HEIGHTS = { min: 1.4, max: 2.1, usual: 1.75 } as const;

/** Where a character comes from: what a file of the studio keeps of it. */
export type CharacterSource =
  | { readonly type: 'human' /** Stature, m. */; readonly height: number; readonly name?: never }
  /** Made by the studio. */
  | { readonly type: 'made'; readonly name: string }
  | { readonly type: 'file'; readonly name: string };

/** A figure to pose. Never changed. */
export interface Character {
  readonly source: CharacterSource;
  readonly figure: Figure;
  /** The figure with the limits that it came with. */
  readonly given: Figure;
  /** Limits that were set in place of those. */
  readonly limits: ReadonlyMap<string, LimitData>;
  /** Undefined for what is no human. */
  readonly humanoid: Humanoid | undefined;
  /** Bones that are those of a human, by VRM name: also of a part of one, as a hand. */
  readonly bones: Readonly<HumanBoneMap<number>>;
  readonly handles: readonly Handle[];
  /** The pose to begin with, and the handles that it pins. */
  readonly pose: readonly number[];
  readonly pins: readonly string[];
  /** Height at rest, or its largest side where it lies, and where its floor is along `figure.up`, m. */
  readonly size: number;
  readonly floor: number;
  /** The ball around its joints and tips at rest, m. */
  readonly middle: readonly number[];
  readonly radius: number;
  /** Undefined for what is no human. */
  readonly contacts: Contacts | undefined;
  /** Bones that a drag bends last, by index. */
  readonly trunk: ReadonlySet<number>;
  createModel(): CharacterModel;
  /** The file it came from, then those that it needs; none of the built-in human. */
  readonly files: readonly CharacterFile[];
  /** Bones of the human that were chosen by hand, by names of the figure; null for one it has none of. */
  readonly chosen: HumanBoneMap<string | null>;
  /** Animations that came with its file. */
  readonly clips: readonly FileClip[];
  /** Its own file with a motion at frames a second; undefined where it came from none that can have one. */
  readonly writeMotion: ((motion: Motion, rate: number) => Promise<WrittenFile>) | undefined;
  /** What is drawn, as a file: the character's own with its pose alone changed, where it came from one that can be. */
  write(model: CharacterModel): Promise<WrittenFile>;
}

/** A file as it was when it was opened. */
export interface CharacterFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An animation of a file. */
export interface FileClip {
  readonly name: string;
  /** Frames a second. */
  readonly rate: number;
  /** @throws PoiseError for one that moves no bone. */
  read(): { readonly figure: Figure; readonly motion: Motion };
  /** The bones of a human that the file names. */
  readonly bones?: HumanBoneMap<string>;
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Height at which a character is drawn, m: the built-in human as it is, others as high as a person. */
export function shownHeight({ source, size }: Character): number {
  return source.type === 'human' ? size : HEIGHTS.usual;
}

/** Metres that are drawn per unit of the figure. */
export function shownScale(character: Character): number {
  return shownHeight(character) / character.size;
}

/** Axes of the figure that are drawn as +X, +Y and +Z: its left, up and forward. */
export function shownAxes({ figure, humanoid }: Character): readonly [Triple, Triple, Triple] {
  const { up } = figure;
  const given: Triple = humanoid?.forward ?? [0, 0, 1];
  const forward: Triple = Math.abs(vec3.dot(given, up)) > 0.9 ? [0, -1, 0] : given;
  const left = triple(vec3.normalize(vec3.cross(up, forward)));
  return [left, up, triple(vec3.cross(left, up))];
}

function triple([x, y, z]: readonly number[]): Triple {
  return [x, y, z];
}

/** What a character is, less what follows from its figure. */
export interface CharacterParts extends Pick<Character, 'source' | 'figure' | 'createModel' | 'write'> {
  /** Recognised in the figure by default. */
  readonly humanoid?: Humanoid | undefined;
  /** Of a part of a human. */
  readonly bones?: Readonly<HumanBoneMap<number>>;
  /** In place of those at the ends of its chains. */
  readonly handles?: readonly Handle[];
  /** Of what is drawn, along `figure.up`, m. Default: of the joints and tips. */
  readonly floor?: number;
  readonly top?: number;
  readonly pose?: ArrayLike<number>;
  /** How much higher it rests than the figure does, m. Default 0. */
  readonly rise?: number;
  readonly files?: readonly CharacterFile[];
  readonly chosen?: HumanBoneMap<string | null>;
  readonly clips?: readonly FileClip[];
  readonly writeMotion?: (motion: Motion, rate: number) => Promise<WrittenFile>;
  /** The figure with masses: itself, or one of the same coordinates. */
  readonly massive?: Figure | undefined;
}

const TRUNK = [
  'hips',
  'spine',
  'chest',
  'upperChest',
  'neck',
  'head',
  'leftShoulder',
  'rightShoulder',
] as const;
/** Height over the floor up to which an end of what is no human stands on it, over its size. */
const STANDS = 0.06;

export function createCharacter(parts: CharacterParts): Character {
  const { source, figure, createModel, write, humanoid = findHumanoid(figure), clips = [] } = parts;
  const rest = createState(figure);
  const atRest = createPose(figure);
  shiftPose(figure, atRest, vec3.scale(figure.up, parts.rise ?? 0));
  forwardKinematics(rest, atRest);
  const pose = Array.from(parts.pose ?? atRest);
  const points = pointsOf(figure, rest);
  const along = points.map((point) => vec3.dot(point, figure.up));
  const floor = parts.floor ?? along.reduce((a, b) => Math.min(a, b));
  const top = parts.top ?? along.reduce((a, b) => Math.max(a, b));
  const [low, high] = [Math.min, Math.max].map((end) =>
    points.reduce((a, b) => a.map((x, k) => end(x, b[k]))),
  );
  const sides = vec3.subtract(high, low);
  const size = humanoid === undefined ? Math.max(top - floor, ...sides, 1e-6) : top - floor;
  const handles =
    parts.handles ??
    (humanoid === undefined ? endHandles(figure, rest) : humanHandles(figure, humanoid, rest, size));
  const stands = ({ bone, point }: Handle): boolean => {
    const frame = rest.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    let height = 0;
    for (let k = 0; k < 3; k++) {
      const x =
        frame[9 + k] + frame[3 * k] * point[0] + frame[3 * k + 1] * point[1] + frame[3 * k + 2] * point[2];
      height += figure.up[k] * x;
    }
    return height - floor < STANDS * size;
  };
  const isFree = figure.bones.some(({ joint }) => joint.type === 'free');
  const pins = humanoid
    ? ['leftFoot', 'rightFoot'].filter((id) => handles.some((handle) => handle.id === id))
    : isFree
      ? handles.filter(stands).map(({ id }) => id)
      : [];
  const trunk = TRUNK.flatMap((name) => humanoid?.bones[name] ?? []);
  return {
    source,
    figure,
    given: figure,
    limits: new Map(),
    humanoid,
    bones: humanoid?.bones ?? parts.bones ?? {},
    handles,
    contacts: humanoid && findContacts(figure, humanoid, pose, floor, size, parts.massive),
    pose,
    pins,
    size,
    floor,
    middle: vec3.scale(vec3.add(low, high), 0.5),
    radius: vec3.norm(sides) / 2,
    trunk: new Set(trunk),
    createModel,
    files: parts.files ?? [],
    chosen: parts.chosen ?? {},
    clips,
    writeMotion: parts.writeMotion,
    write,
  };
}

/** The built-in human. @param createModel - Of its figure and stature. */
export function createHuman(
  height: number,
  createModel: (figure: Figure, height: number) => CharacterModel,
): Character {
  const figure = createHumanFigure({ height });
  return createCharacter({
    source: { type: 'human', height },
    figure,
    massive: figure,
    floor: 0,
    top: height,
    pose: standingPose(figure, height),
    createModel: () => createModel(figure, height),
    write: async ({ root }) => {
      const { writeObject } = await import('./write-object.js');
      return { name: 'pose.glb', bytes: await writeObject(root) };
    },
  });
}
