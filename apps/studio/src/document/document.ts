import type { Clip } from '../animate/clip/clip.js';
import type { Character } from '../character/character.js';
import type { Holds } from '../character/handles.js';

/** Where a handle is held in the world of the figure, m and (x, y, z, w). */
export interface Pin {
  readonly holds: Holds;
  readonly target: readonly number[];
  readonly orientation: readonly number[];
}

/** What the session moves. */
export interface SessionState {
  readonly character: Character;
  readonly pose: readonly number[];
  readonly pins: ReadonlyMap<string, Pin>;
  /** What it looks at, in the world of the figure, m; undefined where its gaze is free. */
  readonly gaze: readonly number[] | undefined;
  /** Whether a human stays above the floor, keeps its balance, and keeps its hands off its body. */
  readonly ground: boolean;
  readonly balance: boolean;
  readonly apart: boolean;
}

/** What undo restores and a file keeps. Never changed in place. */
export interface Document extends SessionState {
  /** Poses kept by name. */
  readonly poses: readonly NamedPose[];
  /** The animation; it may be of a character that was there before. */
  readonly clip: Clip | undefined;
}

export interface NamedPose {
  readonly name: string;
  readonly pose: readonly number[];
}

/** What is in no session. */
export const EMPTY: Omit<Document, keyof SessionState> = { poses: [], clip: undefined };

/** Whether two documents are the same: poses and pins to the bit, all else the same objects. */
export function isSameDocument(a: Document, b: Document): boolean {
  for (const key of Object.keys(a) as (keyof Document)[]) {
    if (key !== 'pose' && key !== 'pins' && !Object.is(a[key], b[key])) return false;
  }
  if (a.pins.size !== b.pins.size || !isEqual(a.pose, b.pose)) return false;
  for (const [id, pin] of a.pins) {
    const other = b.pins.get(id);
    if (other === undefined || pin.holds !== other.holds) return false;
    if (!isEqual(pin.target, other.target) || !isEqual(pin.orientation, other.orientation)) return false;
  }
  return true;
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
}
