/** Errors of the library, told by their place in a scene's file. */
import { GoalError, PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { createIk } from 'poise/ik';
import type { SceneData } from './scene-data.js';

/**
 * What `work` returns. Errors that name a place in the problem name the place in the file, with class and code as they were:
 * `scene.json#terms[3].over`.
 *
 * @param place - The file, `scene.json`, or a place in it, `scene.json#figure`.
 * @param of - The scene and its figure, to find the term of a goal that is refused.
 */
export function inScene<T>(
  place: string,
  work: () => T,
  of?: { readonly scene: SceneData; readonly figure: Figure },
): T {
  try {
    return work();
  } catch (error) {
    const [source] = place.split('#');
    if (!(error instanceof PoiseError) || error.path.startsWith(`${source}#`)) throw error;
    const { code, path, remedy, message } = error;
    const what = message.slice(path.length + 2, message.length - remedy.length - 1);
    const within =
      of !== undefined && error instanceof GoalError ? goalPlace(of.scene, of.figure, path) : path;
    throw new (error.constructor as typeof PoiseError)(code, what, {
      path: `${place}${place === source ? '#' : '.'}${within.replace(/^#/, '')}`,
      remedy,
      cause: error,
    });
  }
}

/** A goal speaks of `goals[0].bone`, for it is alone where it is checked. */
function goalPlace({ terms }: SceneData, figure: Figure, path: string): string {
  const refused = terms.findIndex((term) => {
    if (term.type !== 'goal') return false;
    try {
      createIk(figure, [term.goal]);
      return false;
    } catch {
      return true;
    }
  });
  return refused < 0 ? path : path.replace(/^goals\[0\]/, `terms[${refused}].goal`);
}
