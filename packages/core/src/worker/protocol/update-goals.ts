/**
 * Updates goals in place: copies `from` into `to` field by field and number by number, so that arrays referenced by a solver get
 * the new values. Afterwards `to` has the same fields as `from`.
 *
 * A solver reads weights, world targets and target values at each solve and the rest at its creation. The goals at the other end
 * of a port are copies; updated in place, they are read like the caller's own.
 */
export function updateGoals(to: object, from: object): void {
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
    if (isObject(value) && isObject(old) && sameShape(old, value)) updateGoals(old, value);
    else target[key] = value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Both arrays of one type and length, or both plain objects. */
function sameShape(a: object, b: object): boolean {
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  return !('length' in a) || !('length' in b) || a.length === b.length;
}
