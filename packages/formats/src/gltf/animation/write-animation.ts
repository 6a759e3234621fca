/** Writes a motion as an animation of a glTF file, within an error bound. */
import { FormatError } from 'poise';
import type { Bone } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import type { Motion } from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { parseGltf } from '../container/container.js';
import { type SerializeGltfOptions, serializeGltf } from '../container/serialize.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { appendAnimations, type GltfAnimation, type GltfAnimationChannel } from './animation-document.js';
import { Channel, SAMPLES } from './animation-keys.js';
import { hasTrack, type SmoothInterval, smoothIntervals } from './animation-knots.js';
import { type MovingNodes, movingNodes, requireTrs } from './animation-nodes.js';
import { type GltfAnimationPath, rotationError, translationError, widthOf } from './animation-player.js';
import {
  checkSampling,
  packedKeys,
  REST_TOLERANCE,
  SAMPLE_FIELDS,
  type SampleGltfAnimationOptions,
} from './sampling.js';

/** Options of {@link writeGltfAnimation}. */
export interface WriteGltfAnimationOptions
  extends SampleGltfAnimationOptions,
    Pick<SerializeGltfOptions, 'kind' | 'externals'> {}

const WRITE_FIELDS: FieldsOf<WriteGltfAnimationOptions> = { ...SAMPLE_FIELDS, kind: true, externals: true };

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
  const { interpolation, tolerances, begin } = checkSampling(options, SAMPLE_FIELDS);
  const { figure, binding, document } = rig;
  const nodes = movingNodes(rig, motion, tolerances);
  const mixed = figure.bones.filter(({ index }) => !nodes.ownJointOnly(index));
  // Common intervals, so that one pose serves all these bones.
  const common = mixed.length > 0 ? smoothIntervals(motion, figure.bones) : [];
  const resting = restingNodes(nodes, mixed, common);
  const channels: (() => GltfAnimationChannel)[] = [];
  const together: Channel[] = [];
  for (const bone of figure.bones) {
    const { index, joint } = bone;
    const own = hasTrack(bone, motion);
    const isOwn = nodes.ownJointOnly(index);
    const intervals = isOwn ? smoothIntervals(motion, [bone]) : common;
    const rotates = joint.type !== 'fixed' && joint.type !== 'slider';
    const translates = joint.type === 'free' || joint.type === 'slider';
    const node = binding.nodes[binding.bones[index].node];
    for (const path of ['rotation', 'translation'] as const) {
      const tracked = own && (path === 'rotation' ? rotates : translates);
      const rests = isOwn ? isAtRest(nodes, index, path, motion.start) : resting.has(`${index} ${path}`);
      if (!tracked && rests) continue;
      requireTrs(rig, node);
      const channel = new Channel({
        path,
        interpolation,
        tolerance: tolerances[path],
        intervals,
        node: nodes.node(index),
        start: motion.start,
        end: motion.end,
        output: nodes.parentOutput(index),
        shift: begin - motion.start,
        location: `${document.source}#/nodes/${node.index}/${path}`,
      });
      const finish = (): GltfAnimationChannel => {
        const { keys, ...found } = channel.finish();
        return { node: node.index, path, ...found, ...packedKeys(path, found.interpolation, keys) };
      };
      if (isOwn) {
        for (const interval of intervals) channel.add(interval);
        const finished = finish();
        channels.push(() => finished);
      } else {
        together.push(channel);
        channels.push(finish);
      }
    }
  }
  // Interval by interval: all these nodes at one time cost one pose.
  for (const interval of common) for (const channel of together) channel.add(interval);
  return { name: options.name ?? motion.name, channels: channels.map((finish) => finish()) };
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
 * Nodes that depend on other joints and are at rest during the whole motion, as `BONE PATH`: sampled as densely as for keys, since they may return to rest at
 * the middle of an interval.
 */
function restingNodes(
  nodes: MovingNodes,
  bones: readonly Bone[],
  intervals: readonly SmoothInterval[],
): Set<string> {
  const resting = new Map(
    bones.flatMap(({ index }) =>
      (['rotation', 'translation'] as const).map((path) => [`${index} ${path}`, { index, path }] as const),
    ),
  );
  const keepAt = (time: number): void => {
    for (const [key, { index, path }] of resting) {
      if (!isAtRest(nodes, index, path, time)) resting.delete(key);
    }
  };
  for (const [k, { start, end }] of intervals.entries()) {
    for (let n = k === 0 ? 0 : 1; n <= SAMPLES; n++) keepAt(start + ((end - start) * n) / (SAMPLES + 1));
    keepAt(end);
    if (resting.size === 0) break;
  }
  return new Set(resting.keys());
}

/** Whether a node is at rest at a time. For one that depends on its own joint without a track that is the whole motion. */
function isAtRest(nodes: MovingNodes, bone: number, path: GltfAnimationPath, time: number): boolean {
  const rest = nodes.rest(bone)[path];
  const value = new Float64Array(widthOf[path]);
  nodes.node(bone).valueAt(time, path, value);
  const error =
    path === 'rotation'
      ? rotationError(value, rest)
      : translationError(nodes.parentOutput(bone), value, rest);
  return error <= REST_TOLERANCE;
}
