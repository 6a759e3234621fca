import { DomainError, FigureError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import { ARTICULATED, FACTOR } from './articulated-inertia.js';
import { checkedVector } from './checks.js';
import { packInertias } from './inertia.js';

/**
 * Scratch of the dynamics of one figure: made once, written by every evaluation, never grown. Everything is in world axes, what turns and
 * pushes a bone against the bone's own origin: from bone to bone only origins change, and no spatial transform is formed.
 */
export interface Dynamics {
  readonly figure: Figure;
  readonly state: FigureState;
  /** World axes, m/s^2. */
  readonly gravity: Float64Array;
  /** Added to the diagonal of the mass matrix, one for each coordinate: rotors, kg m^2 or kg. */
  readonly armature: Float64Array;
  /** Mass properties, 10 numbers a bone; see `packInertias`. */
  readonly inertias: Float64Array;
  /** Origin of each bone seen from its parent's, world axes, m, 3 numbers. */
  readonly offsets: Float64Array;
  /** Mass times the centre of mass seen from the origin, world axes, 3 numbers. */
  readonly moments: Float64Array;
  /** Angular velocity, 3 numbers. */
  readonly angularVelocity: Float64Array;
  /** Velocity of the origin, 3 numbers. */
  readonly velocity: Float64Array;
  readonly angularAcceleration: Float64Array;
  readonly acceleration: Float64Array;
  /** What acts on each bone and all that it carries: force, and couple about the origin, 3 numbers each. */
  readonly force: Float64Array;
  readonly couple: Float64Array;
  /** Inertia of each bone and all that it carries, about its origin, world axes, 10 numbers. */
  readonly composite: Float64Array;
  /** Inertia that a bone is felt with, its joint free; see `articulated.ts`. */
  readonly articulated: Float64Array;
  /**
   * Mass (kg) and size of the inertia about the origin (kg m^2) of each bone and all that it carries, 2 numbers a bone: what forward dynamics
   * hold against the inertia that a joint feels.
   */
  readonly inertiaScale: Float64Array;
  /** What forward dynamics keep of each joint on the way down for the way back. */
  readonly factors: Float64Array;
  readonly jointForces: Float64Array;
  readonly inertiaColumns: Float64Array;
  /** Angular acceleration and that of the origin which joint forces add, 6 numbers a bone. */
  readonly added: Float64Array;
  /** Columns of one ball. */
  readonly ballColumns: Float64Array;
  /** An inertia of six numbers, in world axes. */
  readonly turned: Float64Array;
  /** Mass matrix of a figure where joints follow others; else empty. */
  readonly dense: Float64Array;
  /** nu, nu' and tau of all joints, where some follow others; else empty. */
  readonly rates: Float64Array;
  readonly accelerations: Float64Array;
  readonly forces: Float64Array;
  /** Mass matrix of all joints, likewise. */
  readonly matrix: Float64Array;
  /** Joints whose axes turn with one another (swing, Euler, ball-and-socket): their rates add to the acceleration. */
  readonly turnsItself: Uint8Array;
  /** First column of each bone's joint that turns: those before it only slide, those from it on only turn. */
  readonly turnStart: Int32Array;
}

export interface DynamicsOptions {
  /** World axes, m/s^2. Default `[0, -9.81, 0]`. */
  readonly gravity?: Vec3;
  /** One number for each coordinate, kg m^2 or kg. Default none. */
  readonly armature?: Numbers;
}

/**
 * Makes what the dynamics of a figure need. Bones without mass take part without inertia; without any mass at all it is refused.
 *
 * @throws FigureError for an inertia that no body has, or a figure without mass.
 * @throws DomainError for numbers that are not finite or too few, or an armature below zero.
 */
export function createDynamics(figure: Figure, options: DynamicsOptions = {}): Dynamics {
  const { bones, dof } = figure;
  const inertias = packInertias(figure);
  if (!bones.some(({ mass = 0 }) => mass > 0)) {
    throw new FigureError('out-of-range', 'has no mass.', {
      path: `figure ${figure.name}`,
      remedy: 'Give its bones mass, centre of mass and inertia.',
    });
  }
  const all = figure.mimicJoints.length > 0 ? dof + figure.mimicJoints.length : 0;
  const state = createState(figure);
  const triples = (): Float64Array => new Float64Array(3 * bones.length);
  return {
    figure,
    state,
    gravity: checkedVector(options.gravity ?? [0, -9.81, 0], 3, 'gravity'),
    armature: checkedArmature(options.armature ?? new Float64Array(dof), dof),
    inertias,
    offsets: triples(),
    moments: triples(),
    angularVelocity: triples(),
    velocity: triples(),
    angularAcceleration: triples(),
    acceleration: triples(),
    force: triples(),
    couple: triples(),
    composite: new Float64Array(inertias.length),
    articulated: new Float64Array(ARTICULATED * bones.length),
    inertiaScale: new Float64Array(Math.max(2 * bones.length, dof)),
    factors: new Float64Array(FACTOR * bones.length),
    jointForces: new Float64Array(dof),
    inertiaColumns: new Float64Array(6 * dof),
    added: new Float64Array(6 * bones.length),
    ballColumns: new Float64Array(18),
    turned: new Float64Array(6),
    dense: new Float64Array(all > 0 ? dof * dof : 0),
    rates: new Float64Array(all),
    accelerations: new Float64Array(all),
    forces: new Float64Array(all),
    matrix: new Float64Array(all * all),
    turnsItself: Uint8Array.from(bones, ({ joint }) => {
      const type = jointTypes[joint.type];
      return type.turns && !type.bodyTurn && type.rotationVector < 0 && type.dof - type.translations > 1
        ? 1
        : 0;
    }),
    turnStart: Int32Array.from(
      bones,
      ({ index, joint }) => state.columnStart[index] + jointTypes[joint.type].translations,
    ),
  };
}

function checkedArmature(given: Numbers, dof: number): Float64Array {
  const armature = checkedVector(given, dof, 'armature');
  const i = armature.findIndex((x) => x < 0);
  if (i < 0) return armature;
  throw new DomainError('out-of-range', `is ${armature[i]}.`, {
    path: `armature[${i}]`,
    remedy: 'Give an inertia of zero or more.',
  });
}
