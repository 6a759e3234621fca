/** Node transforms of a file over a motion of its figure. */
import { type Bone, createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { mat3, type Numbers, quat, rigid } from 'poise/math';
import { createMotion, createMotionSampler, type Motion, samplePose, type TrackData } from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { nodeParts } from '../skeleton/frames.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { nodePlans, posePlanned } from '../skeleton/pose-nodes.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { splitScale } from '../skeleton/scale.js';
import type { GltfAnimationPath } from './animation-player.js';

/** The animated nodes of a rig. */
export interface MovingNodes {
  /** Writes the value of a bone's node at a time of the motion (s): four numbers of rotation or three of translation. */
  readonly valueAt: (bone: number, path: GltfAnimationPath, time: number, out: Float64Array) => void;
  /** Whether the bone's node depends on its own joint only; below non-uniform scale it depends on all ancestor joints. */
  readonly ownJointOnly: (bone: number) => boolean;
  /** Output matrix of the parent node, nine numbers: metres per unit of the translation. */
  readonly parentOutput: (bone: number) => Numbers;
  /** The node without the animation. */
  readonly rest: (bone: number) => {
    readonly rotation: readonly number[];
    readonly translation: readonly number[];
  };
}

/** Sample times cached at most: more than an interval has. */
const MAX_CACHED = 1000;
/** Off-diagonal entries of the stretch factor within rounding, relative to its norm. */
const SHEAR_TOLERANCE = 1e-6;

/** @throws MotionError `wrong-size` for a motion of another figure. */
export function movingNodes(original: GltfRig, motion: Motion): MovingNodes {
  const rig = withoutMatrices(original);
  const { figure, binding } = rig;
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const state = createState(figure);
  const nodeOf = (bone: number): GltfNode => binding.nodes[binding.bones[bone].node];
  const parentBone = (bone: number): number => {
    const { parent } = nodeOf(bone);
    return parent < 0 ? -1 : binding.boneOfNode[parent];
  };
  const parents = figure.bones.map(({ index }) => {
    const parent = parentBone(index);
    const output = parent < 0 ? mat3.identity() : binding.bones[parent].outputMatrix;
    const back = mat3.transpose(splitScale(output).orthogonal);
    return { output, turn: mat3.scale(back, mat3.determinant(back) < 0 ? -1 : 1) };
  });
  const restValues = figure.bones.map(({ index }) => {
    const node = nodeOf(index);
    return { rotation: Array.from(nodeParts(node).rotation), translation: [...node.translation] };
  });
  const isOwnJointOnly = figure.bones.map(
    ({ index, parent, mimic }) =>
      binding.bones[index].exact && parent === parentBone(index) && mimic === undefined,
  );
  // Below non-uniform scale a pose gives all nodes at once, which is expensive: cached, since every bone asks for the same times, interval by interval.
  const mixed = figure.bones.filter(({ index }) => !isOwnJointOnly[index]).map(({ index }) => index);
  const offsetOf = new Map(mixed.map((bone, k) => [bone, 7 * k]));
  const plans = nodePlans(rig, mixed);
  const cache = new Map<number, Float64Array>();
  const mixedValues = (time: number): Float64Array => {
    const cached = cache.get(time);
    if (cached !== undefined) return cached;
    const changes = posePlanned(rig, plans, samplePose(sampler, time, pose), state);
    const values = new Float64Array(7 * mixed.length);
    for (const bone of mixed) {
      const { rotation, translation } = { ...restValues[bone], ...changes.get(binding.bones[bone].node) };
      values.set(rotation, offsetOf.get(bone));
      values.set(translation, (offsetOf.get(bone) as number) + 4);
    }
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(time, values);
    return values;
  };

  const samplers = figure.bones.map((bone) =>
    isOwnJointOnly[bone.index] ? jointSampler(figure, motion, bone) : undefined,
  );
  const rotation = new Float64Array(4);
  const valueAt: MovingNodes['valueAt'] = (bone, path, time, out) => {
    const parentFromBone = samplers[bone]?.(time);
    if (parentFromBone === undefined) {
      const from = (offsetOf.get(bone) as number) + (path === 'rotation' ? 0 : 4);
      out.set(mixedValues(time).subarray(from, from + out.length));
      return;
    }
    // As in poseNodes below uniform scale: R' = O^T R_b O, t' = A^-1 p_b.
    const { output, turn } = parents[bone];
    if (path === 'rotation') {
      quat.fromMatrix(parentFromBone, rotation);
      // The vector part maps by det(O) O^T.
      mat3.multiplyVector(turn, rotation, rotation);
      quat.normalize(rotation, out);
    } else out.set(mat3.solve(output, rigid.toPosition(parentFromBone)));
  };
  return {
    valueAt,
    ownJointOnly: (bone) => isOwnJointOnly[bone],
    parentOutput: (bone) => parents[bone].output,
    rest: (bone) => restValues[bone],
  };
}

/**
 * Samples one joint of the motion: the transform of its bone in its parent (twelve numbers) at a time. Uses a figure of that bone alone to save
 * the cost of the others.
 */
export function jointSampler(figure: Figure, motion: Motion, bone: Bone): (time: number) => Float64Array {
  const { name, rest, joint, coordinate, dof } = bone;
  const oneBoneFigure = createFigure({ name: figure.name, bones: [{ name, parent: null, rest, joint }] });
  const state = createState(oneBoneFigure);
  const pose = Float64Array.from({ length: dof }, (_, i) => motion.base[coordinate + i]);
  const tracks = tracksOfJoint(motion, bone);
  forwardKinematics(state, pose);
  if (tracks.length === 0) return () => state.parentFromBone;
  const { start, end } = motion;
  // With the range of the whole motion, so that a shorter track is extrapolated as in the whole motion.
  const sampler = createMotionSampler(oneBoneFigure, {
    ...createMotion(oneBoneFigure, { tracks, base: pose }),
    start,
    end,
  });
  let lastTime = Number.NaN;
  return (time) => {
    if (time !== lastTime) forwardKinematics(state, samplePose(sampler, time, pose));
    lastTime = time;
    return state.parentFromBone;
  };
}

/** The components of the tracks that belong to a joint. */
function tracksOfJoint({ tracks }: Motion, { coordinate, dof }: Bone): TrackData[] {
  return tracks.flatMap(({ coordinate: start, curve }) => {
    const first = Math.max(0, coordinate - start);
    const size = Math.min(curve.size, coordinate + dof - start) - first;
    if (size <= 0) return [];
    const points = curve.controls.length / curve.size;
    const controls = Float64Array.from(
      { length: points * size },
      (_, i) => curve.controls[Math.floor(i / size) * curve.size + first + (i % size)],
    );
    return [{ coordinate: start + first - coordinate, curve: { ...curve, size, controls } }];
  });
}

/**
 * The rig with its matrix nodes decomposed into translation, rotation and scale, as glTF requires of animated nodes. A sheared matrix has no such
 * decomposition; it stays, and {@link requireTrs} refuses to animate it.
 */
function withoutMatrices(rig: GltfRig): GltfRig {
  const nodes = rig.binding.nodes.map((node) => {
    const trs = decomposeMatrix(node);
    if (trs === undefined) return node;
    const { matrix: _, ...rest } = node;
    return { ...rest, ...trs };
  });
  return { ...rig, binding: { ...rig.binding, nodes } };
}

/** Translation, rotation and scale of a matrix node; undefined for other nodes and for a matrix that shears. */
export function decomposeMatrix(
  node: GltfNode,
):
  | { readonly translation: readonly number[]; readonly rotation: number[]; readonly scale: number[] }
  | undefined {
  if (!node.matrix) return undefined;
  const { rotation, stretch } = nodeParts(node);
  const size = mat3.frobeniusNorm(stretch);
  const sheared = Array.from(stretch).some(
    (value, i) => i % 4 !== 0 && Math.abs(value) > SHEAR_TOLERANCE * size,
  );
  if (sheared) return undefined;
  return {
    translation: node.translation,
    rotation: Array.from(rotation),
    scale: [stretch[0], stretch[4], stretch[8]],
  };
}

/** @throws FormatError `unsupported` for a node that cannot be animated. */
export function requireTrs(rig: GltfRig, node: GltfNode): void {
  if (!node.matrix || decomposeMatrix(node) !== undefined) return;
  fail(
    'unsupported',
    `${rig.document.source}#/nodes/${node.index}/matrix`,
    'has a sheared matrix; glTF can animate only translation, rotation and scale.',
    'Remove the bone from the motion, or export the file with TRS nodes instead of matrices.',
  );
}
