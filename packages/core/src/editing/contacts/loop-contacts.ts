/** Contacts at the ends of a loop. */
import type { Figure } from '../../figure/model/figure.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import type { PointTransform } from '../clips/planar-alignment.js';
import {
  type ContactOptions,
  type ContactPoints,
  type ContactSpan,
  contactSpans,
} from './detect-contacts.js';
import type { Cycle, PinnedSpan } from './pinned-spans.js';
import type { PointPaths } from './point-paths.js';

export interface LoopCycle {
  readonly from: number;
  readonly length: number;
  readonly duration: number;
  /** Of the mismatch, what the start takes. */
  readonly share: number;
  readonly options: ContactOptions & { readonly contactPoints?: readonly ContactPoints[] };
}

/**
 * Contacts at the ends, where the clip changes: each is pinned to its position in the unchanged part. A contact at the end that continues
 * at the start of the next cycle is one contact, between both; one at one end only is released at the seam. Contacts between stay
 * where the clip has them.
 */
export function loopContacts(
  figure: Figure,
  motion: Motion,
  paths: PointPaths,
  otherCycle: PointTransform,
  { from, length, duration, share, options }: LoopCycle,
): { readonly contacts: PinnedSpan[]; readonly still: ContactSpan[]; readonly cycle: Cycle } {
  const { contactPoints = [] } = options;
  const still: ContactSpan[] = [];
  const tolerance = 0.5 * (options.minDuration ?? 0.1);
  const contacts = contactPoints.flatMap((entry) => {
    const { bone, points = [[0, 0, 0]] } = entry;
    const spans = contactSpans(figure, motion, [entry], options)
      .map(({ over }) => [Math.max(0, over[0] - from), Math.min(length, over[1] - from)] as const)
      .filter(([begin, stop]) => stop > begin);
    const first = spans.find(([begin]) => begin <= tolerance);
    const last = spans.find(([, stop]) => stop >= length - tolerance);
    const continues = first !== undefined && last !== undefined && first !== last;
    return spans.flatMap((span): PinnedSpan[] => {
      const [begin, stop] = span;
      const touchesSeam = span === first || span === last;
      if (touchesSeam && !continues) {
        // Released at the seam.
        const over = [
          span === first ? begin + duration : begin,
          span === last ? stop - duration : stop,
        ] as const;
        if (!(over[1] - over[0] > tolerance)) return [];
        return [pinned(over, 0.5 * (over[0] + over[1]))];
      }
      if (first !== undefined && last !== undefined && (span === first || span === last)) {
        const ends = [Math.max(last[0], length - duration), Math.min(first[1], duration)];
        const positions = between(points, 1 - share, (point) => [
          paths(bone, point)(ends[0]),
          otherCycle(paths(bone, point)(ends[1]), 1),
        ]);
        if (span === last) return [{ bone, points, over: [begin, length], positions }];
        const before = positions.map((position) => otherCycle(position, -1));
        return [{ bone, points, over: [0, stop], positions: before }];
      }
      if (begin >= duration && stop <= length - duration) {
        still.push({ bone, points, over: span });
        return [];
      }
      return [pinned(span, Math.min(Math.max(begin, duration), stop, length - duration))];
    });
    function pinned(over: readonly [number, number], time: number): PinnedSpan {
      return { bone, points, over, positions: points.map((point) => paths(bone, point)(time)) };
    }
  });
  return { contacts, still, cycle: { length, transform: otherCycle } };
}

/** The first positions of points, moved together by a part of their mean distance from the second. */
function between(
  points: readonly Vec3[],
  part: number,
  positionsOf: (point: Vec3) => readonly [Vec3, Vec3],
): Vec3[] {
  const pairs = points.map(positionsOf);
  const shift = [0, 1, 2].map(
    (r) => pairs.reduce((sum, [a, b]) => sum + part * (b[r] - a[r]), 0) / pairs.length,
  );
  return pairs.map(([a]): Vec3 => [a[0] + shift[0], a[1] + shift[1], a[2] + shift[2]]);
}
