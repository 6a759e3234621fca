/** Records of contacts and connections. Equations and code: `constraints/contact-potentials.ts`. */

/** Kinds of potentials: a contact, a connection of points, a connection of rotations. */
export const CONTACT = 0;
export const POINT = 1;
export const ROTATION = 2;

/**
 * Penetration depth, m, beyond which a step separates shapes slowly instead of holding them apart: with a warning, in few substeps, without
 * work between figures, and, but for islands solved in blocks, without warm start, since opposed impulses would grow without end. The same for the position error of
 * connections, but that bounded ones keep their warm start.
 */
export const OVERLAP = 0.01;

/** Arrays of potentials, made once and filled anew in each substep. World axes. */
export interface ContactPotentials {
  readonly capacity: number;
  count: number;
  readonly kind: Uint8Array;
  /** Bone of A and of B among all bones; B is -1 for the world. */
  readonly bodyA: Int32Array;
  readonly bodyB: Int32Array;
  /** From the bone's origin to the point, m, 3 numbers. */
  readonly armA: Float64Array;
  readonly armB: Float64Array;
  /** Contacts only, 3 numbers. */
  readonly normal: Float64Array;
  /** Target of u, 3 numbers, m/s (rad/s for rotations); for contacts the smallest normal velocity, in the first of them. */
  readonly targetVelocity: Float64Array;
  /**
   * Second-order change of a contact's gap, divided by the substep h: h/2 n . (J' v), m/s, at constant joint velocities v. At most 0: a change that separates does
   * not count. Taken at the centres of round shapes, whose surface is invariant under their rotation.
   */
  readonly curvatureVelocity: Float64Array;
  /** The same at the velocities of the last solve. */
  readonly nextCurvatureVelocity: Float64Array;
  /** The same for connections, in both directions: h/2 J' v, 3 numbers. */
  readonly connectionCurvatureVelocity: Float64Array;
  /** From the contact point to the centre of a round shape: along the normal for A, against it for B, m. */
  readonly centerOffsetA: Float64Array;
  readonly centerOffsetB: Float64Array;
  /** Contacts only: whether it has no impulses to start from. */
  readonly isNew: Uint8Array;
  /** Contacts only: whether the target velocity comes from restitution. */
  readonly isBouncing: Uint8Array;
  /** Contacts only: time at which one with restitution closes its gap within the substep, s; Infinity for none, and where it bounces at once. */
  readonly impactTime: Float64Array;
  /** Penalty stiffness, impulse per velocity, kg: normal of contacts; of connections in all directions (kg m^2 for rotations). */
  readonly stiffness: Float64Array;
  /** Tangential penalty stiffness of contacts, kg. */
  readonly tangentStiffness: Float64Array;
  /** Coefficient of friction of contacts. */
  readonly friction: Float64Array;
  /** Bound of the tangential impulse of a contact, or of the impulse of a connection, N s (N m s). */
  readonly maxImpulse: Float64Array;
  /** The bound of a contact in the solve before, and by how much mu N, found with it, differed from it; zero before the second solve. */
  readonly lastBound: Float64Array;
  readonly lastBoundChange: Float64Array;
  /** Lagrange multipliers, 3 numbers: tangential for contacts, whose normal multiplier is `normalMultiplier`. */
  readonly multiplier: Float64Array;
  readonly normalMultiplier: Float64Array;
  /** Relative velocity u, its change along the Newton direction, and the impulse on A: 3 numbers each. */
  readonly relativeVelocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  readonly normalImpulse: Float64Array;
  /** Contacts of islands solved in blocks: velocity at which depth is corrected, which the first solve leaves out, m/s; where it is not 0, the normal impulse found without it, N s. */
  readonly correctionVelocity: Float64Array;
  readonly loadImpulse: Float64Array;
  /** 3 numbers. */
  readonly scratch: Float64Array;
  /** Whether impulse or K is not zero. */
  readonly isActive: Uint8Array;
  /** K, 6 numbers: xx, yy, zz, xy, xz, yz. */
  readonly hessian: Float64Array;
  /** Index of its contact, or -1 - index of its connection. */
  readonly source: Int32Array;
}

export function createContactPotentials(capacity: number): ContactPotentials {
  const numbers = (each: number): Float64Array => new Float64Array(each * capacity);
  return {
    capacity,
    count: 0,
    kind: new Uint8Array(capacity),
    bodyA: new Int32Array(capacity),
    bodyB: new Int32Array(capacity),
    armA: numbers(3),
    armB: numbers(3),
    normal: numbers(3),
    targetVelocity: numbers(3),
    isNew: new Uint8Array(capacity),
    isBouncing: new Uint8Array(capacity),
    impactTime: numbers(1),
    curvatureVelocity: numbers(1),
    nextCurvatureVelocity: numbers(1),
    connectionCurvatureVelocity: numbers(3),
    centerOffsetA: numbers(1),
    centerOffsetB: numbers(1),
    stiffness: numbers(1),
    tangentStiffness: numbers(1),
    friction: numbers(1),
    maxImpulse: numbers(1),
    lastBound: numbers(1),
    lastBoundChange: numbers(1),
    multiplier: numbers(3),
    normalMultiplier: numbers(1),
    relativeVelocity: numbers(3),
    velocityChange: numbers(3),
    impulse: numbers(3),
    normalImpulse: numbers(1),
    correctionVelocity: numbers(1),
    loadImpulse: numbers(1),
    scratch: numbers(3),
    isActive: new Uint8Array(capacity).fill(1),
    hessian: numbers(6),
    source: new Int32Array(capacity),
  };
}
