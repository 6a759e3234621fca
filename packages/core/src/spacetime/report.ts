/** Cost or violation of each term of a problem. */

import { activeSets } from './solver/active-set.js';
import type { Solver } from './solver/augmented-lagrangian.js';
import { costOf, maxViolation } from './solver/lagrangian.js';
import { writeResidual } from './system/system.js';
import type { TermKind } from './terms/term.js';
import { realTime } from './transcription/state-sample.js';

/** One term, or one group of rows of a term. */
export interface TermReport {
  readonly name: string;
  /** Index in the problem's list; one past the end for the joint limits of displacements. */
  readonly index: number;
  readonly kind: TermKind;
  /** For a cost: its contribution, weight included. */
  readonly cost: number;
  /** For a constraint: its largest residual, in `unit`. */
  readonly violation: number;
  readonly unit: string;
  /** Real time of the largest residual, s: that of the motion, after time scaling. */
  readonly at: number;
  /** Largest multiplier: about half the decrease of the cost per scaled unit by which that row is relaxed. */
  readonly multiplier: number;
}

export interface SpacetimeReport {
  readonly cost: number;
  /** The largest constraint violation, scaled. */
  readonly violation: number;
  readonly terms: readonly TermReport[];
  /** Active bounds: joint limits, friction, timing. */
  readonly reached: readonly string[];
  /** Violated constraints, largest first. */
  readonly conflicts: readonly TermReport[];
}

export function spacetimeReport(solver: Solver): SpacetimeReport {
  const { system, iterate, options, activeSet } = solver;
  const { unknowns, multipliers } = iterate;
  const residual = new Float64Array(system.rows);
  writeResidual(system, unknowns, residual);
  const owners = [...system.terms, ...system.pairs.map(({ pair }) => pair)];
  const found = owners.map((owner) => ({
    name: owner.name,
    index: owner.index,
    kind: owner.kind,
    cost: 0,
    violation: 0,
    unit: owner.unitName,
    at: 0,
    multiplier: 0,
  }));
  const times = timesOfRows(solver);
  const scaled = new Float64Array(owners.length);
  for (let i = 0; i < system.rows; i++) {
    const k = system.owners[i];
    const entry = found[k];
    const r = residual[i];
    if (entry.kind === 'cost') {
      entry.cost += r * r;
      continue;
    }
    const violated = entry.kind === 'equality' ? Math.abs(r) : Math.max(0, r);
    entry.multiplier = Math.max(entry.multiplier, Math.abs(multipliers.lambda[i]));
    if (!(violated > scaled[k])) continue;
    scaled[k] = violated;
    entry.violation = violated * owners[k].unit;
    entry.at = times[i];
  }
  const conflicts = found
    .map((entry, k) => ({ entry, excess: scaled[k] }))
    .filter(({ excess }) => excess > options.tolerance)
    .sort((a, b) => b.excess - a.excess)
    .map(({ entry }) => entry);
  const reached = new Set(activeSets(activeSet).map(({ label }) => label));
  return {
    cost: costOf(system.kinds, residual),
    violation: maxViolation(system.kinds, residual),
    terms: found,
    reached: [...reached].sort(),
    conflicts,
  };
}

/** Real time of each row, s. */
function timesOfRows({ system, iterate: { unknowns } }: Solver): Float64Array {
  const { indices, collocations, pairs } = system;
  const times = new Float64Array(system.rows);
  for (const { collocation, terms } of collocations) {
    const time = realTime(collocation, indices, unknowns);
    for (const { term, firstRow } of terms) times.fill(time, firstRow, firstRow + term.rows);
  }
  for (const { pair, collocations: ends, firstRow } of pairs) {
    times.fill(realTime(ends[1], indices, unknowns), firstRow, firstRow + pair.rows);
  }
  return times;
}
