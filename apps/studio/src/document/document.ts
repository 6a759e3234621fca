import type { Character } from '../character/character.js';

/** Where a handle is held in the world of the figure, m and (x, y, z, w). */
export interface Pin {
  readonly target: readonly number[];
  readonly orientation: readonly number[];
}

/** What undo restores and a file keeps. Never changed in place. */
export interface Document {
  readonly character: Character;
  readonly pose: readonly number[];
  readonly pins: ReadonlyMap<string, Pin>;
}

/** Whether two documents are the same to the bit. */
export function isSameDocument(a: Document, b: Document): boolean {
  if (a.character !== b.character || a.pins.size !== b.pins.size || !isEqual(a.pose, b.pose)) return false;
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
