/** The joint hierarchy of a WebXR hand. */

/** Joints of a finger from the wrist outwards (WebXR Hand Input, section 3: skeleton joints). */
const finger = ['metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip'];
const thumb = finger.filter((segment) => segment !== 'phalanx-intermediate');

/**
 * Parent of a joint of a WebXR hand (`index-finger-phalanx-distal` for `index-finger-tip`, and so on up to `wrist`);
 * undefined for other names. In models of such hands all joints are children of one node, since the device tracks each in
 * the world; `readGltfRig(bytes, { parents: webxrHandParent })` gives the figure the hierarchy of a hand.
 */
export function webxrHandParent(name: string): string | undefined {
  const match = /^(thumb|(?:index|middle|ring|pinky)-finger)-(.+)$/.exec(name);
  if (!match) return undefined;
  const [, digit, segment] = match;
  const joints = digit === 'thumb' ? thumb : finger;
  const index = joints.indexOf(segment);
  if (index < 0) return undefined;
  return index === 0 ? 'wrist' : `${digit}-${joints[index - 1]}`;
}
