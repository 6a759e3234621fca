import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { unset4 } from '../../math/linear/unset.js';
import { writeRotationMatrix } from '../../rotation/rotation-vector/kernels.js';
import { decomposeSwingTwist, type SwingTwist } from '../../rotation/swing-twist/swing-twist.js';
import type { JointData, Triple } from '../data/types.js';
import { swingReferenceAxis, unitAxis } from './axes.js';
import type { CoordinateReader, JointBatch, JointType } from './joint.js';
import { beginBiasDerivatives, writeRotationVectorBiasDerivative } from './rotation-vector-bias.js';
import { beginAxisDerivatives } from './rotation-vector-derivatives.js';
import { updateSwingFrame, writeSwingAxisDerivatives, writeSwingColumns } from './swing-frame.js';

const vector = /* @__PURE__ */ new Float64Array(3);
const vectorRate = /* @__PURE__ */ new Float64Array(3);
const before = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ unset4();
const plane: { readonly s: number[]; readonly t: number[] } = { s: [1, 0, 0], t: [0, 1, 0] };
const swingTwist: SwingTwist = { swing: [0, 0], twist: 0, degenerate: false };

/**
 * Two coordinates (r_s, r_t): J = exp([v]), v = r_s s + r_t t, s and t normal to the limb's axis, without a twist (Grassia 1997,
 * section 5). S = J_r(v) [s t].
 */
export const swingJoint: JointType<Extract<JointData, { type: 'swing' }>> = {
  dof: 2,
  rotates: true,
  translations: 0,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 6,
  pack: (data) => packSwingPlane(data.axis, data.side),
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      const n = 6 * k;
      const rs = q[coordinates[k]];
      const rt = q[coordinates[k] + 1];
      const x = rs * p[n] + rt * p[n + 3];
      const y = rs * p[n + 1] + rt * p[n + 4];
      const z = rs * p[n + 2] + rt * p[n + 5];
      writeRotationMatrix(x, y, z, out, 12 * bones[k]);
    }
  },
  writeColumns(batch, q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      updateSwingFrame(parameters, 6 * k, worldFromBone, 12 * bones[k]);
      writeSwingColumns(q, coordinates[k], out, 6 * coordinates[k]);
    }
  },
};

export function normalizeSwing(data: Extract<JointData, { type: 'swing' }>, path: string): typeof data {
  const axis = unitAxis(data.axis, `${path}.axis`);
  return { type: 'swing', axis, side: swingReferenceAxis(axis, data.side, `${path}.side`) };
}

export function writeSwingJointAxisDerivatives(
  batch: JointBatch,
  q: Numbers,
  worldFromBone: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates, parameters } = batch;
  for (let k = 0; k < bones.length; k++) {
    updateSwingFrame(parameters, 6 * k, worldFromBone, 12 * bones[k]);
    writeSwingAxisDerivatives(q, coordinates[k], out);
  }
}

export const swingReader: CoordinateReader = {
  branches: 1,
  /** The swing that rotates the limb's axis as R does; the twist of R is ignored. */
  read(batch, k, transform, _branch, q) {
    const { swing } = readSwingTwist(batch.parameters, 6 * k, transform);
    q[batch.coordinates[k]] = swing[0];
    q[batch.coordinates[k] + 1] = swing[1];
  },
};

/** Swing in the plane s, t at p[n..n+5], and twist, of a rotation matrix. The result is overwritten by the next call. */
export function readSwingTwist(p: Numbers, n: number, r: Numbers): SwingTwist {
  for (let c = 0; c < 3; c++) {
    plane.s[c] = p[n + c];
    plane.t[c] = p[n + 3 + c];
  }
  return decomposeSwingTwist(quat.fromMatrix(r, quaternion), plane, swingTwist);
}

/** [s, t] of a normalized swing plane (`side` is set there). */
export function packSwingPlane(axis: Triple, side: Triple | undefined): number[] {
  return [...(side as Triple), ...vec3.cross(axis, side as Triple)];
}

/**
 * Writes dc/dq of the two swing coordinates to out[3 i..], c the bias acceleration (`bias-derivatives.ts`); `after` holds the world axes
 * after the swing, row by row from w.
 */
export function writeSwingBias(
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
  beginBiasDerivatives(vector);
  writeRotationVectorBiasDerivative(before, vectorRate, p, n, out, 3 * i);
  writeRotationVectorBiasDerivative(before, vectorRate, p, n + 3, out, 3 * i + 3);
}

/** Bias derivatives; see `bias-derivatives.ts`. */
export function writeSwingBiasDerivatives(
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
    writeSwingBias(p, 6 * k, q, rates, coordinates[k], worldFromBone, 12 * bones[k], out);
  }
}
