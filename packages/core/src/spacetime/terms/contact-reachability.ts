/** Contacts that can never be: points that no pose brings to their places. */
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Contact } from './contact-data.js';

/** Rounding of places, of the reach. */
const SLACK = 1e-6;

/**
 * Refuses places farther away than the bones are long. A figure that a free joint carries, or a slider without ends, gets anywhere.
 *
 * @throws SpacetimeError `out-of-range`
 */
export function requireReach(figure: Figure, contact: Contact, path: string): void {
  const { bone, points, places, isFree, normal, height } = contact;
  let length = 0;
  let base = bone;
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    const { joint, limit, rest, mimic } = figure.bones[b];
    if (joint.type === 'free') return;
    if (joint.type === 'slider') {
      if (limit?.type !== 'interval' || mimic !== undefined) return;
      length += Math.max(
        Math.abs(limit.min ?? Number.POSITIVE_INFINITY),
        Math.abs(limit.max ?? Number.POSITIVE_INFINITY),
      );
    }
    if (figure.parents[b] >= 0) length += Math.hypot(...rest.position);
    base = b;
  }
  const origin = figure.bones[base].rest.position;
  points.forEach((point, k) => {
    const reach = length + Math.hypot(point[0], point[1], point[2]);
    const way = isFree
      ? Math.abs(vec3.dot(normal, origin) - height)
      : Math.hypot(...[0, 1, 2].map((r) => places[3 * k + r] - origin[r]));
    if (way <= (1 + SLACK) * reach) return;
    throw new SpacetimeError(
      'out-of-range',
      `is to stand ${way.toFixed(3)} m away from where '${figure.bones[base].name}' is fixed, which it reaches ${reach.toFixed(3)} m around: it never touches.`,
      { path: `${path}.points[${k}]`, remedy: 'Give a nearer plane or place, or a figure with a free root.' },
    );
  });
}
