import {
  type FieldsOf,
  requireFields,
  requireNotNegative,
  requireNumbers,
  requireOneOf,
  requireWhole,
} from '../../../checks.js';
import { DomainError } from '../../../errors.js';
import type { Quadruple, Triple } from '../../../figure/data/types.js';
import { boneIndex } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { checkedVector } from '../../model/checks.js';
import type { Actor } from './actor.js';

/** A frame on a bone. */
export interface BoneAnchor {
  /** Index of the actor. Default 0. */
  readonly actor?: number;
  readonly bone: string | number;
  /** In the bone's frame, m. Default: its origin. */
  readonly position?: Triple;
  /** From the anchor's axes to the bone's, (x, y, z, w). Default: the bone's own axes. */
  readonly rotation?: Quadruple;
}

/** A frame in the world. */
export interface WorldAnchor {
  readonly position?: Triple;
  readonly rotation?: Quadruple;
}

/**
 * A constraint between two anchors that closes loops, joins hands or drags bones: on their points, their directions, or both. Two points make a hinge.
 */
export interface ConnectionOptions {
  readonly type: 'point' | 'directions' | 'weld';
  readonly a: BoneAnchor;
  readonly b: BoneAnchor | WorldAnchor;
  /** Largest force, N, and couple, N m. Default: no bound. */
  readonly maxForce?: number;
  readonly maxCouple?: number;
}

const FIELDS: FieldsOf<ConnectionOptions> = { type: true, a: true, b: true, maxForce: true, maxCouple: true };
export const BONE_ANCHOR: FieldsOf<BoneAnchor> = { actor: true, bone: true, position: true, rotation: true };
const WORLD_ANCHOR: FieldsOf<WorldAnchor> = { position: true, rotation: true };

/** A connection within a simulation. */
export interface Connection {
  readonly type: 'point' | 'directions' | 'weld';
  /** Whether it acts; free to write. */
  enabled: boolean;
  /** Anchors in their bones, or the world: free to write, as to drag a bone. */
  readonly positionA: Float64Array;
  readonly rotationA: Float64Array;
  readonly positionB: Float64Array;
  readonly rotationB: Float64Array;
  maxForce: number;
  maxCouple: number;
  /** Force (N) and couple (N m) on A in the last step, world axes. */
  readonly force: Float64Array;
  readonly couple: Float64Array;
  /** Internal to the steps: bones among all, points and errors in world axes, and impulses of the last step. */
  bodyA: number;
  readonly bodyB: number;
  readonly pointA: Float64Array;
  readonly pointB: Float64Array;
  readonly positionError: Float64Array;
  readonly rotationError: Float64Array;
  readonly forceImpulse: Float64Array;
  readonly coupleImpulse: Float64Array;
  /** Length of their substep, s. */
  impulseDuration: number;
  /** Inputs at the end of the last step, to detect changes. */
  readonly lastInputs: Float64Array;
  /** Whether they changed before this step, and whether the anchors are apart: further than `OVERLAP`, or by what is left of such a change. */
  isEdited: boolean;
  isOpen: boolean;
  /** Time left to close an error that the caller made, s: no energy is owed for what that lifts. */
  closingTime: number;
}

/** @throws FigureError, DomainError for unknown bones and invalid numbers, with their path. */
export function createConnection(
  options: ConnectionOptions,
  actors: readonly Actor[],
  bodyStart: Int32Array,
  path: string,
): Connection {
  requireFields(options, FIELDS, path, DomainError);
  const { type, a, b, maxForce = Number.POSITIVE_INFINITY, maxCouple = Number.POSITIVE_INFINITY } = options;
  requireOneOf(type, ['point', 'directions', 'weld'], `${path}.type`, DomainError);
  requireFields(a, BONE_ANCHOR, `${path}.a`, DomainError);
  requireFields(b, Object.hasOwn(Object(b), 'bone') ? BONE_ANCHOR : WORLD_ANCHOR, `${path}.b`, DomainError);
  requireNotNegative(maxForce, `${path}.maxForce`, DomainError, 'N', true);
  requireNotNegative(maxCouple, `${path}.maxCouple`, DomainError, 'N m', true);
  const three = (): Float64Array => new Float64Array(3);
  return {
    type,
    enabled: true,
    positionA: checkedVector(a.position ?? [0, 0, 0], 3, `${path}.a.position`),
    rotationA: checkedRotation(a.rotation, `${path}.a.rotation`),
    positionB: checkedVector(b.position ?? [0, 0, 0], 3, `${path}.b.position`),
    rotationB: checkedRotation(b.rotation, `${path}.b.rotation`),
    maxForce,
    maxCouple,
    force: three(),
    couple: three(),
    bodyA: bodyOf(a, actors, bodyStart, `${path}.a`),
    bodyB: 'bone' in b ? bodyOf(b, actors, bodyStart, `${path}.b`) : -1,
    pointA: three(),
    pointB: three(),
    positionError: three(),
    rotationError: three(),
    forceImpulse: three(),
    coupleImpulse: three(),
    impulseDuration: 0,
    lastInputs: new Float64Array(17),
    isEdited: false,
    isOpen: true,
    closingTime: 0,
  };
}

export function bodyOf(
  { actor = 0, bone }: BoneAnchor,
  actors: readonly Actor[],
  bodyStart: Int32Array,
  path: string,
): number {
  requireWhole(actor, `${path}.actor`, DomainError, 0, actors.length - 1);
  return bodyStart[actor] + boneIndex(actors[actor].figure, bone, `${path}.bone`);
}

/** A copy of a rotation, normalized. @throws DomainError `wrong-size`, `not-finite`, `not-unit` */
export function checkedRotation(rotation: Quadruple = [0, 0, 0, 1], path: string): Float64Array {
  requireRotation(rotation, path);
  const length = Math.hypot(...rotation);
  return Float64Array.from(rotation, (x) => x / length);
}

/** @throws DomainError `wrong-size`, `not-finite`, `not-unit` unless `q` is a quaternion of any length but 0. */
export function requireRotation(q: Numbers, path: string): void {
  requireNumbers(q, 4, path, DomainError);
  if (q[0] !== 0 || q[1] !== 0 || q[2] !== 0 || q[3] !== 0) return;
  throw new DomainError('not-unit', 'is zero.', { path, remedy: 'Give a quaternion [x, y, z, w].' });
}
