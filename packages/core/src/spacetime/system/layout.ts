/** Where unknowns stand: by time, so that what acts together stands together; what acts all along at the end. */

import type { Contact } from '../terms/contact-data.js';
import type { CompiledTerm } from '../terms/term.js';
import type { Path } from '../transcription/parameterization.js';
import type { Places } from '../transcription/state-at.js';

export interface Layout {
  readonly places: Places;
  readonly size: number;
  /** Where each term's own unknowns begin. */
  readonly ownStart: readonly number[];
}

interface Block {
  readonly time: number;
  readonly ids: Int32Array;
  readonly from: number;
  readonly count: number;
}

export function layUnknowns(
  { basis, free, clock }: Path,
  contacts: readonly Contact[],
  terms: readonly CompiledTerm[],
  forceScale: number,
): Layout {
  const n = free.length;
  const motion = new Int32Array(basis.count * n);
  const blocks: Block[] = [];
  basis.centers.forEach((time, k) => {
    blocks.push({ time, ids: motion, from: k * n, count: n });
  });
  const forces = contacts.map(({ points, basis: forceBasis }) => {
    const size = 3 * points.length;
    const ids = new Int32Array(forceBasis.count * size);
    forceBasis.centers.forEach((time, k) => {
      blocks.push({ time, ids, from: k * size, count: size });
    });
    return ids;
  });
  // Stable: at one time the motion comes first.
  blocks.sort((a, b) => a.time - b.time);
  let size = 0;
  for (const { ids, from, count } of blocks) for (let k = 0; k < count; k++) ids[from + k] = size++;
  const ownStart = terms.map(({ own }) => {
    size += own;
    return size - own;
  });
  const timing = Int32Array.from({ length: clock.count }, () => size++);
  return {
    size,
    ownStart,
    places: {
      motion,
      contacts: contacts.map(({ firstPoint, points }, c) => ({
        point: firstPoint,
        points: points.length,
        ids: forces[c],
      })),
      clock: timing,
      forceScale,
    },
  };
}
