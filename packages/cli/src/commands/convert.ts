/** `poise convert`: writes a clip as another kind of file. */
import { type AmcClip, type GltfRig, listGltfAnimations, writeAmc, writeAsf, writeBvh } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { convertHtml } from '../html-report/convert-report.js';
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
import { EXIT } from '../io/exit-codes.js';
import { reportIo, requireOutputName, writeOutputs } from '../io/files-written.js';
import { expandFiles, requireMatch } from '../io/glob.js';
import { CLIP_KINDS, type Input, isStandardOutput, kindOfName, readInput } from '../io/input.js';
import { type Io, line, styled, warn } from '../io/io.js';
import { animationBytes, CLIP_OUTPUTS, outputKind, requireOutput, sameGltfBytes } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { type Source, sourceOf } from '../io/source.js';
import { motionBytes } from '../optimize/motion-file.js';
import { type ClipOptions, checkClipOptions, findAnimation, loadClip } from '../trajectory/load-clip.js';
import { readBack } from '../trajectory/read-back.js';
import { robotMotionBytes } from '../trajectory/robot-motion-file.js';
import { DEFAULT_RATE, sampleMotion } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from '../trajectory/trajectory-file.js';

const CONVERT_OUTPUTS = [...CLIP_OUTPUTS, '.amc'];

export interface ConvertOptions extends ClipOptions {
  /** Samples per second: of a .csv, of a .bvh or .amc, or of a .json in place of the motion. */
  readonly rate?: number;
  /** A file, or a folder that gets a file of each clip. Without it: samples as CSV on stdout. */
  readonly output?: string;
  /** Extension of the files in a folder, without the dot. Default: glb. */
  readonly format?: string;
  /** A .html; a folder gets one of each clip. */
  readonly report?: string;
  readonly json?: boolean;
}

/** What `poise convert --json` prints. */
export interface ConvertReport {
  readonly format: 'poise-convert-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  /** The first one that is written; left out of a glTF without any. */
  readonly clip?: { readonly name: string; readonly start: number; readonly end: number };
  /** Of a glTF that is written as a glTF: names of its animations. */
  readonly animations?: readonly string[];
  /** Of a table: rows, and rows per second. */
  readonly samples?: number;
  readonly rate?: number;
  readonly output: string;
  /** Of an .amc that has no .asf yet: the one written with it. */
  readonly skeleton?: string;
  /** The HTML file. */
  readonly report?: string;
  readonly warnings: readonly string[];
}

/** Runs the command. @param files - Clips, folders and patterns of clips. @returns the exit status. */
export async function convert(files: readonly string[], options: ConvertOptions, io: Io): Promise<number> {
  const { output, format, rig } = options;
  const paths = await expandFiles(files, CLIP_KINDS, 'clips');
  const clips = { paths, format: 'poise-convert-list', noun: 'clip', verb: 'converted' } as const;
  const intoFolder = await isFolder({ option: '--output', path: output }, clips);
  requireFolder(format, intoFolder);
  const reports = await reportsOf(options.report, clips);
  if (!intoFolder && paths.length === 1) {
    await requireMatch(paths[0]);
    requireOutputName(options, CONVERT_OUTPUTS);
    const skeleton = output === undefined ? undefined : skeletonOf(paths[0], output, options);
    await checkFiles(
      [
        ['--output', [output, skeleton].filter((file) => file !== undefined)],
        ['--report', reports],
      ],
      [paths[0], rig],
    );
    const done = await convertOne(paths[0], withReport(options, reports[0]), io);
    return done === undefined ? EXIT.done : doOne(done, options, io, reportIo(io, output));
  }
  if (!intoFolder || output === undefined) {
    throw new FormatError('unsupported', `${count(paths.length, 'clip')} do not go to stdout.`, {
      path: 'poise convert',
      remedy: 'Give a folder that exists: -o FOLDER.',
    });
  }
  const outputs = filesIn(output, paths, `.${format ?? 'glb'}`);
  const skeletons = paths.flatMap((path, k) => skeletonOf(path, outputs[k], options) ?? []);
  await checkFiles(
    [
      ['--output', [...outputs, ...skeletons]],
      ['--report', reports],
    ],
    [...paths, rig],
  );
  return doEach(clips, options, io, async (path, k) => {
    const own = withReport({ ...options, output: outputs[k] }, reports[k]);
    return (await convertOne(path, own, io)) as Done<ConvertReport>;
  });
}

/** Writes a clip; its files are checked. @returns what it did; undefined for samples on stdout, which has no place for a report. */
async function convertOne(
  path: string,
  options: ConvertOptions,
  io: Io,
): Promise<Done<ConvertReport> | undefined> {
  const { output, rate, report } = options;
  const kind = output === undefined ? 'csv' : outputKind(output);
  if (output === undefined && options.json) {
    throw new FormatError('unsupported', 'cannot be combined with CSV on stdout.', {
      path: '--json',
      remedy: 'Give an output: -o samples.csv, or -o - with --rate for JSON.',
    });
  }
  const isTable = kind === 'csv' || (kind === 'json' && rate !== undefined);
  const isFrames = kind === 'bvh' || kind === 'amc' || kind === 'npz';
  if (rate !== undefined && !isTable && !isFrames) {
    throw new FormatError('unsupported', 'applies only to samples, a .csv, .json, .bvh, .amc or .npz.', {
      path: '--rate',
      remedy: 'Remove the option: an animation keeps its keys.',
    });
  }
  const skeleton = output === undefined ? undefined : skeletonOf(path, output, options);
  const input = await readInput(path, io);
  checkClipOptions(input, options);
  const isAnimation = kind === 'glb' || kind === 'gltf';
  if (input.kind === 'gltf' && isAnimation) return convertGltf(input, options, output as string, io);
  const { source, figure, motion, amc, warnings } = await loadClip(
    input,
    options,
    isTable || isFrames || kind === 'vrma',
  );
  if (output !== undefined) requireOutput(source, output, 'motion');
  const notes = [...warnings];
  let samples: number | undefined;
  let bytes: Uint8Array;
  if (isTable) {
    const sampled = sampleMotion(figure, motion, rate ?? DEFAULT_RATE);
    samples = sampled.samples.length;
    notes.push(...sampled.notes);
    bytes = (kind === 'csv' ? trajectoryCsv : trajectoryJson)(sampled, jointNamesOf(source));
  } else if (kind === 'bvh') {
    bytes = bvhBytes(source, figure, motion, rate);
  } else if (kind === 'npz') {
    bytes = robotMotionBytes(source, figure, motion, rate ?? DEFAULT_RATE);
  } else if (kind === 'amc') {
    bytes = amcBytes(source, figure, motion, skeleton === undefined ? amc : undefined, rate);
  } else {
    bytes =
      kind === 'json'
        ? motionBytes(figure, motion)
        : animationBytes(source, figure, motion, output as string);
  }
  const written: [string, Uint8Array][] = [[output ?? '-', bytes]];
  const asf = skeleton === undefined ? undefined : new TextEncoder().encode(writeAsf(figure));
  if (skeleton !== undefined && asf !== undefined) written.push([skeleton, asf]);
  const { name, start, end } = motion;
  const seconds = `${decimals(end - start)} s`;
  const perSecond = rate ?? DEFAULT_RATE;
  const what = samples === undefined ? seconds : `${count(samples, 'sample')}, ${perSecond} per second`;
  if (report !== undefined) {
    const file =
      output === undefined || isTable ? undefined : { path: output, bytes, ...(asf && { skeleton: asf }) };
    const back =
      file && readBack(file, { source, figure, ...(input.resource && { resource: input.resource }) });
    const told = { source, input: path, figure, motion, back, what, warnings: notes };
    written.push([report, convertHtml({ ...told, ...(output !== undefined && { output }) })]);
  }
  await writeOutputs(written, io);
  if (output === undefined) {
    warn(io, notes);
    return undefined;
  }
  const said: ConvertReport = {
    format: 'poise-convert-report',
    version: 1,
    source: { kind: source.kind, ...(source.path !== undefined && { path: source.path }) },
    figure: figure.name,
    clip: { name, start, end },
    ...(samples !== undefined && { samples, rate: perSecond }),
    output,
    ...(skeleton !== undefined && { skeleton }),
    ...(report !== undefined && { report }),
    warnings: notes,
  };
  return doneOf(said, `'${name}', ${seconds}`, what);
}

/** The options with the report of one clip. */
function withReport({ report: _, ...options }: ConvertOptions, report: string | undefined): ConvertOptions {
  return { ...options, ...(report !== undefined && { report }) };
}

/** @param clips - What was read. @param what - What was written. */
function doneOf(report: ConvertReport, clips: string, what: string): Done<ConvertReport> {
  const { figure, output, skeleton, report: html, warnings } = report;
  return {
    report,
    warnings,
    print(io, isOneOfSeveral) {
      if (isOneOfSeveral) {
        line(io, `${output}: ${clips}`);
        return;
      }
      line(io, `${styled(io, 'bold', figure)}: ${clips}`);
      line(io, `wrote ${output}: ${what}`);
      if (skeleton !== undefined) line(io, `wrote ${skeleton}: its skeleton`);
      if (html !== undefined) line(io, `wrote ${html}: the report`);
    },
  };
}

/** A motion as BVH: a clip of a BVH with the joints, channels and numbers of its file. */
function bvhBytes(source: Source, figure: Figure, motion: Motion, rate: number | undefined): Uint8Array {
  const { bvh } = source;
  const like = bvh?.figure === figure ? bvh : undefined;
  const text = writeBvh(figure, motion, {
    ...(like && { like }),
    ...(rate !== undefined && { frameTime: 1 / rate }),
  });
  return new TextEncoder().encode(text);
}

/** A motion as AMC. @param clip - An .amc whose skeleton and numbers it keeps. */
function amcBytes(
  source: Source,
  figure: Figure,
  motion: Motion,
  clip: AmcClip | undefined,
  rate: number | undefined,
): Uint8Array {
  const text = writeAmc(figure, motion, {
    ...(clip && source.asf && { skeleton: source.asf, clip }),
    ...(rate !== undefined && { frameTime: 1 / rate }),
  });
  return new TextEncoder().encode(text);
}

/** Path of the skeleton that is written with an .amc; an .amc at its own rate keeps its own. */
function skeletonOf(path: string, output: string, { rate }: ConvertOptions): string | undefined {
  if (outputKind(output) !== 'amc' || (rate === undefined && kindOfName(path) === 'amc')) return undefined;
  if (!isStandardOutput(output)) return output.replace(/\.amc$/i, '.asf');
  throw new FormatError('unsupported', 'is written with its skeleton, which has no place on stdout.', {
    path: `--output ${output}`,
    remedy: 'Give a file: -o clip.amc.',
  });
}

/** A glTF as another kind of glTF: the file as it is, with the chosen animation alone where one is named. Its keys are not fitted again. */
async function convertGltf(
  input: Input,
  options: ConvertOptions,
  output: string,
  io: Io,
): Promise<Done<ConvertReport>> {
  const source = sourceOf(input, options);
  const rig = source.rig as GltfRig;
  requireOutput(source, output, 'motion');
  const all = listGltfAnimations(rig.document);
  const chosen = options.animation === undefined ? undefined : findAnimation(all, options.animation);
  const bytes = sameGltfBytes(rig, input.path, output, chosen?.index);
  const written: [string, Uint8Array][] = [[output, bytes]];
  const kept = chosen === undefined ? all : [chosen];
  const alone = chosen === undefined ? '' : ', with this animation alone';
  const what = `the file as it is${alone}`;
  const { report } = options;
  if (report !== undefined) {
    requireAnimation(all, input.path);
    const { figure, motion, warnings } = await loadClip(input, options, true);
    const origin = { source, figure, ...(input.resource && { resource: input.resource }) };
    const back = readBack({ path: output, bytes, isFirst: true }, origin);
    written.push([
      report,
      convertHtml({ source, input: input.path, output, figure, motion, back, what, warnings }),
    ]);
  }
  await writeOutputs(written, io);
  const said: ConvertReport = {
    format: 'poise-convert-report',
    version: 1,
    source: { kind: source.kind, path: input.path },
    figure: source.figure.name,
    ...(kept.length > 0 && { clip: { name: kept[0].name, start: kept[0].start, end: kept[0].end } }),
    animations: kept.map(({ name }) => name),
    output,
    ...(report !== undefined && { report }),
    warnings: source.warnings,
  };
  const names = kept.map(({ name, start, end }) => `'${name}', ${decimals(end - start)} s`);
  const clips = chosen === undefined ? count(all.length, 'animation') : names[0];
  return doneOf(said, clips, what);
}

/** @throws FormatError `unsupported` for the report of a file without a clip. */
function requireAnimation(all: readonly unknown[], path: string): void {
  if (all.length > 0) return;
  throw new FormatError('unsupported', `is of a clip, and ${path} has none.`, {
    path: '--report',
    remedy: "Remove the option: 'poise inspect FILE --report FILE.html' shows a rig.",
  });
}
