/** Forces and impulses from outside. */
import type { AppliedForces } from '../../integrate/types.js';
import type { Actor } from '../state/actor.js';
import { wakeActor } from '../state/sleep.js';
import { maxPointSpeed } from '../state/speculative-margin.js';
import { factorTreeSystem } from '../tree/factor.js';
import { applyJacobianTranspose } from '../tree/jacobian.js';
import { solveTreeSystem } from '../tree/solve.js';
import { setDiagonal } from '../tree/system.js';

/** Fastest that a bone may move, m/s. */
export const MAX_SPEED = 2000;

/** Writes what acts on an actor during a step, besides gravity; see `AppliedForces`. `out` comes zeroed. */
export type ActorForces = (actor: Actor, out: AppliedForces) => void;

/** Forces and impulses of a step, to `force` and `impulse` of the actor's work; what they push wakes. */
export function readForces(actor: Actor, forces: ActorForces | undefined): void {
  const { work } = actor;
  const { applied, pendingImpulses, boneWrench, appliedForce, appliedImpulse } = work;
  work.hasExternalImpulse = false;
  work.expectedSpeed.fill(0);
  work.expectedOwnSpeed.fill(0);
  if (forces === undefined && !work.hasPendingImpulses) return;
  if (work.hasPendingImpulses) {
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
    if (appliedForce[i] !== 0 || appliedImpulse[i] !== 0) work.hasExternalImpulse = true;
  if (work.hasExternalImpulse && actor.asleep) wakeActor(actor);
}

/** Six numbers a bone, force before couple, to couple before force. */
function writeWrenches(from: Float64Array, to: Float64Array): void {
  for (let o = 0; o < from.length; o += 6) {
    for (let k = 0; k < 3; k++) {
      to[o + k] = from[o + 3 + k];
      to[o + 3 + k] = from[o + k];
    }
  }
}

/**
 * What forces and impulses give within h seconds, to `given`. What would make a figure by itself faster than anything moves is brought down to that.
 *
 * @returns whether that was so.
 */
export function applyForces({ work }: Actor, h: number): boolean {
  const { externalImpulse, appliedForce, appliedImpulse, tree, dynamics, direction, boneDirection, extent } =
    work;
  externalImpulse.fill(0);
  boneDirection.fill(0);
  if (!work.hasExternalImpulse) return false;
  let most = 0;
  for (let i = 0; i < externalImpulse.length; i++) {
    externalImpulse[i] = h * appliedForce[i] + appliedImpulse[i];
    most = Math.max(most, Math.abs(externalImpulse[i]));
  }
  // What is no number is found out later.
  if (!(most > 0 && most < Number.POSITIVE_INFINITY)) return false;
  // As they would push it alone.
  tree.boneHessian.fill(0);
  setDiagonal(tree, dynamics.armature);
  if (!factorTreeSystem(tree)) return false;
  // By a part of them, whose squares are numbers. The motions are left in `boneDirection`.
  for (let i = 0; i < externalImpulse.length; i++) direction[i] = externalImpulse[i] / most;
  solveTreeSystem(tree, direction, direction);
  let fast = 0;
  for (let b = 0; b < extent.length; b++)
    fast = Math.max(fast, maxPointSpeed(boneDirection, b, extent[b], -1));
  const bounded = most * fast > MAX_SPEED;
  const part = bounded ? MAX_SPEED / fast : most;
  for (let o = 0; o < boneDirection.length; o++) boneDirection[o] *= part;
  if (bounded)
    for (let i = 0; i < externalImpulse.length; i++) externalImpulse[i] = (externalImpulse[i] / most) * part;
  return bounded;
}
