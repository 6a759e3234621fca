import { ratesFromVelocity } from '../../figure/kinematics/velocity.js';
import type { Numbers } from '../../math/linear/types.js';
import { forwardDynamics } from '../aba/forward-dynamics.js';
import type { IntegrationWork } from './types.js';

/** Largest magnitude of a coordinate, velocity or force: squares and products of larger numbers soon overflow. */
const MAX_MAGNITUDE = 1e100;

/** Whether all numbers are finite and at most `MAX_MAGNITUDE`. */
export function isInRange(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(Math.abs(numbers[i]) <= MAX_MAGNITUDE)) return false;
  return true;
}

/** Calls the caller's force function for tau and external forces; false where they are out of range. */
export function applyForces(
  { forces, applied }: IntegrationWork,
  time: number,
  pose: Float64Array,
  velocity: Float64Array,
): boolean {
  if (forces === undefined) return true;
  applied.tau.fill(0);
  applied.external.fill(0);
  forces(time, pose, velocity, applied);
  return isInRange(applied.tau) && isInRange(applied.external);
}

/**
 * The derivative of the state (q, v): q' = N(q) v, with J_r^-1 at rotation vectors (Grassia 1997, Appendix B, corrected), and v' by forward
 * dynamics. False where a number is out of range; `rate` and `acceleration` are then undefined.
 */
export function writeDerivative(
  work: IntegrationWork,
  time: number,
  pose: Float64Array,
  velocity: Float64Array,
  rate: Float64Array,
  acceleration: Float64Array,
): boolean {
  if (!isInRange(pose) || !isInRange(velocity) || !applyForces(work, time, pose, velocity)) return false;
  const { dynamics, applied, forces } = work;
  ratesFromVelocity(dynamics.state, pose, velocity, rate);
  forwardDynamics(
    dynamics,
    pose,
    velocity,
    applied.tau,
    acceleration,
    forces === undefined ? undefined : applied.external,
  );
  work.report.evaluations++;
  return isInRange(rate) && isInRange(acceleration);
}
