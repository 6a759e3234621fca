/** Joint forces and momentum at a moment, worked out once however many terms ask for them. */

import type { Moment } from '../transcription/state-at.js';
import {
  createJointForceDerivatives,
  type JointForceDerivatives,
  jointForceDerivatives,
  jointForces,
} from './joint-forces.js';
import type { Mechanics } from './mechanics.js';
import { createMomentumBlock, type MomentumBlock, writeMomentum } from './momentum.js';

export interface MechanicsCache {
  readonly mechanics: Mechanics;
  readonly tau: Float64Array;
  readonly derivatives: JointForceDerivatives;
  readonly momentum: MomentumBlock;
  /** Which moment and evaluation each of them is of. */
  readonly known: [Moment | undefined, number][];
}

const TAU = 0;
const DERIVATIVES = 1;
const MOMENTUM = 2;

export function createMechanicsCache(mechanics: Mechanics): MechanicsCache {
  return {
    mechanics,
    tau: new Float64Array(mechanics.dynamics.figure.dof),
    derivatives: createJointForceDerivatives(mechanics),
    momentum: createMomentumBlock(mechanics),
    known: [
      [undefined, 0],
      [undefined, 0],
      [undefined, 0],
    ],
  };
}

/** Whether `what` is of this evaluation; from now on it is taken to be. */
function isKnown({ known }: MechanicsCache, what: number, moment: Moment): boolean {
  const at = known[what];
  if (at[0] === moment && at[1] === moment.stamp) return true;
  at[0] = moment;
  at[1] = moment.stamp;
  return false;
}

/** tau, what the joints must give. */
export function torquesAt(cache: MechanicsCache, moment: Moment): Float64Array {
  if (!isKnown(cache, TAU, moment)) {
    const { pose, velocity, acceleration, forces } = moment;
    jointForces(cache.mechanics, pose, velocity, acceleration, forces, cache.tau);
  }
  return cache.tau;
}

export function torqueDerivativesAt(cache: MechanicsCache, moment: Moment): JointForceDerivatives {
  if (!isKnown(cache, DERIVATIVES, moment)) {
    const { pose, velocity, acceleration, forces } = moment;
    jointForceDerivatives(cache.mechanics, pose, velocity, acceleration, forces, cache.derivatives);
  }
  return cache.derivatives;
}

export function momentumAt(cache: MechanicsCache, moment: Moment): MomentumBlock {
  if (!isKnown(cache, MOMENTUM, moment)) {
    writeMomentum(cache.mechanics, moment.pose, moment.velocity, cache.momentum);
  }
  return cache.momentum;
}
