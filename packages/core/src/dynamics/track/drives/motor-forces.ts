import type { Actor } from '../../simulate/state/actor.js';
import { DRIVE } from '../../simulate/state/joint-potentials.js';

/**
 * What the bounded drives of an actor's motor gave at the end of the last step, N m or N against nu: `figure.dof` numbers, 0 where the motor has no
 * bound or lets go, and all of a sleeper's. Call it before the motor's `maxForce` is written again.
 */
export function motorForces(
  { figure, asleep, work, motor }: Actor,
  out: Float64Array = new Float64Array(figure.dof),
): Float64Array {
  const { kind, source, coordinate, size, impulse, maxImpulse, count } = work.jointPotentials;
  out.fill(0);
  if (asleep) return out;
  for (let t = 0; t < count; t++) {
    // Dry friction drives too; its source is below zero.
    if (kind[t] !== DRIVE || source[t] < 0 || !(maxImpulse[t] > 0)) continue;
    // The bound of the impulse is that of the force times the step's length.
    const i = coordinate[t];
    const perImpulse = motor.maxForce[i] / maxImpulse[t];
    for (let k = 0; k < size[t]; k++) out[i + k] = perImpulse * impulse[3 * t + k];
  }
  return out;
}
