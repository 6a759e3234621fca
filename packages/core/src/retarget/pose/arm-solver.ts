/** Arms of the target with the palm at a given point: closed form, and a few least-squares steps where limits keep the palm from it. */
import { limitShapes } from '../../figure/limits/shapes.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as cholesky from '../../math/linear/cholesky.js';
import type { Body } from '../body/body.js';
import type { BodyHand } from '../body/hands.js';
import type { CarryPlan } from '../carry/plan.js';
import { copyAt, rotateAt, transformAt } from '../kernel/rotations.js';
import { createJointWriter, type JointWriter, orientBone, placeBone } from './joint-writer.js';
import { createLegOrientations, solveLeg, type TwoBones, twoBonesOf } from './leg.js';

/** An arm of the target that ends in a hand which the source moves. */
export interface Arm extends BodyHand {
  readonly bones: TwoBones;
  /** Bones from the upper arm to the hand. */
  readonly path: readonly number[];
  /** Coordinates of their joints. */
  readonly coordinates: readonly number[];
}

export function armsOf(body: Body, plan: CarryPlan): Arm[] {
  const { figure, hands, restAxes } = body;
  return hands.flatMap((hand): Arm[] => {
    const { name: side, upper, lower } = hand;
    const axes = restAxes[`${side}UpperArm`];
    if (axes === undefined || plan.segmentOf[`${side}Hand`] === undefined) return [];
    const path: number[] = [];
    for (let b = hand.hand; b > upper; b = figure.parents[b]) path.push(b);
    path.push(upper);
    path.reverse();
    if (path[0] !== upper || !path.includes(lower)) return [];
    // Of the built-in human: the forearm flexes about -y on the left, y on the right.
    const flexion = vec3.scale([axes[1], axes[4], axes[7]], side === 'left' ? -1 : 1);
    return [
      {
        ...hand,
        bones: twoBonesOf(body, upper, lower, hand.hand, flexion),
        path,
        coordinates: path.flatMap((bone) =>
          Array.from({ length: figure.bones[bone].dof }, (_, k) => figure.bones[bone].coordinate + k),
        ),
      },
    ];
  });
}

export interface ArmSolver {
  readonly joints: JointWriter;
  /** Bones above the hands and the hands, parents first. */
  readonly bones: readonly number[];
}

export function createArmSolver({ figure }: Body, arms: readonly Arm[]): ArmSolver {
  const chosen = new Set<number>();
  for (const { hand } of arms) for (let b = hand; b >= 0; b = figure.parents[b]) chosen.add(b);
  return { joints: createJointWriter(figure), bones: [...chosen].sort((a, b) => a - b) };
}

/** Passes of the closed form by which hand and arm agree. */
const MAX_PASSES = 6;
/** Steps at limits. */
const MAX_STEPS = 24;
/** Distance of the palm from its place that is left, arm lengths. */
const TOLERANCE = 1e-4;
/** Rounds in which limits are added to a step, and their weight. */
const MAX_LIMITS = 5;
const LIMIT_WEIGHT = 1e4;
/** Step of differences, rad. */
const DIFFERENCE = 1e-6;
/** Share of the distance by which another start has to be nearer: a pose that is as near does not change from frame to frame. */
const MIN_GAIN = 0.1;
/** Weight of changes of the joints against the palm's position in arm lengths. */
const REGULARIZATION = 1e-4;
/** Sine of the bend of an elbow from which its plane alone counts. */
const MIN_BEND = 0.25;

const carried = /* @__PURE__ */ createLegOrientations();
const solved = /* @__PURE__ */ createLegOrientations();
const hand = /* @__PURE__ */ new Float64Array(9);
const wrist = [0, 0, 0];
const shoulder = [0, 0, 0];
const palm = [0, 0, 0];
const along = [0, 0, 0];
const forearm = [0, 0, 0];
const axis = [0, 0, 0];

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
    if (missOf(solver, arm, target) <= TOLERANCE * length) return;
  }
  // From where the closed form is at its limits; where that leads nowhere, from the carried arm.
  const left = descend(solver, arm, target, pose, length);
  if (left <= TOLERANCE) return;
  const near = arm.coordinates.map((i) => pose[i]);
  setCoordinates(arm, before, pose);
  if (descend(solver, arm, target, pose, length) < (1 - MIN_GAIN) * left) return;
  setCoordinates(arm, near, pose);
  for (const b of arm.path) placeBone(joints, b, pose);
}

function setCoordinates({ coordinates }: Arm, values: readonly number[], pose: Float64Array): void {
  for (let c = 0; c < coordinates.length; c++) pose[coordinates[c]] = values[c];
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

/**
 * Levenberg-Marquardt steps of the joints towards the target. A limit that a step would leave is an equality of the step, with the normal by which the
 * projection onto the limit moves it: the other joints take over.
 *
 * @returns the distance that is left, arm lengths.
 */
function descend(
  solver: ArmSolver,
  arm: Arm,
  target: ArrayLike<number>,
  pose: Float64Array,
  length: number,
): number {
  const { joints } = solver;
  const { path, coordinates } = arm;
  const n = coordinates.length;
  const limits = path.flatMap((bone) => joints.state.limitsOfBone[bone]);
  const best = coordinates.map((i) => pose[i]);
  const residual = [0, 0, 0];
  const trial = [0, 0, 0];
  const jacobian = new Float64Array(3 * n);
  const gauss = new Float64Array(n * n);
  const gradient = new Float64Array(n);
  const a = new Float64Array(n * n);
  const step = new Float64Array(n);
  const outside = new Float64Array(n);
  const read = (out: number[]): number => {
    for (const bone of path) placeBone(joints, bone, pose);
    writePalm(solver, arm, palm);
    for (let k = 0; k < 3; k++) out[k] = (palm[k] - target[k]) / length;
    return vec3.normSquared(out);
  };
  /** Adds the limits that the pose leaves to the equations, and projects it; whether there are such. */
  const project = (): boolean => {
    let isOutside = false;
    for (const { kind, parameters, coordinate, size } of limits) {
      const first = coordinates.indexOf(coordinate);
      for (let k = 0; k < size; k++) outside[k] = pose[coordinate + k];
      limitShapes[kind].project(parameters, pose, coordinate, size);
      let square = 0;
      let bound = 0;
      for (let k = 0; k < size; k++) {
        outside[k] -= pose[coordinate + k];
        square += outside[k] ** 2;
        bound += outside[k] * (pose[coordinate + k] - best[first + k]);
      }
      if (!(square > DIFFERENCE ** 2)) continue;
      isOutside = true;
      for (let r = 0; r < size; r++) {
        gradient[first + r] += (LIMIT_WEIGHT * outside[r] * bound) / square;
        for (let c = 0; c < size; c++) {
          gauss[(first + r) * n + first + c] += (LIMIT_WEIGHT * outside[r] * outside[c]) / square;
        }
      }
    }
    return isOutside;
  };
  const restore = (): void => setCoordinates(arm, best, pose);
  let value = read(residual);
  let damping = REGULARIZATION;
  for (let round = 0; round < MAX_STEPS && Math.sqrt(value) > 0.5 * TOLERANCE; round++) {
    for (let c = 0; c < n; c++) {
      pose[coordinates[c]] = best[c] + DIFFERENCE;
      read(trial);
      for (let k = 0; k < 3; k++) jacobian[3 * c + k] = (trial[k] - residual[k]) / DIFFERENCE;
      pose[coordinates[c]] = best[c];
    }
    for (let r = 0; r < n; r++) {
      gradient[r] = 0;
      for (let k = 0; k < 3; k++) gradient[r] -= jacobian[3 * r + k] * residual[k];
      for (let c = 0; c < n; c++) {
        let sum = 0;
        for (let k = 0; k < 3; k++) sum += jacobian[3 * r + k] * jacobian[3 * c + k];
        gauss[r * n + c] = sum;
      }
    }
    for (let pass = 0; pass < MAX_LIMITS; pass++) {
      a.set(gauss);
      step.set(gradient);
      for (let c = 0; c < n; c++) a[c * n + c] += damping;
      if (!cholesky.factor(a, n)) break;
      cholesky.solve(a, n, step);
      for (let c = 0; c < n; c++) pose[coordinates[c]] = best[c] + step[c];
      if (!project()) break;
    }
    const next = read(trial);
    if (next < value) {
      value = next;
      for (let k = 0; k < 3; k++) residual[k] = trial[k];
      for (let c = 0; c < n; c++) best[c] = pose[coordinates[c]];
      damping = Math.max(0.1 * damping, 1e-8);
    } else {
      damping *= 10;
      restore();
    }
  }
  restore();
  for (const bone of path) placeBone(joints, bone, pose);
  return Math.sqrt(value);
}
