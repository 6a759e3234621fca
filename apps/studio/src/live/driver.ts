import type { Numbers } from 'poise/math';
import type { Document } from '../document/document.js';

/** What moves the figure in place of the pointer: a clip that plays, a fall. */
export interface Driver {
  /** Advances by a time, s. @returns the pose to show, of the session's character; undefined to leave it as it is. */
  step(seconds: number): Numbers | undefined;
  /** Whether another frame follows without anything being done. */
  readonly isMoving: boolean;
  /** Whether the pointer pulls the figure through the picture: a view that went along would pull it further. */
  readonly isPulled?: boolean;
}

/** What changes between frames; never undone, never saved. */
export const live: {
  driver: Driver | undefined;
  /** What a mode adds to a change of the document, so that both are undone as one: keys for a pose. */
  completes: ((document: Document, before: Document) => Partial<Document>) | undefined;
  /** Puts back what a mode has under way, in place of undo and redo. @returns whether there was something. */
  cancels: (() => boolean) | undefined;
} = { driver: undefined, completes: undefined, cancels: undefined };
