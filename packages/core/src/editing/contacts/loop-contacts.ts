/** Contacts at the ends of a loop. */
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import type { PlanarTransform } from '../clips/planar-alignment.js';
import type { PinnedSpan } from './contact-constraints.js';
import { type ContactOptions, type ContactPoints, contactSpans } from './detect-contacts.js';
import { pointSampler } from './transition-contacts.js';

export interface LoopCycle {
  readonly from: number;
  readonly length: number;
  readonly duration: number;
  readonly options: ContactOptions & { readonly contactPoints?: readonly ContactPoints[] };
}

/**
 * Contacts at the ends, where the clip changes: each is pinned to its position in the unchanged part. A contact at the end that continues
 * at the start of the next cycle is one contact; one at one end only is released at the seam.
 */
export function loopContacts(
  figure: Figure,
  motion: Motion,
  looped: Motion,
  transform: PlanarTransform,
  { from, length, duration, options }: LoopCycle,
): PinnedSpan[] {
  const { contactPoints = [] } = options;
  const toPreviousCycle = previousCycle(transform, options.up ?? figure.up);
  const positionAt = pointSampler(figure, looped);
  const tolerance = 0.5 * (options.minDuration ?? 0.1);
  return contactPoints.flatMap((entry) => {
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
      if (span === last) return [pinned([begin, length], Math.max(begin, length - duration))];
      if (span === first && last !== undefined) {
        const at = Math.max(last[0], length - duration);
        return [
          {
            bone,
            points,
            over: [0, stop],
            positions: points.map((point) => toPreviousCycle(positionAt(bone, point, at))),
          },
        ];
      }
      if (begin >= duration && stop <= length - duration) return [];
      return [pinned(span, Math.min(Math.max(begin, duration), stop, length - duration))];
    });
    function pinned(over: readonly [number, number], time: number): PinnedSpan {
      return { bone, points, over, positions: points.map((point) => positionAt(bone, point, time)) };
    }
  });
}

/** Transforms a world point to the previous cycle. */
type WorldPlacing = (point: Vec3) => number[];

function previousCycle({ angle, translation }: PlanarTransform, up: Vec3): WorldPlacing {
  const yaw = quat.fromAxisAngle(vec3.normalize(up), -angle);
  return (point) => quat.rotate(yaw, vec3.subtract(point, translation));
}
