import { mat3, vec3 } from 'poise/math';
import { rateFromAngularVelocity, rotationVectorFromMatrix } from 'poise/rotation';
import {
  type EulerOrder,
  eulerGimbalMeasure,
  eulerJacobian,
  eulerRateFromAngularVelocity,
  matrixFromEuler,
} from 'poise/rotation/alternatives';

/** Orders of the page, with a middle angle at which they lock, rad: of engines, and of the paper's Figure 1. */
export const ORDERS = { YXZ: Math.PI / 2, YXY: 0 } as const satisfies Partial<Record<EulerOrder, number>>;
export type Order = keyof typeof ORDERS;

/** Determinant below which there is no rate of the angles, to rounding. */
const LOCKED = 1e-9;

export interface Gimbal {
  /** Axes of the three angles in the world, unit vectors. */
  readonly axes: readonly (readonly number[])[];
  /** Of the box, 9 numbers. */
  readonly rotation: readonly number[];
  /** Perpendicular to the first two axes: in gimbal lock no angle rotates the box about it. */
  readonly lost: readonly number[];
  readonly determinant: number;
  readonly singularValue: number;
  /** Speed of the three angles together, per unit of angular velocity about the lost axis; undefined in gimbal lock. */
  readonly rate: number | undefined;
}

/** What the rings show at three angles, rad. */
export function gimbalAt(order: Order, angles: readonly number[]): Gimbal {
  const jacobian = eulerJacobian(angles, order, 'intrinsic', 'world');
  const axes = [0, 1, 2].map((n) => [jacobian[n], jacobian[3 + n], jacobian[6 + n]]);
  const lost = vec3.normalize(vec3.cross(axes[0], axes[1]));
  const { determinant, smallestSingularValue } = eulerGimbalMeasure(angles, order);
  const rate =
    determinant > LOCKED
      ? Math.hypot(...eulerRateFromAngularVelocity(angles, order, 'intrinsic', lost, 'world'))
      : undefined;
  return {
    axes,
    rotation: matrixFromEuler(angles, order, 'intrinsic'),
    lost,
    determinant,
    singularValue: smallestSingularValue,
    rate,
  };
}

export interface VectorForm {
  /** Rotation vector of the same orientation, rad. */
  readonly vector: readonly number[];
  /** 2 (1 - cos theta) / theta^2. */
  readonly determinant: number;
  /** 2 sin(theta/2) / theta. */
  readonly singularValue: number;
  /** Speed of the three numbers per unit of angular velocity about an axis. */
  readonly rate: number;
}

/** The rotation vector of an orientation, with the same measures. */
export function vectorForm(rotation: readonly number[], about: readonly number[]): VectorForm {
  const vector = rotationVectorFromMatrix(rotation);
  const half = 0.5 * Math.hypot(...vector);
  const singularValue = half > 0 ? Math.sin(half) / half : 1;
  return {
    vector,
    determinant: singularValue ** 2,
    singularValue,
    rate: Math.hypot(...rateFromAngularVelocity(vector, about, 'world')),
  };
}

/**
 * Angles with the first and the last ring rotated against each other, by an angle: where they have one axis, the box does not move.
 */
export function oppose(order: Order, angles: readonly number[], by: number): number[] {
  const { axes } = gimbalAt(order, angles);
  const sign = vec3.dot(axes[0], axes[2]) < 0 ? -1 : 1;
  return [angles[0] + by, angles[1], angles[2] - sign * by];
}

/** Angle between two orientations, rad. */
export function angleBetween(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...rotationVectorFromMatrix(mat3.multiply(mat3.transpose(a), b)));
}
