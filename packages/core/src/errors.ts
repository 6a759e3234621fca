/** Stable error codes, for programs to switch on. */
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
  | 'over-budget'
  | 'unreachable'
  | 'access-denied'
  | 'worker-lost'
  | 'worker-failed'
  | 'timed-out'
  | 'cancelled';

/** Location and remedy of a {@link PoiseError}. */
export interface PoiseErrorDetails {
  /** Location of the error in the input, e.g. `bones[3].limit.halfAngle` or `rig.glb#nodes[4]`. */
  readonly path: string;
  /** How the caller can fix it, one sentence. */
  readonly remedy: string;
  readonly cause?: unknown;
}

/**
 * Base class of the errors of Poise. The message is `path: what remedy`; the fields `code`, `path`, `what` and `remedy` hold its
 * parts for programs.
 */
export class PoiseError extends Error {
  readonly code: PoiseErrorCode;
  /** Location of the error in the input, e.g. `bones[3].limit.halfAngle`. */
  readonly path: string;
  /** What is wrong, as a predicate of the path: `is -1.` */
  readonly what: string;
  /** How the caller can fix it, one sentence. */
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

/** Invalid data of a figure, a joint, a limit or a pose. */
export class FigureError extends PoiseError {}

/** Invalid goal or solver option. */
export class GoalError extends PoiseError {}

/** Invalid curve, keyframe or clip. */
export class MotionError extends PoiseError {}

/** Argument outside the domain of a mathematical function. */
export class DomainError extends PoiseError {}

/** File that cannot be read or written. */
export class FormatError extends PoiseError {}

/** Invalid trajectory optimization problem, e.g. a time outside its interval or a contact of zero duration. */
export class SpacetimeError extends PoiseError {}

/** Worker that terminated or failed, or a cancelled request. */
export class WorkerError extends PoiseError {}

/** Longest name that {@link nearestName} suggests or compares, characters: longer ones are no typing errors. */
const MAX_COMPARED_LENGTH = 64;
/** Candidates that {@link nearestName} compares at most, the first ones. */
const MAX_CANDIDATES = 2000;

/**
 * The candidate with the smallest edit distance to `name`, undefined when all are far. The distance is the smaller of that of
 * the names and that of their words with left or right moved to the end (`leftHand` is near `hand.l` and `mixamorig:LeftHand`).
 *
 * Names may come from a file of a stranger: names over 64 characters and candidates after the first 2000 are not compared.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined;
  let best: string | undefined;
  let smallest = Math.max(2, Math.floor(name.length / 2)) + 1;
  const wanted = name.toLowerCase();
  const words = wordsOf(name);
  let compared = 0;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED_LENGTH) continue;
    if (compared++ === MAX_CANDIDATES) break;
    const distance = Math.min(
      editDistance(wanted, candidate.toLowerCase(), smallest),
      words === '' ? Number.POSITIVE_INFINITY : editDistance(words, wordsOf(candidate), smallest - 0.5) + 0.5,
    );
    if (distance >= smallest) continue;
    smallest = distance;
    best = candidate;
  }
  return best;
}

/** The words of a bone's name concatenated, left or right at the end, without separators, numbers and exporters' prefixes. */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const isSide = (word: string): boolean => Object.hasOwn(SIDES, word);
  const sides = words.filter(isSide).map((word) => SIDES[word]);
  const rest = words.filter((word) => !isSide(word) && !PREFIXES.includes(word));
  return [...rest, ...sides].join('');
}

const SIDES: Readonly<Record<string, string>> = { left: 'l', l: 'l', right: 'r', r: 'r' };
const PREFIXES = ['mixamorig', 'bip', 'armature'];

/**
 * Edit distance with transpositions (optimal string alignment): insertion, deletion, substitution and swap count one each. Infinity where
 * the lengths alone differ by `bound` or more.
 */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return Number.POSITIVE_INFINITY;
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
