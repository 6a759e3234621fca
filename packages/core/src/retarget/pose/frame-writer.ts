/** One frame of the target: orientations of its segments, hips and feet as a pose within the limits. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import type { Body } from '../body/body.js';
import type { CarryPlan } from '../carry/plan.js';
import { copyAt, rotateAt } from '../kernel/rotations.js';
import { type HingedArm, hingedArmsOf, rollUpperArm } from './arm.js';
import { createJointWriter, type JointWriter, orientBone, placeBone } from './joint-writer.js';
import type { Leg } from './leg.js';
import { createLegSolver, type FootTarget, type LegSolver, solveLegWithinLimits } from './leg-solver.js';
import { bendToes, levelToes } from './toes.js';

export interface FrameWriter {
  readonly joints: JointWriter;
  readonly plan: CarryPlan;
  readonly legs: readonly Leg[];
  readonly solvers: readonly LegSolver[];
  readonly arms: readonly HingedArm[];
  /** The bone whose free joint moves the figure, the pelvis or above it. */
  readonly root: number;
  readonly pelvis: number;
  readonly pelvisSegment: number;
  readonly hipCenter: readonly number[];
  /** Origin of the root at rest relative to that of the pelvis, and its orientation, world. */
  readonly rootOffset: readonly number[];
  readonly rootRotation: Float64Array;
  /** Of each bone: its segment, -1 for none. */
  readonly segmentOfBone: Int32Array;
  /** Of each bone: the leg (index + 1) that begins, is, or ends with it: see the constants. */
  readonly legOfBone: Int8Array;
  readonly role: Int8Array;
  /** All bones, and those alone that carry the legs or are of them: parents first. */
  readonly bones: Int32Array;
  readonly legBones: Int32Array;
  /** Those of trunk, head and arms, and the root. */
  readonly upperBones: Int32Array;
  /** Limits of joints of trunk, head and arms. */
  readonly upperLimits: readonly LimitComponent[];
  readonly up: readonly number[];
}

const THIGH = 1;
const OF_LEG = 2;
const TOES = 3;
const DETACHED_FOOT = 4;
const UPPER_ARM = 5;

export function createFrameWriter(body: Body, plan: CarryPlan, legs: readonly Leg[]): FrameWriter {
  const { figure, pelvis, rest } = body;
  const joints = createJointWriter(figure);
  const count = figure.bones.length;
  let root = pelvis;
  while (root >= 0 && figure.bones[root].joint.type !== 'free') root = figure.parents[root];
  const segmentOfBone = new Int32Array(count).fill(-1);
  plan.segments.forEach(({ bone }, s) => {
    segmentOfBone[bone] = s;
  });
  const arms = hingedArmsOf(body, plan);
  const role = new Int8Array(count);
  const legOfBone = new Int8Array(count);
  for (const { upper } of arms) role[upper] = UPPER_ARM;
  const solvers = legs.map((leg) => createLegSolver(joints, leg));
  legs.forEach((leg, l) => {
    for (const bone of solvers[l].chain.path) role[bone] = OF_LEG;
    role[leg.upper] = THIGH;
    if (leg.isDetached) role[leg.foot] = DETACHED_FOOT;
    if (leg.toes >= 0) role[leg.toes] = TOES;
    for (const bone of [...solvers[l].chain.path, leg.foot, leg.toes]) if (bone >= 0) legOfBone[bone] = l;
  });
  const isUpper = (bone: number): boolean => role[bone] === 0 || role[bone] === UPPER_ARM;
  const all = Int32Array.from({ length: count }, (_, b) => b);
  const at = (bone: number) => rest.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12);
  const legBones = legBonesOf(figure.parents, legs, solvers);
  const carries = new Set(legBones);
  return {
    joints,
    plan,
    legs,
    solvers,
    arms,
    root,
    pelvis,
    pelvisSegment: plan.segmentOf.hips as number,
    hipCenter: body.hipCenter,
    rootOffset: [0, 1, 2].map((k) => at(root)[k] - at(pelvis)[k]),
    rootRotation: rest.worldFromBone.slice(12 * root, 12 * root + 9),
    segmentOfBone,
    legOfBone,
    role,
    bones: all,
    legBones,
    upperBones: all.filter(isUpper),
    // What carries the legs stays: they are solved before.
    upperLimits: figure.limitComponents.filter(({ bone }) => isUpper(bone) && !carries.has(bone)),
    up: figure.up,
  };
}

function legBonesOf(parents: Int32Array, legs: readonly Leg[], solvers: readonly LegSolver[]): Int32Array {
  const chosen = new Set<number>();
  const add = (bone: number): void => {
    for (let b = bone; b >= 0; b = parents[b]) chosen.add(b);
  };
  for (const {
    chain: { path },
  } of solvers)
    for (const bone of path) add(bone);
  for (const { foot, toes } of legs) for (const bone of [foot, toes]) add(bone);
  return Int32Array.from([...chosen].sort((a, b) => a - b));
}

const position = [0, 0, 0];
const rotation = /* @__PURE__ */ new Float64Array(9);

/**
 * @param orientations - World orientations of the segments from `o`; those of upper arms with hinged elbows are rolled in place.
 * @param center - Middle of the hip joints, world, three numbers from `c`.
 * @param feet - One a leg.
 * @param pose - In: the pose before, for continuity. Out: the frame.
 * @param bones - `writer.legBones` for a frame that is written but for the place of its hips and feet.
 */
export function writeTargetFrame(
  writer: FrameWriter,
  orientations: Float64Array,
  o: number,
  center: ArrayLike<number>,
  c: number,
  feet: readonly FootTarget[],
  ground: number,
  pose: Float64Array,
  bones: Int32Array = writer.bones,
): void {
  const { joints, root, pelvis, pelvisSegment, hipCenter, rootOffset, segmentOfBone, role, legs } = writer;
  const { world } = joints;
  for (const arm of writer.arms) rollUpperArm(arm, orientations, o);
  rotateAt(orientations, o + 9 * pelvisSegment, hipCenter, 0, position, 0);
  for (let k = 0; k < 3; k++) position[k] = center[c + k] - position[k];
  if (root !== pelvis) for (let k = 0; k < 3; k++) position[k] += rootOffset[k];
  for (let n = 0; n < bones.length; n++) {
    const b = bones[n];
    const segment = segmentOfBone[b];
    if (b === root) {
      if (segment >= 0) orientBone(joints, b, orientations, o + 9 * segment, position, pose);
      else orientBone(joints, b, writer.rootRotation, 0, position, pose);
      continue;
    }
    switch (role[b]) {
      case THIGH: {
        const l = writer.legOfBone[b];
        solveLegWithinLimits(writer.solvers[l], joints, orientations, o, feet[l], writer.up, ground, pose);
        break;
      }
      case OF_LEG:
        break;
      case TOES: {
        const leg = legs[writer.legOfBone[b]];
        bendToes(joints, leg, segment >= 0 ? orientations : undefined, o + 9 * segment, rotation);
        orientBone(joints, b, rotation, 0, undefined, pose);
        copyAt(world, 12 * b, rotation, 0, 9);
        if (levelToes(joints, leg, rotation, writer.up, ground, feet[writer.legOfBone[b]].toesDown))
          orientBone(joints, b, rotation, 0, undefined, pose);
        break;
      }
      case DETACHED_FOOT:
        orientBone(joints, b, orientations, o + 9 * segment, feet[writer.legOfBone[b]].ankle, pose);
        break;
      default:
        if (segment >= 0) orientBone(joints, b, orientations, o + 9 * segment, undefined, pose);
        else placeBone(joints, b, pose);
    }
  }
}
