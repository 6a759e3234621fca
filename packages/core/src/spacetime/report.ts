/** What each term of a problem came to. */

import { pressedSets } from './solver/active-sets.js';
import { costOf, violation } from './solver/normal-equations.js';
import type { Solver } from './solver/solver-state.js';
import { writeResidual } from './system/system.js';
import type { TermKind } from './terms/term.js';

/** One term, or one part of a term in several. */
export interface TermReport {
  readonly name: string;
  /** Its place in the problem's list; one past the end for the joint limits of displacements. */
  readonly index: number;
  readonly kind: TermKind;
  /** Of a wish: what it adds to the cost, weight included. */
  readonly cost: number;
  /** Of a constraint: the largest residual, in `unit`. */
  readonly violation: number;
  readonly unit: string;
  /** Nominal time of the largest residual, s. */
  readonly at: number;
  /** Largest multiplier: how much cost its worst row would save for each unit that it gave way (scaled). */
  readonly multiplier: number;
}

export interface SpacetimeReport {
  readonly cost: number;
  /** The worst constraint, scaled. */
  readonly violation: number;
  readonly terms: readonly TermReport[];
  /** Walls that hold the motion back: joint limits, friction, timing. */
  readonly reached: readonly string[];
  /** Constraints that do not hold, worst first. */
  readonly conflicts: readonly TermReport[];
}

export function spacetimeReport(solver: Solver): SpacetimeReport {
  const { system, unknowns, multipliers, tolerance } = solver;
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
    if (entry.kind === 'wish') {
      entry.cost += r * r;
      continue;
    }
    const off = entry.kind === 'equality' ? Math.abs(r) : Math.max(0, r);
    entry.multiplier = Math.max(entry.multiplier, Math.abs(multipliers.lambda[i]));
    if (!(off > scaled[k])) continue;
    scaled[k] = off;
    entry.violation = off * owners[k].unit;
    entry.at = times[i];
  }
  const conflicts = found
    .map((entry, k) => ({ entry, off: scaled[k] }))
    .filter(({ off }) => off > tolerance)
    .sort((a, b) => b.off - a.off)
    .map(({ entry }) => entry);
  const reached = new Set(pressedSets(solver).map(({ label }) => label));
  return {
    cost: costOf(system.kinds, residual),
    violation: violation(system.kinds, residual),
    terms: found,
    reached: [...reached].sort(),
    conflicts,
  };
}

/** Nominal time of each row, s. */
function timesOfRows({ system }: Solver): Float64Array {
  const times = new Float64Array(system.rows);
  for (const { instant, uses } of system.instants) {
    for (const { term, firstRow } of uses) times.fill(instant.time, firstRow, firstRow + term.rows);
  }
  for (const { pair, instants, firstRow } of system.pairs) {
    times.fill(instants[1].time, firstRow, firstRow + pair.rows);
  }
  return times;
}
