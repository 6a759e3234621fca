/** Node transforms of a file over a motion of its figure. */
import {
  type Bone,
  createFigure,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
} from 'poise/figure';
import { mat3, type Numbers, quat, rigid, vec3 } from 'poise/math';
import {
  createMotion,
  createMotionSampler,
  type Motion,
  type MotionSampler,
  samplePose,
  type TrackData,
} from 'poise/motion';
import { fail } from '../../text/json-checks.js';
import { nodeParts } from '../skeleton/frames.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { nodePlans, posePlanned } from '../skeleton/pose-nodes.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { splitScale } from '../skeleton/scale.js';
import type { NodeValues } from './animation-keys.js';
import { hasTrack } from './animation-knots.js';
import type { GltfAnimationPath } from './animation-player.js';

/** The animated nodes of a rig. */
export interface MovingNodes {
  /** The node of a bone. */
  readonly node: (bone: number) => NodeValues;
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

/** Share of a tolerance that a scale which is not quite uniform may take. */
const NEGLIGIBLE = 0.01;

/**
 * @param tolerances - Of a node in its parent, rad and m: scales whose departure from uniform ones, often the rounding of an exporter, is a hundredth of these count as uniform.
 * @throws MotionError `wrong-size` for a motion of another figure.
 */
export function movingNodes(
  original: GltfRig,
  motion: Motion,
  tolerances: Readonly<Record<GltfAnimationPath, number>>,
): MovingNodes {
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
    const { orthogonal, departure } = splitScale(output);
    const back = mat3.transpose(orthogonal);
    return { output, turn: mat3.scale(back, mat3.determinant(back) < 0 ? -1 : 1), departure };
  });
  const restValues = figure.bones.map(({ index }) => {
    const node = nodeOf(index);
    return { rotation: Array.from(nodeParts(node).rotation), translation: [...node.translation] };
  });
  /** Whether all scales above a bone count as uniform. */
  const isUniform: boolean[] = [];
  for (const { index, rest, joint } of figure.bones) {
    const above = parentBone(index);
    const { departure } = parents[index];
    const moves = joint.type === 'free' || joint.type === 'slider';
    const isNear =
      !moves &&
      departure <= NEGLIGIBLE * tolerances.rotation &&
      departure * vec3.norm(rest.position) <= NEGLIGIBLE * tolerances.translation;
    isUniform[index] = binding.bones[index].exact || (isNear && (above < 0 || isUniform[above]));
  }
  const isOwnJointOnly = figure.bones.map(
    ({ index, parent, mimic }) => isUniform[index] && parent === parentBone(index) && mimic === undefined,
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

  const atRest = createState(figure);
  forwardKinematics(atRest, motion.base);
  const nodes = figure.bones.map((bone): NodeValues => {
    const { index } = bone;
    if (!isOwnJointOnly[index]) return new MixedNode(mixedValues, offsetOf.get(index) as number);
    const joint = hasTrack(bone, motion)
      ? new JointSampler(figure, motion, bone)
      : { at: () => atRest.parentFromBone.subarray(12 * index, 12 * index + 12) };
    return new OwnJointNode(joint, parents[index]);
  });
  return {
    node: (bone) => nodes[bone],
    ownJointOnly: (bone) => isOwnJointOnly[bone],
    parentOutput: (bone) => parents[bone].output,
    rest: (bone) => restValues[bone],
  };
}

/** A node below non-uniform scale, or of a mimic joint. */
class MixedNode implements NodeValues {
  readonly #valuesAt: (time: number) => Float64Array;
  readonly #offset: number;

  /** @param valuesAt - Of all such nodes: a rotation and a translation each. @param offset - From which on those of this one. */
  constructor(valuesAt: (time: number) => Float64Array, offset: number) {
    this.#valuesAt = valuesAt;
    this.#offset = offset;
  }

  valueAt(time: number, path: GltfAnimationPath, out: Float64Array): void {
    const from = this.#offset + (path === 'rotation' ? 0 : 4);
    out.set(this.#valuesAt(time).subarray(from, from + out.length));
  }
}

/** A joint over a motion. */
interface MovingJoint {
  /** The transform of its bone in its parent, twelve numbers, valid until the next call. */
  at(time: number): Float64Array;
}

const rotation = /* @__PURE__ */ new Float64Array(4);

/** A node that depends on its own joint only. */
class OwnJointNode implements NodeValues {
  readonly #joint: MovingJoint;
  readonly #output: Numbers;
  readonly #turn: Float64Array;

  constructor(joint: MovingJoint, { output, turn }: { readonly output: Numbers; readonly turn: Numbers }) {
    this.#joint = joint;
    this.#output = output;
    this.#turn = Float64Array.from(turn);
  }

  /** As in poseNodes below uniform scale: R' = O^T R_b O, t' = A^-1 p_b. */
  valueAt(time: number, path: GltfAnimationPath, out: Float64Array): void {
    const parentFromBone = this.#joint.at(time);
    if (path === 'rotation') {
      quat.fromMatrix(parentFromBone, rotation);
      // The vector part maps by det(O) O^T. Not mat3.multiplyVector: it is given arrays of so many kinds that V8 reads each number onto the heap.
      const x = rotation[0];
      const y = rotation[1];
      const z = rotation[2];
      const m = this.#turn;
      rotation[0] = m[0] * x + m[1] * y + m[2] * z;
      rotation[1] = m[3] * x + m[4] * y + m[5] * z;
      rotation[2] = m[6] * x + m[7] * y + m[8] * z;
      quat.normalize(rotation, out);
    } else out.set(mat3.solve(this.#output, rigid.toPosition(parentFromBone)));
  }
}

/** Samples one joint of a motion by a figure of its bone alone, to save the cost of the others. */
export class JointSampler implements MovingJoint {
  /** None without a track. */
  readonly #sampler: MotionSampler | undefined;
  readonly #pose: Float64Array;
  readonly #state: FigureState;
  #lastTime = Number.NaN;

  constructor(figure: Figure, motion: Motion, bone: Bone) {
    const { name, rest, joint, coordinate, dof } = bone;
    const oneBoneFigure = createFigure({ name: figure.name, bones: [{ name, parent: null, rest, joint }] });
    this.#state = createState(oneBoneFigure);
    this.#pose = Float64Array.from({ length: dof }, (_, i) => motion.base[coordinate + i]);
    forwardKinematics(this.#state, this.#pose);
    const { start, end } = motion;
    const tracks = tracksOfJoint(motion, bone);
    if (tracks.length === 0) return;
    // With the range of the whole motion, so that a shorter track is extrapolated as in the whole motion.
    this.#sampler = createMotionSampler(oneBoneFigure, {
      ...createMotion(oneBoneFigure, { tracks, base: this.#pose }),
      start,
      end,
    });
  }

  at(time: number): Float64Array {
    const sampler = this.#sampler;
    if (sampler !== undefined && time !== this.#lastTime) {
      forwardKinematics(this.#state, samplePose(sampler, time, this.#pose));
      this.#lastTime = time;
    }
    return this.#state.parentFromBone;
  }
}

/** The components of the tracks that belong to a joint. */
function tracksOfJoint({ tracks }: Motion, { coordinate, dof }: Bone): TrackData[] {
  return tracks.flatMap(({ coordinate: start, curve }) => {
    const first = Math.max(0, coordinate - start);
    const size = Math.min(curve.size, coordinate + dof - start) - first;
    if (size <= 0) return [];
    const controls = new Float64Array((curve.controls.length / curve.size) * size);
    for (let at = 0, from = first; at < controls.length; at += size, from += curve.size) {
      for (let k = 0; k < size; k++) controls[at + k] = curve.controls[from + k];
    }
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
