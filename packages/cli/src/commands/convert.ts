/** `poise convert`: writes a clip as another kind of file. */
import {
  animatedJoints,
  type GltfAnimationEntry,
  type GltfRig,
  listGltfAnimations,
  posesFromStorage,
  readAmc,
  readGltfAnimation,
  readStorage,
  rigFromDocument,
  writeBvh,
} from '@poise/formats';
import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { motionOfFrames } from '../fit/fit-frames.js';
import { CURES, commandWarning } from '../io/cures.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, reportIo, writeOutputs } from '../io/files-written.js';
import { type Input, readInput } from '../io/input.js';
import { type Io, json, line, styled, warn } from '../io/io.js';
import { animationBytes, CLIP_OUTPUTS, outputKind, requireOutput, sameGltfBytes } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { jsonOf, loadSource, type Source, type SourceOptions, sourceOf, textOf } from '../io/source.js';
import { motionBytes, readMotion } from '../optimize/motion-file.js';
import { DEFAULT_RATE, sampleMotion } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from '../trajectory/trajectory-file.js';

export interface ConvertOptions extends SourceOptions {
  /** Rig of a motion .json, the built-in human without it; skeleton of an .amc; model of a .mot. */
  readonly rig?: string;
  /** Name or index of an animation of a glTF. */
  readonly animation?: string;
  /** Samples per second: of a .csv, of a .bvh, or of a .json in place of the motion. */
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
  readonly warnings: readonly string[];
}

interface LoadedClip {
  readonly source: Source;
  /** The figure of the motion: that of the source, or one with the joints that the clip needs. */
  readonly figure: Figure;
  readonly motion: Motion;
  readonly warnings: readonly string[];
}

/** Runs the command. @returns the exit status. */
export async function convert(path: string, options: ConvertOptions, io: Io): Promise<number> {
  const { output, rate } = options;
  await checkOutput(options, CLIP_OUTPUTS, [path, options.rig]);
  const kind = output === undefined ? 'csv' : outputKind(output);
  if (output === undefined && options.json) {
    throw new FormatError('unsupported', 'cannot be combined with CSV on stdout.', {
      path: '--json',
      remedy: 'Give an output: -o samples.csv, or -o - with --rate for JSON.',
    });
  }
  const isTable = kind === 'csv' || (kind === 'json' && rate !== undefined);
  const isBvh = kind === 'bvh';
  if (rate !== undefined && !isTable && !isBvh) {
    throw new FormatError('unsupported', 'applies only to samples, a .csv, .json or .bvh.', {
      path: '--rate',
      remedy: 'Remove the option: an animation keeps its keys.',
    });
  }
  const input = await readInput(path, io);
  checkInputOptions(input, options);
  const isAnimation = !isTable && !isBvh && kind !== 'json';
  if (input.kind === 'gltf' && isAnimation) return convertGltf(input, options, output as string, io);
  const { source, figure, motion, warnings } = await loadClip(input, options, isTable || isBvh);
  if (output !== undefined) requireOutput(source, output, 'motion');
  const notes = [...warnings];
  let samples: number | undefined;
  let bytes: Uint8Array;
  if (isTable) {
    const sampled = sampleMotion(figure, motion, rate ?? DEFAULT_RATE);
    samples = sampled.samples.length;
    notes.push(...sampled.notes);
    bytes = (kind === 'csv' ? trajectoryCsv : trajectoryJson)(sampled, jointNamesOf(source));
  } else if (isBvh) {
    bytes = bvhBytes(source, figure, motion, rate);
  } else {
    bytes =
      kind === 'json'
        ? motionBytes(figure, motion)
        : animationBytes(source, figure, motion, output as string);
  }
  await writeOutputs([[output ?? '-', bytes]], io);
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

/** @throws FormatError `unsupported` for an option that is for another kind of file. */
function checkInputOptions({ path, kind }: Input, options: ConvertOptions): void {
  const isMotion = kind === 'json' || kind === 'amc' || kind === 'mot';
  for (const [option, isUsed, remedy] of [
    [
      'rig',
      isMotion,
      'Remove the option: the file has its own skeleton. A clip cannot be put on another character (retargeting) yet.',
    ],
    [
      'height',
      kind === 'json' && options.rig === undefined,
      'Remove the option: it is for motions of the built-in human.',
    ],
    ['animation', kind === 'gltf', 'Remove the option: it is for a glTF.'],
  ] as const) {
    if (options[option] === undefined || isUsed) continue;
    throw new FormatError('unsupported', `does not apply to ${path}.`, { path: `--${option}`, remedy });
  }
}

async function loadClip(input: Input, options: ConvertOptions, isTable: boolean): Promise<LoadedClip> {
  if (input.kind === 'json') return loadMotion(input, options);
  if (input.kind === 'amc') return loadAmc(input, options);
  if (input.kind === 'mot') return loadStorage(input, options);
  const source = sourceOf(input, options);
  const { figure, bvh, rig, warnings } = source;
  if (bvh !== undefined) return { source, figure, motion: bvh.motion, warnings };
  if (rig === undefined) {
    throw new FormatError('unsupported', 'has no motion.', {
      path: input.path,
      remedy:
        'Give a .bvh, a .glb with animations, an .amc with its .asf as --rig, or a motion .json with --rig.',
    });
  }
  // A table has all that moves; a motion is read again with the joints that the rig has without clips.
  const own = isTable ? rigFromDocument(rig.document, { joints: animatedJoints(rig.document) }) : rig;
  const { animation } = options;
  const chosen =
    animation === undefined ? 0 : findAnimation(listGltfAnimations(rig.document), animation).index;
  const clip = readGltfAnimation(own, chosen);
  const cures = isTable ? { ...CURES, joints: undefined } : CURES;
  const notes = clip.warnings.map((warning) => commandWarning(warning, cures));
  return { source, figure: own.figure, motion: clip.motion, warnings: [...warnings, ...notes] };
}

/** The animation of a name or an index. @throws FormatError `unknown-name`. */
function findAnimation(all: readonly GltfAnimationEntry[], text: string): GltfAnimationEntry {
  const found = /^\d+$/.test(text) ? all[Number(text)] : all.find(({ name }) => name === text);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => name);
  const near = nearestName(text, names);
  throw new FormatError('unknown-name', 'is no animation of the file.', {
    path: `--animation ${text}`,
    remedy:
      near === undefined
        ? `It has ${count(all.length, 'animation')}: 'poise inspect' lists them.`
        : `Did you mean '${near}'?`,
  });
}

/** @throws FormatError `missing-resource` without a skeleton. */
async function loadAmc({ path, name, bytes }: Input, options: ConvertOptions): Promise<LoadedClip> {
  const source = options.rig === undefined ? undefined : await loadSource(options.rig, options);
  if (source?.asf === undefined) {
    throw new FormatError('missing-resource', 'needs the .asf file of its skeleton.', {
      path: source === undefined ? path : '--rig',
      remedy: 'Give it: --rig SKELETON.asf.',
    });
  }
  const { motion, warnings } = readAmc(bytes, source.asf, { source: name });
  return { source, figure: source.figure, motion, warnings: [...source.warnings, ...warnings] };
}

/** @throws FormatError `missing-resource` without a model. */
async function loadStorage({ path, name, bytes }: Input, options: ConvertOptions): Promise<LoadedClip> {
  const source = options.rig === undefined ? undefined : await loadSource(options.rig, options);
  if (source?.osim === undefined) {
    throw new FormatError('missing-resource', 'needs the .osim file of its model.', {
      path: source === undefined ? path : '--rig',
      remedy: 'Give it: --rig MODEL.osim.',
    });
  }
  const { figure, osim, warnings } = source;
  const { times, poses, missing } = posesFromStorage(osim, readStorage(bytes, { source: name }));
  const motion = motionOfFrames(figure, { times, poses }, name.replace(/\.\w+$/, ''));
  const notes = missing.map(
    (coordinate) => `${name}: has no column '${coordinate}', which keeps its default value.`,
  );
  return { source, figure, motion, warnings: [...warnings, ...notes] };
}

async function loadMotion(input: Input, options: ConvertOptions): Promise<LoadedClip> {
  const { rig } = options;
  const source = await loadSource(rig, options);
  const data = jsonOf(input) as { readonly figure?: unknown } | null;
  const { figure, warnings } = source;
  if (rig === undefined && typeof data?.figure === 'string' && data.figure !== figure.name) {
    throw new FormatError('unsupported', `is a motion of '${data.figure}', not of the built-in human.`, {
      path: input.path,
      remedy: `Give the rig that it was made for: --rig FILE. Of a figure inside a scene, write samples with 'poise optimize -o samples.csv'.`,
    });
  }
  return { source, figure, motion: readMotion(textOf(input), figure, input.path), warnings };
}
