import { addCross } from '../../figure/joints/axes.js';
import type { Numbers } from '../../math/linear/types.js';
import { INERTIA } from '../model/inertia.js';
import { rotateInertia } from '../model/rotate-inertia.js';
import { addOuter, addScaled, dot3, dot6 } from '../model/vectors.js';
import type { DerivativeWorkspace } from './workspace.js';

/**
 * What each bone and all that it carries have of momentum, of flow (see below) and of pushes, and the force that moves them: leaves to root.
 * Needs the inertial forces of the bones by themselves in `force` and `couple`, and composite inertias.
 *
 * Let all that a bone carries turn faster by alpha, its points moving with r' besides. They then take 2 alpha x r' more of acceleration
 * (Coriolis), for which it needs a force 2 alpha x p, p the momentum, and a couple of twice the integral of r x (alpha x r') dm = N alpha, with
 * N = 2 integral of ((r . r') 1 - r' r^T) dm, the flow. Nothing else of the velocities comes into the derivatives.
 */
export function carry(
  workspace: DerivativeWorkspace,
  external: Numbers | undefined,
  moments: Float64Array | undefined,
): void {
  const { dynamics, momentum, externalForce, externalCouple, externalMoment } = workspace;
  const { figure, offsets, force, couple } = dynamics;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    writeOwn(workspace, b);
    for (let k = 0; k < 3; k++) {
      externalForce[3 * b + k] = external === undefined ? 0 : external[6 * b + k];
      externalCouple[3 * b + k] = external === undefined ? 0 : external[6 * b + 3 + k];
    }
  }
  if (moments === undefined) externalMoment.fill(0);
  else externalMoment.set(moments);
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const o = 3 * b;
    const p = 3 * parents[b];
    addScaled(force, o, 1, force, p);
    addScaled(couple, o, 1, couple, p);
    addCross(offsets, o, force, o, 1, couple, p);
    addScaled(momentum, o, 1, momentum, p);
    addMoved(workspace, b, parents[b]);
    if (external === undefined) continue;
    addScaled(externalForce, o, 1, externalForce, p);
    addScaled(externalCouple, o, 1, externalCouple, p);
    addCross(offsets, o, externalForce, o, 1, externalCouple, p);
    addPush(workspace, b, parents[b]);
  }
}

/** p = m v + w x h and N = 2 ((h . v) 1 - v h^T - [w] S) of a bone alone, S its second moments about its origin, tr(I)/2 1 - I. */
function writeOwn({ dynamics, momentum, flow }: DerivativeWorkspace, b: number): void {
  const { inertias, moments, angularVelocity: w, velocity: v, turned, state } = dynamics;
  const o = 3 * b;
  const n = 9 * b;
  const mass = inertias[INERTIA * b];
  for (let k = 0; k < 3; k++) momentum[o + k] = mass * v[o + k];
  addCross(w, o, moments, o, 1, momentum, o);
  const twice = 2 * dot3(moments, o, v, o);
  for (let k = 0; k < 9; k++) flow[n + k] = k % 4 === 0 ? twice : 0;
  addOuter(v, o, moments, o, -2, flow, n);
  // Column c of [w] S is w x (column c of S).
  rotateInertia(state.worldFromBone, 12 * b, inertias, INERTIA * b + 4, turned, 0);
  const half = 0.5 * (turned[0] + turned[1] + turned[2]);
  const xx = half - turned[0];
  const yy = half - turned[1];
  const zz = half - turned[2];
  const xy = -turned[3];
  const xz = -turned[4];
  const yz = -turned[5];
  subtractTurned(w, o, xx, xy, xz, flow, n);
  subtractTurned(w, o, xy, yy, yz, flow, n + 1);
  subtractTurned(w, o, xz, yz, zz, flow, n + 2);
}

/** Takes 2 w x s off a column. */
function subtractTurned(
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

/** From r to r + x, x the offset of the bone: N_p += N + 2 ((x . p) 1 - p x^T). */
function addMoved({ dynamics, flow, momentum }: DerivativeWorkspace, b: number, parent: number): void {
  const { offsets } = dynamics;
  const n = 9 * parent;
  for (let k = 0; k < 9; k++) flow[n + k] += flow[9 * b + k];
  const along = 2 * dot3(offsets, 3 * b, momentum, 3 * b);
  for (let k = 0; k < 9; k += 4) flow[n + k] += along;
  addOuter(momentum, 3 * b, offsets, 3 * b, -2, flow, n);
}

/** K_p += K + x f^T - (x . f) 1. */
function addPush(
  { dynamics, externalForce, externalMoment }: DerivativeWorkspace,
  b: number,
  parent: number,
): void {
  const { offsets } = dynamics;
  const n = 9 * parent;
  for (let k = 0; k < 9; k++) externalMoment[n + k] += externalMoment[9 * b + k];
  const along = dot3(offsets, 3 * b, externalForce, 3 * b);
  for (let k = 0; k < 9; k += 4) externalMoment[n + k] -= along;
  addOuter(offsets, 3 * b, externalForce, 3 * b, 1, externalMoment, n);
}

const wrench = /* @__PURE__ */ new Float64Array(6);

/** tau of all joints, to `forces`: columns against the force on what they move, less the pushes. */
export function writeForces({
  dynamics,
  columns,
  forces,
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
      forces[i] = dot6(columns, 6 * i, wrench, 0);
  }
}
