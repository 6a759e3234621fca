import { CONTACT } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** Largest error of a contact's predicted depth, m, and largest change by the clamp to limits, rad or m. */
const MAX_DEPTH_ERROR = 2e-3;
const MAX_CLAMP = 5e-3;
/** Largest rotation of a touching bone, rad: the contact point moves along edges and ends of shapes. */
const MAX_ROTATION = 0.3;
/** Contacts with a smaller gap at the end touch, m. */
const TOUCHING = 5e-3;

/**
 * Number of substeps, a power of two, for which gaps and limits are predicted within tolerance. Gaps are predicted to second order; the error is h^3 w^2 v / 6,
 * w the angular velocity of the bone and v the velocity of its point, plus the change of the curvature by impacts since. It decreases at least with the
 * square of the number of substeps, as does the change by the clamp to limits.
 */
export function substepsFor(simulation: Simulation, island: Island, h: number, clamped: number): number {
  const { contactPotentials: potentials, boneDirection, contacts } = simulation;
  let worst = 0;
  let rotated = 0;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (potentials.kind[t] !== CONTACT) continue;
    const o = 3 * t;
    const third =
      depthError(boneDirection, 6 * potentials.bodyA[t], potentials.armA, o) +
      (potentials.bodyB[t] < 0 ? 0 : depthError(boneDirection, 6 * potentials.bodyB[t], potentials.armB, o));
    const { relativeVelocity, normal } = potentials;
    const normalVelocity =
      relativeVelocity[o] * normal[o] +
      relativeVelocity[o + 1] * normal[o + 1] +
      relativeVelocity[o + 2] * normal[o + 2];
    const gap = Math.max(
      0,
      contacts.separation[potentials.source[t]] + h * (normalVelocity + potentials.gapCurvature[t]),
    );
    if (gap < TOUCHING) {
      rotated = Math.max(rotated, h * angularSpeed(boneDirection, 6 * potentials.bodyA[t]));
      if (potentials.bodyB[t] >= 0)
        rotated = Math.max(rotated, h * angularSpeed(boneDirection, 6 * potentials.bodyB[t]));
    }
    const curvatureChange = h * (potentials.gapCurvature[t] - potentials.nextGapCurvature[t]);
    worst = Math.max(worst, (h * h * h * third) / 6 + curvatureChange - gap);
  }
  let count = 1;
  while (worst > MAX_DEPTH_ERROR || rotated > MAX_ROTATION || clamped > MAX_CLAMP) {
    count *= 2;
    worst /= 4;
    rotated /= 2;
    clamped /= 4;
  }
  return count;
}

function angularSpeed(motion: Float64Array, o: number): number {
  return Math.hypot(motion[o], motion[o + 1], motion[o + 2]);
}

/** |w|^2 |v| of a bone and a point on it. */
function depthError(motion: Float64Array, a: number, arm: Float64Array, o: number): number {
  const wx = motion[a];
  const wy = motion[a + 1];
  const wz = motion[a + 2];
  const vx = motion[a + 3] + wy * arm[o + 2] - wz * arm[o + 1];
  const vy = motion[a + 4] + wz * arm[o] - wx * arm[o + 2];
  const vz = motion[a + 5] + wx * arm[o + 1] - wy * arm[o];
  return (wx * wx + wy * wy + wz * wz) * Math.sqrt(vx * vx + vy * vy + vz * vz);
}
