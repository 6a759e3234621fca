/** Values of a channel over time, and how far they are from what the node has. */
import { quat } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { play, rotationError } from './animation-player.js';
import type { NodeChannel } from './read-channels.js';

/** Relative change of a scale that is put down to rounding. */
export const SCALE_ROUNDING = 1e-5;

/** Moments between two keys at which a spline is looked at. */
const LOOKS = 7;

/** Value of a channel at a moment of the stretch around `during`. */
export function channelAt(
  channel: NodeChannel,
  during: number,
  time: number,
  out: Float64Array,
): Float64Array {
  const { keys, path, interpolation } = channel;
  let low = 0;
  let high = keys.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (keys[middle].time <= during) low = middle;
    else high = middle - 1;
  }
  const key = keys[low];
  if (interpolation === 'STEP' || low === keys.length - 1 || during < key.time) {
    out.set(key.value);
    if (path === 'rotation') quat.normalize(out, out);
    return out;
  }
  play(path === 'rotation' ? 'rotation' : 'translation', interpolation, key, keys[low + 1], time, out);
  if (Number.isNaN(out[0])) {
    const what = `passes through a quaternion of length zero near ${time} s.`;
    fail('not-unit', channel.place, what, 'Add a key there.');
  }
  return out;
}

/** Largest change of a scale from that of the node, relative. */
export function scaleChange({ scale }: GltfNode, channel: NodeChannel | undefined): number {
  let largest = 0;
  if (channel === undefined) return largest;
  forEachLook(channel, (value) => {
    for (let k = 0; k < 3; k++) {
      const size = Math.abs(scale[k]);
      largest = Math.max(largest, Math.abs(value[k] - scale[k]) / (size > 0 ? size : 1));
    }
  });
  return largest;
}

/** Largest angle (rad) between a rotation channel and the node as the file shows it, or distance in its units for a translation. */
export function channelChange(channel: NodeChannel, node: GltfNode): number {
  const rotation = quat.normalize(node.rotation);
  let largest = 0;
  forEachLook(channel, (value) => {
    const change =
      channel.path === 'rotation'
        ? rotationError(value, rotation)
        : Math.hypot(...value.map((x, k) => x - node.translation[k]));
    largest = Math.max(largest, change);
  });
  return largest;
}

/** The values at the keys, and of a spline at some moments between. */
function forEachLook(channel: NodeChannel, visit: (value: Float64Array) => void): void {
  const { keys, path, interpolation } = channel;
  const value = new Float64Array(path === 'rotation' ? 4 : 3);
  for (const [i, { time }] of keys.entries()) {
    visit(channelAt(channel, time, time, value));
    if (interpolation !== 'CUBICSPLINE' || i + 1 === keys.length) continue;
    const span = keys[i + 1].time - time;
    for (let n = 1; n <= LOOKS; n++) {
      const moment = time + (span * n) / (LOOKS + 1);
      visit(channelAt(channel, moment, moment, value));
    }
  }
}
