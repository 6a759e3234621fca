/** Real clips of four to seven seconds, and the names that their files give to hands and feet. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats/bvh';
import type { Figure } from 'poise/figure';
import type { Vec3 } from 'poise/math';
import type { Motion } from 'poise/motion';
import { dataFolder } from '../problems.js';

/** A point of a foot. */
export interface FootPoint {
  readonly bone: string;
  /** In the bone's frame, m. */
  readonly point: Vec3;
}

export interface RealClip {
  readonly file: string;
  readonly figure: Figure;
  readonly motion: Motion;
  readonly hand: string;
  readonly otherHand: string;
  readonly hips: string;
  readonly ankles: readonly FootPoint[];
  /** The balls of the feet, or the skeleton's nearest joint. */
  readonly toes: readonly FootPoint[];
}

/** What a skeleton calls the bones that are edited, held and judged. */
interface Names {
  readonly hands: readonly [string, string];
  readonly ankles: readonly [string, string];
  /** Undefined without bones below the ankles. */
  readonly toes?: readonly [string, string];
}

interface ClipFile extends Names {
  readonly file: string;
  /** Metres a unit. */
  readonly scale: number;
  readonly up: 'y' | 'z';
}

/** An inch over 0.45: the unit of the CMU clips. */
const CMU = 0.0254 / 0.45;
/** The unit of the Fair clips is not told: legs become 0.9 m long. */
const FAIR = 0.04;

const LIMBS: Names = { hands: ['RightHand', 'LeftHand'], ankles: ['LeftFoot', 'RightFoot'] };
const LIMBS_AND_TOES: Names = { ...LIMBS, toes: ['LeftToeBase', 'RightToeBase'] };
const JOINTS: Names = {
  hands: ['RightWrist', 'LeftWrist'],
  ankles: ['LeftAnkle', 'RightAnkle'],
  toes: ['LeftToe', 'RightToe'],
};

const FILES: readonly ClipFile[] = [
  { file: 'cmu_12_01_walk.bvh', scale: CMU, up: 'y', ...LIMBS_AND_TOES },
  { file: 'cmu_jumping_jacks.bvh', scale: CMU, up: 'y', ...JOINTS },
  { file: 'fair_jumping.bvh', scale: FAIR, up: 'z', ...LIMBS_AND_TOES },
  { file: 'fair_wave_hello.bvh', scale: FAIR, up: 'z', ...LIMBS_AND_TOES },
  { file: 'walk01.bvh', scale: 0.01, up: 'y', ...LIMBS },
];

/** Those that are there, and the names of those that are not. */
export function realClips(): { readonly clips: RealClip[]; readonly missing: string[] } {
  const folder = join(dataFolder(), 'bvh');
  const isThere = ({ file }: ClipFile): boolean => existsSync(join(folder, file));
  return {
    clips: FILES.filter(isThere).map((each) => read(folder, each)),
    missing: FILES.filter((each) => !isThere(each)).map(({ file }) => file),
  };
}

function read(folder: string, { file, scale, up, hands, ankles, toes }: ClipFile): RealClip {
  const bytes = readFileSync(join(folder, file));
  const { figure, motion } = readBvh(bytes, { scale, fileUpAxis: up, source: file });
  const origin = (bone: string): FootPoint => ({ bone, point: [0, 0, 0] });
  const tipOf = (name: string): FootPoint => {
    const tip = figure.bones.find((bone) => bone.name === name)?.tip;
    if (!tip) throw new Error(`${file}: '${name}' has no end`);
    return { bone: name, point: tip };
  };
  return {
    file,
    figure,
    motion,
    hand: hands[0],
    otherHand: hands[1],
    hips: figure.bones[0].name,
    ankles: ankles.map(origin),
    toes: toes?.map(origin) ?? ankles.map(tipOf),
  };
}
