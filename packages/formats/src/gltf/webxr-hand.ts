/** The hierarchy that a WebXR hand lacks. */

/** Joints of a finger from the wrist outwards (WebXR Hand Input, section 3: skeleton joints). */
const finger = ['metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip'];
const thumb = finger.filter((part) => part !== 'phalanx-intermediate');

/**
 * Parent of a joint of a WebXR hand (`index-finger-tip` hangs from `index-finger-phalanx-distal`, and so on to `wrist`);
 * undefined for other names. Models of such hands hang all joints from one node, since the device places each in the
 * world; with `readGltfRig(bytes, { parents: webxrHandParent })` the fingers bend as fingers do.
 */
export function webxrHandParent(name: string): string | undefined {
  const parts = /^(thumb|(?:index|middle|ring|pinky)-finger)-(.+)$/.exec(name);
  if (!parts) return undefined;
  const [, stem, part] = parts;
  const joints = stem === 'thumb' ? thumb : finger;
  const place = joints.indexOf(part);
  if (place < 0) return undefined;
  return place === 0 ? 'wrist' : `${stem}-${joints[place - 1]}`;
}
