/** The penalty of each row, by its kind and the scale of the costs; larger for terms whose multipliers do not converge. */
import type { System } from '../system/system.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';

/**
 * Initial penalties, relative to the mean diagonal of the costs' model. Equalities are stiff enough for steps to follow them. A bound that is
 * as stiff keeps steps short wherever it is curved: least time of two links takes five times the iterations at 1e5.
 */
const EQUALITY_PENALTY = 500;
const INEQUALITY_PENALTY = 10;
/** Largest trace of a term's model, relative to the costs': beyond, the costs are lost in rounding. */
const MAX_TRACE_RATIO = 5e6;
const PENALTY_GROWTH = 10;
/** Reduction of the multiplier error per update below which the penalty grows. */
export const REQUIRED_REDUCTION = 0.25;

/** Writes the initial penalty of each constraint to `rho`. */
export function choosePenalties(
  { kinds, owners, size }: System,
  { start, values }: JacobianRows,
  errors: Float64Array,
  rho: Float64Array,
): void {
  // The trace of the costs' model, and of each constraint's, `errors` as scratch.
  const traces = errors.fill(0);
  let cost = 0;
  for (let i = 0; i < kinds.length; i++) {
    let square = 0;
    for (let p = start[i]; p < start[i + 1]; p++) square += values[p] * values[p];
    if (kinds[i] === 'cost') cost += square;
    else traces[owners[i]] += square;
  }
  // Without costs all scales are equal.
  if (!(cost > 0 && cost < Number.POSITIVE_INFINITY)) cost = size;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'cost') continue;
    const stiffness = kinds[i] === 'equality' ? EQUALITY_PENALTY : INEQUALITY_PENALTY;
    const trace = traces[owners[i]];
    rho[i] = Math.min(
      (stiffness * cost) / size,
      trace > 0 ? (MAX_TRACE_RATIO * cost) / trace : Number.POSITIVE_INFINITY,
    );
  }
}

/** Increases the penalties of the terms whose multiplier error is above `tolerance` and fell by too little since the update before. */
export function increasePenalties(
  { owners }: System,
  errors: Float64Array,
  before: Float64Array,
  tolerance: number,
  rho: Float64Array,
): void {
  for (let i = 0; i < rho.length; i++) {
    const error = errors[owners[i]];
    if (error > tolerance && error > REQUIRED_REDUCTION * before[owners[i]]) rho[i] *= PENALTY_GROWTH;
  }
}
