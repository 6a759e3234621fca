/** Differences between an animation of a file and the motion read from it. */

import type { GltfRig } from '../skeleton/read-rig.js';
import { channelChange, SCALE_ROUNDING, scaleChange } from './channel-values.js';
import type { FileAnimation } from './read-channels.js';

/** Error of a joint that cannot reproduce the animation: a ball joint with an animated translation, a hinge rotated about another axis. */
export interface GltfResidual {
  /** Index of the bone. */
  readonly bone: number;
  readonly name: string;
  /** Largest angle (rad) and distance (m) between the bone in the file and in the motion, both against the parent. */
  readonly angle: number;
  readonly distance: number;
}

/** A channel of the animation that is not in the motion. */
export interface GltfSkippedChannel {
  /** Index of the node; -1 if the channel names none. */
  readonly node: number;
  /** `scale`, `weights`, `translation`, ... */
  readonly path: string;
  /** One sentence. */
  readonly reason: string;
}

/** Angle (rad) and distance (m) within the rounding of single precision. */
export const ROUNDING = 1e-6;
/** Duration of a motion read from an animation with a single time, s. */
export const STATIC_DURATION = 1;

/** The channels that the motion does not contain. */
export function skippedChannels(
  { binding }: GltfRig,
  { channels, others }: FileAnimation,
): GltfSkippedChannel[] {
  const list: GltfSkippedChannel[] = others.map(({ node, path }) => ({
    node,
    path,
    reason: 'It does not move a bone.',
  }));
  for (const channel of channels) {
    const { node, path } = channel;
    const change = path === 'scale' ? scaleChange(binding.nodes[node], channel) : 0;
    if (change > SCALE_ROUNDING) {
      const reason = `The scale changes by up to ${(100 * change).toPrecision(3)} %; bones are rigid.`;
      list.push({ node, path, reason });
    } else if (path !== 'scale' && binding.boneOfNode[node] < 0) {
      if (channelChange(channel, binding.nodes[node]) <= ROUNDING) continue;
      list.push({ node, path, reason: 'The node is not a bone of the rig.' });
    }
  }
  return list;
}

/** Warnings, one sentence each. */
export function warningsOf(
  { location, start, end }: FileAnimation,
  residuals: readonly GltfResidual[],
  skipped: readonly GltfSkippedChannel[],
): string[] {
  const warnings: string[] = [];
  if (residuals.length > 0) {
    const largest = (key: 'angle' | 'distance'): number => Math.max(...residuals.map((each) => each[key]));
    const errors = [
      ...(largest('angle') > ROUNDING ? [`${largest('angle').toPrecision(2)} rad`] : []),
      ...(largest('distance') > ROUNDING ? [`${largest('distance').toPrecision(2)} m`] : []),
    ];
    const names = residuals.slice(0, 3).map(({ name }) => name);
    const more = residuals.length > 3 ? ` and ${residuals.length - 3} more` : '';
    warnings.push(
      `${location}: joints cannot reproduce the animation, off by up to ${errors.join(' and ')}: ${names.join(', ')}${more} (the option joints of the rig gives others: animatedJoints).`,
    );
  }
  if (skipped.length > 0) {
    const paths = [...new Set(skipped.map(({ path }) => path))].join(', ');
    warnings.push(`${location}: ${skipped.length} channels are skipped (${paths}).`);
  }
  if (start === end)
    warnings.push(`${location}: has a single key time; the motion is static for ${STATIC_DURATION} s.`);
  return warnings;
}
