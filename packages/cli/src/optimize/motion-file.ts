/** Motions as JSON, written by `-o motion.json` and read as the reference of a scene. */
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

/** @throws FormatError `invalid-file`, `unsupported`; MotionError with the location in the file. */
export function readMotion(text: string, figure: Figure, source: string): Motion {
  const file = readObject(text, source, 'poise-motion', "Give what 'poise optimize -o motion.json' writes.");
  return withScenePath(`${source}#motion`, () => createMotion(figure, file.motion as MotionData));
}

/** A JSON object of a Poise format, version 1. @throws FormatError `invalid-file`, `unsupported`. */
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
    throw new FormatError('invalid-file', `format is not '${format}'.`, { path: source, remedy });
  }
  if (file.version === 1) return file;
  throw new FormatError('unsupported', `is version ${String(file.version)}; only 1 is supported.`, {
    path: `${source}#version`,
    remedy: 'Update Poise, or write the file again.',
  });
}
