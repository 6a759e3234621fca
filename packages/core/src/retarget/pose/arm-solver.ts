/** Arms of the target with the palm at a given point: closed form, and a few least-squares steps where limits keep the palm from it. */
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import type { Body } from '../body/body.js';
import type { BodyHand } from '../body/hands.js';
import type { CarryPlan } from '../carry/plan.js';
import { copyAt, rotateAt, transformAt } from '../kernel/rotations.js';
import { CHAIN_TOLERANCE, type Chain, chainOf, placeChain, reachPoints, setCoordinates } from './chain.js';
import { type JointWriter, orientBone, placeBone } from './joint-writer.js';
import { createLegOrientations, isBelow, solveLeg, type TwoBones, twoBonesOf } from './leg.js';

/** An arm of the target that ends in a hand which the source moves. */
export interface Arm extends BodyHand, Chain {
  readonly bones: TwoBones;
}

export function armsOf(body: Body, plan: CarryPlan): Arm[] {
  const { figure, hands, restAxes } = body;
  return hands.flatMap((hand): Arm[] => {
    const { name: side, upper, lower } = hand;
    const axes = restAxes[`${side}UpperArm`];
    if (axes === undefined || plan.segmentOf[`${side}Hand`] === undefined) return [];
    if (!isBelow(figure.parents, hand.hand, lower) || !isBelow(figure.parents, lower, upper)) return [];
    // Of the built-in human: the forearm flexes about -y on the left, y on the right.
    const flexion = vec3.scale([axes[1], axes[4], axes[7]], side === 'left' ? -1 : 1);
    const bones = twoBonesOf(body, upper, lower, hand.hand, flexion);
    if (bones.thighLength === 0 || bones.shankLength === 0) return [];
    return [{ ...hand, ...chainOf(figure, upper, hand.hand), bones }];
  });
}

export interface ArmSolver {
  readonly joints: JointWriter;
  /** Bones above the hands and the hands, parents first. */
  readonly bones: readonly number[];
}

export function createArmSolver(joints: JointWriter, arms: readonly Arm[]): ArmSolver {
  const { parents } = joints.figure;
  const chosen = new Set<number>();
  for (const { hand } of arms) for (let b = hand; b >= 0; b = parents[b]) chosen.add(b);
  return { joints, bones: [...chosen].sort((a, b) => a - b) };
}

/** Passes of the closed form by which hand and arm agree. */
const MAX_PASSES = 6;
/** Share of the distance by which another start has to be nearer: a pose that is as near does not change from frame to frame. */
const MIN_GAIN = 0.1;
/** Sine of the bend of an elbow from which its plane alone counts. */
const MIN_BEND = 0.25;

/** Weighted alike in all directions: any. */
const UP = [0, 1, 0];

const carried = /* @__PURE__ */ createLegOrientations();
const solved = /* @__PURE__ */ createLegOrientations();
const hand = /* @__PURE__ */ new Float64Array(9);
const wrist = /* @__PURE__ */ new Float64Array(3);
const shoulder = /* @__PURE__ */ new Float64Array(3);
const palm = /* @__PURE__ */ unset3();
const along = /* @__PURE__ */ unset3();
const forearm = /* @__PURE__ */ unset3();
const axis = /* @__PURE__ */ unset3();

/** Places the bones above the hands and the hands as the pose has them. */
export function placeArms({ joints, bones }: ArmSolver, pose: Float64Array): void {
  for (const bone of bones) placeBone(joints, bone, pose);
}

/** The palm where the arm was placed. */
export function writePalm(
  { joints: { world } }: ArmSolver,
  { hand: b, palm: point }: Arm,
  out: number[],
): void {
  transformAt(world, 12 * b, point, 0, world, 12 * b + 9, out, 0);
}

/**
 * Bends a placed arm so that the palm is at `target`, or as near as arm and limits allow; the elbow stays in the plane that it has about the line from
 * shoulder to wrist, and the hand keeps its orientation.
 *
 * @param pose - In: the arm as it is carried. Out: its joints.
 */
export function reachPalm(solver: ArmSolver, arm: Arm, target: ArrayLike<number>, pose: Float64Array): void {
  const { joints } = solver;
  const { world } = joints;
  copyAt(world, 12 * arm.upper, carried.thigh, 0, 9);
  copyAt(world, 12 * arm.lower, carried.shank, 0, 9);
  copyAt(world, 12 * arm.hand, hand, 0, 9);
  for (let k = 0; k < 3; k++) shoulder[k] = world[12 * arm.upper + 9 + k];
  const before = arm.coordinates.map((i) => pose[i]);
  const bones = withElbowAxis(arm.bones);
  const length = bones.thighLength + bones.shankLength;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    // With the orientation that its limits leave the hand.
    rotateAt(world, 12 * arm.hand, arm.palm, 0, wrist, 0);
    for (let k = 0; k < 3; k++) wrist[k] = target[k] - wrist[k];
    solveLeg(bones, carried, shoulder, wrist, 0, solved);
    for (const b of arm.path) {
      if (b === arm.upper) orientBone(joints, b, solved.thigh, 0, undefined, pose);
      else if (b === arm.lower) orientBone(joints, b, solved.shank, 0, undefined, pose);
      else if (b === arm.hand) orientBone(joints, b, hand, 0, undefined, pose);
      else placeBone(joints, b, pose);
    }
    if (missOf(solver, arm, target) <= CHAIN_TOLERANCE * length) return;
  }
  const goals = [{ point: arm.palm, target: Array.from(target), horizontal: 1, vertical: 1 }];
  // From where the closed form is at its limits; where that leads nowhere, from the carried arm.
  const left = reachPoints(joints, arm, goals, UP, length, pose);
  if (left <= CHAIN_TOLERANCE) return;
  const near = arm.coordinates.map((i) => pose[i]);
  setCoordinates(arm, before, pose);
  if (reachPoints(joints, arm, goals, UP, length, pose) < (1 - MIN_GAIN) * left) return;
  setCoordinates(arm, near, pose);
  placeChain(joints, arm, pose);
}

function missOf(solver: ArmSolver, arm: Arm, target: ArrayLike<number>): number {
  writePalm(solver, arm, palm);
  return Math.hypot(palm[0] - target[0], palm[1] - target[1], palm[2] - target[2]);
}

/** The bones with the axis about which the carried elbow is bent; as it is straight, the one at rest. */
function withElbowAxis(bones: TwoBones): TwoBones {
  if (bones.hinge !== undefined) return { ...bones, kneeAxis: bones.hinge.thighAxis };
  rotateAt(carried.thigh, 0, bones.knee, 0, along, 0);
  rotateAt(carried.shank, 0, bones.ankle, 0, forearm, 0);
  vec3.cross(along, forearm, axis);
  const inFrame = mat3.transposeMultiplyVector(carried.thigh, axis);
  const size = bones.thighLength * bones.shankLength;
  const share = 1 - Math.min(1, vec3.norm(axis) / (MIN_BEND * size));
  vec3.addScaled(inFrame, bones.kneeAxis, MIN_BEND * share * size, inFrame);
  return vec3.norm(inFrame) > 0 ? { ...bones, kneeAxis: vec3.normalize(inFrame) } : bones;
}
