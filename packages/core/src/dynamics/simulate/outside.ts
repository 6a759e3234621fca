/** Forces and impulses from outside. */
import type { AppliedForces } from '../integrate/types.js';
import type { Actor } from './actor.js';
import { factorTreeSystem } from './factor-tree.js';
import { wakeActor } from './sleep.js';
import { solveTreeSystem } from './solve-tree.js';
import { gatherWrenches, writeBoneVelocities } from './tree-motion.js';
import { setDiagonal } from './tree-system.js';

/** Looked ahead beyond the distance that bones cover, m; farthest from a bone's origin that its turning carries a shape, m. */
const MARGIN = 0.01;
const FARTHEST = 0.5;
/** Fastest that is looked ahead for, m/s. */
const MOST_SPEED = 2000;

/** Writes what acts on an actor during a step, besides gravity; see `AppliedForces`. `out` comes zeroed. */
export type ActorForces = (actor: Actor, out: AppliedForces) => void;

/** Forces and impulses of a step, to `force` and `impulse` of the actor's work; what they push wakes. */
export function gather(actor: Actor, forces: ActorForces | undefined): void {
  const { work } = actor;
  const { applied, impulses, boneWrench, force, impulse } = work;
  work.pushed = false;
  if (forces === undefined && !work.impulsive) return;
  if (work.impulsive) {
    writeWrenches(impulses, boneWrench);
    gatherWrenches(work.dynamics, boneWrench, impulse);
  } else impulse.fill(0);
  force.fill(0);
  if (forces !== undefined) {
    applied.tau.fill(0);
    applied.external.fill(0);
    forces(actor, applied);
    writeWrenches(applied.external, boneWrench);
    gatherWrenches(work.dynamics, boneWrench, force);
    for (let i = 0; i < force.length; i++) force[i] += applied.tau[i];
  }
  for (let i = 0; i < force.length; i++) if (force[i] !== 0 || impulse[i] !== 0) work.pushed = true;
  if (work.pushed && actor.asleep) wakeActor(actor);
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

/** What forces and impulses give within h seconds, to `given`, and how far the bones may come in that time, to `reach`. */
export function giveOut({ work }: Actor, h: number): void {
  const { given, force, impulse, tree, dynamics, direction, boneDirection } = work;
  work.reach = h * work.speed + MARGIN;
  given.fill(0);
  if (!work.pushed) return;
  for (let i = 0; i < given.length; i++) given[i] = h * force[i] + impulse[i];
  // As they would push it alone.
  tree.boneTerms.fill(0);
  setDiagonal(tree, dynamics.armature);
  if (!factorTreeSystem(tree)) return;
  solveTreeSystem(tree, given, direction);
  writeBoneVelocities(dynamics, direction, boneDirection);
  let fast = 0;
  for (let o = 0; o < boneDirection.length; o += 6) {
    const turn = Math.hypot(boneDirection[o], boneDirection[o + 1], boneDirection[o + 2]);
    const slide = Math.hypot(boneDirection[o + 3], boneDirection[o + 4], boneDirection[o + 5]);
    fast = Math.max(fast, slide + FARTHEST * turn);
  }
  // What is no number is found out later.
  if (fast > 0) work.reach += h * Math.min(fast, MOST_SPEED);
}
