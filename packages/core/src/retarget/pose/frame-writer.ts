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
  /** Of each bone: what it is to a limb (`THIGH` to `UPPER_ARM`), 0 for others. */
  readonly role: Int8Array;
  /** Of each bone of a limb: the index of its leg or arm. */
  readonly limbOfBone: Int8Array;
  /** All bones, and those alone that carry the legs: parents first. */
  readonly bones: Int32Array;
  readonly carriers: Int32Array;
  /** Limits of joints of trunk, head and arms, without those of carriers. */
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
  const limbOfBone = new Int8Array(count);
  arms.forEach(({ upper }, a) => {
    role[upper] = UPPER_ARM;
    limbOfBone[upper] = a;
  });
  const solvers = legs.map((leg) => createLegSolver(joints, leg));
  legs.forEach((leg, l) => {
    for (const bone of solvers[l].chain.path) role[bone] = OF_LEG;
    role[leg.upper] = THIGH;
    if (leg.isDetached) role[leg.foot] = DETACHED_FOOT;
    if (leg.toes >= 0) role[leg.toes] = TOES;
    for (const bone of [...solvers[l].chain.path, leg.foot, leg.toes]) if (bone >= 0) limbOfBone[bone] = l;
  });
  const isUpper = (bone: number): boolean => role[bone] === 0 || role[bone] === UPPER_ARM;
  const at = (bone: number) => rest.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12);
  const carriers = carriersOf(figure.parents, legs);
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
    role,
    limbOfBone,
    bones: Int32Array.from({ length: count }, (_, b) => b),
    carriers,
    // What carries the legs stays: they are solved before.
    upperLimits: figure.limitComponents.filter(({ bone }) => isUpper(bone) && !carriers.includes(bone)),
    up: figure.up,
  };
}

function carriersOf(parents: Int32Array, legs: readonly Leg[]): Int32Array {
  const chosen = new Set<number>();
  for (const { upper, foot, isDetached } of legs) {
    for (const bone of isDetached ? [upper, foot] : [upper])
      for (let b = parents[bone]; b >= 0; b = parents[b]) chosen.add(b);
  }
  return Int32Array.from([...chosen].sort((a, b) => a - b));
}

const position = /* @__PURE__ */ new Float64Array(3);
const rotation = /* @__PURE__ */ new Float64Array(9);

/**
 * @param orientations - World orientations of the segments from `o`; those of upper arms with hinged elbows are rolled in place.
 * @param center - Middle of the hip joints, world, three numbers from `c`.
 * @param feet - One a leg.
 * @param pose - In: the pose before, for continuity. Out: the frame.
 * @param bones - Those to be written, parents first; what they hang on is placed. Default: all.
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
  const { limbOfBone } = writer;
  const { world } = joints;
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
        const l = limbOfBone[b];
        solveLegWithinLimits(writer.solvers[l], joints, orientations, o, feet[l], writer.up, ground, pose);
        break;
      }
      case OF_LEG:
        break;
      case TOES: {
        const leg = legs[limbOfBone[b]];
        bendToes(joints, leg, segment >= 0 ? orientations : undefined, o + 9 * segment, rotation);
        orientBone(joints, b, rotation, 0, undefined, pose);
        copyAt(world, 12 * b, rotation, 0, 9);
        if (levelToes(joints, leg, rotation, writer.up, ground, feet[limbOfBone[b]].toesDown))
          orientBone(joints, b, rotation, 0, undefined, pose);
        break;
      }
      case DETACHED_FOOT:
        orientBone(joints, b, orientations, o + 9 * segment, feet[limbOfBone[b]].ankle, pose);
        break;
      case UPPER_ARM:
        rollUpperArm(writer.arms[limbOfBone[b]], orientations, o);
        orientBone(joints, b, orientations, o + 9 * segment, undefined, pose);
        break;
      default:
        if (segment >= 0) orientBone(joints, b, orientations, o + 9 * segment, undefined, pose);
        else placeBone(joints, b, pose);
    }
  }
}

/**
 * Displacements of the hips that the legs miss in a frame, to `missing` of their solvers: of feet in contact.
 *
 * @param pose - Out: what carries the legs; that of the legs for a start of the next frame.
 */
export function probeLegs(
  writer: FrameWriter,
  orientations: Float64Array,
  center: ArrayLike<number>,
  c: number,
  feet: readonly FootTarget[],
  ground: number,
  pose: Float64Array,
): void {
  const { joints, solvers, up, carriers } = writer;
  for (const { missing } of solvers) missing.fill(0);
  if (feet.every(({ heel, ball }) => heel === 0 && ball === 0)) return;
  writeTargetFrame(writer, orientations, 0, center, c, feet, ground, pose, carriers);
  for (let l = 0; l < feet.length; l++) {
    if (solvers[l].leg.isFree || (feet[l].heel === 0 && feet[l].ball === 0)) continue;
    solveLegWithinLimits(solvers[l], joints, orientations, 0, feet[l], up, ground, pose, true);
  }
}
