/** Undo and redo of a document that is never changed in place. What is not the present is kept as what differs: undo has no bound. */
import { type Difference, differenceOf, withDifference } from './difference.js';
import type { Document } from './document.js';

export interface Entry {
  /** What was done, as the menu says it: `Move the left hand`. */
  readonly label: string;
  /** What makes this document of the one next to it on the side of the present. */
  readonly difference: Difference;
}

export interface History {
  /** Older documents with the change that each was left by, oldest first; the newer ones after an undo, next first. */
  readonly past: readonly Entry[];
  readonly present: Document;
  readonly future: readonly Entry[];
}

export function createHistory(present: Document): History {
  return { past: [], present, future: [] };
}

/** After a change; what was undone before is gone. */
export function commit({ past, present }: History, label: string, document: Document): History {
  const entry = { label, difference: differenceOf(document, present) };
  return { past: [...past, entry], present: document, future: [] };
}

/** A document in place of the present, in the step that made that. */
export function replacePresent({ past, present }: History, document: Document): History {
  const last = past.at(-1);
  if (last === undefined) return createHistory(document);
  const before = withDifference(present, last.difference);
  return commit({ past: past.slice(0, -1), present: before, future: [] }, last.label, document);
}

/** @returns the same history where nothing is left to undo. */
export function undo(history: History): History {
  const { past, present, future } = history;
  const last = past.at(-1);
  if (last === undefined) return history;
  const before = withDifference(present, last.difference);
  const next = { label: last.label, difference: differenceOf(before, present) };
  return { past: past.slice(0, -1), present: before, future: [next, ...future] };
}

/** @returns the same history where nothing was undone. */
export function redo(history: History): History {
  const { past, present } = history;
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  const after = withDifference(present, next.difference);
  const last = { label: next.label, difference: differenceOf(after, present) };
  return { past: [...past, last], present: after, future };
}
