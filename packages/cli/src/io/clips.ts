/** The clips of a file, as `poise inspect` lists them. */
import { type GltfAnimationEntry, type GltfDocument, listGltfAnimations } from '@poise/formats';
import { FormatError } from 'poise';
import type { Motion } from 'poise/motion';
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

/** The clip of a motion that was read. */
export function clipOfMotion({ name, start, end, tracks }: Motion): ClipInfo {
  const knots = tracks.map(({ curve }) => Array.from(curve.knots));
  const longest = knots.reduce((most, own) => (own.length > most.length ? own : most), []);
  const step = (end - start) / (longest.length - 1);
  const isEven = longest.every((time, k) => Math.abs(time - start - k * step) < 1e-3 * step);
  return {
    name,
    start,
    end,
    frames: longest.length,
    // Frame times of files are rounded.
    ...(isEven && step > 0 && { rate: Number((1 / step).toPrecision(6)) }),
    channels: tracks.length,
  };
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
