/**
 * Brings goals up to date in place: everything in `from` is written into `to`, field by field and number by number, so that
 * arrays that a solver holds on to get the new values. `to` then has what `from` has and nothing else.
 *
 * A solver reads weights, world targets and wanted values at each solve and the rest when it is made. The goals at the
 * other end of a port are copies; written over so, they are read as the caller's own would be.
 */
export function updateInPlace(to: object, from: object): void {
  if (ArrayBuffer.isView(from)) {
    (to as Float64Array).set(from as Float64Array);
    return;
  }
  const target = to as Record<string, unknown>;
  const source = from as Record<string, unknown>;
  for (const key of Object.keys(target)) {
    if (!Object.hasOwn(source, key)) delete target[key];
  }
  for (const [key, value] of Object.entries(source)) {
    const old = target[key];
    if (isObject(value) && isObject(old) && sameShape(old, value)) updateInPlace(old, value);
    else target[key] = value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Both arrays of one kind and length, or both plain objects. */
function sameShape(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  return !('length' in a) || !('length' in b) || a.length === b.length;
}
