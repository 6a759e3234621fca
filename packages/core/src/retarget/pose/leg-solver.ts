/** A leg within its limits: the closed form where joints are free, a few steps of it around the limits, least squares at them. */
import * as vec3 from '../../math/geometry/vec3.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt, transformAt } from '../kernel/rotations.js';
import { dot, norm } from '../kernel/vectors.js';
import { type Chain, chainOf, type PointGoal, reachPoints } from './chain.js';
import { type JointWriter, orientBone, placeBone } from './joint-writer.js';
import { createLegOrientations, type Leg, type LegOrientations, solveLeg } from './leg.js';

/** Where a foot belongs in a frame. */
export interface FootTarget {
  readonly ankle: Float64Array;
  /** Contacts that are held: 1, and where. */
  heel: number;
  ball: number;
  /** How near a contact of heel and ball is, 0 to 1 while it is held: what gives way at limits changes with it. */
  heelNear: number;
  ballNear: number;
  /** How far the toes lie on the ground, 0 to 1. */
  toesDown: number;
  readonly heelPin: Float64Array;
  readonly ballPin: Float64Array;
  /** Rotation of the knee about the line from hip to ankle, rad: where the search begins, and what it finds. */
  swivel: number;
}

export function createFootTarget(): FootTarget {
  return {
    ankle: new Float64Array(3),
    heel: 0,
    ball: 0,
    heelNear: 0,
    ballNear: 0,
    toesDown: 0,
    heelPin: new Float64Array(3),
    ballPin: new Float64Array(3),
    swivel: 0,
  };
}

export interface LegSolver {
  readonly leg: Leg;
  /** From thigh to foot, or to the shank of a leg with the foot beside it. */
  readonly chain: Chain;
  readonly carried: LegOrientations;
  readonly solved: LegOrientations;
  /** Displacement of the hip joint by which the foot would have its orientation, where the ankle's limits keep it from it; else 0. World, m. */
  readonly missing: Float64Array;
}

export function createLegSolver({ figure }: JointWriter, leg: Leg): LegSolver {
  return {
    leg,
    chain: chainOf(figure, leg.upper, leg.isDetached ? leg.lower : leg.foot),
    carried: createLegOrientations(),
    solved: createLegOrientations(),
    missing: new Float64Array(3),
  };
}

/** Passes of the closed form by which foot and leg agree. */
const MAX_PASSES = 6;
/** Distance of heel and ball from their places up to which a foot counts as flat, leg lengths: holding one of them exactly would move the other further. */
const FLAT_TOLERANCE = 8e-3;
/** Lift of an end, in that distance, from which it is free to move along the ground. */
const FREE_LIFT = 2;
/** Rounds in which a foot at its limits is solved, with the ends that are found below the ground. */
const MAX_ROUNDS = 5;
/** Depth that is left, leg lengths. */
const MAX_DEPTH = 2e-4;
/** Weight of points of the foot that are not held against those that are: what these give way then is less than a thousandth. */
const GIVING_WEIGHT = 0.025;
/** How firmly an end that is about to be held is, beside one that is. */
const SHARED = 0.4;
/** Weight of the roll of ends on the ground. */
const ROLL_WEIGHT = 0.15;
/** Weight of the ground, against a planned place of the ankle, and against an end that is held. */
const GROUND_WEIGHT = 6;
const PINNED_GROUND_WEIGHT = 4;
/** Error of a foot's orientation that is left, rad. */
const FOOT_TOLERANCE = 1e-3;
/** Share of a contact that is none. */
const NOT_NEAR = 0.02;
/** Errors that are left: rad, and leg lengths. */
const ANGLE_TOLERANCE = 1e-4;
/** The same of a probe: moves the knee, and what the hips miss, by less than 1e-4 leg lengths, a tenth of what counts (`write-poses.ts`). */
const PROBE_TOLERANCE = 2e-3;
const LENGTH_TOLERANCE = 2e-4;
/** Largest rotation of the knee for the heading of the foot, rad. */
const MAX_SWIVEL = 0.8;

const hip = /* @__PURE__ */ new Float64Array(3);
const ankle = /* @__PURE__ */ new Float64Array(3);
const error = /* @__PURE__ */ new Float64Array(3);
const line = /* @__PURE__ */ new Float64Array(3);
const difference = /* @__PURE__ */ new Float64Array(9);

/**
 * Writes the joints of a leg; those above it are placed.
 *
 * @param isProbe - Whether only `missing` is asked for: joints of a foot that is in its place are then those of the closed form.
 */
export function solveLegWithinLimits(
  solver: LegSolver,
  joints: JointWriter,
  orientations: Float64Array,
  o: number,
  foot: FootTarget,
  up: readonly number[],
  ground: number,
  pose: Float64Array,
  isProbe = false,
): void {
  const { leg, carried, solved } = solver;
  solver.missing.fill(0);
  copyAt(orientations, o + 9 * leg.thighSegment, carried.thigh, 0, 9);
  copyAt(orientations, o + 9 * leg.shankSegment, carried.shank, 0, 9);
  writeOrigin(joints, leg.upper, hip);
  ankle.set(foot.ankle);
  const footRow = o + 9 * leg.footSegment;
  if (leg.isFree) {
    solveLeg(leg, carried, hip, ankle, 0, solved);
    writePath(solver, joints, orientations, footRow, pose);
    return;
  }
  const length = leg.thighLength + leg.shankLength;
  let { swivel } = foot;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    solveLeg(leg, carried, hip, ankle, swivel, solved);
    writePath(solver, joints, orientations, footRow, pose);
    if (leg.isDetached) return;
    // What the ankle's limits, or its missing axis, leave of the foot's orientation: about the line the leg turns.
    writeError(leg, joints, orientations, footRow);
    for (let k = 0; k < 3; k++) line[k] = ankle[k] - hip[k];
    const size = norm(line);
    const yaw = size > 0 ? dot(error, line) / size : 0;
    const swivelBefore = swivel;
    swivel = Math.min(Math.max(swivel + yaw, -MAX_SWIVEL), MAX_SWIVEL);
    if (Math.abs(swivel - swivelBefore) < (isProbe ? PROBE_TOLERANCE : ANGLE_TOLERANCE)) break;
  }
  foot.swivel = swivel;
  if (missOf(leg, joints) <= LENGTH_TOLERANCE * length) {
    if (norm(error) <= FOOT_TOLERANCE) return;
    // A foot in the air is where it is planned, its orientation as near as its ankle has it.
    if (
      Math.max(foot.heelNear, foot.ballNear) < NOT_NEAR &&
      isAbove(leg, joints, up, ground - MAX_DEPTH * length)
    )
      return;
  }
  reachFoot(solver, joints, orientations, footRow, foot, up, ground, pose, length, isProbe);
}

/**
 * A foot at the limits of its leg: contacts in their places, no end of it below the ground, and beside that near where it is planned. Of a flat foot that cannot
 * be flat the lower end is held.
 */
function reachFoot(
  solver: LegSolver,
  joints: JointWriter,
  orientations: Float64Array,
  footRow: number,
  foot: FootTarget,
  up: readonly number[],
  ground: number,
  pose: Float64Array,
  length: number,
  isProbe: boolean,
): void {
  const { leg, chain, missing } = solver;
  const { world } = joints;
  const w = 12 * leg.foot;
  const isPinned = [foot.heel === 1, foot.ball === 1];
  const isFlat = isPinned[0] && isPinned[1];
  const isInAir = !isPinned[0] && !isPinned[1];
  const isReached = missOf(leg, joints) <= LENGTH_TOLERANCE * length;
  if (isPinned[1] && isReached) writeMissing(solver, joints, orientations, footRow, foot.ankle);
  // How firmly heel and front are held, 0 to 1: a foot whose heel is up stands on its front.
  const near = [foot.heelNear, foot.ballNear];
  const firm = [
    isInAir || isPinned[0] ? near[0] : Math.min(near[0], SHARED),
    isInAir || isPinned[1] ? near[1] : Math.min(near[1], SHARED),
  ];
  const ends = [
    goalOf(orientations, footRow, leg.heel, weightOf(firm[0]), weightOf(firm[0])),
    goalOf(orientations, footRow, leg.front, weightOf(firm[1]), weightOf(firm[1])),
  ];
  if (!isInAir) {
    // What the limits lift of the foot: the end that is up gives way.
    const rise =
      heightOf(leg, joints, leg.heel, up) -
      heightOf(leg, joints, leg.front, up) -
      vec3.dot(vec3.subtract(ends[0].target, ends[1].target), up);
    const flat = FLAT_TOLERANCE * length;
    const e = isFlat ? (rise > 0 ? 0 : 1) : isPinned[0] ? 1 : 0;
    ends[e].horizontal = weightOf(Math.min(firm[e], Math.max(0, 1 - Math.abs(rise) / (FREE_LIFT * flat))));
    firm[e] = Math.min(firm[e], Math.max(0, 1 - Math.abs(rise) / flat));
    ends[e].vertical = weightOf(firm[e]);
    if (isFlat && Math.abs(rise) <= LENGTH_TOLERANCE * length) missing.fill(0);
  }
  if (isProbe && isReached) return;
  // The heights of the corners are the roll of the foot.
  const corners: PointGoal[] = [];
  for (const [c, point] of leg.corners.entries()) {
    const vertical = between(GIVING_WEIGHT, ROLL_WEIGHT, firm[c >> 1]);
    corners.push(goalOf(orientations, footRow, point, 0, vertical));
  }
  const isLow = [false, false, false, false];
  const weight = isInAir ? weightOf(1 - Math.max(near[0], near[1])) : GIVING_WEIGHT;
  const goals = [goalOf(orientations, footRow, ORIGIN, weight, weight), ...ends, ...corners];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    reachPoints(joints, chain, goals, up, length, pose);
    let isDone = true;
    for (let c = 0; c < corners.length; c++) {
      const { point, target } = corners[c];
      if (isLow[c] || firm[c >> 1] === 1) continue;
      if (heightOf(leg, joints, point, up) >= ground - MAX_DEPTH * length) continue;
      corners[c].vertical = between(
        isInAir ? GROUND_WEIGHT : PINNED_GROUND_WEIGHT,
        ROLL_WEIGHT,
        firm[c >> 1],
      );
      vec3.addScaled(target, up, ground - vec3.dot(target, up), target);
      isLow[c] = true;
      isDone = false;
    }
    if (isDone) break;
  }
  if (isFlat || isInAir || isReached) return;
  const { point, target } = ends[isPinned[0] ? 0 : 1];
  transformAt(world, w, point, 0, world, w + 9, error, 0);
  if (vec3.distance(target, error) > LENGTH_TOLERANCE * length)
    for (let k = 0; k < 3; k++) missing[k] = target[k] - error[k];
}

/** A point of the foot where it would be with the ankle and the orientation that are asked for. */
function goalOf(
  orientations: Float64Array,
  footRow: number,
  point: readonly number[],
  horizontal: number,
  vertical: number,
): PointGoal {
  rotateAt(orientations, footRow, point, 0, line, 0);
  const target = [ankle[0] + line[0], ankle[1] + line[1], ankle[2] + line[2]];
  return { point, target, horizontal, vertical };
}

function isAbove(leg: Leg, joints: JointWriter, up: ArrayLike<number>, height: number): boolean {
  for (const corner of leg.corners) if (heightOf(leg, joints, corner, up) < height) return false;
  return true;
}

/** Weight of a point that is held as firmly as a share of 1. */
function weightOf(share: number): number {
  return between(GIVING_WEIGHT, 1, share);
}

/** Weight at a share of the way from one to another. */
function between(from: number, to: number, share: number): number {
  return from ** (1 - share) * to ** share;
}

function heightOf(
  { foot }: Leg,
  { world }: JointWriter,
  point: ArrayLike<number>,
  up: ArrayLike<number>,
): number {
  transformAt(world, 12 * foot, point, 0, world, 12 * foot + 9, line, 0);
  return line[0] * up[0] + line[1] * up[1] + line[2] * up[2];
}

const ORIGIN = [0, 0, 0];
const knee = /* @__PURE__ */ new Float64Array(3);
const shank = /* @__PURE__ */ new Float64Array(9);

/** Rotation vector from the foot's orientation to the one it should have, world. */
function writeError(
  { foot }: Leg,
  { world }: JointWriter,
  orientations: Float64Array,
  footRow: number,
): void {
  multiplyTransposedAt(orientations, footRow, world, 12 * foot, difference, 0);
  rotationVectorFromMatrix(difference, undefined, error);
}

/**
 * The foot would have its orientation with the ankle's coordinates as they are if the shank were rotated about the ankle by what is missing; the hip
 * joint then is at the length of the thigh from the knee.
 */
function writeMissing(
  { leg, missing }: LegSolver,
  { world }: JointWriter,
  orientations: Float64Array,
  footRow: number,
  planned: ArrayLike<number>,
): void {
  multiplyTransposedAt(orientations, footRow, world, 12 * leg.foot, difference, 0);
  multiplyAt(difference, 0, world, 12 * leg.lower, shank, 0);
  rotateAt(shank, 0, leg.ankle, 0, knee, 0);
  for (let k = 0; k < 3; k++) knee[k] = hip[k] - planned[k] + knee[k];
  const distance = norm(knee);
  if (!(distance > 0)) return;
  for (let k = 0; k < 3; k++) missing[k] = (leg.thighLength / distance - 1) * knee[k];
}

/** Distance of the foot from where its ankle belongs. */
function missOf(leg: Leg, { world }: JointWriter): number {
  const i = 12 * leg.foot + 9;
  const x = world[i] - ankle[0];
  const y = world[i + 1] - ankle[1];
  const z = world[i + 2] - ankle[2];
  return Math.sqrt(x * x + y * y + z * z);
}

function writePath(
  { leg, chain: { path }, solved }: LegSolver,
  joints: JointWriter,
  orientations: Float64Array,
  footRow: number,
  pose: Float64Array,
): void {
  for (let n = 0; n < path.length; n++) {
    const b = path[n];
    if (b === leg.upper) orientBone(joints, b, solved.thigh, 0, undefined, pose);
    else if (b === leg.lower) orientBone(joints, b, solved.shank, 0, undefined, pose);
    else if (b === leg.foot) orientBone(joints, b, orientations, footRow, undefined, pose);
    else placeBone(joints, b, pose);
  }
}

/** World origin of a bone whose parent is placed: the joints' translations are 0. */
function writeOrigin({ world, rest, figure }: JointWriter, b: number, out: Float64Array): void {
  const p = 12 * figure.parents[b];
  const r = 12 * b + 9;
  for (let k = 0; k < 3; k++) {
    out[k] =
      world[p + 3 * k] * rest[r] +
      world[p + 3 * k + 1] * rest[r + 1] +
      world[p + 3 * k + 2] * rest[r + 2] +
      world[p + 9 + k];
  }
}
