/** Records of joint limits and drives. Equations and code: `constraints/joint-potentials.ts`. */

/** Kinds of potentials. */
export const LIMIT = 0;
export const DRIVE = 1;

/** Arrays of potentials of one figure, made once and filled anew in each substep. */
export interface JointPotentials {
  count: number;
  readonly kind: Uint8Array;
  /** Bone, its first coordinate and its dof: the joint's block of the mass matrix. */
  readonly bone: Int32Array;
  readonly blockStart: Int32Array;
  readonly blockSize: Uint8Array;
  /** First coordinate, and number of coordinates. */
  readonly coordinate: Int32Array;
  readonly size: Uint8Array;
  /** Limits only: minus the unit gradient of the limit, 3 numbers. */
  readonly row: Float64Array;
  /** Target velocity, 3 numbers; for limits the smallest velocity along the row, in the first of them. */
  readonly targetVelocity: Float64Array;
  /** Penalty stiffness, impulse per velocity, kg m^2 or kg. */
  readonly stiffness: Float64Array;
  /** Bound of the impulse of a drive, N m s or N s. */
  readonly maxImpulse: Float64Array;
  /** Lagrange multiplier, 3 numbers; for limits along the row, in the first of them. */
  readonly multiplier: Float64Array;
  /** Velocity (of limits along the row), its change along the Newton direction, and the impulse: 3 numbers. */
  readonly velocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  /** K: of a limit hessianScale row row^T; of a drive hessianScale (1 - saturation x x^T), x its impulse. */
  readonly hessianScale: Float64Array;
  readonly saturation: Float64Array;
  /**
   * Curved limits: h^2 times the multiplier's force times the curvature of the boundary, size x size, row by row; and the velocities at which the limit is linearized.
   */
  readonly curvature: Float64Array;
  readonly linearizedAt: Float64Array;
  /** Limits: twice the limit component, plus one at an upper bound. Friction: -1 - coordinate. Motors: 0. */
  readonly source: Int32Array;
}

export function createJointPotentials(dof: number, limits: number): JointPotentials {
  const capacity = 2 * (dof + limits);
  const numbers = (each: number): Float64Array => new Float64Array(each * capacity);
  const integers = (): Int32Array => new Int32Array(capacity);
  return {
    count: 0,
    kind: new Uint8Array(capacity),
    bone: integers(),
    blockStart: integers(),
    blockSize: new Uint8Array(capacity),
    coordinate: integers(),
    size: new Uint8Array(capacity),
    row: numbers(3),
    targetVelocity: numbers(3),
    stiffness: numbers(1),
    maxImpulse: numbers(1),
    multiplier: numbers(3),
    velocity: numbers(3),
    velocityChange: numbers(3),
    impulse: numbers(3),
    hessianScale: numbers(1),
    saturation: numbers(1),
    curvature: numbers(9),
    linearizedAt: numbers(3),
    source: integers(),
  };
}
