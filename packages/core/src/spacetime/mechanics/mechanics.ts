import { createTangentWorkspace, type DerivativeWorkspace } from '../../dynamics/derivatives/workspace.js';
import { checkedVector } from '../../dynamics/model/checks.js';
import { createDynamics, type Dynamics, type DynamicsOptions } from '../../dynamics/model/dynamics.js';
import { ancestorsOf } from '../../figure/kinematics/jacobians.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import type { Vec3 } from '../../math/linear/types.js';

/** A point of a bone at which a force acts. */
export interface ForcePoint {
  readonly bone: number;
  /** Bone frame, m. */
  readonly point: Vec3;
}

/**
 * Scratch for the physics of a trajectory at one time: made once per figure, overwritten by every evaluation. Derivatives are with respect
 * to eps, v and v', `figure.dof` numbers each. eps is a change of the pose measured like v dt, in the tangent space of the poses: a rotation
 * in body axes at rotation vectors (eps = J_r(q) dq), dq elsewhere.
 */
export interface Mechanics {
  readonly dynamics: Dynamics;
  readonly points: readonly ForcePoint[];
  /** kg */
  readonly mass: number;
  readonly workspace: DerivativeWorkspace;
  /** The points at the current pose, world axes, 3 numbers each, m. */
  readonly positions: Float64Array;
  /** Coordinates that move each point. */
  readonly supports: readonly Int32Array[];
  /** Jacobian of each point with respect to v, 3 x dof, zero outside its support. */
  readonly jacobians: readonly Float64Array[];
  /** Force on each bone and moment about its origin, 6 numbers, world axes. */
  readonly external: Float64Array;
  /** Sum of r f^T - (r . f) 1 of each bone, 9 numbers, r from its origin. */
  readonly moments: Float64Array;
  /** Angular momentum of each bone's subtree about the bone's origin, 3 numbers. */
  readonly angularMomenta: Float64Array;
}

/**
 * Makes the scratch.
 *
 * @throws FigureError for an unknown bone, an inertia that is not physical, a figure without mass.
 * @throws DomainError for numbers that are not finite or too few.
 */
export function createMechanics(
  figure: Figure,
  points: readonly ForcePoint[],
  options: DynamicsOptions = {},
): Mechanics {
  const { bones, dof } = figure;
  const dynamics = createDynamics(figure, options);
  const checked = points.map(({ bone, point }, p) => ({
    bone: boneIndex(figure, bone, `points[${p}].bone`),
    point: checkedVector(point, 3, `points[${p}].point`),
  }));
  return {
    dynamics,
    points: checked,
    mass: bones.reduce((sum, { mass = 0 }) => sum + mass, 0),
    workspace: createTangentWorkspace(dynamics),
    positions: new Float64Array(3 * points.length),
    supports: checked.map(({ bone }) => ancestorsOf(figure, bone)),
    jacobians: checked.map(() => new Float64Array(3 * dof)),
    external: new Float64Array(6 * bones.length),
    moments: new Float64Array(9 * bones.length),
    angularMomenta: new Float64Array(3 * bones.length),
  };
}
