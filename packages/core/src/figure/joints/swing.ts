import * as quat from '../../math/quat.js';
import type { MutableNumbers, Numbers } from '../../math/types.js';
import { writeRightJacobian, writeRotationMatrix } from '../../rotation/kernels.js';
import { decomposeSwingTwist, type SwingTwist } from '../../rotation/swing-twist.js';
import type { JointData } from '../types.js';
import { cross, swingSide, unitAxis } from './axes.js';
import { copyRate, type JointBatch, type JointType, writeTurningColumn } from './joint.js';
import { beginAxisDerivatives, writeAxisDerivative } from './rotation-vector-derivatives.js';
import { beginTurningDerivatives, writeTurningDerivative } from './turning-derivatives.js';

const jacobian = /* @__PURE__ */ new Float64Array(9);
const vector = /* @__PURE__ */ new Float64Array(3);
const vectorRate = /* @__PURE__ */ new Float64Array(3);
const before = /* @__PURE__ */ new Float64Array(9);
const swingAxes = /* @__PURE__ */ new Float64Array(6);
const quaternion: number[] = [0, 0, 0, 1];
const plane: { readonly s: number[]; readonly t: number[] } = { s: [1, 0, 0], t: [0, 1, 0] };
const swingTwist: SwingTwist = { swing: [0, 0], twist: 0, degenerate: false };

/**
 * Two coordinates (r_s, r_t): J = exp([v]), v = r_s s + r_t t, with s and t normal to the limb's axis, so no twist
 * coordinate (paper section 5). S = J_r(v) [s t].
 */
export const swingJoint: JointType<Extract<JointData, { type: 'swing' }>> = {
  dof: 2,
  turns: true,
  translations: 0,
  rotationVector: -1,
  bodyTurn: false,
  stride: 6,
  normalize(data, path) {
    const axis = unitAxis(data.axis, `${path}.axis`);
    return { type: 'swing', axis, side: swingSide(axis, data.side, `${path}.side`) };
  },
  pack: (data) => packSwingPlane(data.axis, data.side),
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeSwingRotation(p, 6 * k, q[coordinates[k]], q[coordinates[k] + 1], out, 12 * bones[k]);
    }
  },
  writeColumns(batch, q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    const a = swingAxes;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      const w = 12 * bones[k];
      writeSwingAxes(parameters, 6 * k, q[i], q[i + 1], a);
      writeTurningColumn(worldFromBone, w, a[0], a[1], a[2], out, 6 * i);
      writeTurningColumn(worldFromBone, w, a[3], a[4], a[5], out, 6 * i + 6);
    }
  },
  writeAxisDerivatives(batch, q, worldFromBone, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeSwingDerivatives(p, 6 * k, q, coordinates[k], worldFromBone, 12 * bones[k], out);
    }
  },
  coordinateRate: copyRate,
  jointVelocity: copyRate,
  branches: 1,
  /** The swing that takes the limb's axis where R takes it; a twist of R is left out. */
  readCoordinates(batch, k, transform, _branch, q) {
    const { swing } = readSwingTwist(batch.parameters, 6 * k, transform);
    q[batch.coordinates[k]] = swing[0];
    q[batch.coordinates[k] + 1] = swing[1];
  },
};

/** Swing in the plane s, t at p[n..n+5], and twist, of a rotation matrix. The answer is good until the next call. */
export function readSwingTwist(p: Numbers, n: number, r: Numbers): SwingTwist {
  for (let c = 0; c < 3; c++) {
    plane.s[c] = p[n + c];
    plane.t[c] = p[n + 3 + c];
  }
  return decomposeSwingTwist(quat.fromMatrix(r, quaternion), plane, swingTwist);
}

/** [s, t] of a normalized swing plane. */
export function packSwingPlane(
  axis: readonly [number, number, number],
  side: readonly [number, number, number] | undefined,
): number[] {
  const s = swingSide(axis, side, 'side');
  return [...s, ...cross(axis, s)];
}

/** exp([r_s s + r_t t]) to out[o], with s and t at p[n]. */
export function writeSwingRotation(
  p: Numbers,
  n: number,
  rs: number,
  rt: number,
  out: MutableNumbers,
  o: number,
): void {
  writeRotationMatrix(
    rs * p[n] + rt * p[n + 3],
    rs * p[n + 1] + rt * p[n + 4],
    rs * p[n + 2] + rt * p[n + 5],
    out,
    o,
  );
}

/** J_r(v) s and J_r(v) t to out[0..5]: the two axes of swing in the frame after the swing. */
export function writeSwingAxes(p: Numbers, n: number, rs: number, rt: number, out: MutableNumbers): void {
  const j = jacobian;
  writeRightJacobian(
    rs * p[n] + rt * p[n + 3],
    rs * p[n + 1] + rt * p[n + 4],
    rs * p[n + 2] + rt * p[n + 5],
    j,
    0,
  );
  for (let c = 0; c < 2; c++) {
    const x = p[n + 3 * c];
    const y = p[n + 3 * c + 1];
    const z = p[n + 3 * c + 2];
    out[3 * c] = j[0] * x + j[1] * y + j[2] * z;
    out[3 * c + 1] = j[3] * x + j[4] * y + j[5] * z;
    out[3 * c + 2] = j[6] * x + j[7] * y + j[8] * z;
  }
}

/**
 * da_i/dq_j of the two axes of swing for i <= j, to out[9 i..]: the chain rule on v = r_s s + r_t t. `after` holds the
 * world axes after the swing, row by row from w.
 */
export function writeSwingDerivatives(
  p: Numbers,
  n: number,
  q: Numbers,
  i: number,
  after: Float64Array,
  w: number,
  out: Float64Array,
): void {
  for (let k = 0; k < 3; k++) vector[k] = q[i] * p[n + k] + q[i + 1] * p[n + 3 + k];
  beginAxisDerivatives(vector, 0, after, w, before);
  for (let m = 0; m < 2; m++) {
    for (let k = m; k < 2; k++)
      writeAxisDerivative(before, p, n + 3 * m, n + 3 * k, out, 9 * (i + m) + 3 * (k - m));
  }
}

/** dc/dq of the two axes of swing, to out[3 i..]; `after` as in {@link writeSwingDerivatives}. */
export function writeSwingTurning(
  p: Numbers,
  n: number,
  q: Numbers,
  rates: Numbers,
  i: number,
  after: Float64Array,
  w: number,
  out: Float64Array,
): void {
  for (let k = 0; k < 3; k++) {
    vector[k] = q[i] * p[n + k] + q[i + 1] * p[n + 3 + k];
    vectorRate[k] = rates[i] * p[n + k] + rates[i + 1] * p[n + 3 + k];
  }
  beginAxisDerivatives(vector, 0, after, w, before);
  beginTurningDerivatives(vector);
  writeTurningDerivative(before, vectorRate, p, n, out, 3 * i);
  writeTurningDerivative(before, vectorRate, p, n + 3, out, 3 * i + 3);
}

/** dc/dq of both axes; see `turning-types.ts`. */
export function writeSwingTurningDerivatives(
  batch: JointBatch,
  q: Numbers,
  rates: Numbers,
  worldFromBone: Float64Array,
  _columns: Float64Array,
  _axisDerivatives: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates, parameters: p } = batch;
  for (let k = 0; k < bones.length; k++) {
    writeSwingTurning(p, 6 * k, q, rates, coordinates[k], worldFromBone, 12 * bones[k], out);
  }
}
