import { DomainError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { checkedVector } from '../../model/checks.js';

/**
 * A proportional-derivative drive at every joint, free to write between steps: tau = stiffness (target - q) + damping (targetVelocity - nu), held to `maxForce`.
 * It is solved with the rest of the step, at the velocities that the step ends with, so that stiff gains stay stable. At a rotation vector
 * target - q is the rotation vector from the bone to its target, in bone axes.
 */
export interface Motor {
  /** Pose to hold, `figure.dof` numbers. */
  readonly target: Float64Array;
  /** Joint velocities to have, rad/s and m/s. */
  readonly targetVelocity: Float64Array;
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
export type CoordinateValues = number | Numbers;

export interface MotorOptions {
  readonly target?: Numbers;
  readonly targetVelocity?: Numbers;
  readonly stiffness?: CoordinateValues;
  readonly damping?: CoordinateValues;
  readonly maxForce?: CoordinateValues;
}

/** @throws DomainError for numbers of another count, not finite, or below zero where that makes no sense. */
export function createMotor(options: MotorOptions, dof: number, rest: Float64Array, path: string): Motor {
  return {
    target: checkedVector(options.target ?? rest, dof, `${path}.target`),
    targetVelocity: checkedVector(
      options.targetVelocity ?? new Float64Array(dof),
      dof,
      `${path}.targetVelocity`,
    ),
    stiffness: notNegative(options.stiffness ?? 0, dof, `${path}.stiffness`),
    damping: notNegative(options.damping ?? 0, dof, `${path}.damping`),
    maxForce: notNegative(options.maxForce ?? Number.POSITIVE_INFINITY, dof, `${path}.maxForce`, true),
  };
}

/** Numbers of zero or more, one a coordinate. @param endless - Whether infinity is one of them. */
export function notNegative(
  given: CoordinateValues,
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

/** Coordinates that are driven, and rub, together. */
export interface MotorGroup {
  readonly bone: number;
  readonly coordinate: number;
  /** 3 for a rotation vector or a position, else 1. */
  readonly size: 1 | 3;
  readonly isRotationVector: boolean;
}

export function createMotorGroups(figure: Figure): MotorGroup[] {
  return figure.bones.flatMap(({ index, joint, coordinate, dof }): MotorGroup[] => {
    const { rotationVector } = jointTypes[joint.type];
    if (dof === 0) return [];
    const turning = {
      bone: index,
      coordinate: coordinate + rotationVector,
      size: 3,
      isRotationVector: true,
    } as const;
    if (joint.type === 'free')
      return [{ bone: index, coordinate, size: 3, isRotationVector: false }, turning];
    if (rotationVector >= 0) return [turning];
    return Array.from({ length: dof }, (_, k) => ({
      bone: index,
      coordinate: coordinate + k,
      size: 1 as const,
      isRotationVector: false,
    }));
  });
}
