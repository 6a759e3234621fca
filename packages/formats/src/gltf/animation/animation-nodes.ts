/** A motion of the figure as motions of the nodes in the file. */
import { type Bone, createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { mat3, type Numbers, quat, rigid } from 'poise/math';
import { createMotion, createMotionSampler, type Motion, samplePose, type TrackData } from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { nodeParts } from '../skeleton/frames.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { poseNodes } from '../skeleton/pose-nodes.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { conjugateByOrthogonal, splitScale } from '../skeleton/scale.js';
import type { GltfAnimationPath } from './animation-player.js';

/** The nodes of a rig in motion. */
export interface MovingNodes {
  /** Value of a bone's node at a moment of the motion (s): four numbers of rotation or three of translation, to `out`. */
  readonly valueAt: (bone: number, path: GltfAnimationPath, moment: number, out: Float64Array) => void;
  /** Whether the bone's node moves with its own joint alone; elsewhere non-uniform scale above mixes in all joints above. */
  readonly ownJointOnly: (bone: number) => boolean;
  /** Output matrix of the parent node, nine numbers: metres per unit of the translation. */
  readonly parentOutput: (bone: number) => Numbers;
  /** What the file shows without the animation. */
  readonly rest: (bone: number) => {
    readonly rotation: readonly number[];
    readonly translation: readonly number[];
  };
}

/** How many moments are kept at most. */
const KEPT = 20_000;
/** Off-diagonal part of a stretch, against its size, that is put down to rounding. */
const SHEAR = 1e-6;

/**
 * @throws MotionError `wrong-size` for a motion of another figure.
 */
export function movingNodes(original: GltfRig, motion: Motion): MovingNodes {
  const rig = withoutMatrices(original);
  const { figure, binding } = rig;
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const nodeOf = (bone: number): GltfNode => binding.nodes[binding.bones[bone].node];
  const parentBone = (bone: number): number => {
    const { parent } = nodeOf(bone);
    return parent < 0 ? -1 : binding.boneOfNode[parent];
  };
  const parents = figure.bones.map(({ index }) => {
    const above = parentBone(index);
    const output = above < 0 ? mat3.identity() : binding.bones[above].outputMatrix;
    return { output, back: mat3.transpose(splitScale(output).orthogonal) };
  });
  const rests = figure.bones.map(({ index }) => {
    const node = nodeOf(index);
    return { rotation: Array.from(nodeParts(node).rotation), translation: [...node.translation] };
  });
  const direct = figure.bones.map(
    ({ index, parent, mimic }) =>
      binding.bones[index].exact && parent === parentBone(index) && mimic === undefined,
  );
  // Where scale mixes the joints, a pose gives all nodes at once, at some cost: they are kept, for all of these are asked for.
  const mixed = figure.bones.filter(({ index }) => !direct[index]).map(({ index }) => index);
  const placeOf = new Map(mixed.map((bone, k) => [bone, 7 * k]));
  const known = new Map<number, Float64Array>();
  const allMixed = (moment: number): Float64Array => {
    const kept = known.get(moment);
    if (kept !== undefined) return kept;
    const changes = poseNodes(rig, samplePose(sampler, moment, pose));
    const values = new Float64Array(7 * mixed.length);
    for (const bone of mixed) {
      const { rotation, translation } = { ...rests[bone], ...changes.get(binding.bones[bone].node) };
      values.set(rotation, placeOf.get(bone));
      values.set(translation, (placeOf.get(bone) as number) + 4);
    }
    if (known.size >= KEPT) known.clear();
    known.set(moment, values);
    return values;
  };

  const own = figure.bones.map((bone) => (direct[bone.index] ? jointAlone(figure, motion, bone) : undefined));
  const valueAt: MovingNodes['valueAt'] = (bone, path, moment, out) => {
    const parentFromBone = own[bone]?.(moment);
    if (parentFromBone === undefined) {
      const from = (placeOf.get(bone) as number) + (path === 'rotation' ? 0 : 4);
      out.set(allMixed(moment).subarray(from, from + out.length));
      return;
    }
    // As poseNodes has it below uniform scale: R' = O^T R_b O, t' = A^-1 p_b.
    const { output, back } = parents[bone];
    if (path === 'rotation') {
      out.set(quat.normalize(conjugateByOrthogonal(back, quat.fromMatrix(parentFromBone))));
    } else out.set(mat3.solve(output, rigid.toPosition(parentFromBone)));
  };
  return {
    valueAt,
    ownJointOnly: (bone) => direct[bone],
    parentOutput: (bone) => parents[bone].output,
    rest: (bone) => rests[bone],
  };
}

/**
 * What one joint does in the motion: its bone's transform in its parent (twelve numbers) at a moment, by a figure of that bone alone, so that
 * the others cost nothing.
 */
function jointAlone(figure: Figure, motion: Motion, bone: Bone): (moment: number) => Float64Array {
  const { name, rest, joint, coordinate, dof } = bone;
  const alone = createFigure({ name: figure.name, bones: [{ name, parent: null, rest, joint }] });
  const state = createState(alone);
  const pose = Float64Array.from({ length: dof }, (_, i) => motion.base[coordinate + i]);
  const tracks = tracksOfJoint(motion, bone);
  forwardKinematics(state, pose);
  if (tracks.length === 0) return () => state.parentFromBone;
  const { start, end } = motion;
  // The range stays that of the whole, within which a short track goes on.
  const sampler = createMotionSampler(alone, { ...createMotion(alone, { tracks, base: pose }), start, end });
  let now = Number.NaN;
  return (moment) => {
    if (moment !== now) forwardKinematics(state, samplePose(sampler, moment, pose));
    now = moment;
    return state.parentFromBone;
  };
}

/** The numbers of a joint in the tracks that carry them. */
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
 * The rig as if its matrix nodes had translation, rotation and scale, as a node must that an animation moves. A sheared matrix has no such
 * parts; it stays, and {@link requireParts} refuses to move it.
 */
function withoutMatrices(rig: GltfRig): GltfRig {
  const nodes = rig.binding.nodes.map((node) => {
    const parts = partsOfMatrix(node);
    if (parts === undefined) return node;
    const { matrix: _, ...rest } = node;
    return { ...rest, ...parts };
  });
  return { ...rig, binding: { ...rig.binding, nodes } };
}

/** Translation, rotation and scale of a matrix node; undefined for other nodes and for a matrix that shears. */
export function partsOfMatrix(
  node: GltfNode,
):
  | { readonly translation: readonly number[]; readonly rotation: number[]; readonly scale: number[] }
  | undefined {
  if (!node.matrix) return undefined;
  const { rotation, stretch } = nodeParts(node);
  const size = mat3.frobeniusNorm(stretch);
  const sheared = Array.from(stretch).some((value, i) => i % 4 !== 0 && Math.abs(value) > SHEAR * size);
  if (sheared) return undefined;
  return {
    translation: node.translation,
    rotation: Array.from(rotation),
    scale: [stretch[0], stretch[4], stretch[8]],
  };
}

/** @throws FormatError `unsupported` for a node that no animation can move. */
export function requireParts(rig: GltfRig, node: GltfNode): void {
  if (!node.matrix || partsOfMatrix(node) !== undefined) return;
  fail(
    'unsupported',
    `${rig.document.source}#/nodes/${node.index}/matrix`,
    'shears, and glTF animates translation, rotation and scale alone.',
    'Leave the bone out of the motion, or export the file with nodes that have no matrix.',
  );
}
