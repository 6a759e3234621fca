/** Detects whether position channels replace OFFSETs or are added to them; files differ. */
import type { BvhFrames } from './frames.js';
import type { BvhHierarchy } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';

/** The meaning of position channels without the option; warns where it makes a difference. */
export function resolvePositions(
  hierarchy: BvhHierarchy,
  frames: BvhFrames,
  source: string,
  warnings: string[],
): BvhPositions {
  const detected = detectPositions(hierarchy, frames);
  const affected = hierarchy.joints.find(
    ({ offset, channels }) => channels.some(isPosition) && offset.some((value) => value !== 0),
  );
  if (affected !== undefined) {
    const what =
      detected === undefined
        ? `the positions of '${affected.name}' are read as absolute, without its OFFSET`
        : detected === 'added'
          ? 'position channels are added to the OFFSETs, which keeps bone lengths more constant'
          : 'position channels are read as absolute, which keeps bone lengths more constant than adding them to the OFFSETs';
    warnings.push(`${source}:${affected.line}: ${what} (the option positions chooses).`);
  }
  return detected ?? 'absolute';
}

/** Whichever keeps the lengths of bones below the roots more constant; undefined where no joint there has position channels. */
function detectPositions(
  { joints, channelCount }: BvhHierarchy,
  { count, values }: BvhFrames,
): BvhPositions | undefined {
  const below = joints.filter(({ parent, channels }) => parent >= 0 && channels.some(isPosition));
  if (below.length === 0) return undefined;
  const position = [0, 0, 0];
  const sum = [0, 0, 0];
  let absolute = 0;
  let added = 0;
  for (const { channels, firstChannel, offset } of below) {
    const length = Math.hypot(...offset);
    for (let frame = 0; frame < count; frame++) {
      for (let k = 0; k < 3; k++) position[k] = sum[k] = offset[k];
      for (const [k, channel] of channels.entries()) {
        if (!isPosition(channel)) continue;
        const value = values[frame * channelCount + firstChannel + k];
        position[channel.axis] = value;
        sum[channel.axis] += value;
      }
      absolute += Math.abs(Math.hypot(...position) - length);
      added += Math.abs(Math.hypot(...sum) - length);
    }
  }
  return absolute <= added ? 'absolute' : 'added';
}
