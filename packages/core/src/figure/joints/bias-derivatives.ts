import type { Numbers } from '../../math/linear/types.js';
import type { JointTypeName } from '../data/types.js';
import { writeBallAndSocketTurningDerivatives } from './ball-and-socket.js';
import { writeEulerTurningDerivatives } from './euler.js';
import type { JointBatch } from './joint.js';
import { writeSwingTurningDerivatives } from './swing.js';

/**
 * How the acceleration c = sum over i, j of (da_i/dq_j) q_i' q_j', which the rates of a joint make alone where its axes turn with one another,
 * changes with each of its angles: dc/dq_i, the bone before it held, world axes, three numbers to out[3 i]. `out` comes zeroed, and what is
 * always zero is never written.
 *
 * @param columns - Columns against q', from `writeColumns`.
 * @param axisDerivatives - From `writeAxisDerivatives`.
 */
export type WriteTurningDerivatives = (
  batch: JointBatch,
  q: Numbers,
  rates: Numbers,
  worldFromBone: Float64Array,
  columns: Float64Array,
  axisDerivatives: Float64Array,
  out: Float64Array,
) => void;

/**
 * Of the joint types whose axes turn with their own angles; the others have none. Beside the joint types and not in them, so that only what
 * differentiates dynamics loads it.
 */
export const turningDerivatives: Readonly<Partial<Record<JointTypeName, WriteTurningDerivatives>>> = {
  swing: writeSwingTurningDerivatives,
  'ball-and-socket': writeBallAndSocketTurningDerivatives,
  euler: writeEulerTurningDerivatives,
};
