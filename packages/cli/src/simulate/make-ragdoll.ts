/** Makes the ragdoll of a source. */
import { boneVertices } from '@poise/formats';
import { createRagdoll, type Ragdoll, type RagdollOptions } from 'poise/dynamics';
import { type BoneData, createFigure, type Figure, figureToData } from 'poise/figure';
import type { Source } from '../io/source.js';
import { floatingBones } from './start.js';

export interface MakeOptions {
  /** Of the whole figure, kg. */
  readonly mass?: number;
  /** Anatomical joints, or those of the rig. */
  readonly joints?: NonNullable<RagdollOptions['joints']>;
}

/**
 * The ragdoll of a figure. Mimic joints become independent, since the simulation does not support them. Floating bones without shapes (control bones of
 * a rig) become fixed; they would fall forever.
 */
export function makeRagdoll(source: Source, make: MakeOptions): { ragdoll: Ragdoll; notes: string[] } {
  const { figure } = source;
  const options = ragdollOptions(source, make);
  const mimicBones = figure.bones.filter(({ mimic }) => mimic !== undefined);
  const free = changeBones(figure, ({ mimic: _, ...bone }) => bone);
  let ragdoll = createRagdoll(free, options);
  const idle = idleControls(ragdoll);
  if (idle.length > 0) {
    const withFixedControls = changeBones(free, (bone, index) => (idle.includes(index) ? fixed(bone) : bone));
    ragdoll = createRagdoll(withFixedControls, options);
  }
  const notes: string[] = [];
  if (mimicBones.length > 0) {
    const names = mimicBones.map(({ name }) => name).join(', ');
    notes.push(`mimic joints move independently in the simulation: ${names}.`);
  }
  return { ragdoll, notes: [...notes, ...ragdoll.warnings] };
}

function fixed({ limit: _, ...bone }: BoneData): BoneData {
  return { ...bone, joint: { type: 'fixed' } };
}

function changeBones(figure: Figure, change: (bone: BoneData, index: number) => BoneData): Figure {
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.map(change) });
}

/** Floating bones without shapes in their subtree, if other floating bones have some. */
function idleControls({ figure, shapes }: Ragdoll): number[] {
  const floating = floatingBones(figure);
  const shaped = new Set(shapes.map(({ bone }) => bone));
  const withShapes = new Set<number>();
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (!withShapes.has(b) && !shaped.has(figure.bones[b].name)) continue;
    withShapes.add(b).add(figure.parents[b]);
  }
  const idle = floating.filter((b) => !withShapes.has(b));
  return idle.length < floating.length ? idle : [];
}

function ragdollOptions({ rig, human: humanoid }: Source, { joints, mass }: MakeOptions): RagdollOptions {
  return {
    joints: joints ?? 'anatomical',
    ...(mass !== undefined && { mass }),
    ...(rig && { vertices: boneVertices(rig) }),
    ...(humanoid && { humanoid }),
  };
}
