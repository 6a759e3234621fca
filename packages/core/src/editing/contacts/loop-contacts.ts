/** What stands at the ends of a loop. */
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import type { PlanarTransform } from '../clips/planar-alignment.js';
import type { PinnedSpan } from './contact-constraints.js';
import { type ContactOptions, type ContactPoints, detectContacts } from './detect-contacts.js';
import { placer } from './transition-contacts.js';

export interface LoopRound {
  readonly from: number;
  readonly length: number;
  readonly duration: number;
  readonly options: ContactOptions & { readonly standing?: readonly ContactPoints[] };
}

/**
 * Contacts at the ends, where the clip changes: each stays where the unchanged part has it. What stands at the end and at the start of the next round is one
 * contact; what stands at one of them only is let go there.
 */
export function loopContacts(
  figure: Figure,
  motion: Motion,
  looped: Motion,
  move: PlanarTransform,
  { from, length, duration, options }: LoopRound,
): PinnedSpan[] {
  const { standing = [] } = options;
  const back = roundBack(move, options.up ?? [0, 1, 0]);
  const place = placer(figure, looped);
  const slack = 0.5 * (options.shortest ?? 0.1);
  return standing.flatMap((entry) => {
    const { bone, points = [[0, 0, 0]] } = entry;
    const spans = detectContacts(figure, motion, [entry], options)
      .map(({ over }) => [Math.max(0, over[0] - from), Math.min(length, over[1] - from)] as const)
      .filter(([begin, stop]) => stop > begin);
    const first = spans.find(([begin]) => begin <= slack);
    const last = spans.find(([, stop]) => stop >= length - slack);
    const goesOn = first !== undefined && last !== undefined && first !== last;
    return spans.flatMap((span): PinnedSpan[] => {
      const [begin, stop] = span;
      const meets = span === first || span === last;
      if (meets && !goesOn) {
        // Let go where the round closes.
        const over = [
          span === first ? begin + duration : begin,
          span === last ? stop - duration : stop,
        ] as const;
        if (!(over[1] - over[0] > slack)) return [];
        return [held(over, 0.5 * (over[0] + over[1]))];
      }
      if (span === last) return [held([begin, length], Math.max(begin, length - duration))];
      if (span === first && last !== undefined) {
        const at = Math.max(last[0], length - duration);
        return [
          { bone, points, over: [0, stop], places: points.map((point) => back(place(bone, point, at))) },
        ];
      }
      if (begin >= duration && stop <= length - duration) return [];
      return [held(span, Math.min(Math.max(begin, duration), stop, length - duration))];
    });
    function held(over: readonly [number, number], time: number): PinnedSpan {
      return { bone, points, over, places: points.map((point) => place(bone, point, time)) };
    }
  });
}

/** Takes a world point a round back. */
type WorldPlacing = (point: Vec3) => number[];

function roundBack({ turn, slide }: PlanarTransform, up: Vec3): WorldPlacing {
  const yaw = quat.fromAxisAngle(vec3.normalize(up), -turn);
  return (point) => quat.rotate(yaw, vec3.subtract(point, slide));
}
