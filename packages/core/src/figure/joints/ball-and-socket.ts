import type { Numbers } from '../../math/linear/types.js';
import { cosHalfSeries, SERIES_LIMIT, s0Series } from '../../rotation/rotation-vector/coefficients.js';
import type { JointData } from '../data/types.js';
import { addCross, swingReferenceAxis, unitAxis } from './axes.js';
import { type CoordinateReader, type JointBatch, type JointType, nearestAngle } from './joint.js';
import { beginAxisDerivatives } from './rotation-vector-derivatives.js';
import { packSwingPlane, readSwingTwist, writeSwingBias } from './swing.js';
import {
  updateSwingFrameBeforeTwist,
  writeHalfAngle,
  writeSwingAxisDerivatives,
  writeSwingColumns,
  writeTwistColumn,
} from './swing-frame.js';

const swing = /* @__PURE__ */ new Float64Array(9);
const half = /* @__PURE__ */ new Float64Array(2);
const twistVector = /* @__PURE__ */ new Float64Array(3);
const velocity = /* @__PURE__ */ new Float64Array(3);
const velocityRate = /* @__PURE__ */ new Float64Array(3);
const axisDerivative = /* @__PURE__ */ new Float64Array(3);

/**
 * Twist about the limb's axis a, then swing: R = exp([r_s s + r_t t]) exp(tau [a]), coordinates (r_s, r_t, tau)
 * (Grassia 1997, section 5). S = [R_t^T J_r(v) [s t], a], det S = sin|r| / |r|: limits keep the swing below pi.
 */
export const ballAndSocketJoint: JointType<Extract<JointData, { type: 'ball-and-socket' }>> = {
  dof: 3,
  rotates: true,
  translations: 0,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 9,
  pack: (data) => [...packSwingPlane(data.axis, data.side), ...data.axis],
  /** Through the product of the quaternions of swing and twist, in the frame s, t, a of the joint. */
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      const n = 9 * k;
      const i = coordinates[k];
      const rs = q[i];
      const rt = q[i + 1];
      const square = rs * rs + rt * rt;
      let s0: number;
      let cosine: number;
      if (square <= SERIES_LIMIT) {
        s0 = s0Series(square);
        cosine = cosHalfSeries(square);
      } else {
        const theta = Math.sqrt(square);
        s0 = Math.sin(0.5 * theta) / theta;
        cosine = Math.cos(0.5 * theta);
      }
      writeHalfAngle(q, i + 2, half);
      const s = s0 * (half[1] * rs + half[0] * rt);
      const t = s0 * (half[1] * rt - half[0] * rs);
      const a = cosine * half[0];
      const w = cosine * half[1];
      const x = s * p[n] + t * p[n + 3] + a * p[n + 6];
      const y = s * p[n + 1] + t * p[n + 4] + a * p[n + 7];
      const z = s * p[n + 2] + t * p[n + 5] + a * p[n + 8];
      const o = 12 * bones[k];
      out[o] = 1 - 2 * (y * y + z * z);
      out[o + 1] = 2 * (x * y - w * z);
      out[o + 2] = 2 * (x * z + w * y);
      out[o + 3] = 2 * (x * y + w * z);
      out[o + 4] = 1 - 2 * (x * x + z * z);
      out[o + 5] = 2 * (y * z - w * x);
      out[o + 6] = 2 * (x * z - w * y);
      out[o + 7] = 2 * (y * z + w * x);
      out[o + 8] = 1 - 2 * (x * x + y * y);
    }
  },
  writeColumns(batch, q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      updateSwingFrameBeforeTwist(q, i + 2, parameters, 9 * k, worldFromBone, 12 * bones[k]);
      writeSwingColumns(q, i, out, 6 * i);
      writeTwistColumn(out, 6 * i + 12);
    }
  },
};

export function normalizeBallAndSocket(
  data: Extract<JointData, { type: 'ball-and-socket' }>,
  path: string,
): typeof data {
  const axis = unitAxis(data.axis, `${path}.axis`);
  return { type: 'ball-and-socket', axis, side: swingReferenceAxis(axis, data.side, `${path}.side`) };
}

/** Axis derivatives of the swing: its axes do not depend on the twist, nor the axis of the twist on the twist angle. */
export function writeBallAndSocketAxisDerivatives(
  batch: JointBatch,
  q: Numbers,
  worldFromBone: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates, parameters } = batch;
  for (let k = 0; k < bones.length; k++) {
    const i = coordinates[k];
    updateSwingFrameBeforeTwist(q, i + 2, parameters, 9 * k, worldFromBone, 12 * bones[k]);
    writeSwingAxisDerivatives(q, i, out);
  }
}

export const ballAndSocketReader: CoordinateReader = {
  branches: 1,
  read(batch, k, transform, _branch, q) {
    const i = batch.coordinates[k];
    const { swing, twist } = readSwingTwist(batch.parameters, 9 * k, transform);
    q[i] = swing[0];
    q[i + 1] = swing[1];
    q[i + 2] = nearestAngle(twist, q[i + 2]);
  },
};

/** Bias derivatives of c = c_swing + tau' w x a, w the angular velocity of the swing, a the twist axis: da/dq_i = a_i x a. */
export function writeBallAndSocketBiasDerivatives(
  batch: JointBatch,
  q: Numbers,
  rates: Numbers,
  worldFromBone: Float64Array,
  columns: Float64Array,
  axisDerivatives: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates, parameters: p } = batch;
  for (let k = 0; k < bones.length; k++) {
    const n = 9 * k;
    const i = coordinates[k];
    for (let c = 0; c < 3; c++) twistVector[c] = q[i + 2] * p[n + 6 + c];
    beginAxisDerivatives(twistVector, 0, worldFromBone, 12 * bones[k], swing);
    writeSwingBias(p, n, q, rates, i, swing, 0, out);
    const first = rates[i];
    const second = rates[i + 1];
    const twistRate = rates[i + 2];
    const s = 6 * i;
    const t = s + 6;
    const a = s + 12;
    const d = 9 * i;
    for (let c = 0; c < 3; c++) velocity[c] = first * columns[s + c] + second * columns[t + c];
    for (let j = 0; j < 2; j++) {
      // dw/dq_j from da_s/ds, da_s/dt and da_t/dt; da_t/ds = da_s/dt + a_s x a_t.
      for (let c = 0; c < 3; c++) {
        velocityRate[c] =
          j === 0
            ? first * axisDerivatives[d + c] + second * axisDerivatives[d + 3 + c]
            : first * axisDerivatives[d + 3 + c] + second * axisDerivatives[d + 9 + c];
      }
      if (j === 0) addCross(columns, s, columns, t, second, velocityRate, 0);
      const o = 3 * (i + j);
      addCross(velocityRate, 0, columns, a, twistRate, out, o);
      axisDerivative.fill(0);
      addCross(columns, s + 6 * j, columns, a, 1, axisDerivative, 0);
      addCross(velocity, 0, axisDerivative, 0, twistRate, out, o);
    }
  }
}
