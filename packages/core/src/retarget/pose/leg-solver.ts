/** A leg within its limits: the closed form where joints are free, a few steps of it around the limits, least squares at them. */
import { limitShapes } from '../../figure/limits/shapes.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as cholesky from '../../math/linear/cholesky.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt, transformAt } from '../kernel/rotations.js';
import { type JointWriter, orientBone, placeBone } from './joint-writer.js';
import { createLegOrientations, type Leg, type LegOrientations, solveLeg } from './leg.js';

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
  /** Bones from thigh to foot, or to the shank of a leg with the foot beside it. */
  readonly path: readonly number[];
  /** Coordinates of their joints. */
  readonly coordinates: Int32Array;
  readonly carried: LegOrientations;
  readonly solved: LegOrientations;
  /** Displacement of the hip joint by which the foot would have its orientation, where the ankle's limits keep it from it; else 0. World, m. */
  readonly missing: Float64Array;
}

export function createLegSolver({ figure }: JointWriter, leg: Leg): LegSolver {
  const path: number[] = [];
  for (let b = leg.isDetached ? leg.lower : leg.foot; b > leg.upper; b = figure.parents[b]) path.push(b);
  path.push(leg.upper);
  path.reverse();
  return {
    leg,
    path,
    coordinates: Int32Array.from(
      path.flatMap((bone) =>
        Array.from({ length: figure.bones[bone].dof }, (_, k) => figure.bones[bone].coordinate + k),
      ),
    ),
    carried: createLegOrientations(),
    solved: createLegOrientations(),
    missing: new Float64Array(3),
  };
}

/** Passes of the closed form by which foot and leg agree. */
const MAX_PASSES = 10;
/** Of them, those in which the ankle stays where it is planned. */
const PLANNED_PASSES = 6;
/** Errors that are left: rad, and leg lengths. */
const ANGLE_TOLERANCE = 1e-4;
const LENGTH_TOLERANCE = 2e-4;
/** Error of a foot's orientation from which the hips are moved for it, rad. */
const MISSING_ANGLE = 1e-3;
/** Largest rotation of the knee for the heading of the foot, rad. */
const MAX_SWIVEL = 0.8;

const hip = /* @__PURE__ */ new Float64Array(3);
const ankle = /* @__PURE__ */ new Float64Array(3);
const before = [0, 0, 0];
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
  up: ArrayLike<number>,
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
  let { swivel } = foot;
  let isPlanned = false;
  for (let pass = 0; ; pass++) {
    solveLeg(leg, carried, hip, ankle, swivel, solved);
    writePath(solver, joints, orientations, footRow, pose);
    if (leg.isDetached) return;
    // What the ankle's limits, or its missing axis, leave of the foot's orientation: about the line the leg turns.
    const { world } = joints;
    const w = 12 * leg.foot;
    multiplyTransposedAt(orientations, footRow, world, w, difference, 0);
    rotationVectorFromMatrix(difference, undefined, error);
    for (let k = 0; k < 3; k++) line[k] = ankle[k] - hip[k];
    const size = vec3.norm(line);
    const yaw = size > 0 ? vec3.dot(error, line) / size : 0;
    const swivelBefore = swivel;
    swivel = Math.min(Math.max(swivel + yaw, -MAX_SWIVEL), MAX_SWIVEL);
    // First the knee with the ankle in its place: what limits leave after that is due to them.
    if (pass < PLANNED_PASSES && Math.abs(swivel - swivelBefore) >= ANGLE_TOLERANCE) continue;
    if (!isPlanned) {
      isPlanned = true;
      writeMissing(solver, joints, orientations, footRow, foot, length);
    }
    // A contact is held with the orientation that the foot has.
    vec3.copy(ankle, before);
    if (foot.heel === 1 || foot.ball === 1) {
      // The one that needs the ankle higher: the other is not below the ground then.
      let highest = Number.NEGATIVE_INFINITY;
      for (const isHeel of [true, false]) {
        if ((isHeel ? foot.heel : foot.ball) === 0) continue;
        rotateAt(world, w, isHeel ? leg.heel : leg.ball, 0, line, 0);
        const pin = isHeel ? foot.heelPin : foot.ballPin;
        for (let k = 0; k < 3; k++) line[k] = pin[k] - line[k];
        const height = vec3.dot(line, up);
        if (height <= highest) continue;
        highest = height;
        for (let k = 0; k < 3; k++) ankle[k] = line[k];
      }
    }
    // Limits may have rotated the foot: no corner of it is below the ground.
    const depth = ground - lowestOf(leg, joints, up);
    if (depth > 0) for (let k = 0; k < 3; k++) ankle[k] += depth * up[k];
    const isSettled =
      Math.abs(swivel - swivelBefore) < ANGLE_TOLERANCE &&
      vec3.distance(ankle, before) < LENGTH_TOLERANCE * length;
    if (isSettled || pass === MAX_PASSES) break;
  }
  foot.swivel = swivel;
  if (missOf(leg, joints) > LENGTH_TOLERANCE * length)
    reachAnkle(solver, joints, orientations, footRow, pose, length);
}

const knee = [0, 0, 0];
const shank = /* @__PURE__ */ new Float64Array(9);

/**
 * The foot would have its orientation with the ankle's coordinates as they are if the shank were rotated about the ankle by what is missing; the hip
 * joint then is at the length of the thigh from the knee.
 */
function writeMissing(
  { leg, missing }: LegSolver,
  { world }: JointWriter,
  orientations: Float64Array,
  footRow: number,
  { ankle: planned, heel, ball }: FootTarget,
  length: number,
): void {
  const w = 12 * leg.foot;
  multiplyTransposedAt(orientations, footRow, world, w, difference, 0);
  rotationVectorFromMatrix(difference, undefined, error);
  const isFlat = heel === 1 && ball === 1;
  if (!isFlat || !(vec3.norm(error) > MISSING_ANGLE)) {
    // What the leg does not reach.
    for (let k = 0; k < 3; k++) line[k] = (isFlat ? planned[k] : ankle[k]) - world[w + 9 + k];
    if (vec3.norm(line) > LENGTH_TOLERANCE * length) for (let k = 0; k < 3; k++) missing[k] = line[k];
    return;
  }
  multiplyAt(difference, 0, world, 12 * leg.lower, shank, 0);
  rotateAt(shank, 0, leg.ankle, 0, knee, 0);
  for (let k = 0; k < 3; k++) knee[k] = hip[k] - planned[k] + knee[k];
  const distance = vec3.norm(knee);
  if (!(distance > 0)) return;
  for (let k = 0; k < 3; k++) missing[k] = (leg.thighLength / distance - 1) * knee[k];
}

/** Height of the lowest corner of the sole with the ankle in its place. */
function lowestOf({ foot, corners }: Leg, { world }: JointWriter, up: ArrayLike<number>): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const end of corners) {
    transformAt(world, 12 * foot, end, 0, ankle, 0, line, 0);
    lowest = Math.min(lowest, vec3.dot(line, up));
  }
  return lowest;
}

/** Distance of the foot from where its ankle belongs. */
function missOf(leg: Leg, { world }: JointWriter): number {
  const i = 12 * leg.foot + 9;
  return Math.hypot(world[i] - ankle[0], world[i + 1] - ankle[1], world[i + 2] - ankle[2]);
}

function writePath(
  { leg, path, solved }: LegSolver,
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

const MAX_STEPS = 12;
/** Step of differences, rad. */
const DIFFERENCE = 1e-6;
/** Weight of changes of the joints, and of the foot's orientation, against the ankle's position in leg lengths. */
const REGULARIZATION = 1e-4;

/** Levenberg-Marquardt steps of the joints towards the ankle, projected onto the limits. */
function reachAnkle(
  { leg, path, coordinates }: LegSolver,
  joints: JointWriter,
  orientations: Float64Array,
  footRow: number,
  pose: Float64Array,
  length: number,
): void {
  const { limitsOfBone } = joints.state;
  const n = coordinates.length;
  const best = Float64Array.from(coordinates, (i) => pose[i]);
  const place = (): void => {
    for (const bone of path) placeBone(joints, bone, pose);
  };
  const project = (): void => {
    for (const bone of path) {
      for (const { kind, parameters, coordinate, size } of limitsOfBone[bone]) {
        limitShapes[kind].project(parameters, pose, coordinate, size);
      }
    }
  };
  const residual = new Float64Array(3);
  const trial = new Float64Array(3);
  const jacobian = new Float64Array(3 * n);
  const a = new Float64Array(n * n);
  const step = new Float64Array(n);
  const read = (out: Float64Array): number => {
    place();
    for (let k = 0; k < 3; k++) out[k] = (joints.world[12 * leg.foot + 9 + k] - ankle[k]) / length;
    return out[0] ** 2 + out[1] ** 2 + out[2] ** 2;
  };
  let value = read(residual);
  let damping = REGULARIZATION;
  for (let round = 0; round < MAX_STEPS && Math.sqrt(value) > 0.5 * LENGTH_TOLERANCE; round++) {
    for (let c = 0; c < n; c++) {
      const i = coordinates[c];
      const q = pose[i];
      pose[i] = q + DIFFERENCE;
      project();
      let change = pose[i] - q;
      // At a bound the coordinate moves the other way, or not at all.
      if (!(Math.abs(change) > 0.5 * DIFFERENCE)) {
        for (let k = 0; k < n; k++) pose[coordinates[k]] = best[k];
        pose[i] = q - DIFFERENCE;
        project();
        change = pose[i] - q;
      }
      read(trial);
      for (let k = 0; k < 3; k++) {
        jacobian[3 * c + k] = Math.abs(change) > 0.1 * DIFFERENCE ? (trial[k] - residual[k]) / change : 0;
      }
      for (let k = 0; k < n; k++) pose[coordinates[k]] = best[k];
    }
    for (let r = 0; r < n; r++) {
      step[r] = 0;
      for (let k = 0; k < 3; k++) step[r] -= jacobian[3 * r + k] * residual[k];
      for (let c = 0; c <= r; c++) {
        let sum = r === c ? damping : 0;
        for (let k = 0; k < 3; k++) sum += jacobian[3 * r + k] * jacobian[3 * c + k];
        a[r * n + c] = sum;
        a[c * n + r] = sum;
      }
    }
    if (!cholesky.factor(a, n)) break;
    cholesky.solve(a, n, step);
    for (let c = 0; c < n; c++) pose[coordinates[c]] = best[c] + step[c];
    project();
    const next = read(trial);
    if (next < value) {
      value = next;
      residual.set(trial);
      for (let c = 0; c < n; c++) best[c] = pose[coordinates[c]];
      damping = Math.max(0.1 * damping, 1e-8);
    } else {
      damping *= 10;
      for (let c = 0; c < n; c++) pose[coordinates[c]] = best[c];
    }
  }
  for (let c = 0; c < n; c++) pose[coordinates[c]] = best[c];
  place();
  orientBone(joints, leg.foot, orientations, footRow, undefined, pose);
}
