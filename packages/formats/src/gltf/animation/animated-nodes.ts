/** Bone transforms in an animation of a file. */
import type { Bone } from 'poise/figure';
import { affine, type Mat3, type Mat3x4, mat3, quat } from 'poise/math';
import { createMeter } from '../../budget.js';
import { nodeParts } from '../skeleton/frames.js';
import { type GltfNode, localTransform } from '../skeleton/nodes.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { conjugateByOrthogonal, splitScale } from '../skeleton/scale.js';
import { channelAt, SCALE_ROUNDING, scaleChange } from './channel-values.js';
import type { FileAnimation, NodeChannel } from './read-channels.js';

/** A time interval between consecutive keys, smooth inside. */
export interface KeyInterval {
  /** s */
  readonly start: number;
  readonly end: number;
  /** A time that selects the active keys: those around it. */
  readonly keyTime: number;
}

/** An animated bone. */
export interface AnimatedBone {
  /** Consecutive; empty for a constant transform. */
  readonly intervals: readonly KeyInterval[];
  /** Writes the transform of the bone in its parent at `time`, twelve numbers. `keyTime` selects the interval. */
  readonly write: (keyTime: number, time: number, out: Float64Array) => void;
}

type Channels = Partial<Record<NodeChannel['path'], NodeChannel>>;

/**
 * The bones that the animation may move, by index; others are at rest.
 *
 * A bone below uniform scale depends on its own node: R_b = O R O^T, p_b = A t, with A = a O the output matrix of the parent node. Below
 * non-uniform scale, or below a scale that is animated, its frame is that of the node in the world (the inverse of pose-nodes.ts): the
 * origin of the node, and the rotation factor of L A^-1 with L the node's world linear part at the scales of the file (an animated scale does not
 * rotate bones).
 */
export function animatedBones(
  rig: GltfRig,
  { channels, location }: FileAnimation,
): Map<number, AnimatedBone> {
  const { figure, binding } = rig;
  const spendSamples = createMeter(rig.document.budget, 'samples', location);
  const { nodes } = binding;
  const channelsOf = new Map<number, Channels>();
  for (const channel of channels) {
    channelsOf.set(channel.node, { ...channelsOf.get(channel.node), [channel.path]: channel });
  }
  const scales = nodes.map(
    ({ index }) => scaleChange(nodes[index], channelsOf.get(index)?.scale) > SCALE_ROUNDING,
  );
  const isScaledAbove = new Uint8Array(nodes.length);
  for (const index of binding.order) {
    const { parent } = nodes[index];
    if (parent >= 0 && (scales[parent] || isScaledAbove[parent] === 1)) isScaledAbove[index] = 1;
  }
  const result = new Map<number, AnimatedBone>();
  for (const bone of figure.bones) {
    const node = nodes[binding.bones[bone.index].node];
    const parentBone = node.parent < 0 ? -1 : binding.boneOfNode[node.parent];
    const direct =
      binding.bones[bone.index].exact && bone.parent === parentBone && isScaledAbove[node.index] === 0;
    const above = direct ? [] : chainOf(nodes, node.parent);
    const outer = direct || bone.parent < 0 ? [] : chainOf(nodes, binding.bones[bone.parent].node);
    const relevant = [node, ...above, ...outer];
    spendSamples(relevant.length);
    const animated = relevant.flatMap(({ index }) => Object.values(channelsOf.get(index) ?? {}));
    if (animated.length === 0) continue;
    const output = parentBone < 0 ? mat3.identity() : binding.bones[parentBone].outputMatrix;
    const write = direct
      ? directWriter(node, channelsOf.get(node.index) ?? {}, output)
      : worldWriter(rig, bone, [...above, node], outer, channelsOf);
    result.set(bone.index, {
      intervals: intervalsOf(animated),
      write(keyTime, time, out) {
        spendSamples(relevant.length);
        write(keyTime, time, out);
      },
    });
  }
  return result;
}

/** The node and its ancestors, the root first. */
function chainOf(nodes: readonly GltfNode[], index: number): GltfNode[] {
  const chain: GltfNode[] = [];
  for (let at = index; at >= 0; at = nodes[at].parent) chain.push(nodes[at]);
  return chain.reverse();
}

/** Intervals between all keys of the channels. A STEP channel that ends with them jumps at its last key; an interval of one rounding unit is inserted before it. */
function intervalsOf(channels: readonly NodeChannel[]): KeyInterval[] {
  const times = [...new Set(channels.flatMap(({ keys }) => keys.map(({ time }) => time)))].sort(
    (a, b) => a - b,
  );
  if (times.length < 2) return [];
  const last = times[times.length - 1];
  const intervals = times
    .slice(1)
    .map((end, i) => ({ start: times[i], end, keyTime: 0.5 * (times[i] + end) }));
  const endsWithStep = channels.some(
    ({ interpolation, keys }) =>
      interpolation === 'STEP' && keys.length > 1 && keys[keys.length - 1].time === last,
  );
  if (!endsWithStep) return intervals;
  const beforeLast = last * (1 - Number.EPSILON);
  const lastInterval = intervals[intervals.length - 1];
  return [
    ...intervals.slice(0, -1),
    { ...lastInterval, end: beforeLast },
    { start: beforeLast, end: last, keyTime: last },
  ];
}

function directWriter(
  node: GltfNode,
  { rotation, translation }: Channels,
  output: Mat3,
): AnimatedBone['write'] {
  const { orthogonal } = splitScale(output);
  const restRotation = conjugateByOrthogonal(orthogonal, nodeParts(node).rotation);
  const restTranslation = mat3.multiplyVector(output, node.translation);
  const rotationValue = new Float64Array(4);
  const translationValue = new Float64Array(3);
  return (keyTime, time, out) => {
    const q =
      rotation && conjugateByOrthogonal(orthogonal, channelAt(rotation, keyTime, time, rotationValue));
    quat.toMatrix(q ?? restRotation, out);
    out.set(
      translation
        ? mat3.multiplyVector(output, channelAt(translation, keyTime, time, translationValue))
        : restTranslation,
      9,
    );
  };
}

/** The frame of a node in the world: rotation, and origin with animated scales above it. */
interface NodeFrame {
  readonly rotation: Mat3;
  readonly origin: readonly number[];
}

function worldWriter(
  rig: GltfRig,
  bone: Bone,
  chain: readonly GltfNode[],
  outer: readonly GltfNode[],
  channelsOf: ReadonlyMap<number, Channels>,
): AnimatedBone['write'] {
  const { binding } = rig;
  const inverseOf = (index: number): Mat3 => mat3.inverse(binding.bones[index].outputMatrix);
  const own = inverseOf(bone.index);
  const parent = bone.parent < 0 ? undefined : inverseOf(bone.parent);
  const rotationValue = new Float64Array(4);
  const translationValue = new Float64Array(3);
  const scaleValue = new Float64Array(3);
  const frameOf = (nodes: readonly GltfNode[], back: Mat3, keyTime: number, time: number): NodeFrame => {
    let linear: Mat3 = mat3.identity();
    let world: Mat3x4 = affine.identity();
    for (const node of nodes) {
      const { rotation, translation, scale } = channelsOf.get(node.index) ?? {};
      const local = {
        ...node,
        rotation: rotation ? channelAt(rotation, keyTime, time, rotationValue) : nodeParts(node).rotation,
        translation: translation ? channelAt(translation, keyTime, time, translationValue) : node.translation,
      } as GltfNode;
      const transform = localTransform(local);
      linear = mat3.multiply(linear, transform);
      const scaled = scale
        ? localTransform({ ...local, scale: Array.from(channelAt(scale, keyTime, time, scaleValue)) })
        : transform;
      world = affine.compose(world, scaled);
    }
    return { rotation: mat3.rotationFactor(mat3.multiply(linear, back)), origin: Array.from(world).slice(9) };
  };
  return (keyTime, time, out) => {
    const { rotation, origin } = frameOf(chain, own, keyTime, time);
    if (parent === undefined) {
      out.set(Array.from(rotation).slice(0, 9));
      out.set(origin, 9);
      return;
    }
    const outerFrame = frameOf(outer, parent, keyTime, time);
    const back = mat3.transpose(outerFrame.rotation);
    const offset = origin.map((value, k) => value - outerFrame.origin[k]);
    out.set(Array.from(mat3.multiply(back, rotation)).slice(0, 9));
    out.set(mat3.multiplyVector(back, offset), 9);
  };
}
