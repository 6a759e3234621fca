import { DomainError } from '../../../errors.js';
import { updateTreeSystem } from '../../aba/factor.js';
import { writeBoneVelocities } from '../../kinematics/jacobian.js';
import { updateKinematics } from '../../kinematics/update-kinematics.js';
import { ARTICULATED_SIZE, BLOCK_C } from '../../model/articulated-inertia.js';
import type { Actor } from '../state/actor.js';
import type { ActorWork } from '../state/actor-work.js';

/** Lever arm, m, by which angular velocity counts as a speed. */
const ROTATION_ARM = 0.2;
/** Updates kinematics, inertias, energies and speed of an actor to its pose and velocity. */
export function updateActor({ pose, velocity, work }: Actor, gravity: Float64Array): void {
  updateKinematics(work.dynamics, pose);
  updateTreeSystem(work.dynamics);
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
function writeEnergies(work: ActorWork, velocity: Float64Array, gravity: Float64Array): void {
  const { dynamics, tree, boneVelocity: motion } = work;
  const { centerVelocity } = work.energy;
  const { firstMoments, state } = dynamics;
  const { rigidInertia } = tree;
  work.energy.kinetic = kineticEnergyOf(work, velocity, motion);
  let potential = 0;
  let speed = 0;
  for (let b = 0; 6 * b < motion.length; b++) {
    const o = 6 * b;
    const mass = rigidInertia[ARTICULATED_SIZE * b + BLOCK_C];
    const e = 12 * b + 9;
    for (let k = 0; k < 3; k++)
      potential -= gravity[k] * (mass * state.worldFromBone[e + k] + firstMoments[3 * b + k]);
    const x = motion[o];
    const y = motion[o + 1];
    const z = motion[o + 2];
    const u = motion[o + 3];
    const v = motion[o + 4];
    const w = motion[o + 5];
    const pointSpeed = Math.sqrt(u * u + v * v + w * w) + ROTATION_ARM * Math.sqrt(x * x + y * y + z * z);
    if (!(pointSpeed <= speed)) speed = pointSpeed;
  }
  work.energy.potential = potential;
  work.energy.speed = speed;
  for (let k = 0; k < 3; k++) centerVelocity[k] = momentum[k] / work.mass;
}

const momentum = /* @__PURE__ */ new Float64Array(3);

/**
 * Kinetic energy at velocities and their bone velocities, J; writes the momentum to `momentum`.
 */
function kineticEnergyOf(
  { dynamics, tree }: ActorWork,
  velocity: Float64Array,
  motion: Float64Array,
): number {
  const { firstMoments, armature } = dynamics;
  const { rigidInertia } = tree;
  let twice = 0;
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
  }
  for (let i = 0; i < velocity.length; i++) twice += armature[i] * velocity[i] * velocity[i];
  momentum[0] = px;
  momentum[1] = py;
  momentum[2] = pz;
  return 0.5 * twice;
}

/**
 * Predicts the energy of an actor after h seconds at the velocities found (`nextVelocity`, `boneDirection`) to first order: its kinetic energy, and
 * what it gains beyond the work of external forces, J.
 */
export function predictEnergy({ velocity, work }: Actor, gravity: Float64Array, h: number): void {
  const { prediction, forces, solver } = work;
  const kinetic = kineticEnergyOf(work, solver.nextVelocity, work.boneDirection);
  let gain = kinetic - work.energy.kinetic;
  for (let k = 0; k < 3; k++) gain -= h * gravity[k] * momentum[k];
  for (let i = 0; i < velocity.length; i++)
    gain -= 0.5 * forces.externalImpulse[i] * (velocity[i] + solver.nextVelocity[i]);
  prediction.kinetic = kinetic;
  prediction.gain = gain;
}
