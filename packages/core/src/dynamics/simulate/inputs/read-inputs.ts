/** What was written to actors and connections from outside since the last step. */
import { DomainError } from '../../../errors.js';
import { clampToLimits } from '../../../figure/model/pose.js';
import type { Numbers } from '../../../math/linear/types.js';
import { areFinite, requireVector } from '../../model/checks.js';
import type { Actor } from '../state/actor.js';
import type { Connection } from '../state/connection.js';
import { placeActor, requireMeasure } from '../state/energy.js';
import type { Simulation } from '../state/simulation.js';
import { wakeActor } from '../state/sleep.js';

/** @throws DomainError for numbers that are none, or below zero where that makes no sense, naming the place. */
export function requireWritten({ actors, connections }: Simulation): void {
  for (const actor of actors) requireActor(actor);
  for (let k = 0; k < connections.length; k++) requireConnection(connections[k], k);
}

function requireActor({ index, figure, pose, nu, motor, damping, stiffness, rest, friction }: Actor): void {
  const { target, targetNu, maxForce } = motor;
  const { dof } = figure;
  if (areFinite(pose) && areFinite(nu) && areFinite(target) && areFinite(targetNu) && areFinite(rest)) {
    if (areGains(motor.stiffness) && areGains(motor.damping) && areGains(damping)) {
      if (areGains(stiffness) && areGains(friction) && areBounds(maxForce)) return;
    }
  }
  const path = `actors[${index}]`;
  requireVector(pose, dof, `${path}.pose`);
  requireVector(nu, dof, `${path}.nu`);
  requireVector(rest, dof, `${path}.rest`);
  requireVector(target, dof, `${path}.motor.target`);
  requireVector(targetNu, dof, `${path}.motor.targetNu`);
  requireBounds(motor.stiffness, Number.MAX_VALUE, `${path}.motor.stiffness`);
  requireBounds(motor.damping, Number.MAX_VALUE, `${path}.motor.damping`);
  requireBounds(maxForce, Number.POSITIVE_INFINITY, `${path}.motor.maxForce`);
  requireBounds(damping, Number.MAX_VALUE, `${path}.damping`);
  requireBounds(stiffness, Number.MAX_VALUE, `${path}.stiffness`);
  requireBounds(friction, Number.MAX_VALUE, `${path}.friction`);
}

/** Whether all are finite and none below zero. */
function areGains(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) {
    if (!(numbers[i] >= 0 && numbers[i] < Number.POSITIVE_INFINITY)) return false;
  }
  return true;
}

/** Likewise, infinity among them. */
function areBounds(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(numbers[i] >= 0)) return false;
  return true;
}

function requireBounds(numbers: Numbers, most: number, path: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (!(numbers[i] >= 0 && numbers[i] <= most)) throw noBound(numbers[i], `${path}[${i}]`);
  }
}

function noBound(value: number, path: string): DomainError {
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
  if (!(maxForce >= 0)) throw noBound(maxForce, `${path}.maxForce`);
  if (!(maxCouple >= 0)) throw noBound(maxCouple, `${path}.maxCouple`);
}

function requireRotation(q: Float64Array, path: string): void {
  requireVector(q, 4, path);
  if (q[0] !== 0 || q[1] !== 0 || q[2] !== 0 || q[3] !== 0) return;
  throw new DomainError('not-unit', 'is no rotation.', { path, remedy: 'Give a quaternion (x, y, z, w).' });
}

/**
 * Brings an actor to the pose and velocities written to it, and wakes it.
 *
 * @throws DomainError for velocities whose energy is beyond all numbers; nothing is taken over then.
 */
export function takeOver({ gravity }: Simulation, actor: Actor): void {
  const { pose, nu, work, figure } = actor;
  let same = work.placed;
  for (let i = 0; i < pose.length && same; i++)
    same = pose[i] === work.leftPose[i] && nu[i] === work.leftNu[i];
  if (same) return;
  clampToLimits(figure, pose);
  placeActor(actor, gravity);
  requireMeasure(actor);
  work.leftPose.set(pose);
  work.leftNu.set(nu);
  work.takenOver = true;
  wakeActor(actor);
}
