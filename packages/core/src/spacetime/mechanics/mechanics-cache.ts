/** Joint forces and momentum of a sample, computed once per evaluation. */

import type { StateSample } from '../transcription/state-sample.js';
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
  /** Sample and evaluation of each cached quantity. */
  readonly known: [StateSample | undefined, number][];
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

/** Whether a quantity is current; marks it as current. */
function isKnown({ known }: MechanicsCache, quantity: number, sample: StateSample): boolean {
  const at = known[quantity];
  if (at[0] === sample && at[1] === sample.stamp) return true;
  at[0] = sample;
  at[1] = sample.stamp;
  return false;
}

/** tau, the joint forces. */
export function torquesAt(cache: MechanicsCache, sample: StateSample): Float64Array {
  if (!isKnown(cache, TAU, sample)) {
    const { pose, velocity, acceleration, forces } = sample;
    jointForces(cache.mechanics, pose, velocity, acceleration, forces, cache.tau);
  }
  return cache.tau;
}

export function torqueDerivativesAt(cache: MechanicsCache, sample: StateSample): JointForceDerivatives {
  if (!isKnown(cache, DERIVATIVES, sample)) {
    const { pose, velocity, acceleration, forces } = sample;
    jointForceDerivatives(cache.mechanics, pose, velocity, acceleration, forces, cache.derivatives);
  }
  return cache.derivatives;
}

export function momentumAt(cache: MechanicsCache, sample: StateSample): MomentumBlock {
  if (!isKnown(cache, MOMENTUM, sample)) {
    writeMomentum(cache.mechanics, sample.pose, sample.velocity, cache.momentum);
  }
  return cache.momentum;
}
