import { type FieldsOf, requireFields } from '../../checks.js';
import { DomainError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { totalMass } from '../../figure/model/mass.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import { checkedCoordinateValues, checkedVector } from './checks.js';
import { standardGravity } from './gravity.js';
import { packInertias } from './inertia.js';
import { createTreeSystem, type TreeSystem } from './tree-system.js';

/**
 * Workspace of one figure's dynamics: allocated once, written by every evaluation. All in world axes; angular quantities and couples are
 * about each bone's own origin. From bone to bone only the origin changes, so no spatial transform is formed.
 */
export interface Dynamics {
  readonly figure: Figure;
  readonly state: FigureState;
  /** World axes, m/s^2. */
  readonly gravity: Float64Array;
  /** Rotor inertia of each coordinate, added to the diagonal of the mass matrix, kg m^2 or kg. */
  readonly armature: Float64Array;
  /** Mass properties, 10 numbers a bone; see `packInertias`. */
  readonly inertias: Float64Array;
  /** Origin of each bone relative to its parent's, world axes, m, 3 numbers. */
  readonly offsets: Float64Array;
  /** First moment of mass of each bone, m c about its origin, world axes, kg m, 3 numbers. */
  readonly firstMoments: Float64Array;
  /** Angular velocity, 3 numbers. */
  readonly angularVelocity: Float64Array;
  /** Velocity of the origin, 3 numbers. */
  readonly velocity: Float64Array;
  readonly angularAcceleration: Float64Array;
  readonly acceleration: Float64Array;
  /** Force on each bone, then on its subtree, and couple about its origin, 3 numbers each. */
  readonly force: Float64Array;
  readonly couple: Float64Array;
  /** Composite rigid-body inertia of each subtree, about the bone's origin, world axes, 10 numbers. */
  readonly compositeInertia: Float64Array;
  /** The articulated-body algorithm's system. */
  readonly tree: TreeSystem;
  /** Joint forces of one evaluation. */
  readonly jointForces: Float64Array;
  /** One inertia of six numbers, in world axes. */
  readonly rotatedInertia: Float64Array;
  /** Mass matrix of a figure with mimic joints, dof x dof; else empty. */
  readonly reducedMassMatrix: Float64Array;
  /** v, v' and tau of all joints, mimic joints last; empty for a figure without them. */
  readonly expandedVelocity: Float64Array;
  readonly expandedAcceleration: Float64Array;
  readonly expandedForces: Float64Array;
  /** Mass matrix over all joints, likewise. */
  readonly expandedMassMatrix: Float64Array;
  /** 1 for joints whose axes depend on their own coordinates (swing, Euler, ball-and-socket): S' v is not zero in the joint's frame. */
  readonly hasVaryingAxes: Uint8Array;
  /** First rotational column of each joint: columns before it are translations. */
  readonly rotationStart: Int32Array;
}

export interface DynamicsOptions {
  /** World axes, m/s^2. Default: 9.81 against `figure.up`. */
  readonly gravity?: Vec3;
  /** Rotor inertia, one number for each coordinate, kg m^2 or kg. Default none. */
  readonly armature?: Numbers;
}

const OPTIONS: FieldsOf<DynamicsOptions> = { gravity: true, armature: true };

/**
 * Creates the workspace of a figure's dynamics. Bones may be massless, but not all of them.
 *
 * @throws FigureError for an inertia that is not physical, or a figure without mass.
 * @throws DomainError for numbers that are not finite or too few, or a negative armature.
 */
export function createDynamics(figure: Figure, options: DynamicsOptions = {}): Dynamics {
  requireFields(options, OPTIONS, 'options', DomainError);
  const { bones, dof } = figure;
  const inertias = packInertias(figure);
  totalMass(figure);
  const all = figure.mimicJoints.length > 0 ? dof + figure.mimicJoints.length : 0;
  const state = createState(figure);
  const armature = checkedCoordinateValues(options.armature ?? 0, dof, 'options.armature');
  const triples = (): Float64Array => new Float64Array(3 * bones.length);
  return {
    figure,
    state,
    gravity: checkedVector(options.gravity ?? standardGravity(figure.up), 3, 'options.gravity'),
    armature,
    inertias,
    offsets: triples(),
    firstMoments: triples(),
    angularVelocity: triples(),
    velocity: triples(),
    angularAcceleration: triples(),
    acceleration: triples(),
    force: triples(),
    couple: triples(),
    compositeInertia: new Float64Array(inertias.length),
    tree: createTreeSystem(figure, state, armature),
    jointForces: new Float64Array(dof),
    rotatedInertia: new Float64Array(6),
    reducedMassMatrix: new Float64Array(all > 0 ? dof * dof : 0),
    expandedVelocity: new Float64Array(all),
    expandedAcceleration: new Float64Array(all),
    expandedForces: new Float64Array(all),
    expandedMassMatrix: new Float64Array(all * all),
    hasVaryingAxes: Uint8Array.from(bones, ({ joint }) => {
      const type = jointTypes[joint.type];
      return type.rotates &&
        !type.bodyAngularVelocity &&
        type.rotationVector < 0 &&
        type.dof - type.translations > 1
        ? 1
        : 0;
    }),
    rotationStart: Int32Array.from(
      bones,
      ({ index, joint }) => state.columnStart[index] + jointTypes[joint.type].translations,
    ),
  };
}
