import { ratesFromVelocity } from '../../figure/kinematics/velocity.js';
import type { Numbers } from '../../math/linear/types.js';
import { forwardDynamics } from '../aba/forward-dynamics.js';
import type { IntegrationWork } from './types.js';

/** Beyond it squares and products of numbers overflow soon, and what follows is no motion. */
const LARGEST = 1e100;

/** Whether all numbers can be gone on with. */
export function isUsable(numbers: Numbers): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(Math.abs(numbers[i]) <= LARGEST)) return false;
  return true;
}

/** Lets the caller write tau and external forces; false when they are not finite. */
export function applyForces(
  { forces, applied }: IntegrationWork,
  time: number,
  pose: Float64Array,
  nu: Float64Array,
): boolean {
  if (forces === undefined) return true;
  applied.tau.fill(0);
  applied.external.fill(0);
  forces(time, pose, nu, applied);
  return isUsable(applied.tau) && isUsable(applied.external);
}

/**
 * The slope of (q, nu): q' = N(q) nu, with J_r^-1 at rotation vectors (the paper's Appendix B, corrected), and nu' by the dynamics.
 * False, with nothing promised of `rate` and `acceleration`, where there is none to go on with.
 */
export function writeSlope(
  work: IntegrationWork,
  time: number,
  pose: Float64Array,
  nu: Float64Array,
  rate: Float64Array,
  acceleration: Float64Array,
): boolean {
  if (!isUsable(pose) || !isUsable(nu) || !applyForces(work, time, pose, nu)) return false;
  const { dynamics, applied, forces } = work;
  ratesFromVelocity(dynamics.state, pose, nu, rate);
  forwardDynamics(
    dynamics,
    pose,
    nu,
    applied.tau,
    acceleration,
    forces === undefined ? undefined : applied.external,
  );
  work.report.evaluations++;
  return isUsable(rate) && isUsable(acceleration);
}
