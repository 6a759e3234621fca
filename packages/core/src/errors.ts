/** What went wrong, as a stable word that a program can switch on. */
export type PoiseErrorCode =
  | 'not-finite'
  | 'wrong-size'
  | 'out-of-range'
  | 'not-increasing'
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
  | 'cannot-write'
  | 'worker-lost'
  | 'worker-failed'
  | 'timed-out'
  | 'cancelled';

/** Where a {@link PoiseError} happened and what to do about it. */
export interface PoiseErrorDetails {
  /** Place of the fault, e.g. `bones[3].limit.halfAngle` or `rig.glb#nodes[4]`. */
  readonly path: string;
  /** What the caller can do about it, one sentence. */
  readonly remedy: string;
  readonly cause?: unknown;
}

/**
 * Base of every error that Poise throws on purpose. The message is `path: what remedy`; a program reads the fields `code`, `path`,
 * `what` and `remedy`.
 */
export class PoiseError extends Error {
  readonly code: PoiseErrorCode;
  /** Place of the fault, e.g. `bones[3].limit.halfAngle`. */
  readonly path: string;
  /** What is wrong there, a sentence that continues the path: `is -1.` */
  readonly what: string;
  /** What the caller can do about it, one sentence. */
  readonly remedy: string;

  constructor(code: PoiseErrorCode, what: string, details: PoiseErrorDetails) {
    super(
      `${details.path}: ${what} ${details.remedy}`,
      'cause' in details ? { cause: details.cause } : undefined,
    );
    this.name = new.target.name;
    this.code = code;
    this.path = details.path;
    this.what = what;
    this.remedy = details.remedy;
  }
}

/** A figure, joint or limit that cannot be built from the data given. */
export class FigureError extends PoiseError {}

/** A goal or solver option that makes no sense for the figure. */
export class GoalError extends PoiseError {}

/** A curve, key or clip that cannot be made or played. */
export class MotionError extends PoiseError {}

/** A number or array argument out of the domain of a mathematical routine. */
export class DomainError extends PoiseError {}

/** A file that cannot be read or written. */
export class FormatError extends PoiseError {}

/** A trajectory problem that cannot be posed: a time outside the span, a contact without a length. */
export class SpacetimeError extends PoiseError {}

/** A worker that is gone or failed, or a request to one that was cancelled. */
export class WorkerError extends PoiseError {}

/**
 * The candidate nearest to `name`, or undefined when none is near: by edit distance of the names as they stand, or of their
 * words alone, side last (`leftHand` is near `hand.l` and `mixamorig:LeftHand`).
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 2)) + 1;
  const wanted = name.toLowerCase();
  const words = wordsOf(name);
  for (const candidate of candidates) {
    const distance = Math.min(
      editDistance(wanted, candidate.toLowerCase()),
      words === '' ? Number.POSITIVE_INFINITY : editDistance(words, wordsOf(candidate)) + 0.5,
    );
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

/** The words of a bone's name run together, its side at the end: without separators, numbers and exporters' prefixes. */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const sides = words.filter((word) => word in SIDES).map((word) => SIDES[word]);
  const rest = words.filter((word) => !(word in SIDES) && !PREFIXES.includes(word));
  return [...rest, ...sides].join('');
}

const SIDES: Readonly<Record<string, string>> = { left: 'l', l: 'l', right: 'r', r: 'r' };
const PREFIXES = ['mixamorig', 'bip', 'armature'];

/** Edits between two strings: a letter more, less or another, or two neighbours swapped, count one each. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(previous[j] + 1, row[j - 1] + 1, substitution);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, beforePrevious[j - 2] + 1);
      row.push(edits);
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length];
}
