/** Orders unknowns by time, global ones last, to keep the envelope of J^T J small. */

import type { Contact } from '../terms/contact-data.js';
import type { CompiledTerm } from '../terms/term.js';
import type { Parameterization } from '../transcription/parameterization.js';
import type { UnknownIndices } from '../transcription/state-sample.js';

export interface Layout {
  readonly indices: UnknownIndices;
  readonly size: number;
  /** First own unknown of each term. */
  readonly ownStart: readonly number[];
}

interface Block {
  readonly time: number;
  readonly ids: Int32Array;
  readonly from: number;
  readonly count: number;
}

export function createLayout(
  { basis, free, timeScaling }: Parameterization,
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
  // The sort is stable: at equal times motion precedes forces.
  blocks.sort((a, b) => a.time - b.time);
  let size = 0;
  for (const { ids, from, count } of blocks) for (let k = 0; k < count; k++) ids[from + k] = size++;
  const ownStart = terms.map(({ own }) => {
    size += own;
    return size - own;
  });
  const timeScalingIds = Int32Array.from({ length: timeScaling.count }, () => size++);
  return {
    size,
    ownStart,
    indices: {
      motion,
      contacts: contacts.map(({ firstPoint, points }, c) => ({
        point: firstPoint,
        points: points.length,
        ids: forces[c],
      })),
      timeScaling: timeScalingIds,
      forceScale,
    },
  };
}
