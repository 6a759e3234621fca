import { requireNumbers } from '../../checks.js';
import { DomainError } from '../../errors.js';
import { axisDerivativeWriters } from '../../figure/joints/axis-derivatives.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceV } from '../../figure/kinematics/jacobians.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireExternal } from '../model/checks.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';

/** Updates bone frames, motion subspaces, offsets and first moments to a pose. */
export function updateKinematics(dynamics: Dynamics, pose: Numbers): void {
  const { state, inertias, offsets, firstMoments, figure } = dynamics;
  const { worldFromBone: m } = state;
  const { parents } = figure;
  forwardKinematics(state, pose);
  updateMotionSubspaceV(state, pose);
  for (let b = 0; b < parents.length; b++) {
    const w = 12 * b;
    const p = parents[b];
    const o = 3 * b;
    // Of a root: from the world's origin.
    offsets[o] = p < 0 ? m[w + 9] : m[w + 9] - m[12 * p + 9];
    offsets[o + 1] = p < 0 ? m[w + 10] : m[w + 10] - m[12 * p + 10];
    offsets[o + 2] = p < 0 ? m[w + 11] : m[w + 11] - m[12 * p + 11];
    const i = INERTIA_SIZE * b;
    const x = inertias[i + 1];
    const y = inertias[i + 2];
    const z = inertias[i + 3];
    firstMoments[o] = m[w] * x + m[w + 1] * y + m[w + 2] * z;
    firstMoments[o + 1] = m[w + 3] * x + m[w + 4] * y + m[w + 5] * z;
    firstMoments[o + 2] = m[w + 6] * x + m[w + 7] * y + m[w + 8] * z;
  }
}

/** Updates the axis derivatives of joints with varying axes; after {@link updateKinematics}. */
export function updateAxisDerivatives({ state, hasVaryingAxes }: Dynamics, pose: Numbers): void {
  const { groups, worldFromBone, axisDerivatives } = state;
  const q = state.hasMimicJoints ? state.jointCoordinates : pose;
  for (let g = 0; g < groups.length; g++) {
    const { name, batch } = groups[g];
    if (hasVaryingAxes[batch.bones[0]] === 1)
      axisDerivativeWriters[name]?.(batch, q, worldFromBone, axisDerivatives);
  }
}

/**
 * Checks pose, velocity and external forces of a caller, and updates the kinematics and axis derivatives.
 *
 * @throws DomainError `wrong-size`, `not-finite` for an argument.
 */
export function checkAndUpdateKinematics(
  dynamics: Dynamics,
  pose: Numbers,
  velocity: Numbers,
  external: Numbers | undefined,
): void {
  const { dof } = dynamics.figure;
  requireNumbers(pose, dof, 'pose', DomainError);
  requireNumbers(velocity, dof, 'velocity', DomainError);
  requireExternal(dynamics, external);
  updateKinematics(dynamics, pose);
  updateAxisDerivatives(dynamics, pose);
}
