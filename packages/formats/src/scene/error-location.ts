/** Errors of the library, told by their place in a scene's file. */
import { PoiseError } from 'poise';

/**
 * What `work` returns. Errors that name a place in the problem name the place in the file, with class and code as they were:
 * `scene.json#terms[3].over`.
 *
 * @param place - The file, `scene.json`, or a place in it, `scene.json#figure`.
 */
export function withScenePath<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // What names a file knows its place already.
    if (!(error instanceof PoiseError) || error.path.indexOf('#') > 0) throw error;
    const { code, path, remedy, message } = error;
    const what = message.slice(path.length + 2, message.length - remedy.length - 1);
    throw new (error.constructor as typeof PoiseError)(code, what, {
      path: `${place}${place.includes('#') ? '.' : '#'}${path.replace(/^#/, '')}`,
      remedy,
      cause: error,
    });
  }
}
