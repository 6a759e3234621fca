/**
 * What a step of the first order does not see: contacts and connections bend away as their bones turn on, limits curve. Both are foreseen by the
 * velocities found so far, and renewed between solves.
 */
import { limitShapes } from '../../../figure/limits/shapes.js';
import { moveBones } from '../../kinematics/bone-motion.js';
import type { Dynamics } from '../../model/dynamics.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, ROTATION } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import { LIMIT, measureJointVelocity } from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';

/** Changes worth another solve: of a gap, m; of how far a connection comes apart, m; of how far a limit is left, rad or m. */
const GAP_TOLERANCE = 5e-4;
const CONNECTION_TOLERANCE = 2e-5;
const LIMIT_TOLERANCE = 3e-3;

const STILL = /* @__PURE__ */ new Float64Array(3);
const acceleration = /* @__PURE__ */ new Float64Array(3);

/**
 * Foresees how gaps change to the second order, h n . u + h^2/2 n . a, a being the acceleration of the points as the joints go on at `nextVelocity`: J' nu. To
 * `bent`, and to the terms' targets.
 *
 * @param renew - Whether targets change.
 * @returns whether any changes by more than is left alone.
 */
export function updateCurvature(
  simulation: Simulation,
  { actors, potentials, potentialCount }: Island,
  h: number,
  renew: boolean,
): boolean {
  const { contactPotentials: terms, actors: all, figureOfBody, boneOfBody } = simulation;
  if (potentialCount === 0) return false;
  for (const { work } of actors) moveBones(work.dynamics, work.nextVelocity, undefined, STILL);
  const {
    kind,
    bodyA,
    bodyB,
    armA,
    armB,
    centerOffsetA,
    centerOffsetB,
    normal,
    targetVelocity,
    gapCurvature,
    nextGapCurvature,
  } = terms;
  let again = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentials[k];
    if (kind[t] === ROTATION || (!renew && kind[t] !== CONTACT)) continue;
    const o = 3 * t;
    const a = bodyA[t];
    const b = bodyB[t];
    acceleration.fill(0);
    addAcceleration(all[figureOfBody[a]].work.dynamics, boneOfBody[a], armA, normal, centerOffsetA, t, 1);
    if (b >= 0) {
      addAcceleration(all[figureOfBody[b]].work.dynamics, boneOfBody[b], armB, normal, centerOffsetB, t, -1);
    }
    if (kind[t] === CONTACT) {
      let along = 0;
      for (let n = 0; n < 3; n++) along += acceleration[n] * normal[o + n];
      // What bends away in the end still must not pass through on the way.
      const bends = Math.min(0, 0.5 * h * along);
      nextGapCurvature[t] = bends;
      if (!renew) continue;
      if (Math.abs(bends - gapCurvature[t]) * h > GAP_TOLERANCE) again = true;
      targetVelocity[o] += gapCurvature[t] - bends;
      gapCurvature[t] = bends;
      continue;
    }
    for (let n = 0; n < 3; n++) {
      const bends = 0.5 * h * acceleration[n];
      if (Math.abs(bends - terms.connectionCurvature[o + n]) * h > CONNECTION_TOLERANCE) again = true;
      targetVelocity[o + n] += terms.connectionCurvature[o + n] - bends;
      terms.connectionCurvature[o + n] = bends;
    }
  }
  return again;
}

/** Adds sign (v' + w' x r + w x (w x r)) of a point of term t, r = arm + sign round normal, by the bone's motion last computed. */
function addAcceleration(
  { acceleration: vd, angularAcceleration: wd, angularVelocity: w }: Dynamics,
  bone: number,
  arm: Float64Array,
  normal: Float64Array,
  round: Float64Array,
  t: number,
  sign: 1 | -1,
): void {
  const i = 3 * bone;
  const o = 3 * t;
  const shift = sign * round[t];
  const x = arm[o] + shift * normal[o];
  const y = arm[o + 1] + shift * normal[o + 1];
  const z = arm[o + 2] + shift * normal[o + 2];
  const cx = w[i + 1] * z - w[i + 2] * y;
  const cy = w[i + 2] * x - w[i] * z;
  const cz = w[i] * y - w[i + 1] * x;
  acceleration[0] += sign * (vd[i] + wd[i + 1] * z - wd[i + 2] * y + w[i + 1] * cz - w[i + 2] * cy);
  acceleration[1] += sign * (vd[i + 1] + wd[i + 2] * x - wd[i] * z + w[i + 2] * cx - w[i] * cz);
  acceleration[2] += sign * (vd[i + 2] + wd[i] * y - wd[i + 1] * x + w[i] * cy - w[i + 1] * cx);
}

const predicted: number[] = [0, 0, 0];

/**
 * Where the velocities found leave a curved limit, takes its tangent at the nearest point of the limit to where they lead.
 *
 * @returns whether any is left by more than is left alone.
 */
export function relinearizeLimits({ figure, pose, work }: Actor, h: number): boolean {
  const { jointPotentials: terms, nextVelocity } = work;
  const { kind, source, coordinate, size, row, targetVelocity, velocity } = terms;
  let again = false;
  for (let t = 0; t < terms.count; t++) {
    if (kind[t] !== LIMIT) continue;
    const part = figure.limitComponents[source[t] >> 1];
    if (part.kind === 'interval') continue;
    const shape = limitShapes[part.kind];
    const i = coordinate[t];
    const o = 3 * t;
    for (let k = 0; k < size[t]; k++) predicted[k] = pose[i + k] + h * nextVelocity[i + k];
    if (!shape.project(part.parameters, predicted, 0, size[t])) continue;
    let left = 0;
    for (let k = 0; k < size[t]; k++) left += (pose[i + k] + h * nextVelocity[i + k] - predicted[k]) ** 2;
    if (left > LIMIT_TOLERANCE * LIMIT_TOLERANCE) again = true;
    shape.gradient(part.parameters, predicted, 0, size[t], row, o);
    let length = 0;
    for (let k = 0; k < size[t]; k++) length += row[o + k] * row[o + k];
    length = Math.sqrt(length);
    if (!(length > 0)) continue;
    let room = 0;
    for (let k = 0; k < size[t]; k++) {
      row[o + k] /= -length;
      room -= row[o + k] * (predicted[k] - pose[i + k]);
    }
    targetVelocity[o] = -room / h;
    measureJointVelocity(terms, t, nextVelocity, velocity);
  }
  return again;
}
