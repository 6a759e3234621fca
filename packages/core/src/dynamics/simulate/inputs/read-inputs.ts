/** Reads what the caller wrote to actors and connections since the last step. */
import { DomainError } from '../../../errors.js';
import { clampToLimits } from '../../../figure/model/pose.js';
import type { Numbers } from '../../../math/linear/types.js';
import { areFinite, requireVector } from '../../model/checks.js';
import type { Actor } from '../state/actor.js';
import type { Connection } from '../state/connection.js';
import { requireFiniteEnergy, updateActor } from '../state/energy.js';
import type { Simulation } from '../state/simulation.js';
import { wakeActor } from '../state/sleep.js';

/** @throws DomainError for numbers that are not finite, and negative gains and bounds, with their path. */
export function requireInputs({ actors, connections }: Simulation): void {
  for (const actor of actors) requireActor(actor);
  for (let k = 0; k < connections.length; k++) requireConnection(connections[k], k);
}

function requireActor({
  index,
  figure,
  pose,
  velocity,
  motor,
  damping,
  stiffness,
  rest,
  friction,
}: Actor): void {
  const { target, targetVelocity, maxForce } = motor;
  const { dof } = figure;
  if (
    areFinite(pose) &&
    areFinite(velocity) &&
    areFinite(target) &&
    areFinite(targetVelocity) &&
    areFinite(rest)
  ) {
    if (areGains(motor.stiffness) && areGains(motor.damping) && areGains(damping)) {
      if (areGains(stiffness) && areGains(friction) && areBounds(maxForce)) return;
    }
  }
  const path = `actors[${index}]`;
  requireVector(pose, dof, `${path}.pose`);
  requireVector(velocity, dof, `${path}.velocity`);
  requireVector(rest, dof, `${path}.rest`);
  requireVector(target, dof, `${path}.motor.target`);
  requireVector(targetVelocity, dof, `${path}.motor.targetVelocity`);
  requireBounds(motor.stiffness, Number.MAX_VALUE, `${path}.motor.stiffness`);
  requireBounds(motor.damping, Number.MAX_VALUE, `${path}.motor.damping`);
  requireBounds(maxForce, Number.POSITIVE_INFINITY, `${path}.motor.maxForce`);
  requireBounds(damping, Number.MAX_VALUE, `${path}.damping`);
  requireBounds(stiffness, Number.MAX_VALUE, `${path}.stiffness`);
  requireBounds(friction, Number.MAX_VALUE, `${path}.friction`);
}

/** Whether all are finite and not negative. */
function areGains(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) {
    if (!(numbers[i] >= 0 && numbers[i] < Number.POSITIVE_INFINITY)) return false;
  }
  return true;
}

/** Whether all are not negative; Infinity is allowed. */
function areBounds(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(numbers[i] >= 0)) return false;
  return true;
}

function requireBounds(numbers: Numbers, max: number, path: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (!(numbers[i] >= 0 && numbers[i] <= max)) throw boundError(numbers[i], `${path}[${i}]`);
  }
}

function boundError(value: number, path: string): DomainError {
  const code = Number.isFinite(value) ? 'out-of-range' : 'not-finite';
  return new DomainError(code, `is ${value}.`, { path, remedy: 'Give zero or more.' });
}

function requireConnection(connection: Connection, k: number): void {
  const { positionA, positionB, rotationA, rotationB, maxForce, maxCouple } = connection;
  const path = `connections[${k}]`;
  requireVector(positionA, 3, `${path}.positionA`);
  requireVector(positionB, 3, `${path}.positionB`);
  requireRotation(rotationA, `${path}.rotationA`);
  requireRotation(rotationB, `${path}.rotationB`);
  if (!(maxForce >= 0)) throw boundError(maxForce, `${path}.maxForce`);
  if (!(maxCouple >= 0)) throw boundError(maxCouple, `${path}.maxCouple`);
}

function requireRotation(q: Float64Array, path: string): void {
  requireVector(q, 4, path);
  if (q[0] !== 0 || q[1] !== 0 || q[2] !== 0 || q[3] !== 0) return;
  throw new DomainError('not-unit', 'is no rotation.', { path, remedy: 'Give a quaternion (x, y, z, w).' });
}

/**
 * Updates an actor to a pose and velocity that the caller wrote, and wakes it.
 *
 * @throws DomainError for a velocity whose energy overflows; the state is not read then.
 */
export function readInputs({ gravity }: Simulation, actor: Actor): void {
  const { pose, velocity, work, figure } = actor;
  let isSame = work.energy.isCurrent;
  for (let i = 0; i < pose.length && isSame; i++)
    isSame = pose[i] === work.inputs.lastPose[i] && velocity[i] === work.inputs.lastVelocity[i];
  if (isSame) return;
  clampToLimits(figure, pose);
  updateActor(actor, gravity);
  requireFiniteEnergy(actor);
  work.inputs.lastPose.set(pose);
  work.inputs.lastVelocity.set(velocity);
  work.inputs.wasWritten = true;
  wakeActor(actor);
}
