import { DomainError } from '../../../errors.js';
import type { Numbers } from '../../../math/linear/types.js';
import { checkedVector } from '../../model/checks.js';

/**
 * A proportional-derivative drive at every joint, free to write between steps: tau = stiffness (target - q) + damping (targetNu - nu), held to `maxForce`.
 * It is solved with the rest of the step, at the velocities that the step ends with, so that stiff gains stay stable. At a rotation vector
 * target - q is the rotation vector from the bone to its target, in bone axes.
 */
export interface Motor {
  /** Pose to hold, `figure.dof` numbers. */
  readonly target: Float64Array;
  /** Joint velocities to have, rad/s and m/s. */
  readonly targetNu: Float64Array;
  /** N m/rad, N/m; 0 where it lets go. */
  readonly stiffness: Float64Array;
  /** N m s/rad, N s/m. */
  readonly damping: Float64Array;
  /**
   * Greatest couple or force of each coordinate, N m or N; infinite for none. Of the three of a rotation vector, and of the three of a position, the
   * first counts, as the greatest length of all three together; their gains are then averaged.
   */
  readonly maxForce: Float64Array;
}

/** One number for all coordinates, or one for each. */
export type PerCoordinate = number | Numbers;

export interface MotorOptions {
  readonly target?: Numbers;
  readonly targetNu?: Numbers;
  readonly stiffness?: PerCoordinate;
  readonly damping?: PerCoordinate;
  readonly maxForce?: PerCoordinate;
}

/** @throws DomainError for numbers of another count, not finite, or below zero where that makes no sense. */
export function createMotor(options: MotorOptions, dof: number, rest: Float64Array, path: string): Motor {
  return {
    target: checkedVector(options.target ?? rest, dof, `${path}.target`),
    targetNu: checkedVector(options.targetNu ?? new Float64Array(dof), dof, `${path}.targetNu`),
    stiffness: notNegative(options.stiffness ?? 0, dof, `${path}.stiffness`),
    damping: notNegative(options.damping ?? 0, dof, `${path}.damping`),
    maxForce: notNegative(options.maxForce ?? Number.POSITIVE_INFINITY, dof, `${path}.maxForce`, true),
  };
}

/** Numbers of zero or more, one a coordinate. @param endless - Whether infinity is one of them. */
export function notNegative(
  given: PerCoordinate,
  dof: number,
  path: string,
  endless: boolean = false,
): Float64Array {
  const all = typeof given === 'number' ? new Float64Array(dof).fill(given) : given;
  const checked = endless
    ? Float64Array.from(all, (x) => (x === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : x))
    : all;
  const numbers = checkedVector(checked, dof, path);
  const i = numbers.findIndex((x) => x < 0);
  if (i < 0) return endless ? Float64Array.from(all) : numbers;
  throw new DomainError('out-of-range', `is ${numbers[i]}.`, {
    path: `${path}[${i}]`,
    remedy: 'Give zero or more.',
  });
}
