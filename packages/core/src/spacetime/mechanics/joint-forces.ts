import { requireNumbers } from '../../checks.js';
import { writeForceDerivatives } from '../../dynamics/derivatives/inverse-dynamics-derivatives.js';
import { writeExpandedForces } from '../../dynamics/derivatives/subtree-sums.js';
import { reduceForces } from '../../dynamics/kinematics/mimic-joints.js';
import { checkAndUpdateKinematics } from '../../dynamics/kinematics/update-kinematics.js';
import { writeInverseDynamics } from '../../dynamics/rnea/inverse-dynamics.js';
import { DomainError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeExternalForces, writeForceColumns } from './external-forces.js';
import type { Mechanics } from './mechanics.js';

/** Joint forces and their derivatives; matrices row by row, row j that of tau_j. */
export interface JointForceDerivatives {
  /** tau, `figure.dof` numbers: N m at angles (body axes at balls), N at translations. */
  readonly tau: Float64Array;
  /** d tau/d eps, eps of {@link Mechanics}, dof x dof. */
  readonly byTangent: Float64Array;
  /** d tau/dv, dof x dof. */
  readonly byVelocity: Float64Array;
  /** d tau/dv', dof x dof: the mass matrix. */
  readonly byAcceleration: Float64Array;
  /** d tau/df = -J^T, dof x (3 points). */
  readonly byForce: Float64Array;
}

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
/** Output views for the derivatives of inverse dynamics. */
const derivativesOut = { byPose: NONE, byVelocity: NONE, byAcceleration: NONE };

/**
 * Inverse dynamics with point forces: tau = M v' + h(q, v) - sum over the points of J^T f.
 *
 * @param acceleration - v'.
 * @param forces - 3 numbers a point, world axes, N.
 * @param tau - `figure.dof` numbers; may be `acceleration`.
 * @param active - One number a point: 0 ignores its force. Default: all active.
 * @throws DomainError `wrong-size`, `not-finite` for invalid arguments.
 */
export function jointForces(
  m: Mechanics,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  tau: MutableNumbers,
  active?: Numbers,
): void {
  updateKinematics(m, pose, velocity, acceleration, forces, active);
  writeInverseDynamics(m.dynamics, velocity, acceleration, m.points.length > 0 ? m.external : undefined, tau);
}

/**
 * {@link jointForces} with its derivatives with respect to eps, v, v' and the forces. Columns of points that are not active are zero.
 *
 * @throws DomainError `wrong-size`, `not-finite` for invalid arguments.
 */
export function jointForceDerivatives(
  m: Mechanics,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  out: JointForceDerivatives,
  active?: Numbers,
): void {
  updateKinematics(m, pose, velocity, acceleration, forces, active);
  const { dynamics, workspace, points, external, moments } = m;
  derivativesOut.byPose = out.byTangent;
  derivativesOut.byVelocity = out.byVelocity;
  derivativesOut.byAcceleration = out.byAcceleration;
  if (points.length > 0) {
    writeForceDerivatives(workspace, pose, velocity, acceleration, derivativesOut, external, moments);
    writeForceColumns(m, active, out.byForce);
  } else writeForceDerivatives(workspace, pose, velocity, acceleration, derivativesOut);
  writeExpandedForces(workspace);
  reduceForces(dynamics, workspace.expandedForces, out.tau);
  const { armature } = dynamics;
  for (let i = 0; i < armature.length; i++) out.tau[i] += armature[i] * acceleration[i];
}

function updateKinematics(
  m: Mechanics,
  pose: Numbers,
  velocity: Numbers,
  acceleration: Numbers,
  forces: Numbers,
  active: Numbers | undefined,
): void {
  const { dynamics, points } = m;
  requireNumbers(acceleration, dynamics.figure.dof, 'acceleration', DomainError);
  requireNumbers(forces, 3 * points.length, 'forces', DomainError);
  checkAndUpdateKinematics(dynamics, pose, velocity, undefined);
  if (points.length > 0) writeExternalForces(m, forces, active);
}
