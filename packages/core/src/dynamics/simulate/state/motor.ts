import { type FieldsOf, requireFields } from '../../../checks.js';
import { DomainError } from '../../../errors.js';
import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { checkedCoordinateValues, checkedVector } from '../../model/checks.js';

/**
 * A proportional-derivative drive at every joint (PD control), free to write between steps: tau = stiffness (target - q) + damping (targetVelocity - velocity), clamped to
 * `maxForce`. It is solved implicitly, at the velocity at the end of the step, so that high gains stay stable. For a rotation vector target - q is the rotation
 * vector from the bone to its target, in bone axes.
 */
export interface Motor {
  /** Target pose, `figure.dof` numbers. */
  readonly target: Float64Array;
  /** Target joint velocities, rad/s and m/s. */
  readonly targetVelocity: Float64Array;
  /** N m/rad, N/m; 0 for none. */
  readonly stiffness: Float64Array;
  /** N m s/rad, N s/m. */
  readonly damping: Float64Array;
  /**
   * Largest torque or force of each coordinate, N m or N; Infinity for no bound. The first of the three of a rotation vector, or of a position, bounds the
   * length of all three, whose gains are then averaged.
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

export const MOTOR_FIELDS: FieldsOf<MotorOptions> = {
  target: true,
  targetVelocity: true,
  stiffness: true,
  damping: true,
  maxForce: true,
};

/** @throws DomainError for numbers of another count, not finite, or negative gains and bounds. */
export function createMotor(options: MotorOptions, dof: number, rest: Float64Array, path: string): Motor {
  requireFields(options, MOTOR_FIELDS, path, DomainError);
  return {
    target: checkedVector(options.target ?? rest, dof, `${path}.target`),
    targetVelocity: checkedVector(
      options.targetVelocity ?? new Float64Array(dof),
      dof,
      `${path}.targetVelocity`,
    ),
    stiffness: checkedCoordinateValues(options.stiffness ?? 0, dof, `${path}.stiffness`),
    damping: checkedCoordinateValues(options.damping ?? 0, dof, `${path}.damping`),
    maxForce: checkedCoordinateValues(
      options.maxForce ?? Number.POSITIVE_INFINITY,
      dof,
      `${path}.maxForce`,
      true,
    ),
  };
}

/** Coordinates with a common motor bound and a common friction bound. */
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
    const rotation = {
      bone: index,
      coordinate: coordinate + rotationVector,
      size: 3,
      isRotationVector: true,
    } as const;
    if (joint.type === 'free')
      return [{ bone: index, coordinate, size: 3, isRotationVector: false }, rotation];
    if (rotationVector >= 0) return [rotation];
    return Array.from({ length: dof }, (_, k) => ({
      bone: index,
      coordinate: coordinate + k,
      size: 1 as const,
      isRotationVector: false,
    }));
  });
}
