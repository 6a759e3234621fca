import type { Take } from './digest.js';

/** A part of the golden file. */
export interface Section {
  readonly name: string;
  /** Names each entry and says what it hashes. */
  readonly run: (entry: Entry) => void;
}

/** One hash of numbers and one of words. */
export type Entry = (name: string, fill: (take: Take) => void) => void;

/** Thrown by an entry that cannot be computed here: the golden value is left as it is. */
export class Skip extends Error {
  override readonly name = 'Skip';
}
