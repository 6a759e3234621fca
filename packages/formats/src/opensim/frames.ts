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

/** All `PhysicalOffsetFrame` below an element by name. */
export function offsetFramesOf(
  element: XmlElement,
  into = new Map<string, XmlElement>(),
): Map<string, XmlElement> {
  for (const child of element.children) {
    if (child.tag === 'PhysicalOffsetFrame') into.set(nameOf(child), child);
    offsetFramesOf(child, into);
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
  let name = (socket ?? '').split('/').at(-1) as string;
  for (let n = 0; n < MAX_CHAIN; n++) {
    const frame = own.get(name) ?? (bodies.has(name) ? undefined : all.get(name));
    if (frame === undefined) {
      if (bodies.has(name)) return { body: name, placement };
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
    name = (parent ?? '').split('/').at(-1) as string;
  }
  return fail('cycle', location, 'is on a cycle of frames.', 'Correct the parents of its offset frames.');
}
