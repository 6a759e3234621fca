import { shown } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { writeEulerAngles } from '../../rotation/alternatives/write-euler-angles.js';
import type { JointData } from '../data/types.js';
import { addCross } from './axes.js';
import { type CoordinateReader, type JointBatch, type JointType, nearestAngle } from './joint.js';

const AXES = 'XYZ';

/** The 12 orders: three letters, no letter twice in a row. */
const ORDER = /^(?:XYZ|XZY|YXZ|YZX|ZXY|ZYX|XYX|XZX|YXY|YZY|ZXZ|ZYZ)$/;

/** |cos b| (|sin b| for proper Euler orders) below which first and last angle are indistinguishable to rounding. */
const GIMBAL_LOCK = 1e-14;

const angles = /* @__PURE__ */ unset3();
const bias = /* @__PURE__ */ new Float64Array(3);
/** World rotation of a bone, 3x3 row by row, as its elementary rotations are undone. */
const rotation = /* @__PURE__ */ new Float64Array(9);

/**
 * Three angles about the axes of `order`, intrinsic: 'XYZ' is R = R_x(q0) R_y(q1) R_z(q2). For imported rigs; gimbal lock where
 * the first and last axis are parallel (Grassia 1997, section 2.1). S = [(R_2 R_3)^T e_1, R_3^T e_2, e_3].
 */
export const eulerJoint: JointType<Extract<JointData, { type: 'euler' }>> = {
  dof: 3,
  rotates: true,
  translations: 0,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 3,
  pack: (data) => Array.from(data.order, (letter) => AXES.indexOf(letter)),
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      const o = 12 * bones[k];
      for (let n = 0; n < 9; n++) out[o + n] = n % 4 === 0 ? 1 : 0;
      for (let n = 0; n < 3; n++) {
        const angle = q[coordinates[k] + n];
        postRotate(out, o, parameters[3 * k + n], Math.cos(angle), Math.sin(angle));
      }
    }
  },
  writeColumns(batch, q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    const r = rotation;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      for (let n = 0; n < 9; n++) r[n] = worldFromBone[12 * bones[k] + n];
      // Undo the elementary rotations from the last: the column of each axis is then its world direction.
      for (let n = 2; n >= 0; n--) {
        const axis = parameters[3 * k + n];
        for (let row = 0; row < 3; row++) out[6 * (i + n) + row] = r[axis + 3 * row];
        if (n > 0) postRotate(r, 0, axis, Math.cos(q[i + n]), -Math.sin(q[i + n]));
      }
    }
  },
};

export function normalizeEuler(data: Extract<JointData, { type: 'euler' }>, path: string): typeof data {
  if (typeof data.order !== 'string' || !ORDER.test(data.order)) {
    throw new FigureError('out-of-range', `is ${shown(data.order)}.`, {
      path: `${path}.order`,
      remedy: `Use one of the 12 orders of 'X', 'Y', 'Z' with no axis twice in a row, e.g. 'ZXY'.`,
    });
  }
  return { type: 'euler', order: data.order };
}

export const eulerReader: CoordinateReader = {
  branches: 2,
  /** Both solutions: (a, b, c), and (a + pi, pi - b or -b, c + pi). In gimbal lock a keeps its previous value. */
  read({ coordinates, parameters }, k, transform, branch, q) {
    const i = coordinates[k];
    const first = parameters[3 * k];
    const last = parameters[3 * k + 2];
    writeEulerAngles(transform, first, parameters[3 * k + 1], last, q[i], GIMBAL_LOCK, angles);
    if (branch === 1) {
      angles[0] += Math.PI;
      angles[1] = first === last ? -angles[1] : Math.PI - angles[1];
      angles[2] += Math.PI;
    }
    for (let n = 0; n < 3; n++) q[i + n] = nearestAngle(angles[n], q[i + n]);
  },
};

/** r = r R_axis(angle), r at r[o..]: mixes the two other columns. */
function postRotate(r: MutableNumbers, o: number, axis: number, c: number, s: number): void {
  const u = o + ((axis + 1) % 3);
  const w = o + ((axis + 2) % 3);
  for (let row = 0; row < 9; row += 3) {
    const x = r[row + u];
    const y = r[row + w];
    r[row + u] = c * x + s * y;
    r[row + w] = c * y - s * x;
  }
}

/** Bias derivatives of c = sum over j < k of q_j' q_k' a_j x a_k: the first angle rotates all terms, the second the last axis. */
export function writeEulerBiasDerivatives(
  batch: JointBatch,
  _q: Numbers,
  rates: Numbers,
  _worldFromBone: Float64Array,
  columns: Float64Array,
  _axisDerivatives: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates } = batch;
  for (let k = 0; k < bones.length; k++) {
    const i = coordinates[k];
    const a = 6 * i;
    const b = a + 6;
    const c = a + 12;
    const first = rates[i];
    const second = rates[i + 1];
    const third = rates[i + 2];
    bias.fill(0);
    addCross(columns, a, columns, b, first * second, bias, 0);
    addCross(columns, a, columns, c, first * third, bias, 0);
    addCross(columns, b, columns, c, second * third, bias, 0);
    for (let n = 0; n < 6; n++) out[3 * i + n] = 0;
    addCross(columns, a, bias, 0, 1, out, 3 * i);
    bias.fill(0);
    addCross(columns, b, columns, c, third, bias, 0);
    addCross(columns, a, bias, 0, first, out, 3 * i + 3);
    addCross(columns, b, bias, 0, second, out, 3 * i + 3);
  }
}
