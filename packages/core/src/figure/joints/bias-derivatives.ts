import type { Numbers } from '../../math/linear/types.js';
import type { JointTypeName } from '../data/types.js';
import { writeBallAndSocketBiasDerivatives } from './ball-and-socket.js';
import { writeEulerBiasDerivatives } from './euler.js';
import type { JointBatch } from './joint.js';
import { writeSwingBiasDerivatives } from './swing.js';

/**
 * Derivatives of the bias acceleration c = S' q' of a joint, c = sum over i, j of (da_i/dq_j) q_i' q_j', with respect to its angles:
 * dc/dq_i with the parent fixed, world axes, three numbers to out[3 i]. `out` is zero initially; entries that are always zero are
 * not written.
 *
 * @param columns - Columns of the motion subspace with respect to q', from `writeColumns`.
 * @param axisDerivatives - From `writeAxisDerivatives`.
 */
export type WriteBiasDerivatives = (
  batch: JointBatch,
  q: Numbers,
  rates: Numbers,
  worldFromBone: Float64Array,
  columns: Float64Array,
  axisDerivatives: Float64Array,
  out: Float64Array,
) => void;

/**
 * By joint type; zero for the types without an entry. Separate from the joint types, so that only the derivatives of dynamics
 * import it.
 */
export const biasDerivatives: Readonly<Partial<Record<JointTypeName, WriteBiasDerivatives>>> = {
  swing: writeSwingBiasDerivatives,
  'ball-and-socket': writeBallAndSocketBiasDerivatives,
  euler: writeEulerBiasDerivatives,
};
