/** Joint coordinates from the frames of a BVH file. */
import type { Bone } from 'poise/figure';
import type { BvhFrames } from './frames.js';
import type { BvhChannel, BvhJoint } from './hierarchy.js';
import type { BvhPositions } from './options.js';

const RADIANS = Math.PI / 180;
const HALF = 0.5 * RADIANS;
const TWO_PI = 2 * Math.PI;

/** Frames at a time: their numbers stay in the cache of the processor while one joint after the other takes its own. */
const BLOCK = 128;

/**
 * Coordinates of joints in every frame, `dof` numbers a frame, rad and m; none for a joint without channels. Rotations are the product of the channels in
 * file order, the rotation order of the joint, R = R_1 R_2 R_3, as rotation vectors of at most pi. The angle of a hinge is unwrapped from frame to frame.
 *
 * @param bones - Of each joint.
 * @param channelCount - Numbers in a frame.
 */
export function coordinatesOf(
  joints: readonly BvhJoint[],
  bones: readonly Bone[],
  { count, values }: BvhFrames,
  channelCount: number,
  scale: number,
  positions: BvhPositions,
): Float64Array[] {
  const out = joints.map(
    ({ channels }, j) => new Float64Array(channels.length > 0 ? count * bones[j].dof : 0),
  );
  const offsets = joints.map(({ offset }) => (positions === 'added' ? [0, 0, 0] : offset));
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(count, from + BLOCK);
    for (const [j, joint] of joints.entries()) {
      if (joint.channels.length > 0) {
        readBlock(joint, bones[j], offsets[j], values, channelCount, scale, from, to, out[j]);
      }
    }
  }
  return out;
}

/** @param offset - What displacements are measured from, file units. */
function readBlock(
  { channels, firstChannel }: BvhJoint,
  { joint: { type }, dof }: Bone,
  offset: readonly number[],
  values: Float64Array,
  channelCount: number,
  scale: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  for (const [k, { kind, axis }] of channels.entries()) {
    const o = type === 'slider' ? 0 : axis;
    for (let frame = from; kind === 'position' && frame < to; frame++) {
      // Coordinates are relative to rest, which is the OFFSET.
      out[frame * dof + o] = scale * (values[frame * channelCount + firstChannel + k] - offset[axis]);
    }
  }
  if (type === 'ball' || type === 'free') {
    readRotations(channels, values, firstChannel, channelCount, from, to, out, dof);
  }
  for (let frame = from; type === 'hinge' && frame < to; frame++) {
    const angle = RADIANS * values[frame * channelCount + firstChannel];
    out[frame] = frame === 0 ? angle : angle - TWO_PI * Math.round((angle - out[frame - 1]) / TWO_PI);
  }
}

/**
 * Rotation vectors of up to three angles a, b, c about axes i, j, k, one each. With half angles, and e = 1 for even orders of the axes and -1 for odd ones,
 * the Hamilton product of the first two is
 *
 *   (i, j, k, w) = (sin a cos b, cos a sin b, e sin a sin b, cos a cos b).
 */
function readRotations(
  channels: readonly BvhChannel[],
  values: Float64Array,
  firstChannel: number,
  channelCount: number,
  from: number,
  to: number,
  out: Float64Array,
  dof: number,
): void {
  const turns = channels.flatMap(({ kind, axis }, k) =>
    kind === 'rotation' ? [{ axis, k, half: HALF }] : [],
  );
  // The axes without a channel turn by nothing.
  for (const axis of [0, 1, 2] as const) {
    if (turns.every((turn) => turn.axis !== axis)) turns.push({ axis, k: 0, half: 0 });
  }
  const [{ axis: i, k: ka, half: ha }, { axis: j, k: kb, half: hb }, { axis: k, k: kc, half: hc }] = turns;
  const e = (j - i + 3) % 3 === 1 ? 1 : -1;
  for (let frame = from; frame < to; frame++) {
    const first = frame * channelCount + firstChannel;
    const a = ha * values[first + ka];
    const b = hb * values[first + kb];
    const c = hc * values[first + kc];
    const sa = Math.sin(a);
    const ca = Math.cos(a);
    const sb = Math.sin(b);
    const cb = Math.cos(b);
    const sc = Math.sin(c);
    const cc = Math.cos(c);
    const ki = sa * cb;
    const kj = ca * sb;
    const kk = e * sa * sb;
    const kw = ca * cb;
    const qi = ki * cc + e * kj * sc;
    const qj = kj * cc - e * ki * sc;
    const qk = kw * sc + kk * cc;
    const qw = kw * cc - kk * sc;
    const o = frame * dof + dof - 3;
    out[o + i] = qi;
    out[o + j] = qj;
    out[o + k] = qk;
    // As rotationVectorFromQuat, with the same sum of x^2, y^2 and z^2.
    const x = out[o];
    const y = out[o + 1];
    const z = out[o + 2];
    const n = Math.sqrt(x * x + y * y + z * z);
    const ratio = n > 0 ? (2 * Math.atan2(n, Math.abs(qw))) / n : 2;
    const toVector = qw < 0 ? -ratio : ratio;
    out[o] = toVector * x;
    out[o + 1] = toVector * y;
    out[o + 2] = toVector * z;
  }
}
