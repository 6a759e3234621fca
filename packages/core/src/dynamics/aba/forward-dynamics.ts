import * as cholesky from '../../math/linear/cholesky.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeMassMatrix } from '../crba/mass-matrix.js';
import { moveBones } from '../kinematics/bone-motion.js';
import { placeMotion } from '../kinematics/update-kinematics.js';
import { ARTICULATED, addShifted, B, FACTOR, setRigid } from '../model/articulated-inertia.js';
import { requireVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { writeInertialForces, writeJointForces } from '../rnea/inverse-dynamics.js';
import { freeBall, freeJoint, NOTHING, singular, spreadJoint } from './eliminate-joint.js';

const rise = /* @__PURE__ */ new Float64Array(3);

/**
 * Forward dynamics by articulated bodies (Featherstone, table 7.1): the accelerations nu' that joint forces tau make, in time linear in the
 * number of bones. With M the mass matrix and h the bias, M nu' + h = tau.
 *
 * The bodies are first carried through the motion without accelerations, gravity included; the algorithm then finds what is added to it, for
 * which no velocity counts.
 *
 * @param out - nu', `figure.dof` numbers.
 * @param external - Forces on bones, world axes: 6 numbers a bone, force (N) and couple about the bone's origin (N m).
 * @throws DomainError `singular` where a joint has nothing to move, or its chart is singular; `wrong-size`, `not-finite` for what is given.
 *   `out` then stays as it was.
 */
export function forwardDynamics<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  nu: Numbers,
  tau: Numbers,
  out: T = new Float64Array(dynamics.figure.dof) as MutableNumbers as T,
  external?: Numbers,
): T {
  requireVector(tau, dynamics.figure.dof, 'tau');
  placeMotion(dynamics, pose, nu, external);
  if (dynamics.state.coupled) return solveDense(dynamics, nu, tau, external, out);
  const { gravity } = dynamics;
  for (let k = 0; k < 3; k++) rise[k] = -gravity[k];
  moveBones(dynamics, nu, undefined, rise);
  writeInertialForces(dynamics, external);
  setInertias(dynamics);
  gatherArticulated(dynamics, tau);
  spreadAccelerations(dynamics, out);
  return out;
}

/** Joints that follow others close loops of forces: by the mass matrix instead. */
function solveDense<T extends MutableNumbers>(
  dynamics: Dynamics,
  nu: Numbers,
  tau: Numbers,
  external: Numbers | undefined,
  out: T,
): T {
  const { figure, dense, jointForces } = dynamics;
  const { dof } = figure;
  // Away from `out`, which may be `tau`.
  for (let i = 0; i < dof; i++) jointForces[i] = tau[i];
  writeMassMatrix(dynamics, dense);
  if (!factorFirst(dynamics, dof)) {
    let count = 1;
    for (; count < dof; count++) {
      writeMassMatrix(dynamics, dense);
      if (!factorFirst(dynamics, count)) break;
    }
    throw singular(figure.bones[figure.boneOfCoordinate[count - 1]].name);
  }
  writeJointForces(dynamics, nu, undefined, external, out);
  for (let i = 0; i < dof; i++) out[i] = jointForces[i] - out[i];
  cholesky.solve(dense, dof, out);
  return out;
}

/** Factors the mass matrix of the first coordinates in `dense`; false where the last of them, or one before, moves nothing by itself. */
function factorFirst({ figure, dense, inertiaScale }: Dynamics, count: number): boolean {
  const { dof } = figure;
  for (let i = 0; i < count; i++) inertiaScale[i] = NOTHING * dense[i * dof + i];
  if (!cholesky.factor(dense, count, dof)) return false;
  for (let i = 0; i < count; i++) if (!(dense[i * dof + i] ** 2 > inertiaScale[i])) return false;
  return true;
}

/** Each bone by itself. */
function setInertias(dynamics: Dynamics): void {
  const { figure, state, inertias, moments, articulated, turned, inertiaScale } = dynamics;
  for (let b = 0; b < figure.parents.length; b++) {
    const i = INERTIA * b;
    rotateInertia(state.worldFromBone, 12 * b, inertias, i + 4, turned, 0);
    setRigid(turned, 0, inertias[i], moments, 3 * b, articulated, ARTICULATED * b);
    inertiaScale[2 * b] = inertias[i];
    inertiaScale[2 * b + 1] = inertias[i + 4] + inertias[i + 5] + inertias[i + 6];
  }
}

/** Whether a joint is a ball without armature. */
function isPlain({ figure, state, armature }: Dynamics, b: number): boolean {
  const first = figure.coordinateStart[b];
  return state.bodyTurn[b] === 1 && armature[first] + armature[first + 1] + armature[first + 2] === 0;
}

/**
 * From the tips to the root: what each bone feels like to its parent with its joint free, and what the joint's force leaves to do. A force of
 * `force` and `couple` is what the bone would need to go on as it does.
 */
function gatherArticulated(dynamics: Dynamics, tau: Numbers): void {
  const { figure, articulated, force, couple, offsets, inertiaScale } = dynamics;
  const { parents, coordinateStart } = figure;
  for (let b = parents.length - 1; b >= 0; b--) {
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    if (isPlain(dynamics, b)) freeBall(dynamics, b, first, tau);
    else if (size > 0) freeJoint(dynamics, b, first, size, tau);
    const p = parents[b];
    if (p < 0) continue;
    const o = 3 * b;
    const x = offsets[o];
    const y = offsets[o + 1];
    const z = offsets[o + 2];
    addShifted(articulated, ARTICULATED * b, offsets, o, articulated, ARTICULATED * p);
    inertiaScale[2 * p] += inertiaScale[2 * b];
    inertiaScale[2 * p + 1] += 2 * (inertiaScale[2 * b + 1] + inertiaScale[2 * b] * (x * x + y * y + z * z));
    force[3 * p] += force[o];
    force[3 * p + 1] += force[o + 1];
    force[3 * p + 2] += force[o + 2];
    couple[3 * p] += couple[o] + y * force[o + 2] - z * force[o + 1];
    couple[3 * p + 1] += couple[o + 1] + z * force[o] - x * force[o + 2];
    couple[3 * p + 2] += couple[o + 2] + x * force[o + 1] - y * force[o];
  }
}

/** From the root to the tips: what the joints do, and what is added to the accelerations of the bones. */
function spreadAccelerations(dynamics: Dynamics, out: MutableNumbers): void {
  const { figure, state, offsets, factors, jointForces, added } = dynamics;
  const { parents, coordinateStart } = figure;
  const { worldFromBone: m } = state;
  for (let b = 0; b < parents.length; b++) {
    const a = 6 * b;
    let px = 0;
    let py = 0;
    let pz = 0;
    let lx = 0;
    let ly = 0;
    let lz = 0;
    if (parents[b] >= 0) {
      const p = 6 * parents[b];
      const o = 3 * b;
      px = added[p];
      py = added[p + 1];
      pz = added[p + 2];
      lx = added[p + 3] + py * offsets[o + 2] - pz * offsets[o + 1];
      ly = added[p + 4] + pz * offsets[o] - px * offsets[o + 2];
      lz = added[p + 5] + px * offsets[o + 1] - py * offsets[o];
    }
    const first = coordinateStart[b];
    const size = coordinateStart[b + 1] - first;
    const o = FACTOR * b;
    const plain = isPlain(dynamics, b);
    if (plain) {
      // w' = A^-1 (u - B v'), whatever the parent does.
      const g = o + B;
      const ux = jointForces[first] - factors[g] * lx - factors[g + 1] * ly - factors[g + 2] * lz;
      const uy = jointForces[first + 1] - factors[g + 3] * lx - factors[g + 4] * ly - factors[g + 5] * lz;
      const uz = jointForces[first + 2] - factors[g + 6] * lx - factors[g + 7] * ly - factors[g + 8] * lz;
      const wx = factors[o] * ux + factors[o + 3] * uy + factors[o + 4] * uz;
      const wy = factors[o + 3] * ux + factors[o + 1] * uy + factors[o + 5] * uz;
      const wz = factors[o + 4] * ux + factors[o + 5] * uy + factors[o + 2] * uz;
      const e = 12 * b;
      const dx = wx - px;
      const dy = wy - py;
      const dz = wz - pz;
      out[first] = m[e] * dx + m[e + 3] * dy + m[e + 6] * dz;
      out[first + 1] = m[e + 1] * dx + m[e + 4] * dy + m[e + 7] * dz;
      out[first + 2] = m[e + 2] * dx + m[e + 5] * dy + m[e + 8] * dz;
      px = wx;
      py = wy;
      pz = wz;
    }
    added[a] = px;
    added[a + 1] = py;
    added[a + 2] = pz;
    added[a + 3] = lx;
    added[a + 4] = ly;
    added[a + 5] = lz;
    if (size > 0 && !plain) spreadJoint(dynamics, b, first, size, out);
  }
}
