/** Undo and redo of a document that is never changed in place: each entry is the document after a change. */

export interface Entry<T> {
  /** What was done, as the menu says it: `Move the left hand`. */
  readonly label: string;
  readonly document: T;
}

export interface History<T> {
  /** Older documents with the change that each was left by, oldest first; the newer ones after an undo, next first. */
  readonly past: readonly Entry<T>[];
  readonly present: T;
  readonly future: readonly Entry<T>[];
}

export function createHistory<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** After a change; what was undone before is gone. */
export function commit<T>({ past, present }: History<T>, label: string, document: T): History<T> {
  return { past: [...past, { label, document: present }], present: document, future: [] };
}

/** @returns the same history where nothing is left to undo. */
export function undo<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present: last.document,
    future: [{ label: last.label, document: history.present }, ...history.future],
  };
}

/** @returns the same history where nothing was undone. */
export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return {
    past: [...history.past, { label: next.label, document: history.present }],
    present: next.document,
    future,
  };
}
