/** Toes bend about the left of their foot, and up where they would be below the ground. */
import * as quat from '../../math/geometry/quat.js';
import { unset4 } from '../../math/linear/unset.js';
import { matrixFromAxisAngle } from '../../rotation/rotation-vector/axis-angle.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt } from '../kernel/rotations.js';
import { cross, dot } from '../kernel/vectors.js';
import type { JointWriter } from './joint-writer.js';
import type { Leg } from './leg.js';

const tip = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
const side = /* @__PURE__ */ new Float64Array(3);
const difference = /* @__PURE__ */ unset4();
const local = /* @__PURE__ */ new Float64Array(3);
const base = /* @__PURE__ */ new Float64Array(3);
const straight = /* @__PURE__ */ new Float64Array(9);
const turn = /* @__PURE__ */ new Float64Array(9);
const rotated = /* @__PURE__ */ new Float64Array(9);

/**
 * World orientation of the toes with the foot, which is placed: bent as they are carried, without the roll and the heading of their own.
 *
 * @param carried - Orientations with that of the toes from `o`; undefined for toes that are not carried, which are straight.
 */
export function bendToes(
  { world, rest, figure }: JointWriter,
  leg: Leg,
  carried: Float64Array | undefined,
  o: number,
  out: Float64Array,
): void {
  multiplyAt(world, 12 * figure.parents[leg.toes], rest, 12 * leg.toes, straight, 0);
  if (carried === undefined) {
    out.set(straight);
    return;
  }
  rotateAt(world, 12 * leg.foot, leg.footLeft, 0, axis, 0);
  multiplyTransposedAt(carried, o, straight, 0, turn, 0);
  quat.fromMatrix(turn, difference);
  // The rotation about the axis nearest to it.
  const along = difference[0] * axis[0] + difference[1] * axis[1] + difference[2] * axis[2];
  matrixFromAxisAngle(axis, 2 * Math.atan2(along, difference[3]), turn);
  multiplyAt(turn, 0, straight, 0, out, 0);
}

/**
 * Rotates the orientation of the toes about the left of the foot: towards the ground by a share of the angle, and until their tips are not below it.
 *
 * @param share - 1 for toes that lie on the ground.
 * @returns whether they are rotated.
 */
export function levelToes(
  { world, rest, figure }: JointWriter,
  leg: Leg,
  rotation: Float64Array,
  up: ArrayLike<number>,
  ground: number,
  share: number,
): boolean {
  const parent = figure.parents[leg.toes];
  copyAt(rest, 12 * leg.toes + 9, local, 0, 3);
  rotateAt(world, 12 * parent, local, 0, base, 0);
  let height = 0;
  for (let k = 0; k < 3; k++) height += (base[k] + world[12 * parent + 9 + k]) * up[k];
  const wanted = ground - height;
  rotateAt(world, 12 * leg.foot, leg.footLeft, 0, axis, 0);
  let isRotated = false;
  // Down by the tip that comes to the ground first, if both are above it; then up by each that is below.
  let drop = share < MIN_SHARE ? 0 : MAX_DROP;
  for (const point of leg.toeSole) {
    if (drop > 0) drop = Math.max(0, Math.min(drop, angleToHeight(rotation, point, up, wanted, 1)));
  }
  if (drop > 0) {
    rotateAboutAxis(rotation, share * drop);
    isRotated = true;
  }
  // What is behind the joint is lifted as the tips go down, as far as they may.
  let tilt = 0;
  for (const point of leg.toeBack) tilt = Math.max(tilt, angleToHeight(rotation, point, up, wanted, 1, -1));
  if (tilt > 0) {
    rotateAboutAxis(rotation, tilt);
    isRotated = true;
  }
  for (const point of leg.toeSole) {
    const rise = angleToHeight(rotation, point, up, wanted, -1);
    if (!(rise > 0)) continue;
    rotateAboutAxis(rotation, -rise);
    isRotated = true;
  }
  return isRotated;
}

/**
 * Angle about the axis, in the direction of `sign`, at which a point first comes to a height; -1 for one that is on the other side of it.
 *
 * @param from - Side of the height on which the point is: above it 1, below it -1.
 */
function angleToHeight(
  rotation: Float64Array,
  point: readonly number[],
  up: ArrayLike<number>,
  wanted: number,
  sign: 1 | -1,
  from = sign,
): number {
  rotateAt(rotation, 0, point, 0, tip, 0);
  const now = tip[0] * up[0] + tip[1] * up[1] + tip[2] * up[2];
  if (from * (now - wanted) < 0) return -1;
  // Height of the tip over the joint at an angle: constant + x cos + y sin. Up is negative about the left.
  const constant = dot(tip, axis) * (axis[0] * up[0] + axis[1] * up[1] + axis[2] * up[2]);
  cross(axis, tip, side);
  const x = now - constant;
  const y = side[0] * up[0] + side[1] * up[1] + side[2] * up[2];
  const size = Math.sqrt(x * x + y * y);
  if (!(size > 0)) return 0;
  const middle = Math.atan2(y, x);
  const spread = Math.acos(Math.min(1, Math.max(-1, (wanted - constant) / size)));
  return Math.min(onward(sign * (middle - spread)), onward(sign * (middle + spread)));
}

function rotateAboutAxis(rotation: Float64Array, angle: number): void {
  matrixFromAxisAngle(axis, angle, turn);
  multiplyAt(turn, 0, rotation, 0, rotated, 0);
  rotation.set(rotated);
}

/** Share below which toes are left where they are. */
const MIN_SHARE = 1e-3;
/** Angle up to which lifted toes are laid down, rad. */
const MAX_DROP = 0.8;

/** The equivalent angle from 0 to 2 pi; 0 for one that rounding has made negative. */
function onward(angle: number): number {
  const positive = angle - 2 * Math.PI * Math.floor(angle / (2 * Math.PI));
  return positive > 2 * Math.PI - 1e-6 ? 0 : positive;
}
