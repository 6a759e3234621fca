/** What of an animation is not in the motion that is made of it. */

import type { GltfRig } from '../skeleton/read-rig.js';
import { channelChange, SCALE_ROUNDING, scaleChange } from './channel-values.js';
import type { FileAnimation } from './read-channels.js';

/** What a joint cannot follow: a ball that the file moves away, a hinge that it turns about another axis. */
export interface GltfResidual {
  /** Index of the bone. */
  readonly bone: number;
  readonly name: string;
  /** Largest angle (rad) and distance (m) between the bone in the file and in the motion, both against the parent. */
  readonly angle: number;
  readonly distance: number;
}

/** Something in the animation that is no movement of a bone. */
export interface GltfLeftOut {
  /** Index of the node, -1 where the channel names none. */
  readonly node: number;
  /** `scale`, `weights`, `translation`, ... */
  readonly path: string;
  /** One sentence. */
  readonly why: string;
}

/** Angle (rad) and distance (m) that are put down to the rounding of single precision. */
export const ROUNDING = 1e-6;
/** How long an animation of one moment lasts as a motion, s. */
export const STANDING = 1;

/** The channels of which nothing is in the motion. */
export function leftOutOf({ binding }: GltfRig, { channels, others }: FileAnimation): GltfLeftOut[] {
  const list: GltfLeftOut[] = others.map(({ node, path }) => ({ node, path, why: 'It moves no bone.' }));
  for (const channel of channels) {
    const { node, path } = channel;
    const change = path === 'scale' ? scaleChange(binding.nodes[node], channel) : 0;
    if (change > SCALE_ROUNDING) {
      const why = `The scale changes by up to ${(100 * change).toPrecision(3)} %, and bones are rigid.`;
      list.push({ node, path, why });
    } else if (path !== 'scale' && binding.boneOfNode[node] < 0) {
      if (channelChange(channel, binding.nodes[node]) <= ROUNDING) continue;
      list.push({ node, path, why: 'The node is no bone of the rig.' });
    }
  }
  return list;
}

/** One sentence for each kind of reservation. */
export function warningsOf(
  { place, start, end }: FileAnimation,
  residuals: readonly GltfResidual[],
  leftOut: readonly GltfLeftOut[],
): string[] {
  const warnings: string[] = [];
  if (residuals.length > 0) {
    const largest = (key: 'angle' | 'distance'): number => Math.max(...residuals.map((each) => each[key]));
    const parts = [
      ...(largest('angle') > ROUNDING ? [`${largest('angle').toPrecision(2)} rad`] : []),
      ...(largest('distance') > ROUNDING ? [`${largest('distance').toPrecision(2)} m`] : []),
    ];
    const names = residuals.slice(0, 3).map(({ name }) => name);
    const more = residuals.length > 3 ? ` and ${residuals.length - 3} more` : '';
    warnings.push(
      `${place}: joints cannot follow by up to ${parts.join(' and ')}: ${names.join(', ')}${more} (animatedJoints makes joints that can).`,
    );
  }
  if (leftOut.length > 0) {
    const paths = [...new Set(leftOut.map(({ path }) => path))].join(', ');
    warnings.push(`${place}: ${leftOut.length} channels are left out (${paths}).`);
  }
  if (start === end) warnings.push(`${place}: has one moment; the motion stands still for ${STANDING} s.`);
  return warnings;
}
