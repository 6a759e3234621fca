/** Rejects contacts that no pose of the figure can reach. */
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Contact } from './contact-data.js';

/** Relative tolerance of the reach. */
const REACH_TOLERANCE = 1e-6;

/**
 * Rejects positions farther from a fixed root than the bones are long. A figure with a free joint, or a slider without limits, reaches
 * everything.
 *
 * @throws SpacetimeError `out-of-range`
 */
export function requireReachable(figure: Figure, contact: Contact, path: string): void {
  const { bone, points, positions, isFree, normal, height } = contact;
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
    const distance = isFree
      ? Math.abs(vec3.dot(normal, origin) - height)
      : Math.hypot(...[0, 1, 2].map((r) => positions[3 * k + r] - origin[r]));
    if (distance <= (1 + REACH_TOLERANCE) * reach) return;
    throw new SpacetimeError(
      'out-of-range',
      `is ${distance.toFixed(3)} m from the fixed bone '${figure.bones[base].name}', which reaches ${reach.toFixed(3)} m.`,
      {
        path: `${path}.points[${k}]`,
        remedy: 'Give a nearer plane or position, or a figure with a free root.',
      },
    );
  });
}
