/** The nodes of a file in one of its animations, and the transforms of bones that this makes. */
import type { Bone } from 'poise/figure';
import { affine, type Mat3, type Mat3x4, mat3, quat } from 'poise/math';
import { nodeParts } from '../skeleton/frames.js';
import { type GltfNode, localTransform } from '../skeleton/nodes.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { conjugateByOrthogonal, splitScale } from '../skeleton/scale.js';
import { channelAt, SCALE_ROUNDING, scaleChange } from './channel-values.js';
import type { FileAnimation, NodeChannel } from './read-channels.js';

/** A stretch of time without a key inside, on which everything is smooth. */
export interface KeyStretch {
  /** s */
  readonly start: number;
  readonly end: number;
  /** A moment that says which keys count: those around it. */
  readonly during: number;
}

/** What an animation does to a bone. */
export interface AnimatedBone {
  /** One after the other; none where the bone stands still. */
  readonly stretches: readonly KeyStretch[];
  /** Transform of the bone in its parent at a moment of a stretch, twelve numbers to `out`. */
  readonly write: (during: number, time: number, out: Float64Array) => void;
}

type Channels = Partial<Record<NodeChannel['path'], NodeChannel>>;

/**
 * The bones that the animation may move, by their index; those left out are at rest.
 *
 * A bone below uniform scale moves with its own node: R_b = O R O^T, p_b = A t, with A = a O the output matrix of the parent node. Below
 * non-uniform scale, or below a scale that is animated, its frame is that of the node in the world, as pose-nodes.ts has it the other way round: the
 * origin is the node's, the rotation that of L A^-1, L the node's world linear part at the scales of the file (an animated scale turns nothing).
 */
export function animatedBones(rig: GltfRig, { channels }: FileAnimation): Map<number, AnimatedBone> {
  const { figure, binding } = rig;
  const { nodes } = binding;
  const channelsOf = new Map<number, Channels>();
  for (const channel of channels) {
    channelsOf.set(channel.node, { ...channelsOf.get(channel.node), [channel.path]: channel });
  }
  const scales = nodes.map(
    ({ index }) => scaleChange(nodes[index], channelsOf.get(index)?.scale) > SCALE_ROUNDING,
  );
  const result = new Map<number, AnimatedBone>();
  for (const bone of figure.bones) {
    const node = nodes[binding.bones[bone.index].node];
    const above = chainOf(nodes, node.parent);
    const parentBone = node.parent < 0 ? -1 : binding.boneOfNode[node.parent];
    const direct =
      binding.bones[bone.index].exact &&
      bone.parent === parentBone &&
      !above.some(({ index }) => scales[index]);
    const outer = bone.parent < 0 ? [] : chainOf(nodes, binding.bones[bone.parent].node);
    const moving = [node, ...(direct ? [] : [...above, ...outer])];
    const moved = moving.flatMap(({ index }) => Object.values(channelsOf.get(index) ?? {}));
    if (moved.length === 0) continue;
    const output = parentBone < 0 ? mat3.identity() : binding.bones[parentBone].outputMatrix;
    const write = direct
      ? directWriter(node, channelsOf.get(node.index) ?? {}, output)
      : worldWriter(rig, bone, [...above, node], outer, channelsOf);
    result.set(bone.index, { stretches: stretchesOf(moved), write });
  }
  return result;
}

/** The node and all above it, the topmost first. */
function chainOf(nodes: readonly GltfNode[], index: number): GltfNode[] {
  const chain: GltfNode[] = [];
  for (let at = index; at >= 0; at = nodes[at].parent) chain.unshift(nodes[at]);
  return chain;
}

/** Between all keys of the channels. A STEP that ends with them jumps at its last key, so a stretch of a last digit is put before that. */
function stretchesOf(channels: readonly NodeChannel[]): KeyStretch[] {
  const times = [...new Set(channels.flatMap(({ keys }) => keys.map(({ time }) => time)))].sort(
    (a, b) => a - b,
  );
  if (times.length < 2) return [];
  const last = times[times.length - 1];
  const stretches = times
    .slice(1)
    .map((end, i) => ({ start: times[i], end, during: 0.5 * (times[i] + end) }));
  const jumps = channels.some(
    ({ interpolation, keys }) =>
      interpolation === 'STEP' && keys.length > 1 && keys[keys.length - 1].time === last,
  );
  if (!jumps) return stretches;
  const before = last * (1 - Number.EPSILON);
  const cut = stretches[stretches.length - 1];
  return [...stretches.slice(0, -1), { ...cut, end: before }, { start: before, end: last, during: last }];
}

function directWriter(
  node: GltfNode,
  { rotation, translation }: Channels,
  output: Mat3,
): AnimatedBone['write'] {
  const { orthogonal } = splitScale(output);
  const restTurn = conjugateByOrthogonal(orthogonal, nodeParts(node).rotation);
  const restPlace = mat3.multiplyVector(output, node.translation);
  const turn = new Float64Array(4);
  const place = new Float64Array(3);
  return (during, time, out) => {
    const q = rotation && conjugateByOrthogonal(orthogonal, channelAt(rotation, during, time, turn));
    quat.toMatrix(q ?? restTurn, out);
    out.set(
      translation ? mat3.multiplyVector(output, channelAt(translation, during, time, place)) : restPlace,
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
  const turn = new Float64Array(4);
  const place = new Float64Array(3);
  const size = new Float64Array(3);
  const frameOf = (nodes: readonly GltfNode[], back: Mat3, during: number, time: number): NodeFrame => {
    let linear: Mat3 = mat3.identity();
    let world: Mat3x4 = affine.identity();
    for (const node of nodes) {
      const { rotation, translation, scale } = channelsOf.get(node.index) ?? {};
      const local = {
        ...node,
        rotation: rotation ? channelAt(rotation, during, time, turn) : nodeParts(node).rotation,
        translation: translation ? channelAt(translation, during, time, place) : node.translation,
      } as GltfNode;
      const still = localTransform(local);
      linear = mat3.multiply(linear, still);
      const scaled = scale
        ? localTransform({ ...local, scale: Array.from(channelAt(scale, during, time, size)) })
        : still;
      world = affine.compose(world, scaled);
    }
    return { rotation: mat3.rotationFactor(mat3.multiply(linear, back)), origin: Array.from(world).slice(9) };
  };
  return (during, time, out) => {
    const { rotation, origin } = frameOf(chain, own, during, time);
    if (parent === undefined) {
      out.set(Array.from(rotation).slice(0, 9));
      out.set(origin, 9);
      return;
    }
    const outerFrame = frameOf(outer, parent, during, time);
    const back = mat3.transpose(outerFrame.rotation);
    const offset = origin.map((value, k) => value - outerFrame.origin[k]);
    out.set(Array.from(mat3.multiply(back, rotation)).slice(0, 9));
    out.set(mat3.multiplyVector(back, offset), 9);
  };
}
