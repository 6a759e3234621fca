/** `poise convert`: writes a clip as another kind of file. */
import { animatedJoints, readGltfAnimation, rigFromDocument } from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { CURES, commandText } from '../io/cures.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, reportIo, writeOutputs } from '../io/files-written.js';
import { type Input, readInput } from '../io/input.js';
import { type Io, json, line, styled, warn } from '../io/io.js';
import { animationBytes, MOTION_OUTPUTS, outputKind, requireOutput } from '../io/output.js';
import { count, decimals } from '../io/parse-number.js';
import { jsonOf, loadSource, type Source, type SourceOptions, sourceOf, textOf } from '../io/source.js';
import { motionBytes, readMotion } from '../optimize/motion-file.js';
import { DEFAULT_RATE, sampleMotion } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from '../trajectory/trajectory-file.js';

export interface ConvertOptions extends SourceOptions {
  /** Rig of a motion .json; the built-in human without it. */
  readonly rig?: string;
  /** Name or index of an animation of a glTF. */
  readonly animation?: string;
  /** Samples per second: of a .csv, or of a .json in place of the motion. */
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
  readonly clip: { readonly name: string; readonly start: number; readonly end: number };
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
  await checkOutput(options, MOTION_OUTPUTS, [path, options.rig]);
  const kind = output === undefined ? 'csv' : outputKind(output);
  if (output === undefined && options.json) {
    throw new FormatError('unsupported', 'cannot be combined with CSV on stdout.', {
      path: '--json',
      remedy: 'Give an output: -o samples.csv, or -o - with --rate for JSON.',
    });
  }
  const isTable = kind === 'csv' || (kind === 'json' && rate !== undefined);
  if (rate !== undefined && !isTable) {
    throw new FormatError('unsupported', 'applies only to samples, a .csv or .json.', {
      path: '--rate',
      remedy: 'Remove the option: an animation keeps its keys.',
    });
  }
  const { source, figure, motion, warnings } = await loadClip(path, options, isTable, io);
  if (output !== undefined) requireOutput(source, output);
  const notes = [...warnings];
  let samples: number | undefined;
  let bytes: Uint8Array;
  if (isTable) {
    const sampled = sampleMotion(figure, motion, rate ?? DEFAULT_RATE);
    samples = sampled.samples.length;
    notes.push(...sampled.notes);
    bytes = (kind === 'csv' ? trajectoryCsv : trajectoryJson)(sampled, jointNamesOf(source));
  } else {
    bytes =
      kind === 'json' ? motionBytes(figure, motion) : animationOf(source, figure, motion, output as string);
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

function animationOf(source: Source, figure: Figure, motion: Motion, output: string): Uint8Array {
  if (source.kind !== 'gltf' || source.figure === figure)
    return animationBytes(source, figure, motion, output);
  throw new FormatError('unsupported', 'is a glTF with this animation already.', {
    path: source.path as string,
    remedy: 'Write its samples (-o samples.csv) or its motion (-o motion.json).',
  });
}

async function loadClip(
  path: string,
  options: ConvertOptions,
  isTable: boolean,
  io: Io,
): Promise<LoadedClip> {
  const input = await readInput(path, io);
  const isMotion = input.kind === 'json';
  for (const [option, isUsed, remedy] of [
    ['rig', isMotion, 'Remove the option: the file has its own skeleton.'],
    [
      'height',
      isMotion && options.rig === undefined,
      'Remove the option: it is for motions of the built-in human.',
    ],
    ['animation', input.kind === 'gltf', 'Remove the option: it is for a glTF.'],
  ] as const) {
    if (options[option] === undefined || isUsed) continue;
    throw new FormatError('unsupported', `does not apply to ${path}.`, { path: `--${option}`, remedy });
  }
  if (isMotion) return loadMotion(input, options);
  const source = sourceOf(input, options);
  const { figure, bvh, rig, warnings } = source;
  if (bvh !== undefined) return { source, figure, motion: bvh.motion, warnings };
  if (rig === undefined) {
    throw new FormatError('unsupported', 'is a robot, without a motion.', {
      path,
      remedy: 'Give a .bvh, a .glb with animations, or a motion .json with --rig.',
    });
  }
  // A table has all that moves; a motion is read again with the joints that the rig has without clips.
  const own = isTable ? rigFromDocument(rig.document, { joints: animatedJoints(rig.document) }) : rig;
  const clip = readGltfAnimation(own, animationOption(options.animation));
  const cures = isTable ? { ...CURES, joints: undefined } : CURES;
  const notes = clip.warnings.map((warning) => commandText(warning, cures));
  return { source, figure: own.figure, motion: clip.motion, warnings: [...warnings, ...notes] };
}

/** An index, or a name. */
function animationOption(text: string | undefined): string | number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
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
