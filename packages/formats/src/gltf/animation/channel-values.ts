/** Values of a channel over time, and their largest difference from the node at rest. */
import { quat } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { interpolate, rotationError } from './animation-player.js';
import type { NodeChannel } from './read-channels.js';

/** Relative change of a scale within rounding. */
export const SCALE_ROUNDING = 1e-5;

/** Samples of a spline between two keys. */
const SAMPLES = 7;

/** Value of a channel at `time`, between the keys around `keyTime`. */
export function channelAt(
  channel: NodeChannel,
  keyTime: number,
  time: number,
  out: Float64Array,
): Float64Array {
  const { keys, path, interpolation } = channel;
  let low = 0;
  let high = keys.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (keys[middle].time <= keyTime) low = middle;
    else high = middle - 1;
  }
  const key = keys[low];
  if (interpolation === 'STEP' || low === keys.length - 1 || keyTime < key.time) {
    out.set(key.value);
    if (path === 'rotation') quat.normalize(out, out);
    return out;
  }
  interpolate(path === 'rotation' ? 'rotation' : 'translation', interpolation, key, keys[low + 1], time, out);
  if (Number.isNaN(out[0])) {
    const what = `passes through a quaternion of length zero near ${time} s.`;
    fail('not-unit', channel.location, what, 'Add a key there.');
  }
  return out;
}

/** Largest relative change of a scale against the node. */
export function scaleChange({ scale }: GltfNode, channel: NodeChannel | undefined): number {
  let largest = 0;
  if (channel === undefined) return largest;
  forEachSample(channel, (value) => {
    for (let k = 0; k < 3; k++) {
      const size = Math.abs(scale[k]);
      largest = Math.max(largest, Math.abs(value[k] - scale[k]) / (size > 0 ? size : 1));
    }
  });
  return largest;
}

/** Largest angle (rad) of a rotation channel against the node at rest, or distance (units of the file) of a translation channel. */
export function channelChange(channel: NodeChannel, node: GltfNode): number {
  const rotation = quat.normalize(node.rotation);
  let largest = 0;
  forEachSample(channel, (value) => {
    const change =
      channel.path === 'rotation'
        ? rotationError(value, rotation)
        : Math.hypot(...value.map((x, k) => x - node.translation[k]));
    largest = Math.max(largest, change);
  });
  return largest;
}

/** Visits the values at the keys, and samples of a spline between them. */
function forEachSample(channel: NodeChannel, visit: (value: Float64Array) => void): void {
  const { keys, path, interpolation } = channel;
  const value = new Float64Array(path === 'rotation' ? 4 : 3);
  for (const [i, { time }] of keys.entries()) {
    visit(channelAt(channel, time, time, value));
    if (interpolation !== 'CUBICSPLINE' || i + 1 === keys.length) continue;
    const span = keys[i + 1].time - time;
    for (let n = 1; n <= SAMPLES; n++) {
      const sampleTime = time + (span * n) / (SAMPLES + 1);
      visit(channelAt(channel, sampleTime, sampleTime, value));
    }
  }
}
