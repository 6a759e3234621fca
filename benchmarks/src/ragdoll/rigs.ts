import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boneVertices, readGltfRig, vrmHumanoid } from '@poise/formats/gltf';
import { createRagdoll, type Ragdoll } from 'poise/dynamics';
import { createHumanFigure } from 'poise/humanoid';
import { dataFolder } from '../problems.js';

export interface Rig {
  readonly name: string;
  readonly ragdoll: Ragdoll;
}

/** Files of ../shared/data, humanoids of different kinds: a plain skin, a toy with weapons and control bones, a robot, a VRM. */
const FILES = [
  'gltf/CesiumMan.gltf',
  'gltf/KayKit_Knight.glb',
  'gltf/RobotExpressive.glb',
  'vrm/cryptovoxels.vrm',
];

export function humanRig(): Rig {
  return { name: 'built-in human', ragdoll: createRagdoll(createHumanFigure()) };
}

/** Likewise with masses for all bones, of which other engines need some: the collar bones of the built-in human have none. */
export function weighedHumanRig(): Rig {
  return { name: 'built-in human', ragdoll: createRagdoll(createHumanFigure(), { masses: 'tables' }) };
}

/** Ragdolls of files in one call each: shapes around the mesh, all joints of the file kept or those of a body. */
export function realRigs(joints: 'given' | 'anatomical'): Rig[] {
  return FILES.map((file) => {
    const name = file.slice(file.indexOf('/') + 1);
    const rig = readGltfRig(readFileSync(join(dataFolder(), file)), { source: name });
    const humanoid = vrmHumanoid(rig);
    const vertices = boneVertices(rig);
    const ragdoll = createRagdoll(rig.figure, { joints, vertices, ...(humanoid && { humanoid }) });
    return { name, ragdoll };
  });
}
