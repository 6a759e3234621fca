/** What went wrong, as a stable word that a program can switch on. */
export type PoiseErrorCode =
  | 'not-finite'
  | 'wrong-size'
  | 'out-of-range'
  | 'not-unit'
  | 'cycle'
  | 'duplicate-name'
  | 'unknown-name'
  | 'unsupported'
  | 'invalid-limit'
  | 'immovable-goal'
  | 'singular'
  | 'invalid-file'
  | 'missing-resource'
  | 'unsafe-path'
  | 'cannot-write';

/** Where a {@link PoiseError} happened and what to do about it. */
export interface PoiseErrorDetails {
  /** Place of the fault, e.g. `bones[3].limit.halfAngle` or `rig.glb#nodes[4]`. */
  readonly path: string;
  /** What the caller can do about it, one sentence. */
  readonly remedy: string;
  readonly cause?: unknown;
}

/**
 * Base of every error that Poise throws on purpose. The message says what, where and what to do;
 * `code`, `path` and `remedy` say the same to a program.
 */
export class PoiseError extends Error {
  readonly code: PoiseErrorCode;
  readonly path: string;
  readonly remedy: string;

  constructor(code: PoiseErrorCode, what: string, details: PoiseErrorDetails) {
    super(
      `${details.path}: ${what} ${details.remedy}`,
      'cause' in details ? { cause: details.cause } : undefined,
    );
    this.name = new.target.name;
    this.code = code;
    this.path = details.path;
    this.remedy = details.remedy;
  }
}

/** A figure, joint or limit that cannot be built from the data given. */
export class FigureError extends PoiseError {}

/** A goal or solver option that makes no sense for the figure. */
export class GoalError extends PoiseError {}

/** A number or array argument out of the domain of a mathematical routine. */
export class DomainError extends PoiseError {}

/** A file that cannot be read or written. */
export class FormatError extends PoiseError {}

/** The candidate nearest to `name` by edit distance, or undefined when none is near (distance over half its length). */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 2)) + 1;
  const wanted = name.toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein distance, two rows. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(previous[j] + 1, row[j - 1] + 1, substitution));
    }
    previous = row;
  }
  return previous[b.length];
}
