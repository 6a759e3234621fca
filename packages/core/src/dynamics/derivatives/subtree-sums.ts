import { addCross } from '../../figure/joints/axes.js';
import type { Numbers } from '../../math/linear/types.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { addOuter, addScaled, dot3, dotSpatial } from '../model/spatial-vectors.js';
import type { DerivativeWorkspace } from './workspace.js';

/**
 * Sums over each subtree, leaves to root: momentum p, Coriolis matrix N, external forces, and the force on the subtree. Needs the body forces in
 * `force` and `couple`, and the composite inertias.
 *
 * A change alpha of the angular velocity of a subtree whose points move with r' adds the Coriolis acceleration 2 alpha x r', which takes a
 * force 2 alpha x p and a couple 2 integral of r x (alpha x r') dm = N alpha, with
 *
 *   N = 2 integral of ((r . r') 1 - r' r^T) dm
 *
 * The derivatives depend on the velocities of the subtree only by p and N.
 */
export function sumSubtrees(
  workspace: DerivativeWorkspace,
  external: Numbers | undefined,
  externalMoments: Float64Array | undefined,
): void {
  const { dynamics, momentum, externalForce, externalCouple, externalMoment } = workspace;
  const { figure, offsets, force, couple } = dynamics;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    writeBoneTerms(workspace, b);
    for (let k = 0; k < 3; k++) {
      externalForce[3 * b + k] = external === undefined ? 0 : external[6 * b + k];
      externalCouple[3 * b + k] = external === undefined ? 0 : external[6 * b + 3 + k];
    }
  }
  if (externalMoments === undefined) externalMoment.fill(0);
  else externalMoment.set(externalMoments);
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const o = 3 * b;
    const p = 3 * parents[b];
    addScaled(force, o, 1, force, p);
    addScaled(couple, o, 1, couple, p);
    addCross(offsets, o, force, o, 1, couple, p);
    addScaled(momentum, o, 1, momentum, p);
    addShiftedCoriolis(workspace, b, parents[b]);
    if (external === undefined) continue;
    addScaled(externalForce, o, 1, externalForce, p);
    addScaled(externalCouple, o, 1, externalCouple, p);
    addCross(offsets, o, externalForce, o, 1, externalCouple, p);
    addShiftedExternalMoment(workspace, b, parents[b]);
  }
}

/** p = m v + w x h and N = 2 ((h . v) 1 - v h^T - [w] S) of a bone alone, S its second moments about its origin, tr(I)/2 1 - I. */
function writeBoneTerms({ dynamics, momentum, coriolis }: DerivativeWorkspace, b: number): void {
  const { inertias, firstMoments, angularVelocity: w, velocity: v, rotatedInertia, state } = dynamics;
  const o = 3 * b;
  const n = 9 * b;
  const mass = inertias[INERTIA_SIZE * b];
  for (let k = 0; k < 3; k++) momentum[o + k] = mass * v[o + k];
  addCross(w, o, firstMoments, o, 1, momentum, o);
  const twice = 2 * dot3(firstMoments, o, v, o);
  for (let k = 0; k < 9; k++) coriolis[n + k] = k % 4 === 0 ? twice : 0;
  addOuter(v, o, firstMoments, o, -2, coriolis, n);
  // Column c of [w] S is w x (column c of S).
  rotateInertia(state.worldFromBone, 12 * b, inertias, INERTIA_SIZE * b + 4, rotatedInertia, 0);
  const half = 0.5 * (rotatedInertia[0] + rotatedInertia[1] + rotatedInertia[2]);
  const xx = half - rotatedInertia[0];
  const yy = half - rotatedInertia[1];
  const zz = half - rotatedInertia[2];
  const xy = -rotatedInertia[3];
  const xz = -rotatedInertia[4];
  const yz = -rotatedInertia[5];
  subtractCross(w, o, xx, xy, xz, coriolis, n);
  subtractCross(w, o, xy, yy, yz, coriolis, n + 1);
  subtractCross(w, o, xz, yz, zz, coriolis, n + 2);
}

/** Subtracts 2 w x s from a column. */
function subtractCross(
  w: Float64Array,
  o: number,
  x: number,
  y: number,
  z: number,
  out: Float64Array,
  n: number,
): void {
  out[n] -= 2 * (w[o + 1] * z - w[o + 2] * y);
  out[n + 3] -= 2 * (w[o + 2] * x - w[o] * z);
  out[n + 6] -= 2 * (w[o] * y - w[o + 1] * x);
}

/** Adds N of a bone to its parent's, x the offset of the bone: N_p += N + 2 ((x . p) 1 - p x^T). */
function addShiftedCoriolis(
  { dynamics, coriolis, momentum }: DerivativeWorkspace,
  b: number,
  parent: number,
): void {
  const { offsets } = dynamics;
  const n = 9 * parent;
  for (let k = 0; k < 9; k++) coriolis[n + k] += coriolis[9 * b + k];
  const diagonal = 2 * dot3(offsets, 3 * b, momentum, 3 * b);
  for (let k = 0; k < 9; k += 4) coriolis[n + k] += diagonal;
  addOuter(momentum, 3 * b, offsets, 3 * b, -2, coriolis, n);
}

/** Adds the external moment matrix K of a bone to its parent's: K_p += K + x f^T - (x . f) 1. */
function addShiftedExternalMoment(
  { dynamics, externalForce, externalMoment }: DerivativeWorkspace,
  b: number,
  parent: number,
): void {
  const { offsets } = dynamics;
  const n = 9 * parent;
  for (let k = 0; k < 9; k++) externalMoment[n + k] += externalMoment[9 * b + k];
  const diagonal = dot3(offsets, 3 * b, externalForce, 3 * b);
  for (let k = 0; k < 9; k += 4) externalMoment[n + k] -= diagonal;
  addOuter(offsets, 3 * b, externalForce, 3 * b, 1, externalMoment, n);
}

const wrench = /* @__PURE__ */ new Float64Array(6);

/** tau of all joints, to `expandedForces`: S^T times the force on the subtree, less the external forces. */
export function writeExpandedForces({
  dynamics,
  columns,
  expandedForces,
  externalForce,
  externalCouple,
}: DerivativeWorkspace): void {
  const { figure, state, force, couple } = dynamics;
  for (let b = 0; b < figure.parents.length; b++) {
    for (let k = 0; k < 3; k++) {
      wrench[k] = couple[3 * b + k] - externalCouple[3 * b + k];
      wrench[3 + k] = force[3 * b + k] - externalForce[3 * b + k];
    }
    for (let i = state.columnStart[b]; i < state.columnEnd[b]; i++)
      expandedForces[i] = dotSpatial(columns, 6 * i, wrench, 0);
  }
}
