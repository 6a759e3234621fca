import { DomainError } from '../../../errors.js';
import { placeBones } from '../../kinematics/update-kinematics.js';
import { ARTICULATED, C } from '../../model/articulated-inertia.js';
import { writeBoneVelocities } from '../tree/jacobian.js';
import { placeTreeSystem } from '../tree/system.js';
import type { Actor } from './actor.js';
import { frozenEnergy, keepMomentum, shiftRoot } from './root-momentum.js';

/** m from a bone's origin at which its turning counts as a speed. */
const TURNING_ARM = 0.2;
/** Part of the kinetic energy that rounding may be out by. */
const ROUNDING = 1e-12;

/** Brings all of an actor to its pose and velocities: bones, inertias, energies, speed. */
export function placeActor({ pose, nu, work }: Actor, gravity: Float64Array): void {
  placeBones(work.dynamics, pose);
  placeTreeSystem(work.tree);
  writeBoneVelocities(work.dynamics, nu, work.boneVelocity);
  work.placed = true;
  weigh(work, nu, gravity);
}

/** @throws DomainError for velocities whose energy is beyond all numbers; the actor then counts as not placed. */
export function requireMeasure({ index, work }: Actor): void {
  if (Number.isFinite(work.kinetic + work.speed)) return;
  work.placed = false;
  throw new DomainError('out-of-range', 'is faster than can be reckoned with.', {
    path: `actors[${index}].nu`,
    remedy: 'Give velocities in rad/s and m/s.',
  });
}

/** After a change of velocities at the same pose. */
export function weighAgain({ nu, work }: Actor, gravity: Float64Array): void {
  writeBoneVelocities(work.dynamics, nu, work.boneVelocity);
  weigh(work, nu, gravity);
}

/** Energies, drift and speed by the bones' velocities. */
function weigh(work: Actor['work'], nu: Float64Array, gravity: Float64Array): void {
  const { dynamics, tree, boneVelocity: motion, drift } = work;
  const { moments, state, armature } = dynamics;
  const { rigid } = tree;
  let twice = 0;
  let potential = 0;
  let speed = 0;
  let px = 0;
  let py = 0;
  let pz = 0;
  for (let b = 0; 6 * b < motion.length; b++) {
    const o = 6 * b;
    const i = ARTICULATED * b;
    const h = 3 * b;
    const x = motion[o];
    const y = motion[o + 1];
    const z = motion[o + 2];
    const u = motion[o + 3];
    const v = motion[o + 4];
    const w = motion[o + 5];
    const mass = rigid[i + C];
    // w x h: momentum is m v + w x h, and twice the energy w . A w + 2 v . (w x h) + m v^2
    const cx = y * moments[h + 2] - z * moments[h + 1];
    const cy = z * moments[h] - x * moments[h + 2];
    const cz = x * moments[h + 1] - y * moments[h];
    px += mass * u + cx;
    py += mass * v + cy;
    pz += mass * w + cz;
    twice +=
      rigid[i] * x * x +
      rigid[i + 1] * y * y +
      rigid[i + 2] * z * z +
      2 * (rigid[i + 3] * x * y + rigid[i + 4] * x * z + rigid[i + 5] * y * z) +
      2 * (u * cx + v * cy + w * cz) +
      mass * (u * u + v * v + w * w);
    const e = 12 * b + 9;
    for (let k = 0; k < 3; k++)
      potential -= gravity[k] * (mass * state.worldFromBone[e + k] + moments[h + k]);
    const fast = Math.sqrt(u * u + v * v + w * w) + TURNING_ARM * Math.sqrt(x * x + y * y + z * z);
    if (!(fast <= speed)) speed = fast;
  }
  for (let i = 0; i < nu.length; i++) twice += armature[i] * nu[i] * nu[i];
  work.kinetic = 0.5 * twice;
  work.potential = potential;
  work.speed = speed;
  drift[0] = px / work.mass;
  drift[1] = py / work.mass;
  drift[2] = pz / work.mass;
}

/**
 * Takes from an actor's motion what energy it has beyond `most`: first order as the step is, it would make some out of turning limbs. A floating figure
 * loses it in its joints and keeps its momentum, as long as they have that much; then it turns slower, and its centre of mass goes on as it did.
 * One that is held slows down.
 */
export function holdEnergy(actor: Actor, most: number, gravity: Float64Array): void {
  const { nu, work } = actor;
  let excess = work.kinetic + work.potential - most;
  if (!(excess > 0)) return;
  if (work.floats) {
    const inner = work.kinetic - frozenEnergy(actor);
    if (inner > 0) {
      const scale = Math.sqrt(Math.max(0, 1 - excess / inner));
      for (let i = 6; i < nu.length; i++) nu[i] *= scale;
      writeBoneVelocities(work.dynamics, nu, work.boneVelocity);
      keepMomentum(actor);
      weighAgain(actor, gravity);
      excess = work.kinetic + work.potential - most;
      if (!(excess > ROUNDING * work.kinetic)) return;
    }
  }
  const { drift, mass } = work;
  const drifting = work.floats ? 0.5 * mass * (drift[0] ** 2 + drift[1] ** 2 + drift[2] ** 2) : 0;
  const inner = work.kinetic - drifting;
  if (!(inner > 0)) return;
  const scale = Math.sqrt(Math.max(0, 1 - excess / inner));
  for (let i = 0; i < nu.length; i++) nu[i] *= scale;
  if (work.floats) shiftRoot(work, nu, drift, 1 - scale);
  weighAgain(actor, gravity);
}
