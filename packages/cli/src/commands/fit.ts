/** `poise fit`: the motion of a model that measured markers show. */

import { basename, extname } from 'node:path';
import { type MarkerClip, readIkTasks, storageFromPoses, writeStorage } from '@poise/formats';
import { readBytes } from '@poise/formats/node';
import { FormatError } from 'poise';
import { type FittedFrames, fitFrames, motionOfFrames, residualsOf } from '../fit/fit-frames.js';
import { markerClipOf } from '../fit/marker-clip.js';
import { markersOf, problemOf } from '../fit/marker-file.js';
import type { FitReport } from '../fit/report.js';
import { fitHtml } from '../html-report/fit-report.js';
import {
  checkFiles,
  type Done,
  doEach,
  doOne,
  filesIn,
  isFolder,
  reportsOf,
  requireFolder,
} from '../io/each.js';
import { reportIo, requireOutputName, writeOutputs } from '../io/files-written.js';
import { expandFiles, isDirectory, requireMatch } from '../io/glob.js';
import { type InputKind, kindOfName, readInput, STANDARD } from '../io/input.js';
import { type Io, line, styled } from '../io/io.js';
import { CLIP_OUTPUTS, requireOutput, requireRate, rigExtension } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { HUMAN, loadSource, type Source, type SourceOptions } from '../io/source.js';
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
  /** A file, or a folder that gets a file of each recording. */
  readonly output?: string;
  /** Extension of the files in a folder, without the dot. Default: mot of an .osim, else that of the rig's own file. */
  readonly format?: string;
  /** A .html; a folder gets one of each recording. */
  readonly report?: string;
  readonly json?: boolean;
}

/**
 * Runs the command.
 *
 * @param given - Recordings, folders and patterns of recordings, then the model; without one the built-in human.
 * @returns the exit status.
 */
export async function fitMarkers(given: readonly string[], options: FitOptions, io: Io): Promise<number> {
  const { output, format } = options;
  const last = given[given.length - 1];
  const hasModel = given.length > 1 && !(await isRecording(last));
  const model = hasModel && last !== HUMAN ? last : undefined;
  const paths = await expandFiles(hasModel ? given.slice(0, -1) : given, RECORDINGS, 'markers');
  const recordings = { paths, format: 'poise-fit-list', noun: 'recording', verb: 'fitted' } as const;
  const intoFolder = await isFolder({ option: '--output', path: output }, recordings);
  requireFolder(format, intoFolder);
  const reports = await reportsOf(options.report, recordings);
  const inputs = [...paths, model, options.markers, options.tasks];
  if (!intoFolder && paths.length === 1) {
    requireOutputName(options, FIT_OUTPUTS);
    await checkFiles(
      [
        ['--output', output === undefined ? [] : [output]],
        ['--report', reports],
      ],
      inputs,
    );
    await requireMatch(paths[0]);
    const source = await loadModel(model, options, output, io);
    const done = await fitOne(paths[0], source, options, { output, report: reports[0] }, io);
    return doOne(done, options, io, reportIo(io, output));
  }
  const source = await loadModel(model, options, undefined, io);
  const extension = format ?? (source.osim === undefined ? rigExtension(source) : '.mot').slice(1);
  const outputs = output === undefined ? [] : filesIn(output, paths, `.${extension}`);
  await checkFiles(
    [
      ['--output', outputs],
      ['--report', reports],
    ],
    inputs,
  );
  requireModelOutput(source, outputs[0], options);
  return doEach(recordings, options, io, (path, k) =>
    fitOne(path, source, options, { output: outputs[k], report: reports[k] }, io),
  );
}

/** Files of one recording. */
interface FitFiles {
  readonly output: string | undefined;
  readonly report: string | undefined;
}

const RECORDINGS = ['trc', 'c3d'] as const satisfies readonly InputKind[];

/** Whether the last word is markers, so that the model is the built-in human. */
async function isRecording(path: string): Promise<boolean> {
  const kind = kindOfName(path);
  return RECORDINGS.some((recording) => recording === kind) || (await isDirectory(path));
}

async function loadModel(
  path: string | undefined,
  options: FitOptions,
  output: string | undefined,
  io: Io,
): Promise<Source> {
  const source = await loadSource(path, options, io);
  requireModelOutput(source, output, options);
  return source;
}

/** @throws FormatError `unsupported` for what the model has no file of. */
function requireModelOutput(source: Source, output: string | undefined, { tasks, rate }: FitOptions): void {
  requireRate(rate, output);
  if (output !== undefined && !MOT.test(output)) requireOutput(source, output, 'motion');
  if (source.osim !== undefined) return;
  if (output !== undefined && MOT.test(output)) {
    throw new FormatError('unsupported', 'is for models of OpenSim, whose coordinates have names.', {
      path: `--output ${output}`,
      remedy: 'Write samples (-o samples.csv) or the motion (-o motion.json).',
    });
  }
  if (tasks !== undefined) {
    throw new FormatError('unsupported', 'is for models of OpenSim.', {
      path: '--tasks',
      remedy: 'Give weights in the file of --markers.',
    });
  }
}

async function fitOne(
  path: string,
  source: Source,
  options: FitOptions,
  files: FitFiles,
  io: Io,
): Promise<Done<FitReport>> {
  const { output, report: html } = files;
  const { rate } = options;
  const clip = markerClipOf(await readInput(path, io));
  const problem = problemOf(source, clip, await tasksOf(options), await markersOf(options, source));
  const fitted = fitFrames(source.figure, clip, problem, options);
  const motion = motionOfFrames(
    source.figure,
    fitted,
    path === STANDARD ? 'stdin' : basename(path, extname(path)),
  );
  const notes = [...source.warnings, ...clip.warnings, ...problem.notes];
  const written: [string, Uint8Array][] = [];
  if (output !== undefined) {
    const bytes = MOT.test(output)
      ? motBytes(source, fitted)
      : motionOutputBytes({ source, figure: source.figure, motion, rate: clip.rate }, output, rate, notes);
    written.push([output, bytes]);
  }
  const names = problem.markers.map(({ name }) => name);
  const report = reportOf(source, clip, fitted, names, notes, files);
  if (html !== undefined) {
    const { markers, locked } = problem;
    written.push([html, fitHtml({ source, input: path, fitted, markers, locked, motion, said: report })]);
  }
  await writeOutputs(written, io);
  return {
    report,
    warnings: notes,
    print: (to, isOneOfSeveral) => (isOneOfSeveral ? printLine(path, report, to) : print(report, to)),
  };
}

const MOT = /\.mot$/i;
const FIT_OUTPUTS = ['.mot', ...CLIP_OUTPUTS];

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
  { output, report }: FitFiles,
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
    ...(report !== undefined && { report }),
    warnings,
  };
}

/** One line of several. */
function printLine(path: string, { output, frames, rms, worst }: FitReport, io: Io): void {
  line(
    io,
    `${output ?? path}: ${count(frames, 'frame')}, rms ${millimetres(rms)} mm, at most ${millimetres(worst.distance)} mm (${worst.marker}, frame ${worst.frame})`,
  );
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
  if (report.report !== undefined) line(io, `wrote ${report.report}: the report`);
}

function millimetres(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(1);
}
