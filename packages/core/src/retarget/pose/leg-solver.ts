/** A leg within its limits: the closed form where joints are free, a few steps of it around the limits, least squares at them. */
import * as vec3 from '../../math/geometry/vec3.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt, transformAt } from '../kernel/rotations.js';
import { type Chain, chainOf, type PointGoal, reachPoints } from './chain.js';
import { type JointWriter, orientBone, placeBone } from './joint-writer.js';
import { createLegOrientations, type Leg, type LegOrientations, longestReach, solveLeg } from './leg.js';

/** Where a foot belongs in a frame. */
export interface FootTarget {
  readonly ankle: Float64Array;
  /** Contacts that are held: 1, and where. */
  heel: number;
  ball: number;
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
const FLAT_TOLERANCE = 2e-3;
/** Rounds in which a foot at its limits is solved, with the ends that are found below the ground. */
const MAX_ROUNDS = 5;
/** Depth that is left, leg lengths. */
const MAX_DEPTH = 2e-4;
/** Weight of points of the foot that are not held against those that are: what these give way then is less than a thousandth. */
const GIVING_WEIGHT = 0.025;
/** Weight of the roll of ends on the ground. */
const ROLL_WEIGHT = 0.2;
/** Error of a foot's orientation that is left, rad. */
const FOOT_TOLERANCE = 1e-3;
/** Errors that are left: rad, and leg lengths. */
const ANGLE_TOLERANCE = 1e-4;
const LENGTH_TOLERANCE = 2e-4;
/** Share of the longest distance from the hip joint over which that of a foot in the air nears it. */
const SOFT_RANGE = 0.02;
/** Largest rotation of the knee for the heading of the foot, rad. */
const MAX_SWIVEL = 0.8;

const hip = /* @__PURE__ */ new Float64Array(3);
const ankle = /* @__PURE__ */ new Float64Array(3);
const error = [0, 0, 0];
const line = [0, 0, 0];
const difference = /* @__PURE__ */ new Float64Array(9);

/** Writes the joints of a leg; those above it are placed. */
export function solveLegWithinLimits(
  solver: LegSolver,
  joints: JointWriter,
  orientations: Float64Array,
  o: number,
  foot: FootTarget,
  up: readonly number[],
  ground: number,
  pose: Float64Array,
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
  if (foot.heel === 0 && foot.ball === 0) shorten(leg, carried);
  let { swivel } = foot;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    solveLeg(leg, carried, hip, ankle, swivel, solved);
    writePath(solver, joints, orientations, footRow, pose);
    if (leg.isDetached) return;
    // What the ankle's limits, or its missing axis, leave of the foot's orientation: about the line the leg turns.
    writeError(leg, joints, orientations, footRow);
    for (let k = 0; k < 3; k++) line[k] = ankle[k] - hip[k];
    const size = vec3.norm(line);
    const yaw = size > 0 ? vec3.dot(error, line) / size : 0;
    const swivelBefore = swivel;
    swivel = Math.min(Math.max(swivel + yaw, -MAX_SWIVEL), MAX_SWIVEL);
    if (Math.abs(swivel - swivelBefore) < ANGLE_TOLERANCE) break;
  }
  foot.swivel = swivel;
  if (missOf(leg, joints) <= LENGTH_TOLERANCE * length && vec3.norm(error) <= FOOT_TOLERANCE) return;
  reachFoot(solver, joints, orientations, footRow, foot, up, ground, pose, length);
}

/** Moves the ankle of a foot in the air to where the leg reaches without being pulled straight from one frame to the next: its distance nears the longest one smoothly. */
function shorten(leg: Leg, { thigh, shank }: LegOrientations): void {
  rotateAt(thigh, 0, leg.knee, 0, line, 0);
  rotateAt(shank, 0, leg.ankle, 0, error, 0);
  const before = Math.hypot(line[0] + error[0], line[1] + error[1], line[2] + error[2]);
  const longest = longestReach(leg, before);
  // A leg that is as long as it is carried stays.
  const range = Math.max(0, longest - Math.max(before, (1 - SOFT_RANGE) * longest));
  const distance = vec3.distance(ankle, hip);
  const beyond = distance - (longest - range);
  if (!(beyond > 0)) return;
  const share = (longest - (range > 0 ? range * Math.exp(-beyond / range) : 0)) / distance;
  for (let k = 0; k < 3; k++) ankle[k] = hip[k] + share * (ankle[k] - hip[k]);
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
): void {
  const { leg, chain, missing } = solver;
  const { world } = joints;
  const w = 12 * leg.foot;
  const goalOf = (point: readonly number[], horizontal: number, vertical: number): PointGoal => {
    rotateAt(orientations, footRow, point, 0, line, 0);
    return { point, target: [0, 1, 2].map((k) => ankle[k] + line[k]), horizontal, vertical };
  };
  const isPinned = [foot.heel === 1, foot.ball === 1];
  const isFlat = isPinned[0] && isPinned[1];
  const isInAir = !isPinned[0] && !isPinned[1];
  if (isFlat && missOf(leg, joints) <= LENGTH_TOLERANCE * length)
    writeMissing(solver, joints, orientations, footRow, foot.ankle);
  // Heel and front, and the left of each: its height is the roll of the foot.
  const weight = isInAir ? 1 : GIVING_WEIGHT;
  // A foot whose heel is up stands on its front.
  const ends = [leg.heel, leg.front].map((point) => goalOf(point, GIVING_WEIGHT, GIVING_WEIGHT));
  const sides = [leg.corners[0], leg.corners[2]].map((point) => goalOf(point, 0, GIVING_WEIGHT));
  const goals = [goalOf(ORIGIN, weight, weight), ...ends, ...sides];
  for (const e of [0, 1]) if (isPinned[e]) weigh(e, 1, 1);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = reachPoints(joints, chain, goals, up, length, pose);
    const heights = ends.map(({ point }) => heightOf(leg, joints, point, up) - ground);
    if (isFlat && ends[0].horizontal === ends[1].horizontal) {
      if (left <= LENGTH_TOLERANCE) missing.fill(0);
      if (left <= FLAT_TOLERANCE) {
        const depth = -Math.min(...heights);
        if (depth <= MAX_DEPTH * length) return;
        for (const { target } of goals) vec3.addScaled(target, up, depth, target);
        continue;
      }
      weigh(heights[0] < heights[1] ? 1 : 0, GIVING_WEIGHT, GIVING_WEIGHT);
      continue;
    }
    let isLow = false;
    for (const e of [0, 1]) {
      if (ends[e].vertical === 1) continue;
      const lowest = Math.min(...[2 * e, 2 * e + 1].map((c) => heightOf(leg, joints, leg.corners[c], up)));
      if (lowest >= ground - MAX_DEPTH * length) continue;
      weigh(e, GIVING_WEIGHT, 1);
      goals[0].horizontal = GIVING_WEIGHT;
      goals[0].vertical = GIVING_WEIGHT;
      isLow = true;
    }
    if (!isLow) break;
  }
  if (isFlat || isInAir) return;
  const { point, target } = ends[isPinned[0] ? 0 : 1];
  transformAt(world, w, point, 0, world, w + 9, error, 0);
  if (vec3.distance(target, error) > LENGTH_TOLERANCE * length)
    for (let k = 0; k < 3; k++) missing[k] = target[k] - error[k];

  function weigh(e: number, horizontal: number, vertical: number): void {
    ends[e].horizontal = horizontal;
    ends[e].vertical = vertical;
    sides[e].vertical = vertical === 1 ? ROLL_WEIGHT : GIVING_WEIGHT;
  }
}

function heightOf(
  { foot }: Leg,
  { world }: JointWriter,
  point: ArrayLike<number>,
  up: ArrayLike<number>,
): number {
  transformAt(world, 12 * foot, point, 0, world, 12 * foot + 9, line, 0);
  return vec3.dot(line, up);
}

const ORIGIN = [0, 0, 0];
const knee = [0, 0, 0];
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
  const distance = vec3.norm(knee);
  if (!(distance > 0)) return;
  for (let k = 0; k < 3; k++) missing[k] = (leg.thighLength / distance - 1) * knee[k];
}

/** Distance of the foot from where its ankle belongs. */
function missOf(leg: Leg, { world }: JointWriter): number {
  const i = 12 * leg.foot + 9;
  return Math.hypot(world[i] - ankle[0], world[i + 1] - ankle[1], world[i + 2] - ankle[2]);
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
