import type { FigureState } from '../../figure/state.js';
import * as quat from '../../math/quat.js';
import type { MutableNumbers, Numbers, Quat } from '../../math/types.js';
import { writeRightJacobianInverse } from '../../rotation/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/log.js';
import { type BoneOrientation, isCarried } from '../goal.js';
import { requireDirection } from './checks.js';

const boneQuat = /* @__PURE__ */ new Float64Array(4);
const targetQuat = /* @__PURE__ */ new Float64Array(4);
const matrix = /* @__PURE__ */ new Float64Array(9);

/** What an orientation part needs to know. */
export interface OrientationData {
  readonly offset?: Quat;
  readonly target: Quat | BoneOrientation;
}

/** r = log(R_target^-1 R_bone). */
export function writeTurn(
  state: FigureState,
  bone: number,
  targetBone: number,
  data: OrientationData,
  out: MutableNumbers,
): void {
  worldQuat(state, bone, data.offset, boneQuat);
  readTarget(state, targetBone, data.target, targetQuat);
  quat.conjugate(targetQuat, targetQuat);
  quat.multiply(targetQuat, boneQuat, targetQuat);
  rotationVectorFromQuat(targetQuat, undefined, out);
}

/** dr by the angular velocity of the bone against the target, world axes: J_r^-1(r) R_bone^T; r at turn[o ...]. */
export function writeTurnRows(
  state: FigureState,
  bone: number,
  { offset }: OrientationData,
  turn: Numbers,
  o: number,
  out: MutableNumbers,
): void {
  worldQuat(state, bone, offset, boneQuat);
  quat.toMatrix(boneQuat, matrix);
  writeRightJacobianInverse(turn[o], turn[o + 1], turn[o + 2], out, 0);
  multiplyByTranspose(out, matrix);
}

/** World orientation of the goal frame on a bone. */
export function worldQuat(
  state: FigureState,
  bone: number,
  offset: Quat | undefined,
  out: MutableNumbers,
): void {
  const m = state.worldFromBone;
  for (let k = 0; k < 9; k++) matrix[k] = m[12 * bone + k];
  quat.fromMatrix(matrix, out);
  if (offset !== undefined) quat.multiply(out, offset, out);
  quat.normalize(out, out);
}

function readTarget(
  state: FigureState,
  targetBone: number,
  target: Quat | BoneOrientation,
  out: MutableNumbers,
): void {
  if (targetBone >= 0) worldQuat(state, targetBone, (target as BoneOrientation).offset, out);
  else quat.normalize(target as Quat, out);
}

/** a = a b^T, 3x3 row by row. */
export function multiplyByTranspose(a: MutableNumbers, b: Numbers): void {
  for (let r = 0; r < 9; r += 3) {
    const x = a[r];
    const y = a[r + 1];
    const z = a[r + 2];
    a[r] = x * b[0] + y * b[1] + z * b[2];
    a[r + 1] = x * b[3] + y * b[4] + z * b[5];
    a[r + 2] = x * b[6] + y * b[7] + z * b[8];
  }
}

/** Checks a target in the world, which may have moved. */
export function checkOrientation({ target }: OrientationData, path: string): void {
  if (!isCarried(target)) requireDirection(target, 4, `${path}.target`);
}

/** The data with a world target in general position. */
export function generalOrientation<D extends OrientationData>(data: D, random: () => number): D {
  return isCarried(data.target) ? data : { ...data, target: [random(), random(), random(), random()] };
}
