/** Toes that would be below the ground are bent up onto it. */
import * as vec3 from '../../math/geometry/vec3.js';
import { matrixFromAxisAngle } from '../../rotation/rotation-vector/axis-angle.js';
import { copyAt, multiplyAt, rotateAt } from '../kernel/rotations.js';
import type { JointWriter } from './joint-writer.js';
import type { Leg } from './leg.js';

const tip = [0, 0, 0];
const axis = [0, 0, 0];
const side = [0, 0, 0];
const local = /* @__PURE__ */ new Float64Array(3);
const base = /* @__PURE__ */ new Float64Array(3);
const turn = /* @__PURE__ */ new Float64Array(9);
const turned = /* @__PURE__ */ new Float64Array(9);

/** Rotates the orientation of the toes about the left of the foot, which is placed, until their tip is not below the ground. */
export function levelToes(
  { world, rest, figure }: JointWriter,
  leg: Leg,
  rotation: Float64Array,
  up: ArrayLike<number>,
  ground: number,
): void {
  if (leg.toeTip === undefined) return;
  const parent = figure.parents[leg.toes];
  copyAt(rest, 12 * leg.toes + 9, local, 0, 3);
  rotateAt(world, 12 * parent, local, 0, base, 0);
  let height = 0;
  for (let k = 0; k < 3; k++) height += (base[k] + world[12 * parent + 9 + k]) * up[k];
  rotateAt(rotation, 0, leg.toeTip, 0, tip, 0);
  const wanted = ground - height;
  const now = vec3.dot(tip, up);
  if (now >= wanted) return;
  // Height of the tip over the joint at an angle about the axis: constant + x cos + y sin.
  rotateAt(world, 12 * leg.foot, leg.footLeft, 0, axis, 0);
  const constant = vec3.dot(tip, axis) * vec3.dot(axis, up);
  vec3.cross(axis, tip, side);
  const x = now - constant;
  const y = vec3.dot(side, up);
  const size = Math.hypot(x, y);
  if (!(size > 0)) return;
  const middle = Math.atan2(y, x);
  const spread = Math.acos(Math.min(1, Math.max(-1, (wanted - constant) / size)));
  const angles = [middle - spread, middle + spread].map((angle) =>
    Math.atan2(Math.sin(angle), Math.cos(angle)),
  );
  const angle = Math.abs(angles[0]) < Math.abs(angles[1]) ? angles[0] : angles[1];
  matrixFromAxisAngle(axis, angle, turn);
  multiplyAt(turn, 0, rotation, 0, turned, 0);
  rotation.set(turned);
}
