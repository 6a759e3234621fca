import { requireWhole } from '../../checks.js';
import { DomainError } from '../../errors.js';

/**
 * Contact buffer of fixed capacity, filled by `findContacts`. World axes. Contact k has three numbers at 3 k in `pointA`, `pointB` and `normal`,
 * one at k in the other arrays.
 */
export interface Contacts {
  readonly capacity: number;
  /** Contacts found by the last call. */
  count: number;
  /** Contacts beyond the capacity, which are lost: if not 0, create a larger buffer. */
  dropped: number;
  /** Index of the body of A; see `Collider`. */
  readonly bodyA: Int32Array;
  /** Index of the body of B, -1 for the world. */
  readonly bodyB: Int32Array;
  /** Index of the shape: shapes of bones in the order given, then those of the world. */
  readonly shapeA: Int32Array;
  readonly shapeB: Int32Array;
  /** Point on the surface of A, m. */
  readonly pointA: Float64Array;
  /** Point on the surface of B, m. */
  readonly pointB: Float64Array;
  /** Unit, from B to A. */
  readonly normal: Float64Array;
  /** normal . (pointA - pointB): distance of the surfaces, negative for penetration, m. */
  readonly separation: Float64Array;
  /** sqrt(friction of A * friction of B) */
  readonly friction: Float64Array;
  /** max(restitution of A, restitution of B) */
  readonly restitution: Float64Array;
  /**
   * Contact id: an integer below 2^53, the same as long as the same features of the same shapes touch. For warm starts. Below 0 for what a simulation adds: the contacts of
   * the centres of shapes that spin.
   */
  readonly id: Float64Array;
}

/** @throws DomainError where `capacity` is not a whole number of at least 1. */
export function createContacts(capacity: number): Contacts {
  requireWhole(capacity, 'capacity', DomainError, 1);
  return {
    capacity,
    count: 0,
    dropped: 0,
    bodyA: new Int32Array(capacity),
    bodyB: new Int32Array(capacity),
    shapeA: new Int32Array(capacity),
    shapeB: new Int32Array(capacity),
    pointA: new Float64Array(3 * capacity),
    pointB: new Float64Array(3 * capacity),
    normal: new Float64Array(3 * capacity),
    separation: new Float64Array(capacity),
    friction: new Float64Array(capacity),
    restitution: new Float64Array(capacity),
    id: new Float64Array(capacity),
  };
}
