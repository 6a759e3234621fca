/** Makes the ragdoll of a source. */
import { boneVertices } from '@poise/formats';
import { createRagdoll, type Ragdoll, type RagdollOptions } from 'poise/dynamics';
import { createFigure, figureToData } from 'poise/figure';
import type { Source } from '../io/source.js';

export interface MakeOptions {
  /** Of the whole figure, kg. */
  readonly mass?: number;
  /** Anatomical joints, or those of the rig. */
  readonly joints?: NonNullable<RagdollOptions['joints']>;
}

/** The ragdoll of a figure. Mimic joints become independent, since the simulation does not support them. */
export function makeRagdoll(source: Source, make: MakeOptions): { ragdoll: Ragdoll; notes: string[] } {
  const { figure } = source;
  const options = ragdollOptions(source, make);
  const mimicBones = figure.bones.filter(({ mimic }) => mimic !== undefined);
  const data = figureToData(figure);
  const free = createFigure({ ...data, bones: data.bones.map(({ mimic: _, ...bone }) => bone) });
  const ragdoll = createRagdoll(free, options);
  const notes: string[] = [];
  if (mimicBones.length > 0) {
    const names = mimicBones.map(({ name }) => name).join(', ');
    notes.push(`mimic joints move independently in the simulation: ${names}.`);
  }
  return { ragdoll, notes: [...notes, ...ragdoll.warnings] };
}

function ragdollOptions({ rig, human: humanoid }: Source, { joints, mass }: MakeOptions): RagdollOptions {
  return {
    joints: joints ?? 'anatomical',
    ...(mass !== undefined && { mass }),
    ...(rig && { vertices: boneVertices(rig) }),
    ...(humanoid && { humanoid }),
  };
}
