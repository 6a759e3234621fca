/** The ragdoll of what a command works on. */
import { boneVertices, vrmHumanoid } from '@poise/formats';
import { createRagdoll, type Ragdoll, type RagdollOptions } from 'poise/dynamics';
import { type BoneData, createFigure, type Figure, figureToData } from 'poise/figure';
import { decimals } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { floatingBones } from './start.js';
import type { UpAxis } from './world.js';

export interface MakeOptions {
  /** Of the whole figure, kg. */
  readonly mass?: number;
  /** Joints of a body, or those of the rig. */
  readonly joints?: NonNullable<RagdollOptions['joints']>;
}

/** A figure higher than this is worth a word: its file is hardly in metres. */
const GIANT = 10;

/**
 * The ragdoll of a figure. Joints that follow others (mimic joints of robots) move on their own in it, for physics knows of no followers; what
 * stands free and carries no shape (controls of the program that made the rig) stays where it is, or it would fall for ever.
 */
export function makeRagdoll(
  source: Source,
  up: UpAxis,
  make: MakeOptions,
): { ragdoll: Ragdoll; notes: string[] } {
  const { figure } = source;
  const options = ragdollOptions(source, up, make);
  const followers = figure.bones.filter(({ mimic }) => mimic !== undefined);
  const free = changeBones(figure, ({ mimic: _, ...bone }) => bone);
  let ragdoll = createRagdoll(free, options);
  const idle = idleControls(ragdoll);
  if (idle.length > 0) {
    const bolted = changeBones(free, (bone, index) => (idle.includes(index) ? fixed(bone) : bone));
    ragdoll = createRagdoll(bolted, options);
  }
  const notes: string[] = [];
  if (followers.length > 0) {
    const names = followers.map(({ name }) => name).join(', ');
    notes.push(`${names}: follow other joints in the file, and move on their own here.`);
  }
  if (ragdoll.height > GIANT) {
    const height = decimals(ragdoll.height, 1);
    notes.push(
      `${figure.name}: is ${height} m high as the file has it; it falls as slowly as such a giant does.`,
    );
  }
  return { ragdoll, notes };
}

function fixed({ limit: _, ...bone }: BoneData): BoneData {
  return { ...bone, joint: { type: 'fixed' } };
}

function changeBones(figure: Figure, change: (bone: BoneData, index: number) => BoneData): Figure {
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.map(change) });
}

/** Bones that stand free and carry no shape, where others that stand free do. */
function idleControls({ figure, shapes }: Ragdoll): number[] {
  const floating = floatingBones(figure);
  const shaped = new Set<number>();
  for (const { bone } of shapes) {
    for (let b = figure.bones.findIndex(({ name }) => name === bone); b >= 0; b = figure.parents[b])
      shaped.add(b);
  }
  const idle = floating.filter((b) => !shaped.has(b));
  return idle.length < floating.length ? idle : [];
}

function ragdollOptions({ rig }: Source, up: UpAxis, { joints, mass }: MakeOptions): RagdollOptions {
  const humanoid = rig && vrmHumanoid(rig);
  return {
    joints: joints ?? 'anatomical',
    ...(mass !== undefined && { mass }),
    ...(up === 2 && { up: [0, 0, 1] }),
    ...(rig && { vertices: boneVertices(rig) }),
    ...(humanoid && { humanoid }),
  };
}
