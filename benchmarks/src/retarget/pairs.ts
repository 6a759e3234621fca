/** The clips and the characters of the benchmark. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAmc, readAsf } from '@poise/formats/asf';
import { readBvh } from '@poise/formats/bvh';
import { boneVertices, readGltfRig } from '@poise/formats/gltf';
import type { Figure } from 'poise/figure';
import { createHumanFigure, withAnatomicalLimits } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
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

const BVH = [
  'cmu_01_01_hop_turn',
  'cmu_12_01_walk',
  'cmu_jumping_jacks',
  'fair_jumping',
  'fair_wave_hello',
  'makehuman_walk1',
  'pymo_meredith_walk_high_valence',
  'walk01',
];
const AMC = [
  ['cmu_01', 'cmu_01_01'],
  ['cmu_07_walk', 'cmu_07_05_walk'],
  ['cmu_09_run', 'cmu_09_06_run'],
] as const;
const RIGS = [
  'gltf/KayKit_Knight.glb',
  'vrm/cryptovoxels.vrm',
  'gltf/CesiumMan.gltf',
  'gltf/RobotExpressive.glb',
];
/** The unit of the Fair clips is not told: legs become 0.9 m long. */
const FAIR = 0.04;

export function readPairs(): { readonly clips: SourceClip[]; readonly characters: Character[] } | undefined {
  const folder = dataFolder();
  if (folder === undefined || !existsSync(folder)) return undefined;
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  const clips: SourceClip[] = BVH.map((name) => {
    const scale = name.startsWith('fair') ? FAIR : 'auto';
    const { figure, motion } = readBvh(read(`bvh/${name}.bvh`), { scale, fileUpAxis: 'auto' });
    return { name, figure, motion };
  });
  for (const [skeleton, name] of AMC) {
    const asf = readAsf(read(`amc/${skeleton}.asf`));
    clips.push({
      name: `${name} (AMC)`,
      figure: asf.figure,
      motion: readAmc(read(`amc/${name}.amc`), asf).motion,
    });
  }
  const rigs = RIGS.map((file): Character => {
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
