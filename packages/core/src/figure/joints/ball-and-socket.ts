import type { Numbers } from '../../math/types.js';
import { writeRotationMatrix } from '../../rotation/kernels.js';
import type { JointData } from '../types.js';
import { addCross, swingSide, unitAxis } from './axes.js';
import { copyRate, type JointBatch, type JointType, nearestAngle, writeTurningColumn } from './joint.js';
import { beginAxisDerivatives } from './rotation-vector-derivatives.js';
import {
  packSwingPlane,
  readSwingTwist,
  writeSwingAxes,
  writeSwingDerivatives,
  writeSwingRotation,
  writeSwingTurning,
} from './swing.js';

const swing = /* @__PURE__ */ new Float64Array(9);
const twist = /* @__PURE__ */ new Float64Array(9);
const twistVector = /* @__PURE__ */ new Float64Array(3);
const velocity = /* @__PURE__ */ new Float64Array(3);
const velocityRate = /* @__PURE__ */ new Float64Array(3);
const turnedAxis = /* @__PURE__ */ new Float64Array(3);
const swingAxes = /* @__PURE__ */ new Float64Array(6);

/**
 * Twist about the limb's axis a, then swing: R = exp([r_s s + r_t t]) exp(tau [a]), coordinates (r_s, r_t, tau)
 * (paper section 5). S = [R_t^T J_r(v) [s t], a]; its determinant is sin|r| / |r|, so swing stays below pi.
 */
export const ballAndSocketJoint: JointType<Extract<JointData, { type: 'ball-and-socket' }>> = {
  dof: 3,
  turns: true,
  translations: 0,
  rotationVector: -1,
  bodyTurn: false,
  stride: 9,
  normalize(data, path) {
    const axis = unitAxis(data.axis, `${path}.axis`);
    return { type: 'ball-and-socket', axis, side: swingSide(axis, data.side, `${path}.side`) };
  },
  pack: (data) => [...packSwingPlane(data.axis, data.side), ...data.axis],
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      const n = 9 * k;
      const i = coordinates[k];
      const o = 12 * bones[k];
      const tau = q[i + 2];
      writeSwingRotation(p, n, q[i], q[i + 1], swing, 0);
      writeRotationMatrix(tau * p[n + 6], tau * p[n + 7], tau * p[n + 8], twist, 0);
      for (let r = 0; r < 9; r += 3) {
        for (let c = 0; c < 3; c++) {
          out[o + r + c] = swing[r] * twist[c] + swing[r + 1] * twist[c + 3] + swing[r + 2] * twist[c + 6];
        }
      }
    }
  },
  writeColumns(batch, q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters: p } = batch;
    const a = swingAxes;
    const t = twist;
    for (let k = 0; k < bones.length; k++) {
      const n = 9 * k;
      const i = coordinates[k];
      const w = 12 * bones[k];
      const tau = q[i + 2];
      writeSwingAxes(p, n, q[i], q[i + 1], a);
      writeRotationMatrix(tau * p[n + 6], tau * p[n + 7], tau * p[n + 8], t, 0);
      for (let c = 0; c < 2; c++) {
        // The swing axis seen from after the twist: R_t^T (J_r s).
        const x = a[3 * c];
        const y = a[3 * c + 1];
        const z = a[3 * c + 2];
        const ax = t[0] * x + t[3] * y + t[6] * z;
        const ay = t[1] * x + t[4] * y + t[7] * z;
        const az = t[2] * x + t[5] * y + t[8] * z;
        writeTurningColumn(worldFromBone, w, ax, ay, az, out, 6 * (i + c));
      }
      writeTurningColumn(worldFromBone, w, p[n + 6], p[n + 7], p[n + 8], out, 6 * (i + 2));
    }
  },
  /** Those of the swing. The swing's axes come before the twist, and the twist keeps its own. */
  writeAxisDerivatives(batch, q, worldFromBone, out) {
    const { bones, coordinates, parameters: p } = batch;
    for (let k = 0; k < bones.length; k++) {
      const n = 9 * k;
      const i = coordinates[k];
      for (let c = 0; c < 3; c++) twistVector[c] = q[i + 2] * p[n + 6 + c];
      // The world axes between swing and twist.
      beginAxisDerivatives(twistVector, 0, worldFromBone, 12 * bones[k], swing);
      writeSwingDerivatives(p, n, q, i, swing, 0, out);
    }
  },
  coordinateRate: copyRate,
  jointVelocity: copyRate,
  branches: 1,
  readCoordinates(batch, k, transform, _branch, q) {
    const i = batch.coordinates[k];
    const { swing, twist } = readSwingTwist(batch.parameters, 9 * k, transform);
    q[i] = swing[0];
    q[i + 1] = swing[1];
    q[i + 2] = nearestAngle(twist, q[i + 2]);
  },
};

/** Of c = c_swing + tau' w x a, w the velocity of the swing and a the twist's axis, which the swing turns: da/dq_i = a_i x a. */
export function writeBallAndSocketTurningDerivatives(
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
    writeSwingTurning(p, n, q, rates, i, swing, 0, out);
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
      turnedAxis.fill(0);
      addCross(columns, s + 6 * j, columns, a, 1, turnedAxis, 0);
      addCross(velocity, 0, turnedAxis, 0, twistRate, out, o);
    }
  }
}
