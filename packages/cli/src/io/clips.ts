/** The clips of a file, as `poise inspect` lists them. */
import { type GltfAnimationEntry, type GltfDocument, listGltfAnimations } from '@poise/formats';
import { FormatError } from 'poise';
import { commandText } from './cures.js';
import type { Source } from './source.js';

/** A clip of a file. */
export interface ClipInfo {
  /** As written; empty where the file has none. */
  readonly name: string;
  /** First and last moment, s. */
  readonly start: number;
  readonly end: number;
  /** Frames of a BVH; keys of the channel of a glTF animation that has most; knots of the track of a motion that has most. */
  readonly frames: number;
  /** Frames per second; absent where they are not equally spaced. */
  readonly rate?: number;
  /** Animated channels of a glTF; animated joints of another file. */
  readonly channels: number;
}

/** The clips of a source; what cannot be read is a warning. */
export function clipsOf({ bvh, rig }: Source): { clips: readonly ClipInfo[]; notes: readonly string[] } {
  if (bvh !== undefined) {
    const { motion, frames, frameTime } = bvh;
    const { name, start, end, tracks } = motion;
    // Frame times of files are rounded: 0.0333333.
    const rate = Number((1 / frameTime).toPrecision(6));
    return { clips: [{ name, start, end, frames, rate, channels: tracks.length }], notes: [] };
  }
  return rig === undefined ? { clips: [], notes: [] } : clipsOfGltf(rig.document);
}

function clipsOfGltf(document: GltfDocument): ReturnType<typeof clipsOf> {
  try {
    return { clips: listGltfAnimations(document).map(clipOf), notes: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { clips: [], notes: [`${error.path}: ${error.what} ${commandText(error.remedy)}`] };
  }
}

function clipOf({ name, start, end, keys, rate, channels }: GltfAnimationEntry): ClipInfo {
  return { name, start, end, frames: keys, ...(rate !== undefined && { rate }), channels };
}
