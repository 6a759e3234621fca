import { DomainError } from '../../../errors.js';
import type { Quadruple, Triple } from '../../../figure/data/types.js';
import { boneIndex } from '../../../figure/model/figure.js';
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
  /** Inputs at the end of the last step, to detect changes. */
  readonly lastInputs: Float64Array;
}

/** @throws FigureError, DomainError for unknown bones and invalid numbers, with their path. */
export function createConnection(
  options: ConnectionOptions,
  actors: readonly Actor[],
  bodyStart: Int32Array,
  path: string,
): Connection {
  const { type, a, b, maxForce = Number.POSITIVE_INFINITY, maxCouple = Number.POSITIVE_INFINITY } = options;
  if (!['point', 'directions', 'weld'].includes(type)) {
    throw new DomainError('out-of-range', `is '${String(type)}'.`, {
      path: `${path}.type`,
      remedy: "Give 'point', 'directions' or 'weld'.",
    });
  }
  for (const [name, bound] of [
    ['maxForce', maxForce],
    ['maxCouple', maxCouple],
  ] as const) {
    if (bound >= 0) continue;
    throw new DomainError('out-of-range', `is ${bound}.`, {
      path: `${path}.${name}`,
      remedy: 'Give zero or more.',
    });
  }
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
    lastInputs: new Float64Array(17),
  };
}

export function bodyOf(
  { actor = 0, bone }: BoneAnchor,
  actors: readonly Actor[],
  bodyStart: Int32Array,
  path: string,
): number {
  if (!Number.isInteger(actor) || actor < 0 || actor >= actors.length) {
    throw new DomainError('out-of-range', `is ${actor}.`, {
      path: `${path}.actor`,
      remedy: `Give the index of one of the ${actors.length} actors.`,
    });
  }
  return bodyStart[actor] + boneIndex(actors[actor].figure, bone, `${path}.bone`);
}

export function checkedRotation(rotation: Quadruple | undefined, path: string): Float64Array {
  const q = checkedVector(rotation ?? [0, 0, 0, 1], 4, path);
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  if (length > 0) return q.map((x) => x / length);
  throw new DomainError('not-unit', 'is no rotation.', { path, remedy: 'Give a quaternion (x, y, z, w).' });
}
