/** What a term of a problem is to the solver: rows of residuals at moments, with their derivatives. */
import type { MutableNumbers } from '../../math/linear/types.js';
import type { WeightedMoment } from '../transcription/quadrature.js';
import type { Moment } from '../transcription/state-at.js';

/** A sum of squares in the cost, rows that must be zero, or rows that must not be positive. */
export type TermKind = 'wish' | 'equality' | 'inequality';

/**
 * Derivatives of a term's rows at one moment, row by row, `figure.dof` columns. Comes zeroed. In `tangent` space against eps (a change of the
 * pose measured like nu dt), nu and nu'; in `coordinates` against the unknown coordinates x and their three derivatives by real time.
 */
export interface RowBlock {
  readonly orders: readonly Float64Array[];
  /** Against the forces at all contact points, N: as many columns as `moment.forces`. */
  readonly force: Float64Array;
  /** Against real time itself, one number a row. */
  readonly time: Float64Array;
  /** Against the unknowns of the term's own, `own` columns. */
  readonly own: Float64Array;
}

/** A term, checked and ready. Rows are scaled: about one in size for what a person would call large. */
export interface CompiledTerm {
  readonly name: string;
  /** Its place in the problem's list; what belongs to a term in several parts is reported as one. */
  readonly index: number;
  readonly kind: TermKind;
  /** Rows at each moment. */
  readonly rows: number;
  readonly moments: readonly WeightedMoment[];
  /** Whether a wish is an integral over real time, and not a sum over moments. */
  readonly integral: boolean;
  /** Factor from rows back to natural units, and what these are. */
  readonly unit: number;
  readonly unitName: string;
  readonly space: 'tangent' | 'coordinates';
  /** The highest derivative that the rows depend on. */
  readonly order: 0 | 1 | 2 | 3;
  readonly usesForces: boolean;
  readonly usesTime: boolean;
  /** How many unknowns of its own it has, and where they begin; set when unknowns are laid out. */
  readonly own: number;
  /** Writes the rows at a moment to out[o ..]. */
  value(moment: Moment, own: Float64Array, out: MutableNumbers, o: number): void;
  /** Writes their derivatives; called after `value` at the same moment. */
  derivatives(moment: Moment, own: Float64Array, block: RowBlock): void;
  /** Values for the term's own unknowns to begin with, from the moments of the first guess. */
  begin?(moments: (time: number) => Moment, own: Float64Array): void;
}

/** Rows between two moments. */
export interface CompiledPair {
  readonly name: string;
  readonly index: number;
  readonly kind: TermKind;
  readonly rows: number;
  readonly times: readonly [number, number];
  readonly unit: number;
  readonly unitName: string;
  value(first: Moment, second: Moment, out: MutableNumbers, o: number): void;
  derivatives(first: Moment, second: Moment, firstBlock: RowBlock, secondBlock: RowBlock): void;
}

/** The usual term: no forces, no time, nothing of its own. */
export const PLAIN = { usesForces: false, usesTime: false, own: 0 } as const;
