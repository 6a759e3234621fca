/** Rows and unknowns of a problem put in order: moment by moment, with what acts at each. */

import type { TermContext } from '../terms/context.js';
import type { TermKind } from '../terms/term.js';
import type { Path } from '../transcription/parameterization.js';
import type { Instant } from '../transcription/state-at.js';
import { instantAt } from './collocation-points.js';
import { setsOf } from './feasible-sets.js';
import type { Layout } from './layout.js';
import { createScratch, type InstantUse, type PairUse, type System, type TermUse } from './system.js';

/** All that stands still while the problem is solved. */
export function createSystem(
  context: TermContext,
  { terms, pairs }: Pick<System, 'terms'> & { readonly pairs: readonly PairUse['pair'][] },
  layout: Layout,
  held: ReadonlySet<number>,
  forcePoints: number,
): System {
  const { path } = context;
  const { places, size, ownStart } = layout;
  const kinds: TermKind[] = [];
  const owners: number[] = [];
  const known = new Map<number, { readonly instant: Instant; readonly uses: TermUse[] }>();
  const at = (time: number): { readonly instant: Instant; readonly uses: TermUse[] } => {
    let entry = known.get(time);
    if (entry === undefined) {
      entry = { instant: instantAt(context, time), uses: [] };
      known.set(time, entry);
    }
    return entry;
  };
  // Rows stand in the order in which they are written: moment by moment.
  const asked = terms.flatMap((term, t) =>
    term.moments.map(({ time, weight }) => ({ term, t, time, weight })),
  );
  const order = asked.map((_, k) => k).sort((a, b) => asked[a].time - asked[b].time || a - b);
  const take = (rows: number, kind: TermKind, owner: number): number => {
    const first = kinds.length;
    for (let r = 0; r < rows; r++) {
      kinds.push(kind);
      owners.push(owner);
    }
    return first;
  };
  for (const k of order) {
    const { term, t, time, weight } = asked[k];
    const firstRow = take(term.rows, term.kind, t);
    at(time).uses.push({ term, weight, firstRow, ownStart: ownStart[t] });
  }
  const instants: InstantUse[] = Array.from(known.values(), ({ instant, uses }) => ({
    instant,
    uses,
    support: supportOf(path, layout, held, [instant], uses),
  }));
  const pairUses: PairUse[] = pairs.map((pair, p) => {
    const both = [instantAt(context, pair.times[0]), instantAt(context, pair.times[1])] as const;
    return {
      pair,
      instants: both,
      support: supportOf(path, layout, held, both, []),
      firstRow: take(pair.rows, pair.kind, terms.length + p),
    };
  });
  const first = Int32Array.from({ length: size }, (_, i) => i);
  for (const { support } of [...instants, ...pairUses]) {
    for (const id of support) first[id] = Math.min(first[id], support[0]);
  }
  return {
    path,
    places,
    size,
    terms,
    instants,
    pairs: pairUses,
    rows: kinds.length,
    kinds,
    owners: Int32Array.from(owners),
    sets: setsOf(context, layout),
    held: Int32Array.from(held),
    first,
    ...createScratch(path, forcePoints, terms, pairs, size),
  };
}

/** Unknowns that act at moments, ascending. */
function supportOf(
  { basis, free }: Path,
  { places }: Layout,
  held: ReadonlySet<number>,
  instants: readonly Instant[],
  uses: readonly TermUse[],
): Int32Array {
  const ids = new Set<number>(places.clock);
  for (const { first, forces } of instants) {
    for (let k = first * free.length; k < (first + basis.degree + 1) * free.length; k++)
      ids.add(places.motion[k]);
    for (const force of forces) {
      const { points, ids: own } = places.contacts[force.contact];
      const size = 3 * points;
      for (let k = force.first * size; k < (force.first + force.values.length) * size; k++) ids.add(own[k]);
    }
  }
  for (const use of uses) for (let k = 0; k < use.term.own; k++) ids.add(use.ownStart + k);
  for (const id of held) ids.delete(id);
  return Int32Array.from(ids).sort();
}
