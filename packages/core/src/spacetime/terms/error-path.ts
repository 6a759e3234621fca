import { PoiseError } from '../../errors.js';

/** Runs a check and rewrites the paths of its errors to those of the problem: `goals[0].bone` becomes `terms[3].goal.bone`. */
export function withErrorPath<T>(rename: (path: string) => string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PoiseError)) throw error;
    const { code, what, path, remedy } = error;
    const Kind = error.constructor as typeof PoiseError;
    throw new Kind(code, what, { path: rename(path), remedy, cause: error });
  }
}
