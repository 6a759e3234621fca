/** `poise convert`: writes a clip as another kind of file. */
import { type AmcClip, type GltfRig, listGltfAnimations, writeAmc, writeAsf, writeBvh } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, checkOutputs, reportIo, writeOutputs } from '../io/files-written.js';
import { type Input, kindOfName, readInput } from '../io/input.js';
import { type Io, json, line, styled, warn } from '../io/io.js';
import { animationBytes, CLIP_OUTPUTS, outputKind, requireOutput, sameGltfBytes } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { type Source, sourceOf } from '../io/source.js';
import { motionBytes } from '../optimize/motion-file.js';
import { type ClipOptions, checkClipOptions, findAnimation, loadClip } from '../trajectory/load-clip.js';
import { DEFAULT_RATE, sampleMotion } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from '../trajectory/trajectory-file.js';

const CONVERT_OUTPUTS = [...CLIP_OUTPUTS, '.amc'];

export interface ConvertOptions extends ClipOptions {
  /** Samples per second: of a .csv, of a .bvh or .amc, or of a .json in place of the motion. */
  readonly rate?: number;
  /** Without it: samples as CSV on stdout. */
  readonly output?: string;
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

/** Runs the command. @returns the exit status. */
export async function convert(path: string, options: ConvertOptions, io: Io): Promise<number> {
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
  const isFrames = kind === 'bvh' || kind === 'amc';
  if (rate !== undefined && !isTable && !isFrames) {
    throw new FormatError('unsupported', 'applies only to samples, a .csv, .json, .bvh or .amc.', {
      path: '--rate',
      remedy: 'Remove the option: an animation keeps its keys.',
    });
  }
  // An .amc at its own rate keeps its skeleton.
  const skeleton =
    kind === 'amc' && (rate !== undefined || kindOfName(path) !== 'amc')
      ? skeletonOf(output as string)
      : undefined;
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
  warn(io, notes);
  if (output === undefined) return EXIT.done;
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
  if (options.json) json(io, report);
  else {
    const to = reportIo(io, output);
    const what =
      samples === undefined
        ? `${decimals(end - start)} s`
        : `${count(samples, 'sample')}, ${report.rate} per second`;
    line(to, `${styled(to, 'bold', figure.name)}: '${name}', ${decimals(end - start)} s`);
    line(to, `wrote ${output}: ${what}`);
    if (skeleton !== undefined) line(to, `wrote ${skeleton}: its skeleton`);
  }
  return EXIT.done;
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

/** Path of the skeleton that is written with an .amc. */
function skeletonOf(output: string): string {
  return output.replace(/\.amc$/i, '.asf');
}

/** A glTF as another kind of glTF: the file as it is, with the chosen animation alone where one is named. Its keys are not fitted again. */
async function convertGltf(input: Input, options: ConvertOptions, output: string, io: Io): Promise<number> {
  const source = sourceOf(input, options);
  const rig = source.rig as GltfRig;
  requireOutput(source, output, 'motion');
  const all = listGltfAnimations(rig.document);
  const chosen = options.animation === undefined ? undefined : findAnimation(all, options.animation);
  await writeOutputs([[output, sameGltfBytes(rig, input.path, output, chosen?.index)]], io);
  warn(io, source.warnings);
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
  if (options.json) json(io, report);
  else {
    const to = reportIo(io, output);
    const names = kept.map(({ name, start, end }) => `'${name}', ${decimals(end - start)} s`);
    const what = chosen === undefined ? count(all.length, 'animation') : names[0];
    line(to, `${styled(to, 'bold', source.figure.name)}: ${what}`);
    line(
      to,
      `wrote ${output}: the file as it is${chosen === undefined ? '' : ', with this animation alone'}`,
    );
  }
  return EXIT.done;
}
