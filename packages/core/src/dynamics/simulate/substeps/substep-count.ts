import { CONTACT } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** How far a contact may come out deeper than foreseen, m, and a limit move what left it, rad or m. */
const MAX_DEPTH_ERROR = 2e-3;
const MAX_CLAMP = 5e-3;
/** How far a bone that touches may turn, rad: on edges and ends of shapes the point of contact moves on. */
const MAX_ROTATION = 0.3;
/** Contacts so near at the end touch, m. */
const TOUCHING = 5e-3;

/**
 * Into how many parts a step has to be cut, a power of two, for its contacts to come out as foreseen: their gaps are foreseen to the second order, so
 * that h^3 w^2 v / 6 is left out, w being the turning of the bone and v the velocity of its point, and what blows have changed since. That goes down with
 * the second power of the parts at least, as does what limits clamp.
 */
export function substepsFor(simulation: Simulation, island: Island, h: number, clamped: number): number {
  const { contactPotentials: terms, boneDirection, contacts } = simulation;
  let worst = 0;
  let turned = 0;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentials[k];
    if (terms.kind[t] !== CONTACT) continue;
    const o = 3 * t;
    const left =
      depthError(boneDirection, 6 * terms.bodyA[t], terms.armA, o) +
      (terms.bodyB[t] < 0 ? 0 : depthError(boneDirection, 6 * terms.bodyB[t], terms.armB, o));
    const { relativeVelocity, normal } = terms;
    const along =
      relativeVelocity[o] * normal[o] +
      relativeVelocity[o + 1] * normal[o + 1] +
      relativeVelocity[o + 2] * normal[o + 2];
    const gap = Math.max(0, contacts.gap[terms.source[t]] + h * (along + terms.gapCurvature[t]));
    if (gap < TOUCHING) {
      turned = Math.max(turned, h * angularSpeed(boneDirection, 6 * terms.bodyA[t]));
      if (terms.bodyB[t] >= 0) turned = Math.max(turned, h * angularSpeed(boneDirection, 6 * terms.bodyB[t]));
    }
    const missed = h * (terms.gapCurvature[t] - terms.nextGapCurvature[t]);
    worst = Math.max(worst, (h * h * h * left) / 6 + missed - gap);
  }
  let parts = 1;
  while (worst > MAX_DEPTH_ERROR || turned > MAX_ROTATION || clamped > MAX_CLAMP) {
    parts *= 2;
    worst /= 4;
    turned /= 2;
    clamped /= 4;
  }
  return parts;
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
