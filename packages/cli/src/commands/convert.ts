/** `poise convert`: writes a clip as another kind of file. */
import { type AmcClip, type GltfRig, listGltfAnimations, writeAmc, writeAsf, writeBvh } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { checkFiles, type Done, doEach, doOne, filesIn, isFolder, requireFolder } from '../io/each.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, checkOutputs, reportIo, writeOutputs } from '../io/files-written.js';
import { expandFiles, requireMatch } from '../io/glob.js';
import { CLIP_KINDS, type Input, kindOfName, readInput, STANDARD } from '../io/input.js';
import { type Io, line, styled, warn } from '../io/io.js';
import { animationBytes, CLIP_OUTPUTS, outputKind, requireOutput, sameGltfBytes } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { type Source, sourceOf } from '../io/source.js';
import { motionBytes } from '../optimize/motion-file.js';
import { type ClipOptions, checkClipOptions, findAnimation, loadClip } from '../trajectory/load-clip.js';
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
  readonly warnings: readonly string[];
}

/** Runs the command. @param files - Clips, folders and patterns of clips. @returns the exit status. */
export async function convert(files: readonly string[], options: ConvertOptions, io: Io): Promise<number> {
  const { output, format, rig } = options;
  const paths = await expandFiles(files, CLIP_KINDS, 'clips');
  const clips = { paths, format: 'poise-convert-list', noun: 'clip', verb: 'converted' } as const;
  const intoFolder = await isFolder({ option: '--output', path: output }, clips);
  requireFolder(format, intoFolder);
  if (!intoFolder && paths.length === 1) {
    await requireMatch(paths[0]);
    const done = await convertOne(paths[0], options, io);
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
  await checkFiles([['--output', [...outputs, ...skeletons]]], [...paths, rig]);
  return doEach(clips, options, io, async (path, k) => {
    return (await convertOne(path, { ...options, output: outputs[k] }, io)) as Done<ConvertReport>;
  });
}

/** Writes a clip. @returns what it did; undefined for samples on stdout, which has no place for a report. */
async function convertOne(
  path: string,
  options: ConvertOptions,
  io: Io,
): Promise<Done<ConvertReport> | undefined> {
  const { output, rate } = options;
  await checkOutput(options, CONVERT_OUTPUTS, [path, options.rig]);
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
  if (skeleton !== undefined) {
    await checkOutputs([{ option: '--output', path: skeleton }], [path, options.rig]);
  }
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
  if (skeleton !== undefined) written.push([skeleton, new TextEncoder().encode(writeAsf(figure))]);
  await writeOutputs(written, io);
  if (output === undefined) {
    warn(io, notes);
    return undefined;
  }
  const { name, start, end } = motion;
  const report: ConvertReport = {
    format: 'poise-convert-report',
    version: 1,
    source: { kind: source.kind, ...(source.path !== undefined && { path: source.path }) },
    figure: figure.name,
    clip: { name, start, end },
    ...(samples !== undefined && { samples, rate: rate ?? DEFAULT_RATE }),
    output,
    ...(skeleton !== undefined && { skeleton }),
    warnings: notes,
  };
  const seconds = `${decimals(end - start)} s`;
  const what = samples === undefined ? seconds : `${count(samples, 'sample')}, ${report.rate} per second`;
  return doneOf(report, `'${name}', ${seconds}`, what);
}

/** @param clips - What was read. @param what - What was written. */
function doneOf(report: ConvertReport, clips: string, what: string): Done<ConvertReport> {
  const { figure, output, skeleton, warnings } = report;
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
  if (output === STANDARD || outputKind(output) !== 'amc') return undefined;
  return rate === undefined && kindOfName(path) === 'amc' ? undefined : output.replace(/\.amc$/i, '.asf');
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
  await writeOutputs([[output, sameGltfBytes(rig, input.path, output, chosen?.index)]], io);
  const kept = chosen === undefined ? all : [chosen];
  const report: ConvertReport = {
    format: 'poise-convert-report',
    version: 1,
    source: { kind: source.kind, path: input.path },
    figure: source.figure.name,
    ...(kept.length > 0 && { clip: { name: kept[0].name, start: kept[0].start, end: kept[0].end } }),
    animations: kept.map(({ name }) => name),
    output,
    warnings: source.warnings,
  };
  const names = kept.map(({ name, start, end }) => `'${name}', ${decimals(end - start)} s`);
  const clips = chosen === undefined ? count(all.length, 'animation') : names[0];
  const alone = chosen === undefined ? '' : ', with this animation alone';
  return doneOf(report, clips, `the file as it is${alone}`);
}
