import { writeDerivative } from './derivative.js';
import { integrateConstantVelocity } from './rotate-pose.js';
import type { Advance, IntegrationWork } from './types.js';

/**
 * Semi-implicit Euler: v_1 = v_0 + h v'(q_0, v_0), then q_1 = q_0 after h at constant velocity v_1, on the rotation group at rotation vectors.
 * First order; symplectic where the mass matrix is constant.
 */
export function semiImplicitEuler(dof: number): Advance {
  const rate = new Float64Array(dof);
  const acceleration = new Float64Array(dof);
  return (work: IntegrationWork, time: number, h: number) => {
    const { pose, velocity, nextPose, nextVelocity, rotations } = work;
    if (!writeDerivative(work, time, pose, velocity, rate, acceleration)) return 'not-finite';
    for (let i = 0; i < dof; i++) nextVelocity[i] = velocity[i] + h * acceleration[i];
    integrateConstantVelocity(rotations, pose, nextVelocity, h, nextPose);
    return 'done';
  };
}
