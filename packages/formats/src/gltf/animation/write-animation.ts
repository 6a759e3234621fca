/** A motion as an animation of a glTF file, within an error bound. */
import type { Motion } from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { parseGltf } from '../container/container.js';
import { type SerializeGltfOptions, serializeGltf } from '../container/serialize.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { appendAnimations, type GltfAnimation, type GltfAnimationChannel } from './animation-document.js';
import { channelKeys, LOOKS } from './animation-keys.js';
import { hasTrack, stretchesOf } from './animation-knots.js';
import { type MovingNodes, movingNodes, requireParts } from './animation-nodes.js';
import {
  type FileKey,
  type GltfAnimationPath,
  type GltfInterpolation,
  rotationError,
  translationError,
  widthOf,
} from './animation-player.js';

/** Options of {@link sampleGltfAnimation}. */
export interface SampleGltfAnimationOptions {
  /** Default: that of the motion. */
  readonly name?: string;
  /**
   * How far each node may be from the motion, against its parent, in what a player makes of the file: `rotation` in rad (default 1e-3; 1e-6 at
   * least), `translation` in m (default 1e-4). Kept with a tenth in hand at seven moments between any two places that could need a key.
   */
  readonly tolerance?: { readonly rotation?: number; readonly translation?: number };
  /** `LINEAR` (slerp; every player has it; default) or `CUBICSPLINE` (fewer keys). */
  readonly interpolation?: GltfInterpolation;
  /** When the motion starts in the file, s, 0 or later. Default 0. */
  readonly begin?: number;
}

/** Options of {@link writeGltfAnimation}. */
export interface WriteGltfAnimationOptions
  extends SampleGltfAnimationOptions,
    Pick<SerializeGltfOptions, 'kind' | 'externals'> {}

/** Below it nothing is left between the tolerance and the rounding of single precision. */
const LEAST_ROTATION = 1e-6;
/** Difference from rest that counts as rounding, rad or m. */
const RESTS = 1e-9;

/**
 * A motion of the rig's figure as channels of its nodes: those of the bones that have a track, and of those that are not as the file shows
 * them. Keys stand where the error bound needs them. The motion's range is written, not what it does outside.
 *
 * @throws FormatError `out-of-range` (a tolerance or time that is none, or that single precision cannot keep), `unsupported` (a node with a
 *   matrix that shears); MotionError `wrong-size` for a motion of another figure.
 */
export function sampleGltfAnimation(
  rig: GltfRig,
  motion: Motion,
  options: SampleGltfAnimationOptions = {},
): GltfAnimation {
  const { figure, binding, document } = rig;
  const interpolation = options.interpolation ?? 'LINEAR';
  if (interpolation !== 'LINEAR' && interpolation !== 'CUBICSPLINE') {
    fail('out-of-range', 'interpolation', `is ${String(interpolation)}.`, "Say 'LINEAR' or 'CUBICSPLINE'.");
  }
  const { rotation = 1e-3, translation = 1e-4 } = options.tolerance ?? {};
  const tolerances = { rotation, translation };
  requireAtLeast(rotation, LEAST_ROTATION, 'tolerance.rotation');
  requireAtLeast(translation, Number.MIN_VALUE, 'tolerance.translation');
  const begin = options.begin ?? 0;
  requireAtLeast(begin, 0, 'begin');

  const nodes = movingNodes(rig, motion);
  const channels: GltfAnimationChannel[] = [];
  const mixed = figure.bones.filter(({ index }) => !nodes.ownJointOnly(index));
  // Common to all of them: what one pose gives serves them all.
  const common = mixed.length > 0 ? stretchesOf(motion, figure.bones) : [];
  for (const bone of figure.bones) {
    const { index, joint } = bone;
    const own = hasTrack(bone, motion);
    const stretches = nodes.ownJointOnly(index) ? stretchesOf(motion, [bone]) : common;
    const turns = joint.type !== 'fixed' && joint.type !== 'slider';
    const slides = joint.type === 'free' || joint.type === 'slider';
    const node = binding.nodes[binding.bones[index].node];
    for (const path of ['rotation', 'translation'] as const) {
      const tracked = own && (path === 'rotation' ? turns : slides);
      if (!tracked && stands(nodes, index, path, stretches)) continue;
      requireParts(rig, node);
      const { keys, error } = channelKeys({
        path,
        interpolation,
        tolerance: tolerances[path],
        stretches,
        valueAt: (moment, out) => nodes.valueAt(index, path, clamp(moment, motion.start, motion.end), out),
        output: nodes.parentOutput(index),
        shift: begin - motion.start,
        place: `${document.source}#/nodes/${node.index}/${path}`,
      });
      channels.push({ node: node.index, path, interpolation, ...packed(path, interpolation, keys), error });
    }
  }
  return { name: options.name ?? motion.name, channels };
}

/**
 * The rig's file with motions as animations in it, behind those that it has. Every other byte of its JSON and its buffers stays (but for nodes
 * whose matrix becomes translation, rotation and scale, as the standard asks of nodes that move); new numbers go behind the BIN chunk's, or
 * into a buffer of their own in a .gltf. A name that the file has already gets `_2`, `_3`, ... behind it.
 *
 * @throws as {@link sampleGltfAnimation} and `serializeGltf`; `wrong-size` for no motion.
 */
export function writeGltfAnimation(
  rig: GltfRig,
  motions: Motion | readonly Motion[],
  options: WriteGltfAnimationOptions = {},
): Uint8Array {
  const list = isList(motions) ? motions : [motions];
  if (list.length === 0) fail('wrong-size', 'motions', 'is an empty list.', 'Give a motion.');
  const animations = list.map((motion) => sampleGltfAnimation(rig, motion, options));
  const { kind, externals } = options;
  const { document } = rig;
  const changed = (kind !== undefined && kind !== document.kind) || externals === 'embed';
  if (!changed) return appendAnimations(document, rig.binding.nodes, animations);
  const bytes = serializeGltf(document, { ...(kind && { kind }), ...(externals && { externals }) });
  const { source, resource } = document;
  return appendAnimations(
    parseGltf(bytes, { source, ...(resource && { resource }) }),
    rig.binding.nodes,
    animations,
  );
}

function isList(motions: Motion | readonly Motion[]): motions is readonly Motion[] {
  return Array.isArray(motions);
}

/**
 * Whether a node is all the time as the file shows it without the animation. A joint alone without a track stands where it stands once; what
 * follows other joints is looked at as often as keys would be, for it may come back to rest at the middle of a stretch.
 */
function stands(
  nodes: MovingNodes,
  bone: number,
  path: GltfAnimationPath,
  stretches: readonly { readonly start: number; readonly end: number }[],
): boolean {
  const rest = nodes.rest(bone)[path];
  const value = new Float64Array(widthOf[path]);
  const atRest = (moment: number): boolean => {
    nodes.valueAt(bone, path, moment, value);
    const error =
      path === 'rotation'
        ? rotationError(value, rest)
        : translationError(nodes.parentOutput(bone), value, rest);
    return error <= RESTS;
  };
  if (!atRest(stretches[0].start)) return false;
  if (nodes.ownJointOnly(bone)) return true;
  return stretches.every(({ start, end }) => {
    for (let n = 1; n <= LOOKS; n++) if (!atRest(start + ((end - start) * n) / (LOOKS + 1))) return false;
    return atRest(end);
  });
}

/** Keys as the file lays them out. */
function packed(
  path: GltfAnimationPath,
  interpolation: GltfInterpolation,
  keys: readonly FileKey[],
): { times: Float32Array; values: Float32Array } {
  const width = widthOf[path];
  const stride = interpolation === 'CUBICSPLINE' ? 3 * width : width;
  const values = new Float32Array(stride * keys.length);
  for (const [i, { value, arriving, leaving }] of keys.entries()) {
    if (interpolation === 'LINEAR') {
      values.set(value, stride * i);
      continue;
    }
    // The first in-tangent and the last out-tangent count for nothing, but stand there.
    values.set((arriving ?? leaving) as Float64Array, stride * i);
    values.set(value, stride * i + width);
    values.set((leaving ?? arriving) as Float64Array, stride * i + 2 * width);
  }
  return { times: Float32Array.from(keys, ({ time }) => time), values };
}

function clamp(t: number, least: number, most: number): number {
  return Math.min(Math.max(t, least), most);
}

function requireAtLeast(value: number, least: number, path: string): void {
  if (Number.isFinite(value) && value >= least) return;
  const wanted =
    least === 0
      ? 'a finite number of 0 or more'
      : least === LEAST_ROTATION
        ? `${least} or more`
        : 'a number above 0';
  fail('out-of-range', path, `is ${value}.`, `Give ${wanted}.`);
}
