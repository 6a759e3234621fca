/** `poise fit`: the motion of a model that measured markers show. */

import { basename } from 'node:path';
import {
  type MarkerClip,
  readC3d,
  readIkTasks,
  readTrc,
  storageFromPoses,
  writeStorage,
} from '@poise/formats';
import { readBytes } from '@poise/formats/node';
import { FormatError } from 'poise';
import {
  type FittedFrames,
  fitFrames,
  type MarkerResidual,
  motionOfFrames,
  residualsOf,
  type WorstResidual,
} from '../fit/fit-frames.js';
import { markersOf, problemOf } from '../fit/marker-file.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, reportIo, writeOutputs } from '../io/files-written.js';
import { type Input, readInput } from '../io/input.js';
import { type Io, json, line, styled, warn } from '../io/io.js';
import { CLIP_OUTPUTS, outputKind, requireOutput } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { loadSource, type Source, type SourceOptions } from '../io/source.js';
import { table } from '../io/table.js';
import { motionOutputBytes } from '../trajectory/motion-output.js';

export interface FitOptions extends SourceOptions {
  /** Where markers sit on a rig: a .json. */
  readonly markers?: string;
  /** Weights of markers and coordinates: a task set of OpenSim. */
  readonly tasks?: string;
  /** First and last time that is fitted, s. */
  readonly start?: number;
  readonly end?: number;
  /** Axis of the marker file that points up. */
  readonly markerUp?: 'x' | 'y' | 'z';
  /** Weight of a prior towards the frame before, m^2 per rad^2. */
  readonly prior?: number;
  /** Samples per second of a .csv, .bvh, or of a .json in place of the motion. */
  readonly rate?: number;
  readonly output?: string;
  readonly json?: boolean;
}

/** What `poise fit --json` prints. */
export interface FitReport {
  readonly format: 'poise-fit-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly frames: number;
  /** Frames a second of the marker file. */
  readonly rate: number;
  /** First and last time, s. */
  readonly start: number;
  readonly end: number;
  /** Over all frames and markers, mm. */
  readonly rms: number;
  readonly worst: WorstResidual;
  readonly markers: readonly MarkerResidual[];
  /** Frames without an observed marker, which keep the pose before. */
  readonly unobserved: number;
  readonly framesPerSecond: number;
  readonly output?: string;
  readonly warnings: readonly string[];
}

/** Runs the command. @returns the exit status. */
export async function fitMarkers(
  path: string,
  model: string | undefined,
  options: FitOptions,
  io: Io,
): Promise<number> {
  const { output, rate } = options;
  await checkOutput(options, FIT_OUTPUTS, [path, model, options.markers, options.tasks]);
  const isMot = output !== undefined && MOT.test(output);
  const kind = output === undefined || isMot ? undefined : outputKind(output);
  if (rate !== undefined && kind !== 'csv' && kind !== 'json' && kind !== 'bvh') {
    throw new FormatError('unsupported', 'applies only to samples, a .csv, .json or .bvh.', {
      path: '--rate',
      remedy: 'Remove the option.',
    });
  }
  const source = await loadSource(model, options, io);
  if (output !== undefined && kind !== undefined) requireOutput(source, output, 'motion');
  if (isMot && source.osim === undefined) {
    throw new FormatError('unsupported', 'is for models of OpenSim, whose coordinates have names.', {
      path: `--output ${output}`,
      remedy: 'Write samples (-o samples.csv) or the motion (-o motion.json).',
    });
  }
  if (options.tasks !== undefined && source.osim === undefined) {
    throw new FormatError('unsupported', 'is for models of OpenSim.', {
      path: '--tasks',
      remedy: 'Give weights in the file of --markers.',
    });
  }
  const clip = clipOf(await readInput(path, io));
  const problem = problemOf(source, clip, await tasksOf(options), await markersOf(options, source));
  const fitted = fitFrames(source.figure, clip, problem, options);
  const motion = motionOfFrames(source.figure, fitted, basename(path).replace(/\.\w+$/, ''));
  const notes = [...source.warnings, ...clip.warnings, ...problem.notes];
  if (output !== undefined) {
    const bytes = isMot
      ? motBytes(source, fitted)
      : motionOutputBytes({ source, figure: source.figure, motion, rate: clip.rate }, output, rate, notes);
    await writeOutputs([[output, bytes]], io);
  }
  warn(io, notes);
  const report = reportOf(
    source,
    clip,
    fitted,
    problem.markers.map(({ name }) => name),
    notes,
    output,
  );
  if (options.json) json(io, report);
  else print(report, reportIo(io, output));
  return EXIT.done;
}

const MOT = /\.mot$/i;
const FIT_OUTPUTS = ['.mot', ...CLIP_OUTPUTS];

/** @throws FormatError `unsupported` for another kind of file. */
function clipOf({ kind, bytes, name, path }: Input): MarkerClip {
  if (kind === 'trc') return readTrc(bytes, { source: name });
  if (kind === 'c3d') return readC3d(bytes, { source: name });
  throw new FormatError('unsupported', 'has no markers.', { path, remedy: 'Give a .trc or .c3d file.' });
}

async function tasksOf({ tasks }: FitOptions): Promise<ReturnType<typeof readIkTasks> | undefined> {
  return tasks === undefined ? undefined : readIkTasks(await readBytes(tasks), { source: tasks });
}

function motBytes({ osim, figure }: Source, { times, poses }: FittedFrames): Uint8Array {
  if (osim === undefined) throw new Error('a .mot of a figure without coordinates');
  return new TextEncoder().encode(writeStorage(storageFromPoses(osim, times, poses, figure.name)));
}

function reportOf(
  { kind, path, figure }: Source,
  clip: MarkerClip,
  fitted: FittedFrames,
  names: readonly string[],
  warnings: readonly string[],
  output: string | undefined,
): FitReport {
  const { times, seconds, unobserved } = fitted;
  const { markers, rms, worst } = residualsOf(fitted, names);
  return {
    format: 'poise-fit-report',
    version: 1,
    source: { kind, ...(path !== undefined && { path }) },
    figure: figure.name,
    frames: times.length,
    rate: clip.rate,
    start: times[0],
    end: times[times.length - 1],
    rms,
    worst,
    markers,
    unobserved,
    framesPerSecond: times.length / seconds,
    ...(output !== undefined && { output }),
    warnings,
  };
}

function print(report: FitReport, io: Io): void {
  const { figure, markers, frames, rate, rms, worst, unobserved, framesPerSecond, output } = report;
  line(
    io,
    `${styled(io, 'bold', figure)}: ${count(markers.length, 'marker')}, ${count(frames, 'frame')} at ${decimals(rate)} Hz`,
  );
  line(io);
  const rows = markers.map((each) => [
    each.name,
    millimetres(each.rms),
    millimetres(each.max),
    each.worstTime === undefined ? '-' : `${each.worstFrame} (${each.worstTime.toFixed(3)} s)`,
    String(each.observed),
  ]);
  for (const row of table([['marker', 'rms mm', 'max mm', 'worst frame', 'frames'], ...rows])) line(io, row);
  line(io);
  line(
    io,
    `residual: rms ${millimetres(rms)} mm, at most ${millimetres(worst.distance)} mm (${worst.marker}, frame ${worst.frame}, ${worst.time.toFixed(3)} s)`,
  );
  if (unobserved > 0) line(io, `no marker in ${count(unobserved, 'frame')}, which keep the pose before`);
  line(io, `${framesPerSecond.toFixed(0)} frames per second`);
  if (output !== undefined) line(io, `wrote ${output}`);
}

function millimetres(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(1);
}
