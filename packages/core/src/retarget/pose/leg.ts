/** Legs of the target in closed form: ankle and foot where they belong, the knee in the plane in which it bends. */
import { jointTypes } from '../../figure/joints/joint-types.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { matrixFromAxisAngle } from '../../rotation/rotation-vector/axis-angle.js';
import type { Body, BodyLeg } from '../body/body.js';
import type { CarryPlan } from '../carry/plan.js';
import { multiplyAt, multiplyTransposedAt, rotateAt, writeFrame } from '../kernel/rotations.js';
import { cross, dot, norm, normalize } from '../kernel/vectors.js';

/** Relative length up to which a leg is stretched, unless it is carried straighter: a straight knee would snap. */
const MAX_EXTENSION = 0.995;
/** Offset of the knee from the line of hip and ankle, in leg lengths, below which its axis at rest counts. */
const MIN_BEND = 0.04;

/** Two bones of a limb, thigh and shank; of an arm upper arm and forearm, with the elbow for the knee and the wrist for the ankle. */
export interface TwoBones {
  /** Knee in the frame of the thigh, ankle in that of the shank, at rest. */
  readonly knee: readonly number[];
  readonly ankle: readonly number[];
  readonly thighLength: number;
  readonly shankLength: number;
  /** Axis of flexion in the frame of the thigh: the left of the body at rest. */
  readonly kneeAxis: readonly number[];
  /** For a knee that is a hinge. */
  readonly hinge: KneeHinge | undefined;
  /** Largest distance of the ankle from the hip joint. */
  readonly reach: number;
}

/** A leg of the target, with the segments that move it. */
export interface Leg extends BodyLeg, TwoBones {
  /** Segments of thigh, shank, foot and toes; -1 for none. */
  readonly thighSegment: number;
  readonly shankSegment: number;
  readonly footSegment: number;
  readonly toesSegment: number;
  /** Hip joint in the frame of the pelvis, at rest. */
  readonly hip: readonly number[];
  /** To the left in the frame of the foot at rest; up; forward. */
  readonly footLeft: readonly number[];
  readonly footUp: readonly number[];
  readonly footForward: readonly number[];
  /** Columns up, forward and left, nine numbers. */
  readonly footAxes: readonly number[];
  /** Whether the foot stands beside the leg, with a free joint of its own. */
  readonly isDetached: boolean;
  /** Whether thigh, shank and foot take any orientation. */
  readonly isFree: boolean;
}

const standing = /* @__PURE__ */ unset3();

/**
 * Lowest height of a foot that is tilted forward over the ground, relative to its ankle: of its front, and of the line about which its toes bend.
 *
 * @param rotations - World orientation of the foot, nine numbers from `o`.
 */
export function frontHeight(leg: Leg, rotations: Float64Array, o: number, up: ArrayLike<number>): number {
  rotateAt(rotations, o, leg.front, 0, standing, 0);
  return Math.min(vec3.dot(standing, up), toeAxisHeight(leg, rotations, o, up));
}

/** Lowest height of toes that lie flat on the ground. */
export function toeAxisHeight(leg: Leg, rotations: Float64Array, o: number, up: ArrayLike<number>): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < leg.toeAxis.length; n++) {
    rotateAt(rotations, o, leg.toeAxis[n], 0, standing, 0);
    lowest = Math.min(lowest, vec3.dot(standing, up) - leg.toeDepth);
  }
  return lowest;
}

/** A knee hinge, with flexion q positive. In the frame of the thigh the ankle is at `center` + `radial` cos q + `tangential` sin q. */
export interface KneeHinge {
  /** Axis in the frame of the thigh, and in that of the shank. */
  readonly thighAxis: readonly number[];
  readonly shankAxis: readonly number[];
  readonly center: readonly number[];
  readonly radial: readonly number[];
  readonly tangential: readonly number[];
  /** Square of the distance of the ankle from the hip joint: `square` + `amplitude` cos(q - `phase`). */
  readonly square: number;
  readonly amplitude: number;
  readonly phase: number;
  /** Thigh from shank at angle 0. */
  readonly thighFromShank: readonly number[];
  /** Range of flexion, rad. */
  readonly min: number;
  readonly max: number;
}

export function legsOf(body: Body, plan: CarryPlan): Leg[] {
  return body.legs.flatMap((leg): Leg[] => {
    const { name: side, upper, lower, foot } = leg;
    const segment = (name: 'UpperLeg' | 'LowerLeg' | 'Foot' | 'Toes'): number =>
      plan.segmentOf[`${side}${name}`] ?? -1;
    const [thighSegment, shankSegment, footSegment] = [
      segment('UpperLeg'),
      segment('LowerLeg'),
      segment('Foot'),
    ];
    if (foot < 0 || footSegment < 0 || thighSegment < 0 || shankSegment < 0) return [];
    const at = (bone: number): number[] =>
      Array.from(body.rest.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12));
    const inAxes = (bone: number, v: readonly number[]): number[] =>
      mat3.transposeMultiplyVector(body.rest.worldFromBone.subarray(12 * bone, 12 * bone + 9), v);
    const { axes } = body;
    // The left of the foot itself: feet at rest may turn out.
    const footUp = inAxes(foot, [axes[1], axes[4], axes[7]]);
    const across = vec3.subtract(leg.corners[0], leg.corners[1]);
    const footLeft = vec3.normalize(vec3.addScaled(across, footUp, -vec3.dot(across, footUp)));
    const footForward = vec3.cross(footLeft, footUp);
    const thighAxes = body.restAxes[`${side}UpperLeg`] as readonly number[];
    const { bones } = body.figure;
    const twoBones = twoBonesOf(body, upper, lower, foot, [thighAxes[0], thighAxes[3], thighAxes[6]]);
    // Without a length it has no direction: its bones are carried as others are.
    if (twoBones.thighLength === 0 || twoBones.shankLength === 0) return [];
    return [
      {
        ...leg,
        ...twoBones,
        thighSegment,
        shankSegment,
        footSegment,
        toesSegment: segment('Toes'),
        hip: inAxes(body.pelvis, vec3.subtract(at(upper), at(body.pelvis))),
        footLeft,
        footUp,
        footForward,
        footAxes: [0, 1, 2].flatMap((k) => [footUp[k], footForward[k], footLeft[k]]),
        isDetached: !isBelow(body.figure.parents, foot, lower),
        isFree: [upper, lower, foot].every(
          (bone) => jointTypes[bones[bone].joint.type].dof >= 3 && bones[bone].limit === undefined,
        ),
      },
    ];
  });
}

/** @param axis - Of flexion, world, at rest. */
export function twoBonesOf(
  body: Body,
  upper: number,
  lower: number,
  end: number,
  axis: readonly number[],
): TwoBones {
  const world = (bone: number) => body.rest.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const between = (from: number, to: number): number[] =>
    mat3.transposeMultiplyVector(
      world(from).subarray(0, 9),
      vec3.subtract(world(to).subarray(9, 12), world(from).subarray(9, 12)),
    );
  const knee = between(upper, lower);
  const ankle = between(lower, end);
  const kneeAxis = mat3.transposeMultiplyVector(world(upper).subarray(0, 9), axis);
  const thighLength = vec3.norm(knee);
  const shankLength = vec3.norm(ankle);
  const hinge = hingeOf(body, upper, lower, kneeAxis, knee, ankle);
  const reach = hinge === undefined ? thighLength + shankLength : longestAt(hinge);
  return { knee, ankle, thighLength, shankLength, kneeAxis, hinge, reach };
}

export function isBelow(parents: ArrayLike<number>, bone: number, above: number): boolean {
  let b = bone;
  while (b > above) b = parents[b];
  return b === above;
}

function hingeOf(
  { figure, rest }: Body,
  upper: number,
  lower: number,
  kneeAxis: readonly number[],
  knee: readonly number[],
  ankle: readonly number[],
): KneeHinge | undefined {
  const { joint, limit } = figure.bones[lower];
  if (joint.type !== 'hinge') return undefined;
  const world = (bone: number) => rest.worldFromBone.subarray(12 * bone, 12 * bone + 9);
  const thighFromShank = mat3.multiply(mat3.transpose(world(upper)), world(lower));
  const along = mat3.multiplyVector(thighFromShank, joint.axis);
  const sign = vec3.dot(along, kneeAxis) < 0 ? -1 : 1;
  const range = limit?.type === 'interval' ? limit : { min: null, max: null };
  const [low, high] = [range.min ?? -Math.PI, range.max ?? Math.PI];
  const thighAxis = vec3.scale(along, sign);
  const straight = mat3.multiplyVector(thighFromShank, ankle);
  const share = vec3.dot(thighAxis, straight);
  const radial = vec3.addScaled(straight, thighAxis, -share);
  const tangential = vec3.cross(thighAxis, radial);
  const center = vec3.addScaled(knee, thighAxis, share);
  const [x, y] = [vec3.dot(knee, radial), vec3.dot(knee, tangential)];
  return {
    thighAxis,
    shankAxis: vec3.scale(joint.axis, sign),
    center,
    radial,
    tangential,
    square: vec3.normSquared(center) + vec3.normSquared(radial),
    amplitude: 2 * Math.hypot(x, y),
    phase: Math.atan2(y, x),
    thighFromShank,
    min: sign > 0 ? low : -high,
    max: sign > 0 ? high : -low,
  };
}

/** Length of the leg at the flexion within the range at which it is longest. */
function longestAt({ square, amplitude, phase, min, max }: KneeHinge): number {
  return Math.sqrt(square + amplitude * Math.cos(Math.min(Math.max(phase, min), max) - phase));
}

const thigh = /* @__PURE__ */ new Float64Array(3);
const shank = /* @__PURE__ */ new Float64Array(3);
const line = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
const axis0 = /* @__PURE__ */ new Float64Array(3);
const bend = /* @__PURE__ */ new Float64Array(3);
const forward = /* @__PURE__ */ new Float64Array(3);
const newLine = /* @__PURE__ */ new Float64Array(3);
const newThigh = /* @__PURE__ */ new Float64Array(3);
const newShank = /* @__PURE__ */ new Float64Array(3);
const unit = /* @__PURE__ */ new Float64Array(3);
const from = /* @__PURE__ */ new Float64Array(9);
const to = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const rotated = /* @__PURE__ */ new Float64Array(9);

/** Distance of the ankle from the hip joint that a leg may have: nearly straight, or as straight as it is carried. */
export function longestReach({ reach }: TwoBones, carried: number): number {
  return Math.max(MAX_EXTENSION * reach, Math.min(carried, reach));
}

/** Orientations of thigh and shank by which {@link solveLeg} starts; nine numbers each. */
export interface LegOrientations {
  readonly thigh: Float64Array;
  readonly shank: Float64Array;
}

export function createLegOrientations(): LegOrientations {
  return { thigh: new Float64Array(9), shank: new Float64Array(9) };
}

/**
 * Rotates thigh and shank from the carried orientations so that the ankle comes to `target`, or as near as the leg reaches. With the ankle where the
 * carried leg has it, nothing changes, hyperextended knees apart, which bend forward as far.
 *
 * @param hip - Hip joint, world.
 * @param swivel - Further rotation of the knee about the line from hip to ankle, rad.
 */
export function solveLeg(
  leg: TwoBones,
  carried: LegOrientations,
  hip: Float64Array,
  target: Float64Array,
  swivel: number,
  out: LegOrientations,
): void {
  const { thighLength, shankLength, hinge } = leg;
  const before = readBend(leg, carried);
  for (let k = 0; k < 3; k++) newLine[k] = target[k] - hip[k];
  const wanted = norm(newLine);
  // The thigh in the plane of the line and forward, and beside it.
  const beside = dot(thigh, axis);
  const inPlaneThigh = Math.sqrt(Math.max(0, thighLength * thighLength - beside * beside));
  const inPlaneShank = Math.sqrt(Math.max(0, shankLength * shankLength - beside * beside));
  const distance = Math.min(
    Math.max(wanted, Math.abs(inPlaneThigh - inPlaneShank) + 1e-6 * (thighLength + shankLength)),
    Math.min(longestReach(leg, before), inPlaneThigh + inPlaneShank),
  );
  if (wanted > 0) for (let k = 0; k < 3; k++) newLine[k] /= wanted;
  else newLine.set(line);
  writeFrame(line, axis, from, 0);
  turnAxis(swivel);
  if (hinge !== undefined) {
    solveHinge(hinge, distance, out);
    return;
  }
  // Law of cosines.
  const cosine =
    (inPlaneThigh * inPlaneThigh + distance * distance - inPlaneShank * inPlaneShank) /
    (2 * inPlaneThigh * distance);
  const angle = Math.acos(Math.min(1, Math.max(-1, cosine)));
  const x = inPlaneThigh * Math.cos(angle);
  const y = inPlaneThigh * Math.sin(angle);
  cross(newLine, axis, forward);
  for (let k = 0; k < 3; k++) {
    newThigh[k] = x * newLine[k] + y * forward[k] + beside * axis[k];
    newShank[k] = distance * newLine[k] - newThigh[k];
  }
  // Column 1 of `from` is the axis before.
  for (let k = 0; k < 3; k++) axis0[k] = from[3 * k + 1];
  carryAlong(thigh, axis0, newThigh, axis, carried.thigh, out.thigh);
  carryAlong(shank, axis0, newShank, axis, carried.shank, out.shank);
}

/**
 * Thigh, shank and the unit line from hip to ankle of the carried leg, and the axis of flexion, perpendicular to the line: across the bent knee, and its
 * axis at rest as the leg is straight.
 *
 * @returns the distance of the ankle from the hip joint.
 */
function readBend(
  { thighLength, shankLength, knee, ankle, kneeAxis }: TwoBones,
  carried: LegOrientations,
): number {
  rotateAt(carried.thigh, 0, knee, 0, thigh, 0);
  rotateAt(carried.shank, 0, ankle, 0, shank, 0);
  rotateAt(carried.thigh, 0, kneeAxis, 0, axis0, 0);
  for (let k = 0; k < 3; k++) line[k] = thigh[k] + shank[k];
  const distance = norm(line);
  if (distance > 0) for (let k = 0; k < 3; k++) line[k] /= distance;
  else for (let k = 0; k < 3; k++) line[k] = -axis0[k];
  perpendicularTo(line, axis0);
  cross(thigh, line, bend);
  const small = MIN_BEND * (thighLength + shankLength);
  const share = 1 - Math.min(1, Math.max(0, dot(bend, axis0) / small - 1));
  for (let k = 0; k < 3; k++) axis[k] = bend[k] + small * share * axis0[k];
  perpendicularTo(line, axis);
  return distance;
}

/** The axis with the line, by the shortest rotation, and by the swivel. */
function turnAxis(swivel: number): void {
  transport(line, newLine, axis);
  if (swivel !== 0) {
    cross(newLine, axis, forward);
    const c = Math.cos(swivel);
    const s = Math.sin(swivel);
    for (let k = 0; k < 3; k++) axis[k] = c * axis[k] + s * forward[k];
  }
  perpendicularTo(newLine, axis);
}

/** R' = F' F^T R, F the frame of a bone and the axis of its bend. */
function carryAlong(
  bone: Float64Array,
  bendAxis: Float64Array,
  newBone: Float64Array,
  newAxis: Float64Array,
  orientation: Float64Array,
  out: Float64Array,
): void {
  normalize(bone, unit);
  writeFrame(unit, bendAxis, from, 0);
  normalize(newBone, unit);
  writeFrame(unit, newAxis, to, 0);
  multiplyTransposedAt(to, 0, from, 0, rotation, 0);
  multiplyAt(rotation, 0, orientation, 0, rotated, 0);
  out.set(rotated);
}

/** A knee that is a hinge: its angle by the distance, then the thigh by the line and the axis. */
function solveHinge(hinge: KneeHinge, distance: number, out: LegOrientations): void {
  const { center, radial, tangential, square, amplitude, phase, thighAxis, thighFromShank } = hinge;
  const cosine = amplitude > 0 ? (distance * distance - square) / amplitude : 1;
  const flexion = phase + Math.acos(Math.min(1, Math.max(-1, cosine)));
  const angle = Math.min(Math.max(flexion, hinge.min), hinge.max);
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  for (let k = 0; k < 3; k++) unit[k] = center[k] + c * radial[k] + s * tangential[k];
  normalize(unit, unit);
  for (let k = 0; k < 3; k++) axis0[k] = thighAxis[k];
  writeFrame(unit, axis0, from, 0);
  writeFrame(newLine, axis, to, 0);
  multiplyTransposedAt(to, 0, from, 0, out.thigh, 0);
  matrixFromAxisAngle(hinge.shankAxis, angle, rotation);
  multiplyAt(thighFromShank, 0, rotation, 0, rotated, 0);
  multiplyAt(out.thigh, 0, rotated, 0, out.shank, 0);
}

/** Makes v perpendicular to a unit vector, and unit; any perpendicular where nothing is left. */
function perpendicularTo(u: Float64Array, v: Float64Array): void {
  const along = dot(u, v);
  for (let k = 0; k < 3; k++) v[k] -= along * u[k];
  const size = norm(v);
  if (size > 1e-12) for (let k = 0; k < 3; k++) v[k] /= size;
  else vec3.perpendicular(u, v);
}

/** Rotates v by the shortest rotation that takes one unit vector to another. */
function transport(a: Float64Array, b: Float64Array, v: Float64Array): void {
  const cosine = dot(a, b);
  if (cosine < -0.999999) return;
  // R v = v + w x v + w x (w x v) / (1 + c), w = a x b.
  const wx = a[1] * b[2] - a[2] * b[1];
  const wy = a[2] * b[0] - a[0] * b[2];
  const wz = a[0] * b[1] - a[1] * b[0];
  const x = wy * v[2] - wz * v[1];
  const y = wz * v[0] - wx * v[2];
  const z = wx * v[1] - wy * v[0];
  const f = 1 / (1 + cosine);
  v[0] += x + f * (wy * z - wz * y);
  v[1] += y + f * (wz * x - wx * z);
  v[2] += z + f * (wx * y - wy * x);
}
