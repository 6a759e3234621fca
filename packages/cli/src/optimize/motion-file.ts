/** Motions as JSON, written by `-o motion.json` and read as the reference of a scene. */
import { parseJson, withScenePath } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import { createMotion, type Motion, type MotionData, motionToData } from 'poise/motion';
import type { ClipInfo } from '../io/clips.js';

interface MotionFile {
  readonly format: 'poise-motion';
  readonly version: 1;
  /** Name of the figure. */
  readonly figure: string;
  readonly motion: MotionData;
}

const REMEDY = "Give what 'poise optimize -o motion.json' or 'poise convert -o motion.json' writes.";

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
  const file = readObject(text, source, 'poise-motion', REMEDY);
  const motion = file.motion as Partial<MotionData> | null | undefined;
  const isOther = typeof file.figure === 'string' && file.figure !== figure.name;
  if (isOther && Array.isArray(motion?.base) && motion.base.length !== figure.dof) {
    throw new FormatError('unsupported', `is a motion of '${file.figure}', not of '${figure.name}'.`, {
      path: source,
      remedy:
        "Give the rig that it was made for, --rig FILE or the figure of the scene ('poise inspect' shows names).",
    });
  }
  return withScenePath(`${source}#motion`, () => createMotion(figure, file.motion as MotionData));
}

/** The clip of a motion file without its figure. @throws FormatError `invalid-file`, `unsupported`. */
export function readMotionFile(
  text: string,
  source: string,
): { name: string; figure: string; clip: ClipInfo } {
  const { figure, motion } = readObject(text, source, 'poise-motion', REMEDY);
  const { name = 'motion', tracks } = (motion ?? {}) as Partial<MotionData>;
  const times = Array.isArray(tracks) ? tracks.map((track) => track?.curve?.knots ?? track?.keys?.times) : [];
  const isValid =
    typeof figure === 'string' && typeof name === 'string' && times.length > 0 && times.every(isTimes);
  if (!isValid) {
    throw new FormatError('invalid-file', 'is not a motion of tracks.', {
      path: `${source}#motion`,
      remedy: REMEDY,
    });
  }
  const all = times as readonly (readonly number[])[];
  const clip: ClipInfo = {
    name,
    start: all.reduce((least, own) => Math.min(least, own[0]), Number.POSITIVE_INFINITY),
    end: all.reduce((most, own) => Math.max(most, own[own.length - 1]), Number.NEGATIVE_INFINITY),
    frames: all.reduce((most, own) => Math.max(most, own.length), 0),
    channels: all.length,
  };
  return { name, figure, clip };
}

function isTimes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((time) => Number.isFinite(time));
}

/** A JSON object of a Poise format, version 1. @throws FormatError `invalid-file`, `unsupported`. */
export function readObject(
  text: string,
  source: string,
  format: string,
  remedy: string,
): Readonly<Record<string, unknown>> {
  const data = parseJson(text, source, remedy);
  const file = data as Readonly<Record<string, unknown>> | null;
  if (typeof file !== 'object' || file === null || file.format !== format) {
    const own = typeof file === 'object' && typeof file?.format === 'string' ? ` but '${file.format}'` : '';
    throw new FormatError('invalid-file', `format is not '${format}'${own}.`, { path: source, remedy });
  }
  if (file.version === 1) return file;
  throw new FormatError(
    'unsupported',
    `is version ${JSON.stringify(file.version) ?? 'missing'}; only 1 is supported.`,
    {
      path: `${source}#version`,
      remedy: 'Update Poise, or write the file again.',
    },
  );
}
