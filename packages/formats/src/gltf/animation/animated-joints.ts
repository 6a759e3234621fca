/** Joint types that can reproduce the animations of a file. */
import type { JointData } from 'poise/figure';
import { createMeter } from '../../budget.js';
import { arrayAt, objectAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import { type GltfNode, readNodes } from '../skeleton/nodes.js';
import { channelChange } from './channel-values.js';
import { readChannels } from './read-channels.js';

/** Motion within rounding: rad, and relative to the size of a translation. */
const ROUNDING = 1e-5;

/**
 * The option `joints` of `readGltfRig` that lets a rig reproduce the animations of its file: `free` for nodes with an animated translation, `ball` for
 * nodes with an animated rotation that are not joints of a skin, the default elsewhere. Scale is not considered.
 *
 * @param animations - Indices of the animations to consider. Default: all.
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
  const translated = new Set<number>();
  const rotated = new Set<number>();
  const spendKeys = createMeter(document.budget, 'keys', `${source}#/animations`);
  const indices = animations ?? arrayAt(json.animations, `${source}#/animations`).map((_, i) => i);
  for (const index of indices) {
    for (const channel of readChannels(document, index, spendKeys).channels) {
      if (channel.path === 'scale') continue;
      const node = nodes[channel.node];
      const isRotation = channel.path === 'rotation';
      const size = isRotation ? 1 : Math.max(1, Math.hypot(...node.translation));
      if (channelChange(channel, node) > ROUNDING * size)
        (isRotation ? rotated : translated).add(channel.node);
    }
  }
  return (_, { index }) => {
    if (translated.has(index)) return { type: 'free' };
    return rotated.has(index) && joints.size > 0 && !joints.has(index) ? { type: 'ball' } : undefined;
  };
}
