/** The clips and the characters of the benchmark. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAmc, readAsf } from '@poise/formats/asf';
import { readBvh } from '@poise/formats/bvh';
import { boneVertices, readGltfRig } from '@poise/formats/gltf';
import type { Figure } from 'poise/figure';
import { createHumanFigure, withAnatomicalLimits } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import {
  AMC_CLIPS,
  BVH_CLIPS,
  bvhOptions,
  CHARACTERS,
} from '../../../scripts/test-support/recorded-clips.js';
import { dataFolder } from '../problems.js';

export interface SourceClip {
  readonly name: string;
  readonly figure: Figure;
  readonly motion: Motion;
}

export interface Character {
  readonly name: string;
  readonly figure: Figure;
  readonly vertices: Readonly<Record<string, Float64Array>> | undefined;
  /** A built-in human or a character with its limits: three.js knows none, and is not run. */
  readonly hasLimits: boolean;
}

export function readPairs(): { readonly clips: SourceClip[]; readonly characters: Character[] } | undefined {
  const folder = dataFolder();
  if (folder === undefined || !existsSync(folder)) return undefined;
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  const clips: SourceClip[] = BVH_CLIPS.map((name) => {
    const { figure, motion } = readBvh(read(`bvh/${name}.bvh`), bvhOptions(name));
    return { name, figure, motion };
  });
  for (const { skeleton, name } of AMC_CLIPS) {
    const asf = readAsf(read(`amc/${skeleton}.asf`));
    clips.push({
      name: `${name} (AMC)`,
      figure: asf.figure,
      motion: readAmc(read(`amc/${name}.amc`), asf).motion,
    });
  }
  const rigs = CHARACTERS.map((file): Character => {
    const rig = readGltfRig(read(file));
    const name = file.replace(/^.*\/|\..*$/g, '');
    return { name, figure: rig.figure, vertices: boneVertices(rig), hasLimits: false };
  });
  const characters = [
    ...rigs,
    { name: 'built-in human', figure: createHumanFigure(), vertices: undefined, hasLimits: true },
    ...rigs.slice(1, 2).map((rig) => ({
      ...rig,
      name: `${rig.name}, anatomical limits`,
      figure: withAnatomicalLimits(rig.figure),
      hasLimits: true,
    })),
  ];
  return { clips, characters };
}
