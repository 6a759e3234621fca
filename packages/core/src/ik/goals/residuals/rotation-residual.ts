import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import type { Quat } from '../../../math/linear/types.js';
import { requireDirection } from '../types/checks.js';
import { type AxisMask, type BoneOrientation, isCarried } from '../types/goal.js';

const boneQuat = /* @__PURE__ */ new Float64Array(4);
const targetQuat = /* @__PURE__ */ new Float64Array(4);
const offsetQuat = /* @__PURE__ */ new Float64Array(4);

/** Data of an orientation component. */
export interface OrientationData {
  readonly offset?: Quat;
  readonly target: Quat | BoneOrientation;
  /** Undefined for ones. */
  readonly mask?: AxisMask | undefined;
}

/**
 * r = log(R_target^-1 R_bone).
 *
 * The quaternions are not normalized, because the logarithm does not depend on their length: r = 2 atan2(|v|, |w|) v/|v|, w and v the
 * scalar and the vector part of conj(target) bone, v with the sign of w. Inlined on Float64Arrays: with the megamorphic functions of
 * `quat` a pose goal took a quarter longer.
 */
export function writeRotationVector(
  state: FigureState,
  bone: number,
  targetBone: number,
  data: OrientationData,
  out: Float64Array,
): void {
  writeWorldQuat(state, bone, data.offset, boneQuat);
  if (targetBone >= 0) {
    writeWorldQuat(state, targetBone, (data.target as BoneOrientation).offset, targetQuat);
  } else {
    copyQuat(data.target as Quat, targetQuat);
  }
  const bx = boneQuat[0];
  const by = boneQuat[1];
  const bz = boneQuat[2];
  const bw = boneQuat[3];
  const tx = targetQuat[0];
  const ty = targetQuat[1];
  const tz = targetQuat[2];
  const tw = targetQuat[3];
  const x = tw * bx - tx * bw - ty * bz + tz * by;
  const y = tw * by - ty * bw - tz * bx + tx * bz;
  const z = tw * bz - tz * bw - tx * by + ty * bx;
  const w = tw * bw + tx * bx + ty * by + tz * bz;
  const n = Math.sqrt(x * x + y * y + z * z);
  const size = n > 0 ? (2 * Math.atan2(n, Math.abs(w))) / n : 0;
  const scale = w < 0 ? -size : size;
  out[0] = scale * x;
  out[1] = scale * y;
  out[2] = scale * z;
}

/** World axes of the goal's frame on a bone, R_bone R_offset, 9 numbers row by row. */
export function writeGoalAxes(
  state: FigureState,
  bone: number,
  offset: Quat | undefined,
  out: Float64Array,
): void {
  if (rotates(offset)) {
    writeWorldQuat(state, bone, offset, boneQuat);
    quat.toMatrix(quat.normalize(boneQuat, boneQuat), out);
  } else {
    for (let k = 0; k < 9; k++) out[k] = state.worldFromBone[12 * bone + k];
  }
}

/** World orientation of the goal's frame, length 1 to 8: the longest of the four columns of 4 q q^T (each a multiple of q), times the offset. */
function writeWorldQuat(
  { worldFromBone: m }: FigureState,
  bone: number,
  offset: Quat | undefined,
  out: Float64Array,
): void {
  const o = 12 * bone;
  const m0 = m[o];
  const m4 = m[o + 4];
  const m8 = m[o + 8];
  const xx = 1 + m0 - m4 - m8;
  const yy = 1 - m0 + m4 - m8;
  const zz = 1 - m0 - m4 + m8;
  const ww = 1 + m0 + m4 + m8;
  const xy = m[o + 3] + m[o + 1];
  const xz = m[o + 2] + m[o + 6];
  const yz = m[o + 7] + m[o + 5];
  const xw = m[o + 7] - m[o + 5];
  const yw = m[o + 2] - m[o + 6];
  const zw = m[o + 3] - m[o + 1];
  let x: number;
  let y: number;
  let z: number;
  let w: number;
  if (ww >= xx && ww >= yy && ww >= zz) {
    x = xw;
    y = yw;
    z = zw;
    w = ww;
  } else if (xx >= yy && xx >= zz) {
    x = xx;
    y = xy;
    z = xz;
    w = xw;
  } else if (yy >= zz) {
    x = xy;
    y = yy;
    z = yz;
    w = yw;
  } else {
    x = xz;
    y = yz;
    z = zz;
    w = zw;
  }
  if (offset === undefined || !rotates(offset)) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
    return;
  }
  copyQuat(offset, offsetQuat);
  const ax = offsetQuat[0];
  const ay = offsetQuat[1];
  const az = offsetQuat[2];
  const aw = offsetQuat[3];
  out[0] = w * ax + x * aw + y * az - z * ay;
  out[1] = w * ay - x * az + y * aw + z * ax;
  out[2] = w * az + x * ay - y * ax + z * aw;
  out[3] = w * aw - x * ax - y * ay - z * az;
}

/** Range of squared lengths in which products of quaternions neither overflow nor underflow. */
const MIN_SQUARED_LENGTH = 1e-60;
const MAX_SQUARED_LENGTH = 1e60;

/** Copies the caller's quaternion, of any nonzero length; normalized where its square is out of range. */
function copyQuat(q: Quat, out: Float64Array): void {
  const x = q[0];
  const y = q[1];
  const z = q[2];
  const w = q[3];
  const square = x * x + y * y + z * z + w * w;
  if (square > MIN_SQUARED_LENGTH && square < MAX_SQUARED_LENGTH) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
  } else {
    quat.normalize(q, out);
  }
}

/** Whether a quaternion is given and not the identity. */
function rotates(q: Quat | undefined): boolean {
  return q !== undefined && (q[0] !== 0 || q[1] !== 0 || q[2] !== 0);
}

/** Checks a world target, which the caller may have changed. */
export function checkOrientation({ target }: OrientationData, path: string): void {
  if (!isCarried(target)) requireDirection(target, 4, `${path}.target`);
}

/** The data with a generic world target. */
export function genericOrientation(data: OrientationData, random: () => number): OrientationData {
  return isCarried(data.target) ? data : { ...data, target: [random(), random(), random(), random()] };
}
