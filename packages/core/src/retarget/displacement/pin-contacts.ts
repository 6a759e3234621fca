/** Where contacts are held. */
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { spansOf } from '../contact/detect.js';
import { rotateAt } from '../kernel/rotations.js';
import type { FootPath } from './foot-paths.js';

const vector = /* @__PURE__ */ unset3();

/** A contact span of heel or ball. */
interface Span {
  readonly isHeel: boolean;
  readonly first: number;
  readonly last: number;
  /** Where it is held. */
  pin: number[] | undefined;
}

/**
 * Where each contact is held: on the ground, at the mean of its carried positions. Heel and ball of a foot that are down together are as far apart as
 * on the foot: of spans that overlap the longest comes first.
 */
export function pinContacts(path: FootPath, up: ArrayLike<number>, ground: number): void {
  const { leg, rotations, ankles, heel, ball } = path;
  const spans: Span[] = [
    ...spansOf(heel).map(([first, last]) => ({ isHeel: true, first, last, pin: undefined })),
    ...spansOf(ball).map(([first, last]) => ({ isHeel: false, first, last, pin: undefined })),
  ];
  const sole = vec3.subtract(leg.ball, leg.heel);
  const byLength = [...spans].sort((a, b) => b.last - b.first - (a.last - a.first));
  for (const longest of byLength) {
    if (longest.pin !== undefined) continue;
    const queue: Span[] = [longest];
    longest.pin = meanPosition(longest);
    for (const span of queue) {
      for (const other of spans) {
        if (other.pin !== undefined || other.isHeel === span.isHeel) continue;
        const first = Math.max(span.first, other.first);
        if (first > Math.min(span.last, other.last)) continue;
        rotateAt(rotations, 9 * first, sole, 0, vector, 0);
        other.pin = vec3.addScaled(span.pin as number[], vector, other.isHeel ? -1 : 1);
        onGround(other.pin);
        queue.push(other);
      }
    }
  }
  path.heelPins.fill(Number.NaN);
  path.ballPins.fill(Number.NaN);
  for (const { isHeel, first, last, pin } of spans) {
    for (let f = first; f <= last; f++) (isHeel ? path.heelPins : path.ballPins).set(pin as number[], 3 * f);
  }

  function meanPosition({ isHeel, first, last }: Span): number[] {
    const sum = new Float64Array(3);
    for (let f = first; f <= last; f++) {
      rotateAt(rotations, 9 * f, isHeel ? leg.heel : leg.ball, 0, vector, 0);
      for (let k = 0; k < 3; k++) sum[k] += vector[k] + ankles[3 * f + k];
    }
    return onGround(vec3.scale(sum, 1 / (last - first + 1)));
  }

  function onGround(point: number[]): number[] {
    return vec3.addScaled(point, up, ground - vec3.dot(point, up), point);
  }
}
