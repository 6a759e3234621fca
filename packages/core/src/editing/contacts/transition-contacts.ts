/** Contacts of a transition. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import type { PinnedSpan } from './contact-constraints.js';
import { type ContactOptions, type ContactPoints, contactSpans } from './detect-contacts.js';

export interface TransitionWindow {
  readonly at: number;
  readonly end: number;
  readonly shift: number;
  readonly options: ContactOptions & { readonly contactPoints?: readonly ContactPoints[] };
}

/**
 * A contact of the first clip is pinned to its position at the start of the window (or of the contact), until that clip's weight falls
 * below half; one of the second to its position at the end of the window. Where the same points are in contact in both without a step
 * between, they keep the position of the first until the second lifts them.
 */
export function transitionContacts(
  figure: Figure,
  first: Motion,
  second: Motion,
  blended: Motion,
  { at, end, shift, options }: TransitionWindow,
): PinnedSpan[] {
  const { contactPoints = [] } = options;
  if (contactPoints.length === 0) return [];
  const middle = 0.5 * (at + end);
  const gap = options.minDuration ?? 0.1;
  const positionAt = pointSampler(figure, blended);
  return contactPoints.flatMap((entry) => {
    const before = contactSpans(figure, first, [entry], options)
      .map(({ over }) => [over[0], Math.min(over[1], middle)] as const)
      .filter(([begin, stop]) => begin < middle && stop > at);
    const after = contactSpans(figure, second, [entry], options)
      .map(({ over }) => [Math.max(over[0] + shift, middle), over[1] + shift] as const)
      .filter(([begin, stop]) => begin < end && stop > middle);
    const { bone, points = [[0, 0, 0]] } = entry;
    const pinned = (over: readonly [number, number], time: number): PinnedSpan => ({
      bone,
      points,
      over,
      positions: points.map((point) => positionAt(bone, point, time)),
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
}

/** Samples world positions of points of a clip. */
export function pointSampler(
  figure: Figure,
  motion: Motion,
): (bone: string, point: Vec3, time: number) => number[] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (bone, point, time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return worldPoint(state, bone, point);
  };
}
