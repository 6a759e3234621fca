import { factor, solve } from '../../../math/linear/cholesky.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { massMatrix } from '../../crba/mass-matrix.js';
import { createDynamics, type Dynamics } from '../../model/dynamics.js';
import { inverseDynamics } from '../../rnea/inverse-dynamics.js';
import type { Actor } from '../../simulate/state/actor.js';

/** Workspace of the feed-forward forces of a motion: made once. */
export interface FeedForward {
  readonly dynamics: Dynamics;
  /** Undriven coordinates. */
  readonly passive: Int32Array;
  /** Mass matrix, and its block of the undriven coordinates. */
  readonly matrix: Float64Array;
  readonly block: Float64Array;
  readonly force: Float64Array;
  readonly accelerations: Float64Array;
}

/** @param isPassive - Whether each coordinate is undriven. */
export function createFeedForward(
  { figure, work }: Actor,
  gravity: Vec3,
  isPassive: readonly boolean[],
): FeedForward {
  const { dof } = figure;
  const passive = Int32Array.from(isPassive.flatMap((passive, i) => (passive ? [i] : [])));
  const n = passive.length;
  return {
    dynamics: createDynamics(figure, { gravity, armature: work.dynamics.armature }),
    passive,
    matrix: new Float64Array(n > 0 ? dof * dof : 0),
    block: new Float64Array(n * n),
    force: new Float64Array(n),
    accelerations: new Float64Array(dof),
  };
}

/**
 * Writes the joint forces of a motion whose undriven coordinates p accelerate freely: tau_p = 0, so a_p = -M_pp^-1 times the force on p at a_p = 0.
 *
 * @param pose - Pose, velocities, and accelerations of the driven coordinates; `dof` numbers each.
 */
export function writeFeedForward(
  feed: FeedForward,
  pose: Float64Array,
  velocity: Float64Array,
  accelerations: Float64Array,
  out: Float64Array,
): void {
  const { dynamics, passive, matrix, block, force, accelerations: all } = feed;
  const { dof } = dynamics.figure;
  const n = passive.length;
  all.set(accelerations);
  for (let k = 0; k < n; k++) all[passive[k]] = 0;
  inverseDynamics(dynamics, pose, velocity, all, out);
  if (n === 0) return;
  massMatrix(dynamics, pose, matrix);
  for (let r = 0; r < n; r++) {
    force[r] = -out[passive[r]];
    for (let c = 0; c < n; c++) block[r * n + c] = matrix[passive[r] * dof + passive[c]];
  }
  // An undriven coordinate without mass has no determined acceleration.
  if (!factor(block, n)) return;
  solve(block, n, force);
  for (let k = 0; k < n; k++) all[passive[k]] = force[k];
  inverseDynamics(dynamics, pose, velocity, all, out);
}
