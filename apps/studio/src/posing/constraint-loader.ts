import { session } from '../session/store.js';

/** Loads what keeps hands off the body. */
export async function loadApart(): Promise<void> {
  if (session.apartOf !== undefined) return;
  const [{ SelfDistance }, { shapesOf }] = await Promise.all([
    import('../session/self-distance.js'),
    import('./self-shapes.js'),
  ]);
  session.apartOf = (character) => SelfDistance.of(character, shapesOf(character));
}

/** Loads what turns a head to what it looks at. */
export async function loadGaze(): Promise<void> {
  session.gazeOf ??= (await import('../session/gaze.js')).Gaze.of;
}
