import { requireRoom } from '../../../checks.js';
import { DomainError } from '../../../errors.js';
import type { Actor } from '../../simulate/state/actor.js';
import { DRIVE } from '../../simulate/state/joint-potentials.js';

/**
 * Forces of the bounded drives of an actor's motor at the end of the last step, N m or N: `figure.dof` numbers, 0 where the motor has no bound or no
 * gains, and for a sleeping actor. Call it before writing the motor's `maxForce` again.
 */
export function motorForces(
  { figure, asleep, work, motor }: Actor,
  out: Float64Array = new Float64Array(figure.dof),
): Float64Array {
  requireRoom(out, figure.dof, 'out', DomainError);
  const { kind, source, coordinate, size, impulse, maxImpulse, count } = work.joints.potentials;
  out.fill(0);
  if (asleep) return out;
  for (let t = 0; t < count; t++) {
    // Dry friction is a drive with a negative source.
    if (kind[t] !== DRIVE || source[t] < 0 || !(maxImpulse[t] > 0)) continue;
    // The impulse bound is the force bound times the substep's length.
    const i = coordinate[t];
    const perImpulse = motor.maxForce[i] / maxImpulse[t];
    for (let k = 0; k < size[t]; k++) out[i + k] = perImpulse * impulse[3 * t + k];
  }
  return out;
}
