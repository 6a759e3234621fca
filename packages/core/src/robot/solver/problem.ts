/** The weighted objective of a table of matches, and its workspace. */

import type { Targets } from '../targets/targets.js';
import { type Configuration, createConfiguration, writeLogarithm, writeRotated } from '../tree/pose.js';
import { FREE, HINGE, type RobotTree } from '../tree/tree.js';
import { createPattern, type TreePattern } from './tree-matrix.js';

/** Matches of one table that have a weight. Arrays by match. */
export interface Table {
  readonly size: number;
  /** Joint that the bone moves with, `RobotTree.joints` for the world, and the bone's frame there. */
  readonly joint: Int32Array;
  readonly rotation: Float64Array;
  readonly position: Float64Array;
  /** Index of the human's body. */
  readonly body: Int32Array;
  /** w_p^2, w_r^2. */
  readonly positionWeight: Float64Array;
  readonly rotationWeight: Float64Array;
}

/** Arrays of the minimization. Points are relative to `origin`, so that far from the world's origin nothing cancels. */
export interface Workspace {
  readonly tree: RobotTree;
  /** Pattern of the Hessian of the tree, and of one without zeros, for the support. */
  readonly pattern: TreePattern;
  readonly densePattern: TreePattern;
  /** World frames of the joints at the configuration last evaluated, then of the world. */
  readonly rotations: Float64Array;
  readonly positions: Float64Array;
  /** World axes of hinges and sliders. */
  readonly axes: Float64Array;
  readonly origin: Float64Array;
  /** Of each match: point relative to the origin, position error and rotation error, 9 numbers. */
  readonly errors: Float64Array;
  /** Sums over what a joint moves, {@link SUMS} numbers a joint. */
  readonly sums: Float64Array;
  /** Motion of each coordinate about the origin: angular, then linear velocity, 6 numbers. */
  readonly motions: Float64Array;
  readonly gradient: Float64Array;
  /** In the pattern of the tree, or dense. */
  readonly hessian: Float64Array;
  /** Diagonal of the Gauss-Newton matrix. */
  readonly scale: Float64Array;
  readonly factor: Float64Array;
  readonly step: Float64Array;
  readonly product: Float64Array;
  /** -1, 1 for a coordinate fixed at its lower or upper bound, 0 for a free one. */
  readonly fixed: Int8Array;
  /** Bounds of the frame. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly trial: Configuration;
}

/** Numbers of `Workspace.sums` a joint. */
export const SUMS = 36;

export function createWorkspace(tree: RobotTree, matches: number): Workspace {
  const { joints, size } = tree;
  const densePattern = createPattern(Int32Array.from({ length: size }, (_, i) => i - 1));
  return {
    tree,
    pattern: createPattern(tree.parents),
    densePattern,
    // Of the world: the identity.
    rotations: Float64Array.from({ length: 4 * joints + 4 }, (_, k) => (k === 4 * joints + 3 ? 1 : 0)),
    positions: new Float64Array(3 * joints + 3),
    axes: new Float64Array(3 * joints),
    origin: new Float64Array(3),
    errors: new Float64Array(9 * matches),
    sums: new Float64Array(SUMS * (joints + 1)),
    motions: new Float64Array(6 * size),
    gradient: new Float64Array(size),
    hessian: new Float64Array(densePattern.length),
    scale: new Float64Array(size),
    factor: new Float64Array(densePattern.length),
    step: new Float64Array(size),
    product: new Float64Array(size),
    fixed: new Int8Array(size),
    lower: new Float64Array(size),
    upper: new Float64Array(size),
    trial: createConfiguration(tree),
  };
}

const rotated = /* @__PURE__ */ new Float64Array(3);

/** World frames of all joints, and the axes of hinges and sliders. */
export function updateFrames(work: Workspace, at: Configuration): void {
  const { tree, rotations, positions, axes, origin } = work;
  const { kind, parent, first, restRotation, restPosition, axis } = tree;
  const { values } = at;
  for (let j = 0; j < tree.joints; j++) {
    const i = 4 * j;
    const o = 3 * j;
    if (kind[j] === FREE) {
      for (let k = 0; k < 4; k++) rotations[i + k] = at.rotations[i + k];
      for (let k = 0; k < 3; k++) positions[o + k] = at.positions[o + k];
      continue;
    }
    // Frame of the joint at zero: R_p R_rest, p_p + R_p p_rest.
    let x = restRotation[i];
    let y = restRotation[i + 1];
    let z = restRotation[i + 2];
    let w = restRotation[i + 3];
    let px = restPosition[o];
    let py = restPosition[o + 1];
    let pz = restPosition[o + 2];
    const p = parent[j];
    if (p >= 0) {
      const ax = rotations[4 * p];
      const ay = rotations[4 * p + 1];
      const az = rotations[4 * p + 2];
      const aw = rotations[4 * p + 3];
      let tx = 2 * (ay * pz - az * py);
      let ty = 2 * (az * px - ax * pz);
      let tz = 2 * (ax * py - ay * px);
      px += positions[3 * p] + aw * tx + (ay * tz - az * ty);
      py += positions[3 * p + 1] + aw * ty + (az * tx - ax * tz);
      pz += positions[3 * p + 2] + aw * tz + (ax * ty - ay * tx);
      tx = aw * x + ax * w + ay * z - az * y;
      ty = aw * y - ax * z + ay * w + az * x;
      tz = aw * z + ax * y - ay * x + az * w;
      w = aw * w - ax * x - ay * y - az * z;
      x = tx;
      y = ty;
      z = tz;
    }
    // World axis, R a.
    const ux = axis[o];
    const uy = axis[o + 1];
    const uz = axis[o + 2];
    const tx = 2 * (y * uz - z * uy);
    const ty = 2 * (z * ux - x * uz);
    const tz = 2 * (x * uy - y * ux);
    const ax = ux + w * tx + (y * tz - z * ty);
    const ay = uy + w * ty + (z * tx - x * tz);
    const az = uz + w * tz + (x * ty - y * tx);
    axes[o] = ax;
    axes[o + 1] = ay;
    axes[o + 2] = az;
    const q = values[first[j]];
    if (kind[j] === HINGE) {
      // R' = exp(q [R a]) R.
      const s = Math.sin(0.5 * q);
      const c = Math.cos(0.5 * q);
      const sx = s * ax;
      const sy = s * ay;
      const sz = s * az;
      rotations[i] = c * x + sx * w + sy * z - sz * y;
      rotations[i + 1] = c * y - sx * z + sy * w + sz * x;
      rotations[i + 2] = c * z + sx * y - sy * x + sz * w;
      rotations[i + 3] = c * w - sx * x - sy * y - sz * z;
    } else {
      rotations[i] = x;
      rotations[i + 1] = y;
      rotations[i + 2] = z;
      rotations[i + 3] = w;
      px += q * ax;
      py += q * ay;
      pz += q * az;
    }
    positions[o] = px;
    positions[o + 1] = py;
    positions[o + 2] = pz;
  }
  for (let k = 0; k < 3; k++) origin[k] = tree.root >= 0 ? positions[3 * tree.root + k] : 0;
}

/**
 * Objective sum w_p^2 |x - x*|^2 + w_r^2 |log(R* R^-1)|^2 at the frames last updated; writes `errors`.
 */
export function evaluate(work: Workspace, table: Table, targets: Targets): number {
  const { rotations, positions, origin, errors } = work;
  const { joint, body, rotation, position, positionWeight, rotationWeight } = table;
  let sum = 0;
  for (let m = 0; m < table.size; m++) {
    const j = joint[m];
    const o = 9 * m;
    // x = p + R r
    const px = position[3 * m];
    const py = position[3 * m + 1];
    const pz = position[3 * m + 2];
    writeRotated(rotations, 4 * j, px, py, pz, rotated);
    const x = positions[3 * j] + rotated[0];
    const y = positions[3 * j + 1] + rotated[1];
    const z = positions[3 * j + 2] + rotated[2];
    errors[o] = x - origin[0];
    errors[o + 1] = y - origin[1];
    errors[o + 2] = z - origin[2];
    const b = body[m];
    const ex = targets.positions[3 * b] - x;
    const ey = targets.positions[3 * b + 1] - y;
    const ez = targets.positions[3 * b + 2] - z;
    errors[o + 3] = ex;
    errors[o + 4] = ey;
    errors[o + 5] = ez;
    sum += positionWeight[m] * (ex * ex + ey * ey + ez * ez);
    if (rotationWeight[m] === 0) continue;
    // R* (R R_m)^-1 = (R* R_m^-1) R^-1
    const sx = targets.rotations[4 * b];
    const sy = targets.rotations[4 * b + 1];
    const sz = targets.rotations[4 * b + 2];
    const sw = targets.rotations[4 * b + 3];
    const mx = -rotation[4 * m];
    const my = -rotation[4 * m + 1];
    const mz = -rotation[4 * m + 2];
    const mw = rotation[4 * m + 3];
    const ax = sw * mx + sx * mw + sy * mz - sz * my;
    const ay = sw * my - sx * mz + sy * mw + sz * mx;
    const az = sw * mz + sx * my - sy * mx + sz * mw;
    const aw = sw * mw - sx * mx - sy * my - sz * mz;
    const bx = -rotations[4 * j];
    const by = -rotations[4 * j + 1];
    const bz = -rotations[4 * j + 2];
    const bw = rotations[4 * j + 3];
    writeLogarithm(
      aw * bx + ax * bw + ay * bz - az * by,
      aw * by - ax * bz + ay * bw + az * bx,
      aw * bz + ax * by - ay * bx + az * bw,
      aw * bw - ax * bx - ay * by - az * bz,
      errors,
      o + 6,
    );
    const rx = errors[o + 6];
    const ry = errors[o + 7];
    const rz = errors[o + 8];
    sum += rotationWeight[m] * (rx * rx + ry * ry + rz * rz);
  }
  return sum;
}
