/** The state at the end of a substep. */
import { cacheJointImpulses } from '../constraints/joint-potentials.js';
import { VELOCITY_TOLERANCE } from '../constraints/multiplier-update.js';
import { updateActor, updateEnergies } from '../mechanics/energy.js';
import { MAX_RETURN, openAccount } from '../mechanics/energy-account.js';
import { predictMomentum, restoreMomentum } from '../mechanics/root-momentum.js';
import { convertSocketRates } from '../mechanics/sockets.js';
import type { Actor } from '../state/actor.js';
import { MAX_SUBSTEPS, RESOLVED } from './substep-count.js';

/**
 * Largest height above that of its energy to which a figure is lifted, as energy, relative to that of free fall from rest in a substep. On the way back: largest change of a coordinate
 * that is one, rad or m, and no change of chart; and how often it is halved.
 */
const MAX_OVERSHOOT = 1e-3;
const MAX_WAY = 1;
const HALVINGS = 12;

/** Commits the prediction of `substepCount` as the actor's state; its energy is corrected by `correctEnergies`. */
export function commit(actor: Actor, h: number, gravity: Float64Array): void {
  const { work, pose, velocity } = actor;
  cacheJointImpulses(actor, h);
  const conservesMomentum = work.isFloating && !work.prediction.isSlowed;
  // Momentum and energy that the first-order step must end with.
  if (conservesMomentum) predictMomentum(actor, h, gravity);
  openAccount(actor, h);
  if (!work.isFloating) {
    work.prediction.lastPose.set(pose);
    work.prediction.lastVelocity.set(velocity);
  }
  // New state.
  velocity.set(work.solver.nextVelocity);
  for (const socket of work.sockets) convertSocketRates(socket, pose, work.prediction.nextPose, velocity);
  pose.set(work.prediction.nextPose);
  const falls = work.isFloating && !work.account.isTouched && !work.prediction.isInFlight;
  if (falls) addFall(work, gravity, 0.5 * h);
  updateActor(actor, gravity);
  if (conservesMomentum) {
    restoreMomentum(actor);
    updateEnergies(actor, gravity);
  }
  if (falls) addFall(work, gravity, -0.5 * h);
  if (work.forces.hasExternalImpulse) work.forces.appliedImpulse.fill(0);
}

/**
 * Turns a figure on a fixed base back whose velocities cannot take the error of the substep's energy. One that lost more than they may return, as light links do that straighten under
 * a heavy weight, starts again from the state before in two (`count`). So does one that was lifted higher than its energy reaches, in as many as resolve its modes; else it goes
 * back along its way to the height of its energy.
 */
export function turnBack(actor: Actor, h: number, gravity: Float64Array, substeps: number): void {
  const { pose, velocity, work } = actor;
  const { account, energy, forces, loadRate, substep } = work;
  if (work.isFloating || account.isTouched || account.dissipates || !Number.isFinite(account.target)) return;
  const { lastPose, lastVelocity, nextPose } = work.prediction;
  const fall = 0.5 * h * h * work.mass * (gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2);
  const height = energy.potential - account.target;
  // Lost by this substep, and more than can be returned. What free fall from rest loses in the undivided substep, as at a turning point, stays in reserve.
  const lost = -height - Math.max(energy.kinetic + account.reserve, MAX_RETURN * energy.kinetic);
  const noise = 0.5 * work.mass * VELOCITY_TOLERANCE * VELOCITY_TOLERANCE;
  const isAbove = height > MAX_OVERSHOOT * fall;
  const isBelow = lost > fall * substeps * substeps + noise;
  if (!(isAbove || isBelow)) return;
  let count = isBelow && 2 * substeps <= MAX_SUBSTEPS ? 2 : 1;
  while (isAbove && 2 * count * substeps <= MAX_SUBSTEPS && h * h * loadRate > RESOLVED * count * count)
    count *= 2;
  if (count > 1 && !forces.hasExternalImpulse) {
    pose.set(lastPose);
    velocity.set(lastVelocity);
    updateActor(actor, gravity);
    substep.count = count;
    return;
  }
  if (!isAbove) return;
  for (let i = 0; i < pose.length; i++) if (Math.abs(nextPose[i] - lastPose[i]) > MAX_WAY) return;
  let low = 0;
  let high = 1;
  for (let k = 0; k <= HALVINGS; k++) {
    const share = k < HALVINGS ? 0.5 * (low + high) : low;
    for (let i = 0; i < pose.length; i++) pose[i] = lastPose[i] + share * (nextPose[i] - lastPose[i]);
    updateActor(actor, gravity);
    if (energy.potential > account.target) high = share;
    else low = share;
  }
}

/** What free fall loses in steps of first order is no error to be returned to the joints: adds h m g . v of the centre of mass to the account. */
function addFall({ account, energy, mass }: Actor['work'], gravity: Float64Array, h: number): void {
  for (let k = 0; k < 3; k++) account.target += h * mass * gravity[k] * energy.centerVelocity[k];
}
