/** Where the joints and markers of an OpenSim model sit: on bodies, or on frames fixed to bodies. */
import type { Quadruple, RigidData, Triple } from 'poise/figure';
import { quat } from 'poise/math';
import { IDENTITY, placedIn } from '../mjcf/placement.js';
import { describe, fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';
import { nameOf, textOfChild, tripleOfChild } from './values.js';

/** A frame fixed to a body. */
export interface BodyFrame {
  readonly body: string;
  readonly placement: RigidData;
}

/** Longer chains of offset frames are taken for a cycle. */
const MAX_CHAIN = 32;

/** Unit quaternion of R = Rx(x) Ry(y) Rz(z), angles about the axes of the body, rad: how OpenSim writes orientations. */
export function quaternionFromBodyXyz([x, y, z]: Triple): Quadruple {
  const about = (axis: Triple, angle: number) => quat.fromAxisAngle(axis, angle);
  const [a, b, c, w] = quat.multiply(
    quat.multiply(about([1, 0, 0], x), about([0, 1, 0], y)),
    about([0, 0, 1], z),
  );
  return [a, b, c, w];
}

/** The rigid transform of two children with a translation and an orientation. */
export function placementAt(element: XmlElement, translation: string, orientation: string): RigidData {
  return {
    position: tripleOfChild(element, translation, [0, 0, 0] as const),
    rotation: quaternionFromBodyXyz(tripleOfChild(element, orientation, [0, 0, 0] as const)),
  };
}

/** Rigid transform from the frame `inner` to that around it, undone. */
export function inverseOf({ position, rotation }: RigidData): RigidData {
  const [x, y, z, w] = rotation;
  const back: Quadruple = [-x, -y, -z, w];
  const [px, py, pz] = quat.rotate(back, position);
  return { position: [-px, -py, -pz], rotation: back };
}

/** All `PhysicalOffsetFrame` below an element by name, and by that of the joint or body that has it: `hip_r/pelvis_offset`. */
export function offsetFramesOf(
  element: XmlElement,
  owner = '',
  into = new Map<string, XmlElement>(),
): Map<string, XmlElement> {
  for (const child of element.children) {
    if (child.tag === 'PhysicalOffsetFrame') {
      const name = nameOf(child);
      into.set(name, child);
      into.set(`${owner}/${name}`, child);
    }
    offsetFramesOf(child, child.attributes.get('name') ?? owner, into);
  }
  return into;
}

/**
 * The frame that a socket names, by a path or a name: `/bodyset/pelvis`, `femur_r_offset`, `ground`.
 *
 * @param own - Offset frames of the joint or marker, which hide those of the model.
 * @throws FormatError `unknown-name`, `cycle`.
 */
export function resolveFrame(
  socket: string | undefined,
  own: ReadonlyMap<string, XmlElement>,
  all: ReadonlyMap<string, XmlElement>,
  bodies: ReadonlySet<string>,
  location: string,
): BodyFrame {
  let placement = IDENTITY;
  let path = socket ?? '';
  for (let n = 0; n < MAX_CHAIN; n++) {
    const name = path.split('/').at(-1) as string;
    const isBody = bodies.has(name);
    const [owner, inside] = path.split('/').slice(-2);
    // A body that a path names is not a frame of the joint with its name.
    const byPath = inside === undefined ? undefined : all.get(`${owner}/${inside}`);
    const byName = isBody && inside !== undefined ? undefined : own.get(name);
    const frame = byPath ?? byName ?? (isBody ? undefined : all.get(name));
    if (frame === undefined) {
      if (isBody) return { body: name, placement };
      const what =
        socket === undefined
          ? 'names no frame.'
          : `names ${describe(socket)}, which is no body and no frame.`;
      return fail(
        'unknown-name',
        location,
        what,
        'Name a body of the model, ground, or a PhysicalOffsetFrame.',
      );
    }
    placement = placedIn(placementAt(frame, 'translation', 'orientation'), placement);
    const parent = textOfChild(frame, 'socket_parent') ?? textOfChild(frame, 'socket_parent_connectee_name');
    path = parent ?? '';
  }
  return fail('cycle', location, 'is on a cycle of frames.', 'Correct the parents of its offset frames.');
}
