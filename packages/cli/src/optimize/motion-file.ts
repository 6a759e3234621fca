/** Motions as JSON: what `-o motion.json` writes and a scene's reference reads. */
import { withScenePath } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import { createMotion, type Motion, type MotionData, motionToData } from 'poise/motion';

interface MotionFile {
  readonly format: 'poise-motion';
  readonly version: 1;
  /** Name of the figure. */
  readonly figure: string;
  readonly motion: MotionData;
}

export function motionBytes(figure: Figure, motion: Motion): Uint8Array {
  const file: MotionFile = {
    format: 'poise-motion',
    version: 1,
    figure: figure.name,
    motion: motionToData(motion),
  };
  return new TextEncoder().encode(`${JSON.stringify(file)}\n`);
}

/** @throws FormatError `invalid-file`, `unsupported`; MotionError naming the file and the place in it. */
export function readMotion(text: string, figure: Figure, source: string): Motion {
  const file = readObject(text, source, 'poise-motion', "Give what 'poise optimize -o motion.json' writes.");
  return withScenePath(`${source}#motion`, () => createMotion(figure, file.motion as MotionData));
}

/** A JSON object of a format of ours, version 1. @throws FormatError `invalid-file`, `unsupported`. */
export function readObject(
  text: string,
  source: string,
  format: string,
  remedy: string,
): Readonly<Record<string, unknown>> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError('invalid-file', `its JSON does not parse: ${reason}.`, {
      path: source,
      remedy,
      cause,
    });
  }
  const file = data as Readonly<Record<string, unknown>> | null;
  if (typeof file !== 'object' || file === null || file.format !== format) {
    throw new FormatError('invalid-file', `lacks format: '${format}'.`, { path: source, remedy });
  }
  if (file.version === 1) return file;
  throw new FormatError('unsupported', `is version ${String(file.version)}; 1 is known.`, {
    path: `${source}#version`,
    remedy: 'Update Poise, or write it anew.',
  });
}
