/** Output files of `-o`, by file extension. */
import { dirname, extname, resolve } from 'node:path';
import {
  externalUris,
  type GltfKind,
  type GltfRig,
  parseGltf,
  poseToData,
  rigFromDocument,
  serializeGltf,
  writeFigureGltf,
  writeGltfAnimation,
  writePosedGltf,
  writeVrmAnimation,
} from '@poise/formats';
import { FormatError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Numbers } from 'poise/math';
import type { Motion } from 'poise/motion';
import { isStandardOutput, STANDARD } from './input.js';
import type { Source } from './source.js';

/** A kind of output file. */
export type OutputKind = GltfKind | 'json' | 'csv' | 'bvh' | 'vrma' | 'amc' | 'npz';

const kinds: Readonly<Record<string, OutputKind>> = {
  '.glb': 'glb',
  '.vrm': 'glb',
  '.gltf': 'gltf',
  '.json': 'json',
  '.csv': 'csv',
  '.bvh': 'bvh',
  '.vrma': 'vrma',
  '.amc': 'amc',
  '.npz': 'npz',
};

/** Extensions of `-o` for rigs and of those for tables too. */
export const RIG_OUTPUTS = ['.glb', '.vrm', '.gltf', '.json'];
export const MOTION_OUTPUTS = [...RIG_OUTPUTS, '.csv'];
/** Those of clips. */
export const CLIP_OUTPUTS = [...MOTION_OUTPUTS, '.bvh', '.vrma', '.npz'];

/** Extension of the files of several clips on a rig: that of its own file where it is written as such. */
export function rigExtension({ kind, path }: Source): string {
  if (kind === 'gltf') {
    const own = path === undefined ? '' : extname(path).toLowerCase();
    return CLIP_OUTPUTS.includes(own) ? own : '.glb';
  }
  if (kind === 'bvh' || kind === 'asf') return '.bvh';
  return kind === 'urdf' || kind === 'mjcf' ? '.csv' : '.glb';
}

/** Kind of a file by its extension, which was checked; stdout without one is JSON. */
export function outputKind(path: string): OutputKind {
  return path === STANDARD ? 'json' : kinds[extname(path).toLowerCase()];
}

/**
 * Bytes of the output for a pose.
 * @throws FormatError for missing images or buffers to embed, and for a glTF of a URDF robot.
 */
export function outputBytes(source: Source, pose: Numbers, path: string): Uint8Array {
  const { figure, rig, height } = source;
  if (outputKind(path) === 'json') {
    const data = poseToData(figure, pose, height === undefined ? {} : { height });
    return new TextEncoder().encode(`${JSON.stringify(data, null, 2)}\n`);
  }
  requireOutput(source, path, 'pose');
  const kind = outputKind(path) as GltfKind;
  if (rig) return posedRig(rig, pose, kind, source.path as string, path);
  const glb = writeFigureGltf(figure, pose);
  return kind === 'glb' ? glb : serializeGltf(parseGltf(glb, { source: figure.name }), { kind });
}

/** Checks before the work that the source can be written. @param content - What the .json of the command holds. @throws FormatError `unsupported`: a glTF of a URDF robot, a VRM of something else, an .npz of no robot. */
export function requireOutput(
  { robot, model, rig, figure }: Source,
  path: string,
  content: 'pose' | 'motion',
): void {
  const kind = outputKind(path);
  if (kind === 'npz' && robot === undefined && model === undefined) {
    throw new FormatError('unsupported', 'is for robots, a .urdf or the .xml of an MJCF.', {
      path: `--output ${path}`,
      remedy: 'Write samples (-o samples.csv) or the motion (-o motion.json).',
    });
  }
  if (kind !== 'glb' && kind !== 'gltf') return;
  if (robot) {
    throw new FormatError('unsupported', 'a URDF robot has no glTF file to write.', {
      path: `--output ${path}`,
      remedy:
        content === 'pose'
          ? 'Write the coordinates (-o pose.json), or use the report (--json) without -o.'
          : 'Write samples (-o samples.csv) or the motion (-o motion.json).',
    });
  }
  if (extname(path).toLowerCase() !== '.vrm' || (rig !== undefined && isVrm(rig))) return;
  throw new FormatError(
    'unsupported',
    `${figure.name} is no VRM: a VRM states its author, its licence and its humanoid bones.`,
    {
      path: `--output ${path}`,
      remedy: 'Write a .glb, and make it a VRM with UniVRM or the VRM add-on for Blender.',
    },
  );
}

/** @throws FormatError `unsupported` for a rate of an animation, which keeps its keys. */
export function requireRate(rate: number | undefined, output: string | undefined): void {
  if (rate === undefined) return;
  if (output !== undefined && ['csv', 'json', 'bvh', 'npz'].includes(outputKind(output))) return;
  throw new FormatError('unsupported', 'applies only to samples, a .csv, .json, .bvh or .npz.', {
    path: '--rate',
    remedy: 'Remove the option.',
  });
}

/** Whether a file has the extension of VRM 0 or 1. */
function isVrm({ document: { json } }: GltfRig): boolean {
  const { extensions } = json;
  return (
    typeof extensions === 'object' && extensions !== null && ('VRMC_vrm' in extensions || 'VRM' in extensions)
  );
}

/** The rig's own file, posed. External files keep their addresses if the output is in the same folder, and are embedded otherwise. */
function posedRig(rig: GltfRig, pose: Numbers, kind: GltfKind, input: string, output: string): Uint8Array {
  return writePosedGltf(rig, pose, { kind, ...externals(rig, input, output) });
}

function externals(rig: GltfRig, input: string, output: string): { externals?: 'embed' } {
  const moves = isStandardOutput(output) || dirname(resolve(input)) !== dirname(resolve(output));
  const embeds = moves && externalUris(rig.document.bytes, { source: rig.document.source }).length > 0;
  return embeds ? { externals: 'embed' } : {};
}

/**
 * Bytes of the rig's own file with a motion as an animation in it; for a figure without a file, of the figure as `poise pose` writes it; of a VRM animation.
 *
 * @param figure - Figure of the motion: bones of the same names and rest transforms, with its own joints.
 * @param path - Not a .json.
 * @throws FormatError as {@link outputBytes}.
 */
export function animationBytes(source: Source, figure: Figure, motion: Motion, path: string): Uint8Array {
  if (outputKind(path) === 'vrma') {
    return writeVrmAnimation(figure, motion, source.human && { bones: source.human });
  }
  requireOutput(source, path, 'motion');
  const kind = outputKind(path) as GltfKind;
  const { rig } = source;
  if (rig) {
    const moved = externals(rig, source.path as string, path);
    return writeGltfAnimation(withFigure(rig, figure), motion, { kind, ...moved });
  }
  return writeGltfAnimation(withFigure(drawnRig(source.figure), figure), motion, { kind });
}

const drawnRigs = new WeakMap<Figure, GltfRig>();

/** A figure without a file as a rig, drawn once: many clips may go onto it. */
function drawnRig(figure: Figure): GltfRig {
  const known = drawnRigs.get(figure);
  if (known !== undefined) return known;
  const drawn = writeFigureGltf(figure, new Float64Array(figure.dof));
  const rig = rigFromDocument(parseGltf(drawn, { source: figure.name }));
  drawnRigs.set(figure, rig);
  return rig;
}

/** Bytes of a glTF as it was read, as the kind of file of the output. @param animation - The only one that stays; left out: all stay. */
export function sameGltfBytes(rig: GltfRig, input: string, output: string, animation?: number): Uint8Array {
  return serializeGltf(rig.document, {
    kind: outputKind(output) as GltfKind,
    ...(animation !== undefined && { animations: [animation] }),
    ...externals(rig, input, output),
  });
}

/** The rig with another figure of the same bone names bound to its nodes. */
function withFigure(rig: GltfRig, figure: Figure): GltfRig {
  const { binding } = rig;
  const old = new Map(rig.figure.bones.map(({ name, index }) => [name, index]));
  const bones = figure.bones.map(({ name }) => binding.bones[old.get(name) as number]);
  const boneOfNode = new Int32Array(binding.nodes.length).fill(-1);
  bones.forEach(({ node }, index) => {
    boneOfNode[node] = index;
  });
  return { ...rig, figure, binding: { ...binding, bones, boneOfNode } };
}
