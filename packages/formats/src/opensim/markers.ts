/** The markers of an OpenSim model. */
import type { RigidData } from 'poise/figure';
import type { Marker } from 'poise/ik';
import { quat, vec3 } from 'poise/math';
import { fail } from '../text/json-checks.js';
import { childOf, type XmlElement } from '../text/xml.js';
import { offsetFramesOf, resolveFrame } from './frames.js';
import { nameOf, objectsOf, textOfChild, tripleOfChild } from './values.js';

/** @throws FormatError `unknown-name`, `duplicate-name`. */
export function markersOf(
  model: XmlElement,
  bodies: ReadonlyMap<string, unknown>,
  warnings: string[],
): readonly Marker[] {
  const file = childOf(model, 'MarkerSet')?.attributes.get('file');
  if (file !== undefined) {
    warnings.push(
      `${model.location}: the markers are in the file '${file.slice(0, 60)}', which is not read.`,
    );
  }
  const frames = offsetFramesOf(model);
  const names = new Set(bodies.keys());
  const taken = new Set<string>();
  return objectsOf(model, 'MarkerSet').flatMap((element) => {
    if (element.tag !== 'Marker') return [];
    const name = nameOf(element);
    if (taken.has(name)) {
      fail('duplicate-name', element.location, `two markers have the name '${name}'.`, 'Keep one of them.');
    }
    taken.add(name);
    const socket =
      textOfChild(element, 'socket_parent_frame') ??
      textOfChild(element, 'socket_parent_frame_connectee_name') ??
      textOfChild(element, 'body');
    const { body, placement } = resolveFrame(socket, new Map(), frames, names, element.location);
    const point = tripleOfChild(element, 'location', [0, 0, 0] as const);
    return [{ name, bone: body, point: placed(placement, point) }];
  });
}

function placed(
  { position, rotation }: RigidData,
  point: readonly number[],
): readonly [number, number, number] {
  const [x, y, z] = vec3.add(position, quat.rotate(rotation, point));
  return [x, y, z];
}
