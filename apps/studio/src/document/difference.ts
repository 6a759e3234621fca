import type { Document, Pin } from './document.js';

/** What makes a document of another: what differs, as small as it can be held. */
export interface Difference extends Partial<Omit<Document, 'pose'>> {
  /** A number of a plain array may be an object of its own. */
  readonly pose?: Float64Array | undefined;
  /** In place of a pose of which few coordinates differ: the index of each, and its value. */
  readonly coordinates?: Float64Array | undefined;
  /** In place of pins on the same handles: those that differ. */
  readonly changedPins?: Readonly<Record<string, Pin>> | undefined;
}

/** What makes `to` of `from`. */
export function differenceOf(from: Document, to: Document): Difference {
  const fields = (Object.keys(to) as (keyof Document)[]).filter(
    (key) => key !== 'pose' && key !== 'pins' && !Object.is(from[key], to[key]),
  );
  return {
    ...Object.fromEntries(fields.map((key) => [key, to[key]])),
    ...poseDifference(from, to),
    ...pinDifference(from, to),
  };
}

/** The document that a difference makes of another. */
export function withDifference(
  from: Document,
  { pose: given, coordinates, changedPins, ...fields }: Difference,
): Document {
  const pose = Array.from(given ?? from.pose);
  for (let n = 0; coordinates !== undefined && n < coordinates.length; n += 2)
    pose[coordinates[n]] = coordinates[n + 1];
  const pins = fields.pins ?? from.pins;
  return {
    ...from,
    ...fields,
    pose,
    pins: changedPins === undefined ? pins : new Map([...pins, ...Object.entries(changedPins)]),
  };
}

function poseDifference({ pose: from }: Document, { pose: to }: Document): Difference {
  const whole = { pose: Float64Array.from(to) };
  if (to.length !== from.length) return whole;
  const coordinates = to.flatMap((x, n) => (Object.is(x, from[n]) ? [] : [n, x]));
  if (coordinates.length === 0) return {};
  return coordinates.length < to.length ? { coordinates: Float64Array.from(coordinates) } : whole;
}

function pinDifference({ pins: from }: Document, { pins: to }: Document): Difference {
  const ids = [...from.keys()];
  if (to.size !== from.size || ![...to.keys()].every((id, n) => id === ids[n])) return { pins: to };
  const changed = [...to].filter(([id, pin]) => !Object.is(pin, from.get(id)));
  return changed.length === 0 ? {} : { changedPins: Object.fromEntries(changed) };
}
