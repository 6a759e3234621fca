/** Assembles the rows and unknowns of a problem, ordered by time, with the support of each row. */

import type { TermContext } from '../terms/context.js';
import type { TermKind } from '../terms/term.js';
import type { Parameterization } from '../transcription/parameterization.js';
import type { CollocationPoint } from '../transcription/state-sample.js';
import { collocationPointAt } from './collocation-points.js';
import { feasibleSets } from './feasible-sets.js';
import type { Layout } from './layout.js';
import { type CollocationRows, createScratch, type PairRows, type System, type TermRows } from './system.js';

/** The constant data of a solve. */
export function createSystem(
  context: TermContext,
  { terms, pairs }: Pick<System, 'terms'> & { readonly pairs: readonly PairRows['pair'][] },
  layout: Layout,
  fixed: ReadonlySet<number>,
  forcePoints: number,
): System {
  const { parameterization } = context;
  const { indices, size, ownStart } = layout;
  const kinds: TermKind[] = [];
  const owners: number[] = [];
  const byTime = new Map<number, { readonly collocation: CollocationPoint; readonly rows: TermRows[] }>();
  const at = (time: number): { readonly collocation: CollocationPoint; readonly rows: TermRows[] } => {
    let entry = byTime.get(time);
    if (entry === undefined) {
      entry = { collocation: collocationPointAt(context, time), rows: [] };
      byTime.set(time, entry);
    }
    return entry;
  };
  // Rows are ordered as they are written: by time.
  const entries = terms.flatMap((term, t) =>
    term.samples.map(({ time, weight }) => ({ term, t, time, weight })),
  );
  const order = entries.map((_, k) => k).sort((a, b) => entries[a].time - entries[b].time || a - b);
  const allocateRows = (rows: number, kind: TermKind, owner: number): number => {
    const first = kinds.length;
    for (let r = 0; r < rows; r++) {
      kinds.push(kind);
      owners.push(owner);
    }
    return first;
  };
  for (const k of order) {
    const { term, t, time, weight } = entries[k];
    const firstRow = allocateRows(term.rows, term.kind, t);
    at(time).rows.push({ term, weight, firstRow, ownStart: ownStart[t] });
  }
  const collocations: CollocationRows[] = Array.from(byTime.values(), ({ collocation, rows }) => ({
    collocation,
    terms: rows,
    support: supportOf(parameterization, layout, fixed, [collocation], rows),
  }));
  const pairRows: PairRows[] = pairs.map((pair, p) => {
    const ends = [
      collocationPointAt(context, pair.times[0]),
      collocationPointAt(context, pair.times[1]),
    ] as const;
    return {
      pair,
      collocations: ends,
      support: supportOf(parameterization, layout, fixed, ends, []),
      firstRow: allocateRows(pair.rows, pair.kind, terms.length + p),
    };
  });
  const first = Int32Array.from({ length: size }, (_, i) => i);
  for (const { support } of [...collocations, ...pairRows]) {
    for (const id of support) first[id] = Math.min(first[id], support[0]);
  }
  return {
    parameterization: parameterization,
    indices: indices,
    size,
    terms,
    ownStart,
    collocations: collocations,
    pairs: pairRows,
    rows: kinds.length,
    kinds,
    owners: Int32Array.from(owners),
    sets: feasibleSets(context, layout),
    fixed: Int32Array.from(fixed),
    first,
    scratch: createScratch(parameterization, forcePoints, terms, pairs, size),
  };
}

/** Unknowns on which rows at these collocation points depend, ascending. */
function supportOf(
  { basis, free }: Parameterization,
  { indices }: Layout,
  fixed: ReadonlySet<number>,
  collocations: readonly CollocationPoint[],
  rows: readonly TermRows[],
): Int32Array {
  const ids = new Set<number>(indices.timeScaling);
  for (const { first, forces } of collocations) {
    for (let k = first * free.length; k < (first + basis.degree + 1) * free.length; k++)
      ids.add(indices.motion[k]);
    for (const force of forces) {
      const { points, ids: own } = indices.contacts[force.contact];
      const size = 3 * points;
      for (let k = force.first * size; k < (force.first + force.values.length) * size; k++) ids.add(own[k]);
    }
  }
  for (const { term, ownStart } of rows) for (let k = 0; k < term.own; k++) ids.add(ownStart + k);
  for (const id of fixed) ids.delete(id);
  return Int32Array.from(ids).sort();
}
