import { writeSlope } from './derivative.js';
import { moveConstantly } from './rotate-pose.js';
import type { Advance, IntegrationWork } from './types.js';

/**
 * nu_1 = nu_0 + h nu'(q_0, nu_0), then q_1 = q_0 moved on by h nu_1, on the group at rotation vectors. First order; symplectic where the mass
 * matrix is constant.
 */
export function semiImplicitEuler(dof: number): Advance {
  const rate = new Float64Array(dof);
  const acceleration = new Float64Array(dof);
  return (work: IntegrationWork, time: number, h: number) => {
    const { pose, nu, nextPose, nextNu, rotations } = work;
    if (!writeSlope(work, time, pose, nu, rate, acceleration)) return 'not-finite';
    for (let i = 0; i < dof; i++) nextNu[i] = nu[i] + h * acceleration[i];
    moveConstantly(rotations, pose, nextNu, h, nextPose);
    return 'done';
  };
}
