/** The joints of an OpenSim model, and what they connect. */
import type { RigidData } from 'poise/figure';
import { IDENTITY } from '../mjcf/placement.js';
import { fail } from '../text/json-checks.js';
import { childOf, type XmlElement } from '../text/xml.js';
import type { JointBetween } from './bones.js';
import { inverseOf, offsetFramesOf, placementAt, resolveFrame } from './frames.js';
import { coordinateElements, motionsOf } from './motions.js';
import { nameOf, objectsOf, textOfChild } from './values.js';

/** The body that does not move. */
export const GROUND = 'ground';

/** The joints of a `JointSet` (version 4), or those inside bodies (2 and 3). A body without a joint is fixed to the ground. */
export function jointsOf(
  model: XmlElement,
  bodies: ReadonlyMap<string, XmlElement | undefined>,
  warnings: string[],
): JointBetween[] {
  const names = new Set(bodies.keys());
  const all = offsetFramesOf(model);
  const joints = objectsOf(model, 'JointSet').map((element) => {
    const own = offsetFramesOf(element);
    const socket = (which: string) =>
      textOfChild(element, `socket_${which}_frame`) ??
      textOfChild(element, `socket_${which}_frame_connectee_name`);
    const parent = resolveFrame(socket('parent'), own, all, names, element.location);
    const child = resolveFrame(socket('child'), own, all, names, element.location);
    return jointBetween(element, parent.body, child.body, parent.placement, inverseOf(child.placement));
  });
  for (const [name, body] of bodies) {
    const holder = body && (childOf(body, 'Joint') ?? childOf(body, 'joint'));
    for (const element of holder?.children ?? []) {
      const parent = textOfChild(element, 'parent_body') ?? '';
      if (!names.has(parent)) {
        fail(
          'unknown-name',
          element.location,
          `names no parent body '${parent.slice(0, 60)}'.`,
          'Name a body of the model.',
        );
      }
      const before = placementAt(element, 'location_in_parent', 'orientation_in_parent');
      const after = inverseOf(placementAt(element, 'location', 'orientation'));
      joints.push(jointBetween(element, parent, name, before, after));
    }
  }
  const moved = new Set(joints.map(({ child }) => child));
  for (const [name, body] of bodies) {
    if (name === GROUND || moved.has(name)) continue;
    const location = body?.location as string;
    warnings.push(`${location}: no joint moves '${name}'; it is fixed to the ground.`);
    joints.push({
      name,
      location,
      type: 'WeldJoint',
      parent: GROUND,
      child: name,
      before: IDENTITY,
      after: IDENTITY,
      motions: [],
      coordinates: new Map(),
    });
  }
  return joints;
}

function jointBetween(
  element: XmlElement,
  parent: string,
  child: string,
  before: RigidData,
  after: RigidData,
): JointBetween {
  const motions = motionsOf(element);
  const coordinates = new Map<string, XmlElement | undefined>(
    coordinateElements(element).map((each) => [nameOf(each), each]),
  );
  // OpenSim adds those that the file leaves out.
  for (const motion of motions) {
    if (motion.type === 'placement' || motion.coordinate === undefined) continue;
    if (!coordinates.has(motion.coordinate)) coordinates.set(motion.coordinate, undefined);
  }
  const { location, tag: type } = element;
  return { name: nameOf(element), location, type, parent, child, before, after, motions, coordinates };
}
