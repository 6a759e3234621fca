/** Every clip of a figure in the shared data: recordings and animations of characters. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats/bvh';
import {
  animatedJoints,
  listGltfAnimations,
  parseGltf,
  readGltfAnimation,
  rigFromDocument,
} from '@poise/formats/gltf';
import type { Figure } from 'poise/figure';
import { findHumanoid } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import { dataFolder } from '../problems.js';

/** A clip, and what touches the ground in it. */
export interface SharedClip {
  readonly file: string;
  readonly figure: Figure;
  readonly motion: Motion;
  /** Bones whose origins touch the ground. */
  readonly feet: readonly string[];
}

/** An inch over 0.45: the unit of the CMU clips. */
const CMU = 0.0254 / 0.45;
/** The unit of the Fair clips is not told: legs become 0.9 m long. */
const FAIR = 0.04;

interface Recording {
  readonly file: string;
  /** Metres a unit. */
  readonly scale: number;
  readonly up?: 'z';
  readonly feet?: readonly string[];
}

const TOES = ['LeftToeBase', 'RightToeBase'];

const RECORDINGS: readonly Recording[] = [
  { file: 'cmu_01_01_hop_turn.bvh', scale: CMU, feet: TOES },
  { file: 'cmu_12_01_walk.bvh', scale: CMU, feet: TOES },
  { file: 'cmu_jumping_jacks.bvh', scale: CMU, feet: ['LeftToe', 'RightToe'] },
  { file: 'pymo_meredith_walk_high_valence.bvh', scale: 0.01, feet: TOES },
  { file: 'fair_wave_hello.bvh', scale: FAIR, up: 'z', feet: TOES },
  { file: 'fair_jumping.bvh', scale: FAIR, up: 'z', feet: TOES },
  { file: 'walk01.bvh', scale: 0.01, feet: ['LeftFoot', 'RightFoot'] },
  { file: 'makehuman_walk1.bvh', scale: 0.1, up: 'z', feet: ['Toe_L', 'Toe_R'] },
  { file: 'edge_sinusoidal.bvh', scale: 1 },
];

/** Files with animations of characters. */
const CHARACTERS = [
  'CesiumMan.gltf',
  'Fox.glb',
  'KayKit_Knight.glb',
  'RobotExpressive.glb',
  'greenman.glb',
  'RiggedSimple.gltf',
  'SimpleSkin.gltf',
];

/** Animations of a single pose are no clips. */
const MIN_LENGTH = 0.3;

/** All clips; of those that are not there the names. */
export function sharedClips(): { readonly clips: SharedClip[]; readonly missing: string[] } {
  const clips: SharedClip[] = [];
  const missing: string[] = [];
  for (const recording of RECORDINGS) {
    const path = join(dataFolder(), 'bvh', recording.file);
    if (existsSync(path)) clips.push(readRecording(path, recording));
    else missing.push(recording.file);
  }
  for (const file of CHARACTERS) {
    const path = join(dataFolder(), 'gltf', file);
    if (existsSync(path)) clips.push(...readCharacter(path, file));
    else missing.push(file);
  }
  return { clips, missing };
}

function readRecording(path: string, { file, scale, up = undefined, feet = [] }: Recording): SharedClip {
  const { figure, motion } = readBvh(readFileSync(path), { scale, fileUpAxis: up ?? 'y', source: file });
  const own = feet.filter((name) => figure.bones.some((bone) => bone.name === name));
  return { file, figure, motion, feet: own };
}

/** The animations of a character, with its translated bones free. */
function readCharacter(path: string, file: string): SharedClip[] {
  const document = parseGltf(readFileSync(path), {
    resource: (uri: string) => readFileSync(join(path, '..', uri)),
  });
  const rig = rigFromDocument(document, { joints: animatedJoints(document) });
  const humanoid = findHumanoid(rig.figure)?.bones;
  const feet = [humanoid?.leftToes ?? humanoid?.leftFoot, humanoid?.rightToes ?? humanoid?.rightFoot]
    .filter((bone) => bone !== undefined)
    .map((bone) => rig.figure.bones[bone].name);
  return listGltfAnimations(document)
    .filter(({ start, end }) => end - start >= MIN_LENGTH)
    .map(({ index, name }) => ({
      file: `${file} ${name || index}`,
      figure: rig.figure,
      motion: readGltfAnimation(rig, index).motion,
      feet,
    }));
}
