/** Whether position channels are places or additions to OFFSETs, for files differ. */
import type { BvhFrames } from './frames.js';
import type { BvhHierarchy } from './hierarchy.js';
import { isPosition } from './joints.js';
import type { BvhPositions } from './options.js';

/** What position channels are where the options do not say it; warns where that makes a difference. */
export function seenPositions(
  hierarchy: BvhHierarchy,
  frames: BvhFrames,
  source: string,
  warnings: string[],
): BvhPositions {
  const seen = positionsOf(hierarchy, frames);
  const matters = hierarchy.joints.find(
    ({ offset, channels }) => channels.some(isPosition) && offset.some((value) => value !== 0),
  );
  if (matters !== undefined) {
    const what =
      seen === undefined
        ? `the positions of '${matters.name}' are taken for absolute, its OFFSET not added`
        : seen === 'added'
          ? 'position channels are taken for additions to the OFFSETs, which keeps bones nearer to their lengths'
          : 'position channels are taken for absolute, which keeps bones nearer to their lengths than added to the OFFSETs';
    warnings.push(`${source}:${matters.line}: ${what} (the option positions says it).`);
  }
  return seen ?? 'absolute';
}

/** By the lengths of bones below the roots; undefined where no joint there has any. */
function positionsOf(
  { joints, channelCount }: BvhHierarchy,
  { count, values }: BvhFrames,
): BvhPositions | undefined {
  const below = joints.filter(({ parent, channels }) => parent >= 0 && channels.some(isPosition));
  if (below.length === 0) return undefined;
  const place = [0, 0, 0];
  const sum = [0, 0, 0];
  let absolute = 0;
  let added = 0;
  for (const { channels, firstChannel, offset } of below) {
    const length = Math.hypot(...offset);
    for (let frame = 0; frame < count; frame++) {
      for (let k = 0; k < 3; k++) place[k] = sum[k] = offset[k];
      for (const [k, channel] of channels.entries()) {
        if (!isPosition(channel)) continue;
        const value = values[frame * channelCount + firstChannel + k];
        place[channel.axis] = value;
        sum[channel.axis] += value;
      }
      absolute += Math.abs(Math.hypot(...place) - length);
      added += Math.abs(Math.hypot(...sum) - length);
    }
  }
  return absolute <= added ? 'absolute' : 'added';
}
