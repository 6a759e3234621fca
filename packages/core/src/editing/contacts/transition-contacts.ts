/** Contacts of a transition. */

import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import {
  type ContactOptions,
  type ContactPoints,
  type ContactSpan,
  contactSpans,
} from './detect-contacts.js';
import type { PinnedSpan } from './pinned-spans.js';
import type { PointPaths } from './point-paths.js';

export interface TransitionWindow {
  readonly at: number;
  readonly end: number;
  readonly shift: number;
  readonly options: ContactOptions & { readonly contactPoints?: readonly ContactPoints[] };
}

/**
 * A contact of the first clip is pinned to its position at the start of the window (or of the contact), until that clip's weight falls
 * below half; one of the second to its position at the end of the window. Where the same points are in contact in both without a step
 * between, they keep the position of the first until the second lifts them. Before the window, and in contacts after it, points are still:
 * they stay where the clips have them.
 */
export function transitionContacts(
  figure: Figure,
  first: Motion,
  second: Motion,
  paths: PointPaths,
  { at, end, shift, options }: TransitionWindow,
): { readonly contacts: PinnedSpan[]; readonly still: ContactSpan[] } {
  const { contactPoints = [] } = options;
  const middle = 0.5 * (at + end);
  const gap = options.minDuration ?? 0.1;
  const still: ContactSpan[] = [];
  const contacts = contactPoints.flatMap((entry) => {
    const before = contactSpans(figure, first, [entry], options)
      .map(({ over }) => [over[0], Math.min(over[1], middle)] as const)
      .filter(([begin, stop]) => begin < middle && stop > at);
    const later = contactSpans(figure, second, [entry], options).map(
      ({ over }) => [Math.max(over[0] + shift, middle), over[1] + shift] as const,
    );
    const after = later.filter(([begin, stop]) => begin < end && stop > middle);
    const { bone, points = [[0, 0, 0]] } = entry;
    still.push({ bone, points, over: [Number.NEGATIVE_INFINITY, at] });
    for (const over of later) if (over[0] >= end) still.push({ bone, points, over });
    const pinned = (over: readonly [number, number], time: number): PinnedSpan => ({
      bone,
      points,
      over,
      positions: points.map((point) => paths(bone, point)(time)),
    });
    const last = before[before.length - 1];
    const next = after[0];
    if (last !== undefined && next !== undefined && next[0] - last[1] < gap) {
      const begin = Math.max(last[0], at);
      return [pinned([begin, next[1]], begin), ...after.slice(1).map((over) => pinnedToEnd(over))];
    }
    function pinnedToEnd([begin, stop]: readonly [number, number]): PinnedSpan {
      const until = Math.min(stop, end);
      return pinned([begin, until], until);
    }
    return [
      ...before.map(([begin, stop]) => pinned([Math.max(begin, at), stop], Math.max(begin, at))),
      ...after.map(pinnedToEnd),
    ];
  });
  return { contacts, still };
}
