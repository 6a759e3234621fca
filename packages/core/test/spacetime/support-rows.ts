import { expect } from 'vitest';
import { linearize, type System, writeResidual } from '../../src/spacetime/system/system.js';
import { createJacobianRows } from '../../src/spacetime/transcription/jacobian-rows.js';
import { derivative } from '../figure/support.js';

/** The dense Jacobian of a problem at given unknowns: rows x size; leaves the scratch clean. */
export function jacobianOf(system: System, unknowns: Float64Array): Float64Array {
  const rows = createJacobianRows(system.rows);
  linearize(system, unknowns, rows);
  expect(system.scratch.dense.every((x) => x === 0)).toBe(true);
  expect(rows.residual).toEqual(residualOf(system, unknowns));
  const out = new Float64Array(system.rows * system.size);
  for (let r = 0; r < system.rows; r++) {
    for (let p = rows.start[r]; p < rows.start[r + 1]; p++) {
      out[r * system.size + rows.columns[p]] += rows.values[p];
    }
  }
  return out;
}

export function residualOf(system: System, unknowns: Float64Array): Float64Array {
  const out = new Float64Array(system.rows);
  writeResidual(system, unknowns, out);
  return out;
}

/**
 * The same by differences of order 6 of the residuals, one unknown after the other, with steps of `part` of a hundredth of a radian, metre
 * or weight; less for the time scaling, by which rows divide.
 */
function differencesOf(system: System, unknowns: Float64Array, fraction: number): Float64Array {
  const out = new Float64Array(system.rows * system.size);
  const moved = unknowns.slice();
  const timing = new Set(system.indices.timeScaling);
  const fixed = new Set(system.fixed);
  for (let id = 0; id < system.size; id++) {
    if (fixed.has(id)) continue;
    const at = (h: number) => {
      moved[id] = unknowns[id] + h;
      return residualOf(system, moved);
    };
    const column = derivative(at, fraction * (timing.has(id) ? 2e-3 : 1e-2));
    moved[id] = unknowns[id];
    for (let r = 0; r < system.rows; r++) out[r * system.size + id] = column[r];
  }
  return out;
}

/** Statistics of the comparisons. */
export interface Tally {
  points: number;
  rows: number;
  /** Rows with a kink within the differences. */
  kinks: number;
  worst: number;
  /** Rows without kinks, by the type of their term. */
  readonly types: Map<string, number>;
}

export function createTally(): Tally {
  return { points: 0, rows: 0, kinks: 0, worst: 0, types: new Map() };
}

/** Difference of two rows, relative to the largest entry of the second. */
function gapOf(a: Float64Array, b: Float64Array, from: number, to: number): number {
  let max = 0;
  let gap = 0;
  for (let i = from; i < to; i++) {
    max = Math.max(max, Math.abs(b[i]));
    const d = Math.abs(a[i] - b[i]);
    // Not Math.max: NaN must propagate.
    if (!(d <= gap)) gap = d;
  }
  return gap === 0 ? 0 : gap / max;
}

const TOLERANCE = 1e-8;

/**
 * Compares all rows at one point with differences, entrywise relative to the largest of the row. Where they disagree, and differences with
 * half the step disagree with them, the row has a kink or an equally sharp bend there, and is counted as such.
 */
export function compareRows(system: System, unknowns: Float64Array, tally: Tally): void {
  const ours = jacobianOf(system, unknowns);
  const expected = differencesOf(system, unknowns, 1);
  let finer: Float64Array | undefined;
  const owners = [...system.terms, ...system.pairs.map(({ pair }) => pair)];
  tally.points++;
  for (let r = 0; r < system.rows; r++) {
    const [from, to] = [r * system.size, (r + 1) * system.size];
    const gap = gapOf(ours, expected, from, to);
    tally.rows++;
    if (!(gap < TOLERANCE)) {
      finer ??= differencesOf(system, unknowns, 0.5);
      if (gapOf(finer, expected, from, to) > TOLERANCE / 4) {
        tally.kinks++;
        continue;
      }
      expect(gap, `row ${r}, of ${owners[system.owners[r]].name}`).toBeLessThan(TOLERANCE);
    }
    tally.worst = Math.max(tally.worst, gap);
    const type = owners[system.owners[r]].name.split(' ')[0];
    tally.types.set(type, (tally.types.get(type) ?? 0) + 1);
  }
}
