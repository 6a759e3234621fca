/**
 * Geometric stiffness (Tournier and others 2015, *Stable Constrained Dynamics*; Andrews, Teichmann and Kry 2017): how couples on a bone change as
 * it rotates under forces of constant direction. A force F at an arm r from the bone's origin, rotated by theta, gives the couple
 *
 *   (r + theta x r) x F = r x F - K theta,   K = (F . r) 1 - r F^T
 *
 * At the end of a chain of bones r is the sum of their links, and F . r that of F . link: each bone of the chain has the K of its own link.
 *
 * A step that leaves it out diverges where h^2 K exceeds four times the inertia: for light bones under heavy loads.
 */
import type { Figure } from '../../../figure/model/figure.js';
import { diagonalize } from '../../../math/linear/symmetric-eigen.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../../kinematics/jacobian.js';
import { ARTICULATED_SIZE } from '../../model/articulated-inertia.js';
import type { Actor } from '../state/actor.js';
import type { ActorWork } from '../state/actor-work.js';
import { POINT } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** Share of the inertia below which h^2 K is left out: ordinary figures have none. */
const NEGLIGIBLE = 0.1;
/** Change relative to K and the inertia that requires another solve. */
const MAX_CHANGE = 0.5;

/** Writes h^2 K of the bones of active actors under the connections' last forces, where it counts. */
export function initializeGeometricStiffness(simulation: Simulation, h: number): void {
  const { actors, contactPotentials: potentials } = simulation;
  for (const { work } of actors) {
    if (work.system.hasGeometricStiffness) work.system.geometricStiffness.fill(0);
    work.system.isLoaded = false;
  }
  for (let t = 0; t < potentials.count; t++)
    if (potentials.kind[t] === POINT) addLoads(simulation, t, potentials.multiplier, h);
  for (const { work } of actors) {
    work.system.hasGeometricStiffness = work.system.isLoaded && project(work);
    if (work.system.hasGeometricStiffness) addImpulse(work);
  }
}

/** Leaves K out, for a solve without warm start. */
export function clearGeometricStiffness({ work: { system } }: Actor): void {
  system.geometricStiffness.fill(0);
  system.hasGeometricStiffness = false;
}

/** Adds the impulse -h^2 K w of bones at the angular velocities before the substep. */
function addImpulse({ dynamics, system, solver, boneVelocity, boneWrench }: ActorWork): void {
  const { geometricStiffness: k } = system;
  boneWrench.fill(0);
  for (let o = 0; o < k.length; o += 6) {
    const x = boneVelocity[o];
    const y = boneVelocity[o + 1];
    const z = boneVelocity[o + 2];
    boneWrench[o] = k[o] * x + k[o + 3] * y + k[o + 4] * z;
    boneWrench[o + 1] = k[o + 3] * x + k[o + 1] * y + k[o + 5] * z;
    boneWrench[o + 2] = k[o + 4] * x + k[o + 5] * y + k[o + 2] * z;
  }
  applyJacobianTranspose(dynamics, boneWrench, solver.residual);
  for (let i = 0; i < solver.residual.length; i++) system.freeImpulse[i] -= solver.residual[i];
}

/**
 * The same under the forces found, where they have changed much: updates the stiffness and A (v - v0) with it.
 *
 * @returns whether it has changed.
 */
export function updateGeometricStiffness(simulation: Simulation, island: Island, h: number): boolean {
  const { contactPotentials: potentials } = simulation;
  let any = false;
  for (const { work } of island.actors) {
    if (!work.system.isLoaded) continue;
    any = true;
    work.system.lastGeometricStiffness.set(work.system.geometricStiffness);
    work.system.geometricStiffness.fill(0);
  }
  if (!any) return false;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (potentials.kind[t] === POINT) addLoads(simulation, t, potentials.impulse, h);
  }
  let changes = false;
  for (const { work } of island.actors) {
    if (!work.system.isLoaded) continue;
    work.system.hasGeometricStiffness = project(work);
    if (hasChanged(work)) changes = true;
  }
  for (const { work } of island.actors) {
    if (!work.system.isLoaded) continue;
    if (changes) addChange(work);
    else work.system.geometricStiffness.set(work.system.lastGeometricStiffness);
  }
  return changes;
}

/** Whether h^2 K has changed by more than a share of itself and the inertia. */
function hasChanged({ tree, system }: ActorWork): boolean {
  const { geometricStiffness: k, lastGeometricStiffness: last } = system;
  for (let b = 0; 6 * b < k.length; b++) {
    const i = ARTICULATED_SIZE * b;
    const before = squareAt(last, 6 * b);
    let change = 0;
    for (let n = 0; n < 6; n++) change += (n < 3 ? 1 : 2) * (k[6 * b + n] - last[6 * b + n]) ** 2;
    if (Math.sqrt(change) > MAX_CHANGE * (Math.sqrt(before) + meanInertia(tree.rigidInertia, i))) return true;
  }
  return false;
}

/** Square of the Frobenius norm of the symmetric matrix at m[o]: xx, yy, zz, xy, xz, yz. */
function squareAt(m: Float64Array, o: number): number {
  let square = 0;
  for (let n = 0; n < 6; n++) square += (n < 3 ? 1 : 2) * m[o + n] * m[o + n];
  return square;
}

/** Mean of the principal moments of inertia: the same in all axes. */
function meanInertia(inertia: Float64Array, i: number): number {
  return (inertia[i] + inertia[i + 1] + inertia[i + 2]) / 3;
}

/** Adds the change of J^T h^2 K J (v - v0) to the impulse that the constraints must supply. */
function addChange({ dynamics, system, solver, boneVelocity, boneDirection, boneWrench }: ActorWork): void {
  const { geometricStiffness: k, lastGeometricStiffness: last } = system;
  writeBoneVelocities(dynamics, solver.nextVelocity, boneDirection);
  boneWrench.fill(0);
  for (let o = 0; o < k.length; o += 6) {
    for (let n = o; n < o + 6; n++) last[n] = k[n] - last[n];
    const x = boneDirection[o] - boneVelocity[o];
    const y = boneDirection[o + 1] - boneVelocity[o + 1];
    const z = boneDirection[o + 2] - boneVelocity[o + 2];
    boneWrench[o] = last[o] * x + last[o + 3] * y + last[o + 4] * z;
    boneWrench[o + 1] = last[o + 3] * x + last[o + 1] * y + last[o + 5] * z;
    boneWrench[o + 2] = last[o + 4] * x + last[o + 5] * y + last[o + 2] * z;
  }
  applyJacobianTranspose(dynamics, boneWrench, solver.residual);
  for (let i = 0; i < solver.residual.length; i++) solver.requiredImpulse[i] += solver.residual[i];
}

/** Adds the loads of a connection by its impulse on A. */
function addLoads(simulation: Simulation, t: number, impulse: Float64Array, h: number): void {
  const { contactPotentials: potentials } = simulation;
  addEnd(simulation, potentials.bodyA[t], potentials.armA, impulse, 3 * t, h);
  if (potentials.bodyB[t] >= 0) addEnd(simulation, potentials.bodyB[t], potentials.armB, impulse, 3 * t, -h);
}

const link = /* @__PURE__ */ new Float64Array(3);

/** Adds the loads of a connection's force at one end, on its bone and those above. */
function addEnd(
  { actors, figureOfBody, boneOfBody }: Simulation,
  body: number,
  arm: Float64Array,
  impulse: Float64Array,
  o: number,
  scale: number,
): void {
  const { figure, work } = actors[figureOfBody[body]];
  const { worldFromBone } = work.dynamics.state;
  work.system.isLoaded = true;
  let child = boneOfBody[body];
  addLoad(work.system, child, arm, o, impulse, o, scale);
  // A free joint passes no force on.
  for (let b = figure.parents[child]; b >= 0 && !isFree(figure, child); b = figure.parents[b]) {
    for (let k = 0; k < 3; k++) link[k] = worldFromBone[12 * child + 9 + k] - worldFromBone[12 * b + 9 + k];
    addLoad(work.system, b, link, 0, impulse, o, scale);
    child = b;
  }
}

function isFree({ bones }: Figure, b: number): boolean {
  return bones[b].joint.type === 'free';
}

/** Adds scale times ((F . r) 1 - (r F^T + F r^T) / 2) to the stiffness of bone b. */
function addLoad(
  { geometricStiffness: k }: ActorWork['system'],
  b: number,
  arm: Float64Array,
  a: number,
  force: Float64Array,
  o: number,
  scale: number,
): void {
  const i = 6 * b;
  const [x, y, z] = [arm[a], arm[a + 1], arm[a + 2]];
  const [fx, fy, fz] = [scale * force[o], scale * force[o + 1], scale * force[o + 2]];
  k[i] += fy * y + fz * z;
  k[i + 1] += fx * x + fz * z;
  k[i + 2] += fx * x + fy * y;
  k[i + 3] -= 0.5 * (x * fy + y * fx);
  k[i + 4] -= 0.5 * (x * fz + z * fx);
  k[i + 5] -= 0.5 * (y * fz + z * fy);
}

const matrix = /* @__PURE__ */ new Float64Array(9);
const vectors = /* @__PURE__ */ new Float64Array(9);

/** Replaces each K by its positive semidefinite part, or by zero where it is negligible. @returns whether any is not zero. */
function project(work: ActorWork): boolean {
  const { geometricStiffness: k } = work.system;
  const { rigidInertia } = work.tree;
  let any = false;
  for (let b = 0; 6 * b < k.length; b++) {
    const o = 6 * b;
    const i = ARTICULATED_SIZE * b;
    const inertia = meanInertia(rigidInertia, i);
    const size = Math.sqrt(squareAt(k, o));
    if (!(size > NEGLIGIBLE * inertia)) {
      for (let n = o; n < o + 6; n++) k[n] = 0;
      continue;
    }
    any = true;
    matrix[0] = k[o];
    matrix[4] = k[o + 1];
    matrix[8] = k[o + 2];
    matrix[1] = k[o + 3];
    matrix[3] = k[o + 3];
    matrix[2] = k[o + 4];
    matrix[6] = k[o + 4];
    matrix[5] = k[o + 5];
    matrix[7] = k[o + 5];
    diagonalize(matrix, 3, vectors);
    for (let n = o; n < o + 6; n++) k[n] = 0;
    for (let e = 0; e < 3; e++) {
      const scale = Math.max(0, matrix[4 * e]);
      const [x, y, z] = [vectors[3 * e], vectors[3 * e + 1], vectors[3 * e + 2]];
      k[o] += scale * x * x;
      k[o + 1] += scale * y * y;
      k[o + 2] += scale * z * z;
      k[o + 3] += scale * x * y;
      k[o + 4] += scale * x * z;
      k[o + 5] += scale * y * z;
    }
  }
  return any;
}
