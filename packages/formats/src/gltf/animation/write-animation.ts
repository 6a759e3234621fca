/** Writes a motion as an animation of a glTF file, within an error bound. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import type { Motion } from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { parseGltf } from '../container/container.js';
import { type SerializeGltfOptions, serializeGltf } from '../container/serialize.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { appendAnimations, type GltfAnimation, type GltfAnimationChannel } from './animation-document.js';
import { channelKeys, SAMPLES } from './animation-keys.js';
import { hasTrack, smoothIntervals } from './animation-knots.js';
import { type MovingNodes, movingNodes, requireTrs } from './animation-nodes.js';
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
   * Largest error of each node in its parent when the file is played: `rotation` in rad (default 1e-3; at least 1e-6), `translation` in m
   * (default 1e-4). Checked with a margin of 10 % at seven samples between any two candidate keys.
   */
  readonly tolerance?: { readonly rotation?: number; readonly translation?: number };
  /** `LINEAR` (slerp, supported by every player; default) or `CUBICSPLINE` (fewer keys). */
  readonly interpolation?: GltfInterpolation;
  /** Start time of the motion in the file, s, 0 or later. Default 0. */
  readonly begin?: number;
}

/** Options of {@link writeGltfAnimation}. */
export interface WriteGltfAnimationOptions
  extends SampleGltfAnimationOptions,
    Pick<SerializeGltfOptions, 'kind' | 'externals'> {}

const SAMPLE_FIELDS: FieldsOf<SampleGltfAnimationOptions> = {
  name: true,
  tolerance: true,
  interpolation: true,
  begin: true,
};
const WRITE_FIELDS: FieldsOf<WriteGltfAnimationOptions> = { ...SAMPLE_FIELDS, kind: true, externals: true };

/** The rounding of single precision needs the rest of a smaller tolerance. */
const MIN_ROTATION_TOLERANCE = 1e-6;
/** Difference from rest within rounding, rad or m. */
const REST_TOLERANCE = 1e-9;

/**
 * A motion of the rig's figure as channels of its nodes: of bones with a track, and of nodes that differ from the file otherwise. Keys are
 * placed where the error bound requires them. Only the motion's range is written, without extrapolation.
 *
 * @throws FormatError `out-of-range` (an invalid tolerance or time, or a tolerance below single precision), `unsupported` (a node with a
 *   sheared matrix); MotionError `wrong-size` for a motion of another figure.
 */
export function sampleGltfAnimation(
  rig: GltfRig,
  motion: Motion,
  options: SampleGltfAnimationOptions = {},
): GltfAnimation {
  requireFields(options, SAMPLE_FIELDS, 'options', FormatError);
  requireFields(
    options.tolerance ?? {},
    { rotation: true, translation: true },
    'options.tolerance',
    FormatError,
  );
  const { figure, binding, document } = rig;
  const interpolation = options.interpolation ?? 'LINEAR';
  if (interpolation !== 'LINEAR' && interpolation !== 'CUBICSPLINE') {
    fail('out-of-range', 'interpolation', `is ${String(interpolation)}.`, "Use 'LINEAR' or 'CUBICSPLINE'.");
  }
  const { rotation = 1e-3, translation = 1e-4 } = options.tolerance ?? {};
  const tolerances = { rotation, translation };
  requireAtLeast(rotation, MIN_ROTATION_TOLERANCE, 'tolerance.rotation');
  requireAtLeast(translation, Number.MIN_VALUE, 'tolerance.translation');
  const begin = options.begin ?? 0;
  requireAtLeast(begin, 0, 'begin');

  const nodes = movingNodes(rig, motion);
  const channels: GltfAnimationChannel[] = [];
  const mixed = figure.bones.filter(({ index }) => !nodes.ownJointOnly(index));
  // Common intervals, so that one pose serves all these bones.
  const common = mixed.length > 0 ? smoothIntervals(motion, figure.bones) : [];
  for (const bone of figure.bones) {
    const { index, joint } = bone;
    const own = hasTrack(bone, motion);
    const intervals = nodes.ownJointOnly(index) ? smoothIntervals(motion, [bone]) : common;
    const rotates = joint.type !== 'fixed' && joint.type !== 'slider';
    const translates = joint.type === 'free' || joint.type === 'slider';
    const node = binding.nodes[binding.bones[index].node];
    for (const path of ['rotation', 'translation'] as const) {
      const tracked = own && (path === 'rotation' ? rotates : translates);
      if (!tracked && isAtRest(nodes, index, path, intervals)) continue;
      requireTrs(rig, node);
      const { keys, error } = channelKeys({
        path,
        interpolation,
        tolerance: tolerances[path],
        intervals,
        valueAt: (time, out) => nodes.valueAt(index, path, clamp(time, motion.start, motion.end), out),
        output: nodes.parentOutput(index),
        shift: begin - motion.start,
        location: `${document.source}#/nodes/${node.index}/${path}`,
      });
      channels.push({ node: node.index, path, interpolation, ...packed(path, interpolation, keys), error });
    }
  }
  return { name: options.name ?? motion.name, channels };
}

/**
 * The rig's file with motions appended as animations. Every other byte of its JSON and its buffers stays (except nodes whose matrix becomes
 * translation, rotation and scale, as glTF requires of animated nodes); new data is appended to the BIN chunk, or stored in a new buffer in
 * a .gltf. A name that exists already gets a suffix `_2`, `_3`, ...
 *
 * @throws as {@link sampleGltfAnimation} and `serializeGltf`; `wrong-size` for no motion.
 */
export function writeGltfAnimation(
  rig: GltfRig,
  motions: Motion | readonly Motion[],
  options: WriteGltfAnimationOptions = {},
): Uint8Array {
  requireFields(options, WRITE_FIELDS, 'options', FormatError);
  const { kind, externals, ...sampling } = options;
  const list = isList(motions) ? motions : [motions];
  if (list.length === 0) fail('wrong-size', 'motions', 'is an empty list.', 'Give a motion.');
  const animations = list.map((motion) => sampleGltfAnimation(rig, motion, sampling));
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
 * Whether a node is at rest during the whole motion. One sample decides for a node that depends on its own joint without a track; a node that depends
 * on other joints is sampled as densely as for keys, since it may return to rest at the middle of an interval.
 */
function isAtRest(
  nodes: MovingNodes,
  bone: number,
  path: GltfAnimationPath,
  intervals: readonly { readonly start: number; readonly end: number }[],
): boolean {
  const rest = nodes.rest(bone)[path];
  const value = new Float64Array(widthOf[path]);
  const atRest = (time: number): boolean => {
    nodes.valueAt(bone, path, time, value);
    const error =
      path === 'rotation'
        ? rotationError(value, rest)
        : translationError(nodes.parentOutput(bone), value, rest);
    return error <= REST_TOLERANCE;
  };
  if (!atRest(intervals[0].start)) return false;
  if (nodes.ownJointOnly(bone)) return true;
  return intervals.every(({ start, end }) => {
    for (let n = 1; n <= SAMPLES; n++) if (!atRest(start + ((end - start) * n) / (SAMPLES + 1))) return false;
    return atRest(end);
  });
}

/** Keys in the layout of the file. */
function packed(
  path: GltfAnimationPath,
  interpolation: GltfInterpolation,
  keys: readonly FileKey[],
): { times: Float32Array; values: Float32Array } {
  const width = widthOf[path];
  const stride = interpolation === 'CUBICSPLINE' ? 3 * width : width;
  const values = new Float32Array(stride * keys.length);
  for (const [i, { value, inTangent, outTangent }] of keys.entries()) {
    if (interpolation === 'LINEAR') {
      values.set(value, stride * i);
      continue;
    }
    // The first in-tangent and the last out-tangent are unused but required.
    values.set((inTangent ?? outTangent) as Float64Array, stride * i);
    values.set(value, stride * i + width);
    values.set((outTangent ?? inTangent) as Float64Array, stride * i + 2 * width);
  }
  return { times: Float32Array.from(keys, ({ time }) => time), values };
}

function clamp(t: number, min: number, max: number): number {
  return Math.min(Math.max(t, min), max);
}

function requireAtLeast(value: number, min: number, path: string): void {
  if (Number.isFinite(value) && value >= min) return;
  const expected =
    min === 0
      ? 'a finite number of 0 or more'
      : min === MIN_ROTATION_TOLERANCE
        ? `${min} or more`
        : 'a number above 0';
  fail('out-of-range', path, `is ${value}.`, `Give ${expected}.`);
}
