import type { Document, Pin } from './document.js';

/** What makes a document of another: what differs, as small as it can be held. */
export interface Difference extends Partial<Document> {
  /** In place of a pose of which few coordinates differ: the index of each, and its value. */
  readonly coordinates?: readonly number[] | undefined;
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
  { coordinates = [], changedPins = {}, ...fields }: Difference,
): Document {
  const { pose: base, pins } = { ...from, ...fields };
  const pose = [...base];
  for (let n = 0; n < coordinates.length; n += 2) pose[coordinates[n]] = coordinates[n + 1];
  const changed = Object.entries(changedPins);
  return { ...from, ...fields, pose, pins: changed.length > 0 ? new Map([...pins, ...changed]) : pins };
}

function poseDifference({ pose: from }: Document, { pose: to }: Document): Difference {
  // A copy has no room to grow.
  if (to.length !== from.length) return { pose: to.slice() };
  const coordinates = to.flatMap((x, n) => (Object.is(x, from[n]) ? [] : [n, x]));
  if (coordinates.length === 0) return {};
  return coordinates.length < to.length ? { coordinates } : { pose: to.slice() };
}

function pinDifference({ pins: from }: Document, { pins: to }: Document): Difference {
  const ids = [...from.keys()];
  if (to.size !== from.size || ![...to.keys()].every((id, n) => id === ids[n])) return { pins: to };
  const changed = [...to].filter(([id, pin]) => !Object.is(pin, from.get(id)));
  return changed.length === 0 ? {} : { changedPins: Object.fromEntries(changed) };
}
