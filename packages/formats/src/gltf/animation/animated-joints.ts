/** Joints that can follow the animations of a file. */
import type { JointData } from 'poise/figure';
import { arrayAt, objectAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import { type GltfNode, readNodes } from '../skeleton/nodes.js';
import { channelChange } from './channel-values.js';
import { readChannels } from './read-channels.js';

/** Movement that is put down to rounding: rad, and relative to the size of a translation. */
const ROUNDING = 1e-5;

/**
 * The option `joints` of `readGltfRig` with which the animations of the file are read whole: `free` where one moves the origin of a node, `ball` where one turns a node that is
 * no joint of a skin, and the default elsewhere. Scale stays out.
 *
 * @param animations - Indices of those that count. Default: all.
 * @throws FormatError as `readGltfAnimation`.
 */
export function animatedJoints(
  document: GltfDocument,
  animations?: readonly number[],
): (name: string, node: GltfNode) => JointData | undefined {
  const { json, source } = document;
  const { nodes } = readNodes(document);
  const joints = new Set(
    arrayAt(json.skins, `${source}#/skins`).flatMap((skin, i) =>
      arrayAt(objectAt(skin, `${source}#/skins/${i}`).joints, `${source}#/skins/${i}/joints`),
    ),
  );
  const moved = new Set<number>();
  const turned = new Set<number>();
  const indices = animations ?? arrayAt(json.animations, `${source}#/animations`).map((_, i) => i);
  for (const index of indices) {
    for (const channel of readChannels(document, index).channels) {
      if (channel.path === 'scale') continue;
      const node = nodes[channel.node];
      const turns = channel.path === 'rotation';
      const size = turns ? 1 : Math.max(1, Math.hypot(...node.translation));
      if (channelChange(channel, node) > ROUNDING * size) (turns ? turned : moved).add(channel.node);
    }
  }
  return (_, { index }) => {
    if (moved.has(index)) return { type: 'free' };
    return turned.has(index) && joints.size > 0 && !joints.has(index) ? { type: 'ball' } : undefined;
  };
}
