import type { Figure } from '../../figure/model/figure.js';
import type { Dynamics } from '../model/dynamics.js';

/** How joint forces tau change; each dof x dof, row j that of tau_j. */
export interface ForceDerivatives {
  /** d tau/dq, q the coordinates of the pose: N m or N per rad or m. */
  readonly byPose: Float64Array;
  /** d tau/d nu. */
  readonly byVelocity: Float64Array;
  /** d tau/d nu', the mass matrix. */
  readonly byAcceleration: Float64Array;
}

/** How accelerations nu' change; each dof x dof, row j that of nu'_j. */
export interface AccelerationDerivatives {
  /** d nu'/dq, q the coordinates of the pose. */
  readonly byPose: Float64Array;
  /** d nu'/d nu. */
  readonly byVelocity: Float64Array;
  /** d nu'/d tau, the inverse of the mass matrix. */
  readonly byForce: Float64Array;
}

/**
 * Scratch of the derivatives of one figure's dynamics: made once, never grown. All vectors in world axes, motions and forces about the origin
 * of the bone that they are of. Coordinates are those of all joints, the followers behind those of the pose.
 */
export interface DerivativeWorkspace {
  readonly dynamics: Dynamics;
  /** Number of coordinates of all joints. */
  readonly size: number;
  /** Motion columns against nu, balls among them: 6 numbers a coordinate. */
  readonly columns: Float64Array;
  /**
   * The changes of pose that derivatives are taken along, as motion columns: those against q', or, of a workspace made by
   * `createTangentWorkspace`, `columns` themselves.
   */
  readonly directions: Float64Array;
  /** How a coordinate adds to the velocities (turning, 3 numbers) and accelerations (6) of all that it carries, beyond carrying them along. */
  readonly velocityByPose: Float64Array;
  readonly accelerationByPose: Float64Array;
  /** How a joint velocity adds to those accelerations, 6 numbers. */
  readonly accelerationByVelocity: Float64Array;
  /** dc/dq of the joints, 3 numbers a coordinate; see `turningDerivatives`. */
  readonly turning: Float64Array;
  /** Momentum of each bone and all that it carries, 3 numbers, kg m/s. */
  readonly momentum: Float64Array;
  /** Twice the integral of ((r . r') 1 - r' r^T) dm over each bone and all that it carries, r from its origin: 9 numbers, kg m^2/s. */
  readonly flow: Float64Array;
  /** What pushes each bone and all that it carries: force and couple, 3 numbers each. */
  readonly externalForce: Float64Array;
  readonly externalCouple: Float64Array;
  /** Sum of (r f^T - (r . f) 1) over the pushed bones, 9 numbers: with it a turn alpha of all changes the couple by K alpha. */
  readonly externalMoment: Float64Array;
  /** tau of all joints. */
  readonly forces: Float64Array;
  /** Derivatives over all joints, where some follow others; else empty. */
  readonly all: ForceDerivatives;
  /** What forward dynamics need besides: nu', and the derivatives of tau at them. */
  readonly accelerations: Float64Array;
  readonly inverse: ForceDerivatives;
  /** The coordinate before each one on its chain, -1 for none. */
  readonly before: Int32Array;
}

/** Makes the scratch for the derivatives of a figure's dynamics. */
export function createDerivativeWorkspace(dynamics: Dynamics): DerivativeWorkspace {
  return workspaceOf(dynamics, dynamics.state.columnsQ);
}

/**
 * The same for derivatives against changes of pose that are measured like nu dt: turns in body axes at rotation vectors, coordinates elsewhere.
 * `byPose` then is d tau/d eps, d tau/dq = d tau/d eps N^-1, without a Jacobian of any chart.
 */
export function createTangentWorkspace(dynamics: Dynamics): DerivativeWorkspace {
  return workspaceOf(dynamics, undefined);
}

function workspaceOf(dynamics: Dynamics, directions: Float64Array | undefined): DerivativeWorkspace {
  const { figure } = dynamics;
  const bones = figure.bones.length;
  const size = figure.dof + figure.mimicJoints.length;
  const coupled = figure.mimicJoints.length > 0;
  const columns = new Float64Array(6 * size);
  return {
    dynamics,
    size,
    columns,
    directions: directions ?? columns,
    velocityByPose: new Float64Array(3 * size),
    accelerationByPose: new Float64Array(6 * size),
    accelerationByVelocity: new Float64Array(6 * size),
    turning: new Float64Array(3 * size),
    momentum: new Float64Array(3 * bones),
    flow: new Float64Array(9 * bones),
    externalForce: new Float64Array(3 * bones),
    externalCouple: new Float64Array(3 * bones),
    externalMoment: new Float64Array(9 * bones),
    forces: new Float64Array(size),
    all: forceDerivatives(coupled ? size : 0),
    accelerations: new Float64Array(figure.dof),
    inverse: forceDerivatives(figure.dof),
    before: coordinatesBefore(figure),
  };
}

/** Room for the derivatives of joint forces. */
export function createForceDerivatives({ dof }: Figure): ForceDerivatives {
  return forceDerivatives(dof);
}

/** Room for the derivatives of accelerations. */
export function createAccelerationDerivatives({ dof }: Figure): AccelerationDerivatives {
  const { byPose, byVelocity, byAcceleration } = forceDerivatives(dof);
  return { byPose, byVelocity, byForce: byAcceleration };
}

function forceDerivatives(n: number): ForceDerivatives {
  return {
    byPose: new Float64Array(n * n),
    byVelocity: new Float64Array(n * n),
    byAcceleration: new Float64Array(n * n),
  };
}

/** Joints that follow others join chains: there all coordinates count as one. */
function coordinatesBefore({ bones, parents, mimicJoints, dof }: Figure): Int32Array {
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
