/** External forces and impulses. */
import type { AppliedForces } from '../../integrate/types.js';
import type { Actor } from '../state/actor.js';
import { wakeActor } from '../state/sleep.js';
import { maxPointSpeed } from '../state/speculative-margin.js';
import { factorTreeSystem } from '../tree/factor.js';
import { applyJacobianTranspose } from '../tree/jacobian.js';
import { solveTreeSystem } from '../tree/solve.js';
import { setDiagonal } from '../tree/system.js';

/** Largest speed of a bone, m/s. */
export const MAX_SPEED = 2000;

/** Writes the external forces on an actor during a step, besides gravity; see `AppliedForces`. `out` is zeroed before. */
export type ActorForces = (actor: Actor, out: AppliedForces) => void;

/** Reads external forces and pending impulses into `appliedForce` and `appliedImpulse` of the actor's work; wakes it if any is not zero. */
export function readForces(actor: Actor, forces: ActorForces | undefined): void {
  const { work } = actor;
  const { boneWrench } = work;
  const { applied, pendingImpulses, appliedForce, appliedImpulse } = work.forces;
  work.forces.hasExternalImpulse = false;
  work.margins.expectedSpeed.fill(0);
  work.margins.expectedOwnSpeed.fill(0);
  if (forces === undefined && !work.forces.hasPendingImpulses) return;
  if (work.forces.hasPendingImpulses) {
    writeWrenches(pendingImpulses, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedImpulse);
  } else appliedImpulse.fill(0);
  appliedForce.fill(0);
  if (forces !== undefined) {
    applied.tau.fill(0);
    applied.external.fill(0);
    forces(actor, applied);
    writeWrenches(applied.external, boneWrench);
    applyJacobianTranspose(work.dynamics, boneWrench, appliedForce);
    for (let i = 0; i < appliedForce.length; i++) appliedForce[i] += applied.tau[i];
  }
  for (let i = 0; i < appliedForce.length; i++)
    if (appliedForce[i] !== 0 || appliedImpulse[i] !== 0) work.forces.hasExternalImpulse = true;
  if (work.forces.hasExternalImpulse && actor.asleep) wakeActor(actor);
}

/** Copies wrenches, force before couple, to wrenches with the couple first; 6 numbers a bone. */
function writeWrenches(from: Float64Array, to: Float64Array): void {
  for (let o = 0; o < from.length; o += 6) {
    for (let k = 0; k < 3; k++) {
      to[o + k] = from[o + 3 + k];
      to[o + 3 + k] = from[o + k];
    }
  }
}

/**
 * Writes the impulse of forces over h seconds and of pending impulses to `externalImpulse`, and the change of bone velocities by it to `boneDirection`.
 * Scales down an impulse that would accelerate the free figure beyond `MAX_SPEED`.
 *
 * @returns whether it was scaled down.
 */
export function applyForces({ work }: Actor, h: number): boolean {
  const { tree, dynamics, boneDirection, extent } = work;
  const { externalImpulse, appliedForce, appliedImpulse } = work.forces;
  const { direction } = work.solver;
  externalImpulse.fill(0);
  boneDirection.fill(0);
  if (!work.forces.hasExternalImpulse) return false;
  let largest = 0;
  for (let i = 0; i < externalImpulse.length; i++) {
    externalImpulse[i] = h * appliedForce[i] + appliedImpulse[i];
    largest = Math.max(largest, Math.abs(externalImpulse[i]));
  }
  // NaN and Infinity are detected after the solve.
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return false;
  // The response of the figure without contacts and limits.
  tree.boneHessian.fill(0);
  setDiagonal(tree, dynamics.armature);
  if (!factorTreeSystem(tree)) return false;
  // Normalized, so that squares do not overflow. The solve leaves the bone velocities in `boneDirection`.
  for (let i = 0; i < externalImpulse.length; i++) direction[i] = externalImpulse[i] / largest;
  solveTreeSystem(tree, direction, direction);
  let maxSpeed = 0;
  for (let b = 0; b < extent.length; b++)
    maxSpeed = Math.max(maxSpeed, maxPointSpeed(boneDirection, b, extent[b], -1));
  const isBounded = largest * maxSpeed > MAX_SPEED;
  const scale = isBounded ? MAX_SPEED / maxSpeed : largest;
  for (let o = 0; o < boneDirection.length; o++) boneDirection[o] *= scale;
  if (isBounded)
    for (let i = 0; i < externalImpulse.length; i++)
      externalImpulse[i] = (externalImpulse[i] / largest) * scale;
  return isBounded;
}
