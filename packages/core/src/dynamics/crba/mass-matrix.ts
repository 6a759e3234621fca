import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { placeBones } from '../kinematics/update-kinematics.js';
import { requireVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { writeBallRows, writeRows } from './composite-inertia.js';

/**
 * The mass matrix M(q) against nu by composite rigid bodies (Featherstone, table 6.2): kinetic energy is nu . M nu / 2. Symmetric, row by row,
 * dof x dof; `armature` on the diagonal. Positive definite where each joint's chart is regular and every leaf has mass.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose.
 */
export function massMatrix<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  out: T = new Float64Array(dynamics.figure.dof ** 2) as MutableNumbers as T,
): T {
  requireVector(pose, dynamics.figure.dof, 'pose');
  placeBones(dynamics, pose);
  return writeMassMatrix(dynamics, out);
}

/** The mass matrix at the pose last placed. */
export function writeMassMatrix<T extends MutableNumbers>(dynamics: Dynamics, out: T): T {
  const { figure, state, armature, matrix } = dynamics;
  const { dof, mimicJoints } = figure;
  composeInertias(dynamics);
  const size = dof + mimicJoints.length;
  const all = state.coupled ? matrix : out;
  clear(all, size * size);
  for (let b = 0; b < figure.parents.length; b++) {
    if (state.bodyTurn[b] === 1) writeBallRows(dynamics, b, size, all);
    else writeRows(dynamics, b, size, all);
  }
  if (state.coupled) gatherMatrix(dynamics, size, out);
  for (let i = 0; i < dof; i++) out[i * dof + i] += armature[i];
  return out;
}

/** Zeros the first `count` numbers: of what is no typed array one by one. */
function clear(out: MutableNumbers, count: number): void {
  if (out instanceof Float64Array) out.fill(0, 0, count);
  else for (let k = 0; k < count; k++) out[k] = 0;
}

/** G^T M G, G from the figure's rates to those of all joints. */
function gatherMatrix({ figure, state, matrix }: Dynamics, size: number, out: MutableNumbers): void {
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) for (let j = 0; j < dof; j++) out[i * dof + j] = matrix[i * size + j];
  for (let k = 0; k < mimicJoints.length; k++) {
    const leader = mimicJoints[k].coordinate;
    const slope = state.slopes[k];
    for (let j = 0; j < dof; j++) {
      const entry = slope * matrix[(dof + k) * size + j];
      out[leader * dof + j] += entry;
      out[j * dof + leader] += entry;
    }
    for (let l = 0; l < mimicJoints.length; l++) {
      out[leader * dof + mimicJoints[l].coordinate] +=
        slope * state.slopes[l] * matrix[(dof + k) * size + dof + l];
    }
  }
  // Sums in another order round otherwise.
  for (let i = 0; i < dof; i++) for (let j = 0; j < i; j++) out[j * dof + i] = out[i * dof + j];
}

/**
 * Inertia of each bone and all that it carries, about the bone's origin, world axes, 10 numbers as in `inertias`: leaves to root.
 */
export function composeInertias(dynamics: Dynamics): void {
  const { figure, inertias, moments, offsets, composite, state } = dynamics;
  const { worldFromBone: m } = state;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    const i = INERTIA * b;
    composite[i] = inertias[i];
    for (let k = 0; k < 3; k++) composite[i + 1 + k] = moments[3 * b + k];
    rotateInertia(m, 12 * b, inertias, i + 4, composite, i + 4);
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const i = INERTIA * b;
    const p = INERTIA * parents[b];
    const mass = composite[i];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    const hx = composite[i + 1];
    const hy = composite[i + 2];
    const hz = composite[i + 3];
    composite[p] += mass;
    composite[p + 1] += hx + mass * x;
    composite[p + 2] += hy + mass * y;
    composite[p + 3] += hz + mass * z;
    // I + m (|r|^2 - r r^T) + 2 r.h - r h^T - h r^T
    const xx = x * (mass * x + 2 * hx);
    const yy = y * (mass * y + 2 * hy);
    const zz = z * (mass * z + 2 * hz);
    composite[p + 4] += composite[i + 4] + yy + zz;
    composite[p + 5] += composite[i + 5] + xx + zz;
    composite[p + 6] += composite[i + 6] + xx + yy;
    composite[p + 7] += composite[i + 7] - mass * x * y - x * hy - y * hx;
    composite[p + 8] += composite[i + 8] - mass * x * z - x * hz - z * hx;
    composite[p + 9] += composite[i + 9] - mass * y * z - y * hz - z * hy;
  }
}
