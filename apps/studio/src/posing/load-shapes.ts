import { session } from '../session/store.js';

/** Loads the shapes of bodies, with which hands can be kept off them. */
export async function loadShapes(): Promise<void> {
  session.shapesOf ??= (await import('./self-shapes.js')).shapesOf;
}
