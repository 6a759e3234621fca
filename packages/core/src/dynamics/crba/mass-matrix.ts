import { requireNumbers, requireRoom } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { updateKinematics } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { writeBallMassMatrixRows, writeMassMatrixRows } from './composite-inertia.js';

/**
 * The mass matrix M(q) by the composite rigid-body algorithm, CRBA (Featherstone, *Rigid Body Dynamics Algorithms*, table 6.2): with Ic_i the
 * inertia of the subtree of joint i,
 *
 *   M_ij = S_j^T Ic_i S_i   for j = i and each ancestor j of i
 *
 * Kinetic energy is v . M v / 2. Symmetric, row by row, dof x dof; `armature` on the diagonal. Positive definite where each joint's chart is
 * regular and every leaf has mass.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose.
 */
export function massMatrix<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  out: T = new Float64Array(dynamics.figure.dof ** 2) as MutableNumbers as T,
): T {
  requireNumbers(pose, dynamics.figure.dof, 'pose', DomainError);
  requireRoom(out, dynamics.figure.dof ** 2, 'out', DomainError);
  updateKinematics(dynamics, pose);
  return writeMassMatrix(dynamics, out);
}

/** {@link massMatrix} at the pose of the last kinematics update. */
export function writeMassMatrix<T extends MutableNumbers>(dynamics: Dynamics, out: T): T {
  const { figure, state, armature, expandedMassMatrix } = dynamics;
  const { dof, mimicJoints } = figure;
  updateCompositeInertias(dynamics);
  const size = dof + mimicJoints.length;
  const all = state.hasMimicJoints ? expandedMassMatrix : out;
  clear(all, size * size);
  for (let b = 0; b < figure.parents.length; b++) {
    if (state.bodyAngularVelocity[b] === 1) writeBallMassMatrixRows(dynamics, b, size, all);
    else writeMassMatrixRows(dynamics, b, size, all);
  }
  if (state.hasMimicJoints) reduceMassMatrix(dynamics, size, out);
  for (let i = 0; i < dof; i++) out[i * dof + i] += armature[i];
  return out;
}

/** Zeros the first `count` numbers. */
function clear(out: MutableNumbers, count: number): void {
  if (out instanceof Float64Array) out.fill(0, 0, count);
  else for (let k = 0; k < count; k++) out[k] = 0;
}

/** G^T M G, G from the figure's velocities to those of all joints; see `mimic-joints.ts`. */
function reduceMassMatrix(
  { figure, state, expandedMassMatrix }: Dynamics,
  size: number,
  out: MutableNumbers,
): void {
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++)
    for (let j = 0; j < dof; j++) out[i * dof + j] = expandedMassMatrix[i * size + j];
  for (let k = 0; k < mimicJoints.length; k++) {
    const source = mimicJoints[k].coordinate;
    const derivative = state.mimicDerivatives[k];
    for (let j = 0; j < dof; j++) {
      const entry = derivative * expandedMassMatrix[(dof + k) * size + j];
      out[source * dof + j] += entry;
      out[j * dof + source] += entry;
    }
    for (let l = 0; l < mimicJoints.length; l++) {
      out[source * dof + mimicJoints[l].coordinate] +=
        derivative * state.mimicDerivatives[l] * expandedMassMatrix[(dof + k) * size + dof + l];
    }
  }
  // Exactly symmetric: the two sums round differently.
  for (let i = 0; i < dof; i++) for (let j = 0; j < i; j++) out[j * dof + i] = out[i * dof + j];
}

/**
 * Composite rigid-body inertia of each subtree, about the bone's origin, world axes, 10 numbers as in `inertias`; leaves to root.
 */
export function updateCompositeInertias(dynamics: Dynamics): void {
  const { figure, inertias, firstMoments, offsets, compositeInertia, state } = dynamics;
  const { worldFromBone: m } = state;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    const i = INERTIA_SIZE * b;
    compositeInertia[i] = inertias[i];
    for (let k = 0; k < 3; k++) compositeInertia[i + 1 + k] = firstMoments[3 * b + k];
    rotateInertia(m, 12 * b, inertias, i + 4, compositeInertia, i + 4);
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const i = INERTIA_SIZE * b;
    const p = INERTIA_SIZE * parents[b];
    const mass = compositeInertia[i];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    const hx = compositeInertia[i + 1];
    const hy = compositeInertia[i + 2];
    const hz = compositeInertia[i + 3];
    compositeInertia[p] += mass;
    compositeInertia[p + 1] += hx + mass * x;
    compositeInertia[p + 2] += hy + mass * y;
    compositeInertia[p + 3] += hz + mass * z;
    // I + m (|r|^2 - r r^T) + 2 r.h - r h^T - h r^T
    const xx = x * (mass * x + 2 * hx);
    const yy = y * (mass * y + 2 * hy);
    const zz = z * (mass * z + 2 * hz);
    compositeInertia[p + 4] += compositeInertia[i + 4] + yy + zz;
    compositeInertia[p + 5] += compositeInertia[i + 5] + xx + zz;
    compositeInertia[p + 6] += compositeInertia[i + 6] + xx + yy;
    compositeInertia[p + 7] += compositeInertia[i + 7] - mass * x * y - x * hy - y * hx;
    compositeInertia[p + 8] += compositeInertia[i + 8] - mass * x * z - x * hz - z * hx;
    compositeInertia[p + 9] += compositeInertia[i + 9] - mass * y * z - y * hz - z * hy;
  }
}
