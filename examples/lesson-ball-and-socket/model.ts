import { clampToLimits, createFigure, createPose, type Figure } from 'poise/figure';
import { pointsAtRotation } from 'poise/ik';
import { vec3 } from 'poise/math';
import {
  angularVelocityFromSwingRate,
  ballAndSocketDeterminant,
  createSwingAxes,
  decomposeSwingTwist,
} from 'poise/rotation';

/** The arm hangs down; s is to the right, t towards the front. */
export const LIMB = [0, -1, 0] as const;
export const AXES = createSwingAxes(LIMB, [1, 0, 0]);
/** Steps of a circle in which the spin is summed. */
const STEPS = 360;

/** Half-angles of the swing about s and about t, and the largest twist in each direction, rad. */
export interface Limits {
  readonly a: number;
  readonly b: number;
  readonly twist: number;
}

/** The arm with its limits. Its pose is (r_s, r_t, twist). */
export function createArm({ a, b, twist }: Limits): Figure {
  return createFigure({
    bones: [
      {
        name: 'arm',
        joint: { type: 'ball-and-socket', axis: LIMB, side: [1, 0, 0] },
        limit: {
          type: 'swing-twist',
          swing: { type: 'ellipse', halfAngles: [a, b] },
          twist: { min: -twist, max: twist },
        },
        tip: LIMB,
      },
    ],
  });
}

/** The swing vector (r_s, r_t) that points the arm in a direction, rad. */
export function swingTowards(direction: ArrayLike<number>): number[] {
  return decomposeSwingTwist(pointsAtRotation(LIMB, direction), AXES).swing;
}

/** The coordinates within the limits that are nearest to those asked for. */
export function withinLimits(figure: Figure, asked: readonly number[]): Float64Array {
  const pose = createPose(figure);
  pose.set(asked);
  clampToLimits(figure, pose);
  return pose;
}

/** What the picture shows of a pose. */
export interface Numbers {
  /** Swing angle |r|, rad. */
  readonly swing: number;
  /** (r_s/a)^2 + (r_t/b)^2: at most 1. */
  readonly ellipse: number;
  /** Of the map from rates of the coordinates to angular velocity: 0 in gimbal lock. */
  readonly determinant: number;
}

export function numbersOf([rs, rt, twist]: ArrayLike<number> & Iterable<number>, { a, b }: Limits): Numbers {
  return {
    swing: Math.hypot(rs, rt),
    ellipse: (rs / a) ** 2 + (rt / b) ** 2,
    determinant: ballAndSocketDeterminant([rs, rt, twist]),
  };
}

/** The swing vector on the rim of the ellipse at a share of the way around it. */
export function onRim({ a, b }: Limits, share: number): number[] {
  return [a * Math.cos(2 * Math.PI * share), b * Math.sin(2 * Math.PI * share)];
}

/**
 * How far the arm spins about its own length while its hand is led around the rim of the ellipse, from the start to a share of the way, rad: the integral
 * of its angular velocity along the arm. The twist coordinate is zero all the while.
 */
export function spinAround(limits: Limits, share: number): number {
  const { a, b } = limits;
  let spin = 0;
  const steps = Math.max(1, Math.round(STEPS * share));
  for (let n = 0; n < steps; n++) {
    // Midpoint rule: exact to rounding over the whole circle, which is periodic.
    const at = (share * (n + 0.5)) / steps;
    const angle = 2 * Math.PI * at;
    const rate = [-2 * Math.PI * a * Math.sin(angle), 2 * Math.PI * b * Math.cos(angle)];
    const velocity = angularVelocityFromSwingRate(onRim(limits, at), AXES, rate, 'body');
    spin += (vec3.dot(velocity, LIMB) * share) / steps;
  }
  return spin;
}
