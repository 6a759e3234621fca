import type { HandleId } from '../session/handles.js';

/** Where a handle is held, m and (x, y, z, w). */
export interface Pin {
  readonly target: readonly number[];
  readonly orientation: readonly number[];
}

/** What undo restores and a file keeps. Never changed in place. */
export interface Document {
  /** Stature, m. */
  readonly height: number;
  readonly pose: readonly number[];
  readonly pins: ReadonlyMap<HandleId, Pin>;
}

/** Whether two documents are the same to the bit. */
export function isSameDocument(a: Document, b: Document): boolean {
  if (a.height !== b.height || a.pins.size !== b.pins.size || !isEqual(a.pose, b.pose)) return false;
  for (const [id, pin] of a.pins) {
    const other = b.pins.get(id);
    if (other === undefined) return false;
    if (!isEqual(pin.target, other.target) || !isEqual(pin.orientation, other.orientation)) return false;
  }
  return true;
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
}
