import { factor, solve } from '../../../math/linear/cholesky.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { massMatrix } from '../../crba/mass-matrix.js';
import { createDynamics, type Dynamics } from '../../model/dynamics.js';
import { inverseDynamics } from '../../rnea/inverse-dynamics.js';
import type { Actor } from '../../simulate/state/actor.js';

/** What the forces that a motion asks for are computed with: made once. */
export interface FeedForward {
  readonly dynamics: Dynamics;
  /** Coordinates that nothing drives, and so go as they must. */
  readonly passive: Int32Array;
  /** Mass matrix, and the part of it over those. */
  readonly matrix: Float64Array;
  readonly block: Float64Array;
  readonly given: Float64Array;
  readonly accelerations: Float64Array;
}

/** @param goes - Whether each coordinate goes as it must, driven by nothing. */
export function createFeedForward(
  { figure, work }: Actor,
  gravity: Vec3,
  goes: readonly boolean[],
): FeedForward {
  const { dof } = figure;
  const passive = Int32Array.from(goes.flatMap((does, i) => (does ? [i] : [])));
  const n = passive.length;
  return {
    dynamics: createDynamics(figure, { gravity, armature: work.dynamics.armature }),
    passive,
    matrix: new Float64Array(n > 0 ? dof * dof : 0),
    block: new Float64Array(n * n),
    given: new Float64Array(n),
    accelerations: new Float64Array(dof),
  };
}

/**
 * The joint forces of a motion, where what nothing drives accelerates by itself: tau_p = 0 of those, so a_p = -M_pp^-1 (what the others' accelerations
 * ask of them).
 *
 * @param pose - q, and nu, and nu' of what is driven; `dof` numbers each.
 */
export function writeFeedForward(
  feed: FeedForward,
  pose: Float64Array,
  nu: Float64Array,
  accelerations: Float64Array,
  out: Float64Array,
): void {
  const { dynamics, passive, matrix, block, given, accelerations: all } = feed;
  const { dof } = dynamics.figure;
  const n = passive.length;
  all.set(accelerations);
  for (let k = 0; k < n; k++) all[passive[k]] = 0;
  inverseDynamics(dynamics, pose, nu, all, out);
  if (n === 0) return;
  massMatrix(dynamics, pose, matrix);
  for (let r = 0; r < n; r++) {
    given[r] = -out[passive[r]];
    for (let c = 0; c < n; c++) block[r * n + c] = matrix[passive[r] * dof + passive[c]];
  }
  // A coordinate that moves no mass goes as it likes.
  if (!factor(block, n)) return;
  solve(block, n, given);
  for (let k = 0; k < n; k++) all[passive[k]] = given[k];
  inverseDynamics(dynamics, pose, nu, all, out);
}
