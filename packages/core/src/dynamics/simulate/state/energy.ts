import { DomainError } from '../../../errors.js';
import { updateKinematics } from '../../kinematics/update-kinematics.js';
import { ARTICULATED_SIZE, BLOCK_C } from '../../model/articulated-inertia.js';
import { writeBoneVelocities } from '../tree/jacobian.js';
import { updateTreeSystem } from '../tree/system.js';
import type { Actor } from './actor.js';
import { addRootVelocity, lockedEnergy, restoreMomentum } from './root-momentum.js';

/** Lever arm, m, by which angular velocity counts as a speed. */
const ROTATION_ARM = 0.2;
/** Rounding error of the kinetic energy, relative. */
const ROUNDING = 1e-12;

/** Updates kinematics, inertias, energies and speed of an actor to its pose and velocity. */
export function updateActor({ pose, velocity, work }: Actor, gravity: Float64Array): void {
  updateKinematics(work.dynamics, pose);
  updateTreeSystem(work.tree);
  writeBoneVelocities(work.dynamics, velocity, work.boneVelocity);
  work.energy.isCurrent = true;
  writeEnergies(work, velocity, gravity);
}

/** @throws DomainError for a velocity whose energy overflows; the actor is not current then. */
export function requireFiniteEnergy({ index, work }: Actor): void {
  if (Number.isFinite(work.energy.kinetic + work.energy.speed)) return;
  work.energy.isCurrent = false;
  throw new DomainError('out-of-range', 'exceeds the largest supported speed.', {
    path: `actors[${index}].velocity`,
    remedy: 'Give velocities in rad/s and m/s.',
  });
}

/** Updates energies and speed after a change of the velocity alone. */
export function updateEnergies({ velocity, work }: Actor, gravity: Float64Array): void {
  writeBoneVelocities(work.dynamics, velocity, work.boneVelocity);
  writeEnergies(work, velocity, gravity);
}

/** Writes energies, velocity of the centre of mass and speed from the bone velocities. */
function writeEnergies(work: Actor['work'], velocity: Float64Array, gravity: Float64Array): void {
  const { dynamics, tree, boneVelocity: motion } = work;
  const { centerVelocity } = work.energy;
  const { firstMoments, state, armature } = dynamics;
  const { rigidInertia } = tree;
  let twice = 0;
  let potential = 0;
  let speed = 0;
  let px = 0;
  let py = 0;
  let pz = 0;
  for (let b = 0; 6 * b < motion.length; b++) {
    const o = 6 * b;
    const i = ARTICULATED_SIZE * b;
    const h = 3 * b;
    const x = motion[o];
    const y = motion[o + 1];
    const z = motion[o + 2];
    const u = motion[o + 3];
    const v = motion[o + 4];
    const w = motion[o + 5];
    const mass = rigidInertia[i + BLOCK_C];
    // w x h: momentum is m v + w x h, and twice the energy w . A w + 2 v . (w x h) + m v^2
    const cx = y * firstMoments[h + 2] - z * firstMoments[h + 1];
    const cy = z * firstMoments[h] - x * firstMoments[h + 2];
    const cz = x * firstMoments[h + 1] - y * firstMoments[h];
    px += mass * u + cx;
    py += mass * v + cy;
    pz += mass * w + cz;
    twice +=
      rigidInertia[i] * x * x +
      rigidInertia[i + 1] * y * y +
      rigidInertia[i + 2] * z * z +
      2 * (rigidInertia[i + 3] * x * y + rigidInertia[i + 4] * x * z + rigidInertia[i + 5] * y * z) +
      2 * (u * cx + v * cy + w * cz) +
      mass * (u * u + v * v + w * w);
    const e = 12 * b + 9;
    for (let k = 0; k < 3; k++)
      potential -= gravity[k] * (mass * state.worldFromBone[e + k] + firstMoments[h + k]);
    const pointSpeed = Math.sqrt(u * u + v * v + w * w) + ROTATION_ARM * Math.sqrt(x * x + y * y + z * z);
    if (!(pointSpeed <= speed)) speed = pointSpeed;
  }
  for (let i = 0; i < velocity.length; i++) twice += armature[i] * velocity[i] * velocity[i];
  work.energy.kinetic = 0.5 * twice;
  work.energy.potential = potential;
  work.energy.speed = speed;
  centerVelocity[0] = px / work.mass;
  centerVelocity[1] = py / work.mass;
  centerVelocity[2] = pz / work.mass;
}

/**
 * Scales velocities down until the energy is at most `max`, for the first-order step would gain energy from rotating limbs. A floating
 * figure loses it in its joints first, which keeps its momentum, then in its rotation about the centre of mass, which keeps the velocity of
 * that. A figure on a fixed base slows down as a whole.
 */
export function limitEnergy(actor: Actor, max: number, gravity: Float64Array): void {
  const { velocity, work } = actor;
  let excess = work.energy.kinetic + work.energy.potential - max;
  if (!(excess > 0)) return;
  if (work.isFloating) {
    const removable = work.energy.kinetic - lockedEnergy(actor);
    if (removable > 0) {
      const scale = Math.sqrt(Math.max(0, 1 - excess / removable));
      for (let i = 6; i < velocity.length; i++) velocity[i] *= scale;
      writeBoneVelocities(work.dynamics, velocity, work.boneVelocity);
      restoreMomentum(actor);
      updateEnergies(actor, gravity);
      excess = work.energy.kinetic + work.energy.potential - max;
      if (!(excess > ROUNDING * work.energy.kinetic)) return;
    }
  }
  const { mass } = work;
  const { centerVelocity } = work.energy;
  const translational = work.isFloating
    ? 0.5 * mass * (centerVelocity[0] ** 2 + centerVelocity[1] ** 2 + centerVelocity[2] ** 2)
    : 0;
  const removable = work.energy.kinetic - translational;
  if (!(removable > 0)) return;
  const scale = Math.sqrt(Math.max(0, 1 - excess / removable));
  for (let i = 0; i < velocity.length; i++) velocity[i] *= scale;
  if (work.isFloating) addRootVelocity(work, velocity, centerVelocity, 1 - scale);
  updateEnergies(actor, gravity);
}
