/** Loads the clip of a command: of a .bvh, an .amc with its .asf, a .mot with its .osim, a glTF, a motion .json with its rig. */
import {
  type AmcClip,
  animatedJoints,
  type GltfAnimationEntry,
  listGltfAnimations,
  posesFromStorage,
  readAmc,
  readGltfAnimation,
  readStorage,
  rigFromDocument,
} from '@poise/formats';
import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { motionOfFrames } from '../fit/fit-frames.js';
import { CURES, commandWarning } from '../io/cures.js';
import type { Input } from '../io/input.js';
import { count } from '../io/parse-number.js';
import { jsonOf, loadSource, type Source, type SourceOptions, sourceOf, textOf } from '../io/source.js';
import { readMotion } from '../optimize/motion-file.js';

/** Options of the clip. */
export interface ClipOptions extends SourceOptions {
  /** Rig of a motion .json, the built-in human without it; skeleton of an .amc; model of a .mot. */
  readonly rig?: string;
  /** Name or index of an animation of a glTF. */
  readonly animation?: string;
}

export interface LoadedClip {
  readonly source: Source;
  /** The figure of the motion: that of the source, or one with the joints that the clip needs. */
  readonly figure: Figure;
  readonly motion: Motion;
  /** For an .amc. */
  readonly amc?: AmcClip;
  readonly warnings: readonly string[];
}

/** @throws FormatError `unsupported` for an option that is for another kind of file. */
export function checkClipOptions({ path, kind }: Input, options: ClipOptions): void {
  const isMotion = kind === 'json' || kind === 'amc' || kind === 'mot';
  for (const [option, isUsed, remedy] of [
    [
      'rig',
      isMotion,
      "Remove the option: the file has its own skeleton. 'poise retarget' puts a clip on another character.",
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

/**
 * @param hasAllJoints - Read a glTF with all joints that its animations move, instead of those that its rig has without clips.
 * @throws FormatError `unsupported` for a file without a motion.
 */
export async function loadClip(
  input: Input,
  options: ClipOptions,
  hasAllJoints: boolean,
): Promise<LoadedClip> {
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
  const own = hasAllJoints ? rigFromDocument(rig.document, { joints: animatedJoints(rig.document) }) : rig;
  const { animation } = options;
  const chosen =
    animation === undefined ? 0 : findAnimation(listGltfAnimations(rig.document), animation).index;
  const clip = readGltfAnimation(own, chosen);
  const cures = hasAllJoints ? { ...CURES, joints: undefined } : CURES;
  const notes = clip.warnings.map((warning) => commandWarning(warning, cures));
  return { source, figure: own.figure, motion: clip.motion, warnings: [...warnings, ...notes] };
}

/** The animation of a name or an index. @throws FormatError `unknown-name`. */
export function findAnimation(all: readonly GltfAnimationEntry[], text: string): GltfAnimationEntry {
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
async function loadAmc({ path, name, bytes }: Input, options: ClipOptions): Promise<LoadedClip> {
  const source = options.rig === undefined ? undefined : await loadSource(options.rig, options);
  if (source?.asf === undefined) {
    throw new FormatError('missing-resource', 'needs the .asf file of its skeleton.', {
      path: source === undefined ? path : '--rig',
      remedy: 'Give it: --rig SKELETON.asf.',
    });
  }
  const amc = readAmc(bytes, source.asf, { source: name });
  const warnings = [...source.warnings, ...amc.warnings];
  return { source, figure: source.figure, motion: amc.motion, amc, warnings };
}

/** @throws FormatError `missing-resource` without a model. */
async function loadStorage({ path, name, bytes }: Input, options: ClipOptions): Promise<LoadedClip> {
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

async function loadMotion(input: Input, options: ClipOptions): Promise<LoadedClip> {
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
