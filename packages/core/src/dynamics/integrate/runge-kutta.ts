import { writeDerivative } from './derivative.js';
import type { Advance, IntegrationWork } from './types.js';

/**
 * The classic fourth-order Runge-Kutta method on (q, v). All stages are in the chart of the step's start: q' = J_r^-1 w at rotation vectors, and
 * coordinates are added, not composed as rotations, which keeps the order.
 */
export function rungeKutta4(dof: number): Advance {
  const rates = Array.from({ length: 4 }, () => new Float64Array(dof));
  const accelerations = Array.from({ length: 4 }, () => new Float64Array(dof));
  const [q1, q2, q3, q4] = rates;
  const [n1, n2, n3, n4] = accelerations;
  return (work: IntegrationWork, time: number, h: number) => {
    const { pose, velocity, nextPose: q, nextVelocity: n } = work;
    const half = 0.5 * h;
    if (!writeDerivative(work, time, pose, velocity, q1, n1)) return 'not-finite';
    add(pose, half, q1, q);
    add(velocity, half, n1, n);
    if (!writeDerivative(work, time + half, q, n, q2, n2)) return 'not-finite';
    add(pose, half, q2, q);
    add(velocity, half, n2, n);
    if (!writeDerivative(work, time + half, q, n, q3, n3)) return 'not-finite';
    add(pose, h, q3, q);
    add(velocity, h, n3, n);
    if (!writeDerivative(work, time + h, q, n, q4, n4)) return 'not-finite';
    const sixth = h / 6;
    for (let i = 0; i < dof; i++) {
      q[i] = pose[i] + sixth * (q1[i] + 2 * (q2[i] + q3[i]) + q4[i]);
      n[i] = velocity[i] + sixth * (n1[i] + 2 * (n2[i] + n3[i]) + n4[i]);
    }
    return 'done';
  };
}

/** out = from + h derivative */
function add(from: Float64Array, h: number, derivative: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = from[i] + h * derivative[i];
}
