import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceV } from '../../figure/kinematics/jacobians.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireExternal, requireVector } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';

/** Brings bones, motion columns against nu, offsets and first moments to a pose. */
export function placeBones(dynamics: Dynamics, pose: Numbers): void {
  const { state, inertias, offsets, moments, figure } = dynamics;
  const { worldFromBone: m } = state;
  const { parents } = figure;
  forwardKinematics(state, pose);
  updateMotionSubspaceV(state, pose);
  for (let b = 0; b < parents.length; b++) {
    const w = 12 * b;
    const p = parents[b];
    const o = 3 * b;
    // A root is seen from the world's origin.
    offsets[o] = p < 0 ? m[w + 9] : m[w + 9] - m[12 * p + 9];
    offsets[o + 1] = p < 0 ? m[w + 10] : m[w + 10] - m[12 * p + 10];
    offsets[o + 2] = p < 0 ? m[w + 11] : m[w + 11] - m[12 * p + 11];
    const i = INERTIA * b;
    const x = inertias[i + 1];
    const y = inertias[i + 2];
    const z = inertias[i + 3];
    moments[o] = m[w] * x + m[w + 1] * y + m[w + 2] * z;
    moments[o + 1] = m[w + 3] * x + m[w + 4] * y + m[w + 5] * z;
    moments[o + 2] = m[w + 6] * x + m[w + 7] * y + m[w + 8] * z;
  }
}

/** How the axes of joints that turn themselves do so, and of these alone; needs {@link placeBones} first. */
export function placeAxes({ state, turnsItself }: Dynamics, pose: Numbers): void {
  const { groups, worldFromBone, axisDerivatives } = state;
  const q = state.coupled ? state.joints : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    if (turnsItself[batch.bones[0]] === 1)
      type.writeAxisDerivatives(batch, q, worldFromBone, axisDerivatives);
  }
}

/**
 * Looks at a motion from outside and brings everything to it.
 *
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function placeMotion(
  dynamics: Dynamics,
  pose: Numbers,
  nu: Numbers,
  external: Numbers | undefined,
): void {
  const { dof } = dynamics.figure;
  requireVector(pose, dof, 'pose');
  requireVector(nu, dof, 'nu');
  requireExternal(dynamics, external);
  placeBones(dynamics, pose);
  placeAxes(dynamics, pose);
}
