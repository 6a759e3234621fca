/** A motion that was computed, as an output file. */
import { writeBvh } from '@poise/formats';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { animationBytes, outputKind } from '../io/output.js';
import type { Source } from '../io/source.js';
import { motionBytes } from '../optimize/motion-file.js';
import { robotMotionBytes } from './robot-motion-file.js';
import { sampleMotion } from './sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from './trajectory-file.js';

/** A motion and what it belongs to. */
export interface ComputedMotion {
  /** Where its figure comes from. */
  readonly source: Source;
  /** That of the source, or one of the same bones with other joints. */
  readonly figure: Figure;
  readonly motion: Motion;
  /** Frames a second that it was computed for. */
  readonly rate: number;
}

/**
 * Bytes of a .glb, .vrm, .gltf, .bvh, of a .json with the motion, or of samples: a .csv, or a .json with a rate.
 *
 * @param rate - Samples or frames a second. Default: those of the motion.
 * @param notes - Gets what the file leaves out.
 */
export function motionOutputBytes(
  { source, figure, motion, rate: ownRate }: ComputedMotion,
  output: string,
  rate: number | undefined,
  notes: string[],
): Uint8Array {
  const kind = outputKind(output);
  if (kind === 'bvh') {
    const { bvh } = source;
    const text = writeBvh(figure, motion, { ...(bvh && { like: bvh }), frameTime: 1 / (rate ?? ownRate) });
    return new TextEncoder().encode(text);
  }
  if (kind === 'npz') return robotMotionBytes(source, figure, motion, rate ?? ownRate);
  if (kind === 'csv' || (kind === 'json' && rate !== undefined)) {
    const sampled = sampleMotion(figure, motion, rate ?? ownRate);
    notes.push(...sampled.notes);
    return (kind === 'csv' ? trajectoryCsv : trajectoryJson)(sampled, jointNamesOf(source));
  }
  return kind === 'json' ? motionBytes(figure, motion) : animationBytes(source, figure, motion, output);
}
