/** Errors of the library with their location in a scene file. */
import { PoiseError } from 'poise';

/**
 * Runs `action` and returns its result. Paths of its errors become locations in the file, `scene.json#terms[3].over`; class and code stay.
 *
 * @param location - The file, `scene.json`, or a location in it, `scene.json#figure`.
 */
export function withScenePath<T>(location: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    // An error that names a file has its location already.
    if (!(error instanceof PoiseError) || error.path.indexOf('#') > 0) throw error;
    const { code, path, what, remedy } = error;
    // Keys of a scene are options of the library: `options.height` is `figure.height`.
    throw new (error.constructor as typeof PoiseError)(code, what, {
      path: `${location}${location.includes('#') ? '.' : '#'}${path.replace(/^(#|options\.)/, '')}`,
      remedy,
      cause: error,
    });
  }
}
