/** Poses of the figure as configurations of a robot's joints, and back. */
import type { Numbers } from '../../math/linear/types.js';
import { FREE, type RobotTree } from './tree.js';

/** A configuration: values of hinges and sliders by coordinate; of free joints position and unit quaternion in the world, by joint. */
export interface Configuration {
  readonly values: Float64Array;
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
}

export function createConfiguration({ size, joints }: RobotTree): Configuration {
  return {
    values: new Float64Array(size),
    positions: new Float64Array(3 * joints),
    rotations: new Float64Array(4 * joints),
  };
}

export function copyConfiguration(from: Configuration, to: Configuration): void {
  to.values.set(from.values);
  to.positions.set(from.positions);
  to.rotations.set(from.rotations);
}

/** to = last (before^-1 last): the step from `before` to `last` once more. */
export function extrapolate(
  { joints, kind }: RobotTree,
  before: Configuration,
  last: Configuration,
  to: Configuration,
): void {
  for (let i = 0; i < last.values.length; i++) to.values[i] = 2 * last.values[i] - before.values[i];
  for (let j = 0; j < joints; j++) {
    if (kind[j] !== FREE) continue;
    for (let k = 3 * j; k < 3 * j + 3; k++) to.positions[k] = 2 * last.positions[k] - before.positions[k];
    const o = 4 * j;
    for (let k = 0; k < 3; k++) turn[k] = -before.rotations[o + k];
    turn[3] = before.rotations[o + 3];
    writeProduct(last.rotations, o, turn, 0, product, 0);
    writeProduct(product, 0, last.rotations, o, to.rotations, o);
    normalize(to.rotations, o);
  }
}

/** Scales a quaternion to unit length. */
export function normalize(q: Float64Array, o: number): void {
  const norm = 1 / Math.sqrt(q[o] * q[o] + q[o + 1] * q[o + 1] + q[o + 2] * q[o + 2] + q[o + 3] * q[o + 3]);
  for (let k = o; k < o + 4; k++) q[k] *= norm;
}

const turn = /* @__PURE__ */ new Float64Array(4);
const product = /* @__PURE__ */ new Float64Array(4);
const moved = /* @__PURE__ */ new Float64Array(3);

/** Reads a pose. */
export function configurationFromPose(tree: RobotTree, pose: Numbers, out: Configuration): void {
  for (let i = 0; i < tree.size; i++) out.values[i] = pose[tree.inPose[i]];
  for (let j = 0; j < tree.joints; j++) {
    if (tree.kind[j] !== FREE) continue;
    const i = tree.inPose[tree.first[j]];
    writeExponential(pose[i + 3], pose[i + 4], pose[i + 5], turn);
    writeProduct(tree.restRotation, 4 * j, turn, 0, out.rotations, 4 * j);
    writeRotated(tree.restRotation, 4 * j, pose[i], pose[i + 1], pose[i + 2], moved);
    for (let k = 0; k < 3; k++) out.positions[3 * j + k] = tree.restPosition[3 * j + k] + moved[k];
  }
}

/** Writes the coordinates of the joints; other coordinates of the pose are left as they are. */
export function poseFromConfiguration(tree: RobotTree, from: Configuration, pose: Float64Array): void {
  const { restRotation, restPosition } = tree;
  for (let i = 0; i < tree.size; i++) pose[tree.inPose[i]] = from.values[i];
  for (let j = 0; j < tree.joints; j++) {
    if (tree.kind[j] !== FREE) continue;
    const i = tree.inPose[tree.first[j]];
    for (let k = 0; k < 3; k++) turn[k] = -restRotation[4 * j + k];
    turn[3] = restRotation[4 * j + 3];
    const p = from.positions;
    const o = 3 * j;
    writeRotated(
      turn,
      0,
      p[o] - restPosition[o],
      p[o + 1] - restPosition[o + 1],
      p[o + 2] - restPosition[o + 2],
      moved,
    );
    for (let k = 0; k < 3; k++) pose[i + k] = moved[k];
    writeProduct(turn, 0, from.rotations, 4 * j, product, 0);
    writeLogarithm(product[0], product[1], product[2], product[3], moved, 0);
    for (let k = 0; k < 3; k++) pose[i + 3 + k] = moved[k];
  }
}

/** out = a b, quaternions. `out` may be neither. */
export function writeProduct(
  a: Numbers,
  i: number,
  b: Numbers,
  k: number,
  out: Float64Array,
  o: number,
): void {
  const ax = a[i];
  const ay = a[i + 1];
  const az = a[i + 2];
  const aw = a[i + 3];
  const bx = b[k];
  const by = b[k + 1];
  const bz = b[k + 2];
  const bw = b[k + 3];
  out[o] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[o + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** out = R(q) v. */
export function writeRotated(
  q: Numbers,
  i: number,
  vx: number,
  vy: number,
  vz: number,
  out: Float64Array,
): void {
  const x = q[i];
  const y = q[i + 1];
  const z = q[i + 2];
  const w = q[i + 3];
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + (y * tz - z * ty);
  out[1] = vy + w * ty + (z * tx - x * tz);
  out[2] = vz + w * tz + (x * ty - y * tx);
}

/** out = exp(v / 2), a unit quaternion: sin(t/2)/t v, cos(t/2). */
export function writeExponential(vx: number, vy: number, vz: number, out: Float64Array): void {
  const t = Math.sqrt(vx * vx + vy * vy + vz * vz);
  const s = t < 1e-4 ? 0.5 - (t * t) / 48 : Math.sin(0.5 * t) / t;
  out[0] = s * vx;
  out[1] = s * vy;
  out[2] = s * vz;
  out[3] = Math.cos(0.5 * t);
}

/** out = rotation vector of a quaternion of any length, |out| at most pi. */
export function writeLogarithm(
  x: number,
  y: number,
  z: number,
  w: number,
  out: Float64Array,
  o: number,
): void {
  const sine = Math.sqrt(x * x + y * y + z * z);
  const sign = w < 0 ? -1 : 1;
  // angle / sin(angle / 2); 2 / |w| near zero.
  const scale = sine < 1e-12 ? 2 / w : (sign * 2 * Math.atan2(sine, sign * w)) / sine;
  out[o] = scale * x;
  out[o + 1] = scale * y;
  out[o + 2] = scale * z;
}
