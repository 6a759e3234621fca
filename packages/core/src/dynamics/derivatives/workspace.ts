import type { Figure } from '../../figure/model/figure.js';
import { createRowBlocks, type RowBlocks } from '../../math/linear/sparse-ltl-blocks.js';
import type { Dynamics } from '../model/dynamics.js';

/** Derivatives of the joint forces tau; each dof x dof, row j that of tau_j. */
export interface ForceDerivatives {
  /** d tau/dq, q the coordinates of the pose: N m or N per rad or m. */
  readonly byPose: Float64Array;
  /** d tau/dv. */
  readonly byVelocity: Float64Array;
  /** d tau/dv', the mass matrix. */
  readonly byAcceleration: Float64Array;
}

/** Derivatives of the joint accelerations v'; each dof x dof, row j that of v'_j. */
export interface AccelerationDerivatives {
  /** dv'/dq, q the coordinates of the pose. */
  readonly byPose: Float64Array;
  /** dv'/dv. */
  readonly byVelocity: Float64Array;
  /** dv'/dtau, the inverse of the mass matrix. */
  readonly byForce: Float64Array;
}

/**
 * Workspace of the derivatives of one figure's dynamics, allocated once. All vectors in world axes, spatial motions and forces about the origin of
 * their bone. Coordinates are those of all joints, mimic joints after those of the pose.
 */
export interface DerivativeWorkspace {
  readonly dynamics: Dynamics;
  /** Number of coordinates of all joints. */
  readonly size: number;
  /** Motion subspaces S of all joints, 6 numbers a coordinate. */
  readonly columns: Float64Array;
  /**
   * Spatial motions of the changes of pose that derivatives are taken along: those of q', or, in a workspace of `createTangentWorkspace`,
   * `columns`.
   */
  readonly directions: Float64Array;
  /** eta (angular part, 3 numbers) and zeta (6) of each coordinate; see `joint-terms.ts`. */
  readonly velocityByPose: Float64Array;
  readonly accelerationByPose: Float64Array;
  /** zeta of each joint velocity, 6 numbers. */
  readonly accelerationByVelocity: Float64Array;
  /** dc/dq of the joints, 3 numbers a coordinate; see `biasDerivatives`. */
  readonly biasByPose: Float64Array;
  /** Linear momentum of each subtree, 3 numbers, kg m/s. */
  readonly momentum: Float64Array;
  /** Coriolis matrix N of each subtree, r from the bone's origin: 9 numbers, kg m^2/s; see `subtree-sums.ts`. */
  readonly coriolis: Float64Array;
  /** External force on each subtree and its couple, 3 numbers each. */
  readonly externalForce: Float64Array;
  readonly externalCouple: Float64Array;
  /** K = sum of (r f^T - (r . f) 1) over each subtree, 9 numbers: a rotation alpha of the subtree changes the external couple by K alpha. */
  readonly externalMoment: Float64Array;
  /** tau of all joints. */
  readonly expandedForces: Float64Array;
  /** Derivatives over all joints; empty for a figure without mimic joints. */
  readonly expanded: ForceDerivatives;
  /** Of forward dynamics: v', and the derivatives of tau at v'. */
  readonly acceleration: Float64Array;
  readonly forceDerivatives: ForceDerivatives;
  /** The preceding coordinate of each one on the way to the root, -1 for none: the sparsity pattern of M. */
  readonly parentCoordinate: Int32Array;
  /** The factor of M in blocks, for the solves of forward dynamics. */
  readonly rowBlocks: RowBlocks;
}

/** Creates the workspace for the derivatives of a figure's dynamics. */
export function createDerivativeWorkspace(dynamics: Dynamics): DerivativeWorkspace {
  return createWorkspace(dynamics, dynamics.state.columnsQ);
}

/**
 * The same for derivatives in the tangent space of the pose, along v dt: rotations in body axes at rotation vectors, coordinates elsewhere.
 * `byPose` is then d tau/d eps, without the Jacobian of any chart: with q' = N v, d tau/dq = d tau/d eps N^-1.
 */
export function createTangentWorkspace(dynamics: Dynamics): DerivativeWorkspace {
  return createWorkspace(dynamics, undefined);
}

function createWorkspace(dynamics: Dynamics, directions: Float64Array | undefined): DerivativeWorkspace {
  const { figure } = dynamics;
  const bones = figure.bones.length;
  const size = figure.dof + figure.mimicJoints.length;
  const coupled = figure.mimicJoints.length > 0;
  const columns = new Float64Array(6 * size);
  const parentCoordinate = parentCoordinates(figure);
  return {
    dynamics,
    size,
    columns,
    directions: directions ?? columns,
    velocityByPose: new Float64Array(3 * size),
    accelerationByPose: new Float64Array(6 * size),
    accelerationByVelocity: new Float64Array(6 * size),
    biasByPose: new Float64Array(3 * size),
    momentum: new Float64Array(3 * bones),
    coriolis: new Float64Array(9 * bones),
    externalForce: new Float64Array(3 * bones),
    externalCouple: new Float64Array(3 * bones),
    externalMoment: new Float64Array(9 * bones),
    expandedForces: new Float64Array(size),
    expanded: allocateForceDerivatives(coupled ? size : 0),
    acceleration: new Float64Array(figure.dof),
    forceDerivatives: allocateForceDerivatives(figure.dof),
    parentCoordinate,
    rowBlocks: createRowBlocks(parentCoordinate),
  };
}

/** Allocates the derivatives of joint forces. */
export function createForceDerivatives({ dof }: Figure): ForceDerivatives {
  return allocateForceDerivatives(dof);
}

/** Allocates the derivatives of joint accelerations. */
export function createAccelerationDerivatives({ dof }: Figure): AccelerationDerivatives {
  const { byPose, byVelocity, byAcceleration } = allocateForceDerivatives(dof);
  return { byPose, byVelocity, byForce: byAcceleration };
}

function allocateForceDerivatives(n: number): ForceDerivatives {
  return {
    byPose: new Float64Array(n * n),
    byVelocity: new Float64Array(n * n),
    byAcceleration: new Float64Array(n * n),
  };
}

/** The parent of each coordinate in the tree of coordinates. Mimic joints couple branches: then all coordinates form one chain. */
function parentCoordinates({ bones, parents, mimicJoints, dof }: Figure): Int32Array {
  const before = Int32Array.from({ length: dof }, (_, i) => i - 1);
  if (mimicJoints.length > 0) return before;
  for (const { parent, coordinate, dof: own } of bones) {
    if (own === 0) continue;
    let p = parent;
    while (p >= 0 && bones[p].dof === 0) p = parents[p];
    before[coordinate] = p < 0 ? -1 : bones[p].coordinate + bones[p].dof - 1;
  }
  return before;
}
