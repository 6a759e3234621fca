import { writeForceDerivatives } from '../../dynamics/derivatives/inverse-dynamics-derivatives.js';
import { writeForces } from '../../dynamics/derivatives/subtree-sums.js';
import { gatherForces } from '../../dynamics/kinematics/mimic-rates.js';
import { placeMotion } from '../../dynamics/kinematics/update-kinematics.js';
import { requireVector } from '../../dynamics/model/checks.js';
import { writeInverseDynamics } from '../../dynamics/rnea/inverse-dynamics.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeForceColumns, writePushes } from './external-forces.js';
import type { Mechanics } from './mechanics.js';

/** What joints must give, and how it changes; matrices row by row, row j that of tau_j. */
export interface JointForceDerivatives {
  /** tau, `figure.dof` numbers: N m at angles (body axes at balls), N at translations. */
  readonly tau: Float64Array;
  /** d tau/d eps, dof x dof. */
  readonly byTangent: Float64Array;
  /** d tau/d nu, dof x dof. */
  readonly byVelocity: Float64Array;
  /** d tau/d nu', dof x dof: the mass matrix. */
  readonly byAcceleration: Float64Array;
  /** d tau/df = -J^T, dof x (3 points). */
  readonly byForce: Float64Array;
}

/** Room for them. */
export function createJointForceDerivatives({ dynamics, points }: Mechanics): JointForceDerivatives {
  const { dof } = dynamics.figure;
  const square = (): Float64Array => new Float64Array(dof * dof);
  return {
    tau: new Float64Array(dof),
    byTangent: square(),
    byVelocity: square(),
    byAcceleration: square(),
    byForce: new Float64Array(dof * 3 * points.length),
  };
}

const NONE: Float64Array = /* @__PURE__ */ new Float64Array(0);
/** Where the derivatives of inverse dynamics go. */
const room = { byPose: NONE, byVelocity: NONE, byAcceleration: NONE };

/**
 * tau = M nu' + h(q, nu) - sum over the points of J^T f: what the joints must give so that the figure moves so while these forces act.
 *
 * @param acceleration - nu'.
 * @param forces - 3 numbers a point, world axes, N.
 * @param tau - `figure.dof` numbers; may be `acceleration`.
 * @param active - One number a point: where it is 0 the force counts as zero. Left out: all act.
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function jointForces(
  m: Mechanics,
  pose: Numbers,
  nu: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  tau: MutableNumbers,
  active?: Numbers,
): void {
  place(m, pose, nu, acceleration, forces, active);
  writeInverseDynamics(m.dynamics, nu, acceleration, m.points.length > 0 ? m.external : undefined, tau);
}

/**
 * {@link jointForces} with its derivatives against eps, nu, nu' and the forces. Columns of points that are not active are zero.
 *
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function jointForceDerivatives(
  m: Mechanics,
  pose: Numbers,
  nu: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  out: JointForceDerivatives,
  active?: Numbers,
): void {
  place(m, pose, nu, acceleration, forces, active);
  const { dynamics, workspace, points, external, moments } = m;
  room.byPose = out.byTangent;
  room.byVelocity = out.byVelocity;
  room.byAcceleration = out.byAcceleration;
  if (points.length > 0) {
    writeForceDerivatives(workspace, pose, nu, acceleration, room, external, moments);
    writeForceColumns(m, active, out.byForce);
  } else writeForceDerivatives(workspace, pose, nu, acceleration, room);
  writeForces(workspace);
  gatherForces(dynamics, workspace.forces, out.tau);
  const { armature } = dynamics;
  for (let i = 0; i < armature.length; i++) out.tau[i] += armature[i] * acceleration[i];
}

function place(
  m: Mechanics,
  pose: Numbers,
  nu: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  active: Numbers | undefined,
): void {
  const { dynamics, points } = m;
  requireVector(acceleration, dynamics.figure.dof, 'acceleration');
  requireVector(forces, 3 * points.length, 'forces');
  placeMotion(dynamics, pose, nu, undefined);
  if (points.length > 0) writePushes(m, forces, active);
}
