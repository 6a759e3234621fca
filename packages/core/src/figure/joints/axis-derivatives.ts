import type { Numbers } from '../../math/linear/types.js';
import type { JointTypeName } from '../data/types.js';
import { writeBallAxisDerivatives } from './ball.js';
import { writeBallAndSocketAxisDerivatives } from './ball-and-socket.js';
import { writeFreeAxisDerivatives } from './free.js';
import type { JointBatch } from './joint.js';
import { writeSwingJointAxisDerivatives } from './swing.js';

/**
 * Derivatives of a joint's axes with respect to its own coordinates: da_i/dq_j, world axes, three numbers to
 * out[9 i + 3 (j - i)] for angles i <= j of the joint (indices in the pose; at most three angles a joint). `out` is zero
 * initially; entries that are always zero are not written.
 *
 * For i <= j they are zero for successive rotations, since an axis does not depend on a later angle; only the coordinates of
 * one rotation vector have others. The other half is da_j/dq_i = da_i/dq_j + a_i x a_j.
 */
export type WriteAxisDerivatives = (
  batch: JointBatch,
  q: Numbers,
  worldFromBone: Float64Array,
  out: Float64Array,
) => void;

/** By joint type; zero for the types without an entry. */
export const axisDerivativeWriters: Readonly<Partial<Record<JointTypeName, WriteAxisDerivatives>>> = {
  swing: writeSwingJointAxisDerivatives,
  ball: writeBallAxisDerivatives,
  'ball-and-socket': writeBallAndSocketAxisDerivatives,
  free: writeFreeAxisDerivatives,
};
