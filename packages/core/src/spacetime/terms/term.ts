/** A compiled term: rows of residuals at sample points, with their derivatives. */
import type { MutableNumbers } from '../../math/linear/types.js';
import type { SamplePoint } from '../transcription/quadrature.js';
import type { StateSample } from '../transcription/state-sample.js';

/** Rows that are squared in the cost, that must be zero, or that must not be positive. */
export type TermKind = 'cost' | 'equality' | 'inequality';

/**
 * Derivatives of a term's rows at one sample, row by row, `figure.dof` columns; zeroed before use. In `tangent` space with respect to eps (a
 * change of the pose measured like v dt, see `Mechanics`), v and v'; in `coordinates` with respect to the spline coordinates x and their
 * first three time derivatives.
 */
export interface RowBlock {
  readonly orders: readonly Float64Array[];
  /** With respect to the forces at all contact points, N: as many columns as `sample.forces`. */
  readonly force: Float64Array;
  /** With respect to real time, one number per row. */
  readonly time: Float64Array;
  /** With respect to the term's own unknowns, `own` columns. */
  readonly own: Float64Array;
}

/** A term, checked and ready. Rows are scaled: about one in size for a large error. */
export interface CompiledTerm {
  readonly name: string;
  /** Index in the problem's list; the rows of a term in several groups are reported as one. */
  readonly index: number;
  readonly kind: TermKind;
  /** Rows per sample. */
  readonly rows: number;
  readonly samples: readonly SamplePoint[];
  /** Whether a cost is an integral over real time, and not a sum over samples. */
  readonly integral: boolean;
  /** Factor from scaled rows to physical units, and their name. */
  readonly unit: number;
  readonly unitName: string;
  readonly space: 'tangent' | 'coordinates';
  /** The highest derivative that the rows depend on. */
  readonly order: 0 | 1 | 2 | 3;
  readonly usesForces: boolean;
  readonly usesTime: boolean;
  /** Number of unknowns of its own. */
  readonly own: number;
  /** Writes the rows at a sample to out[o ..]. */
  value(sample: StateSample, own: Float64Array, out: MutableNumbers, o: number): void;
  /** Writes their derivatives; called after `value` at the same sample. */
  derivatives(sample: StateSample, own: Float64Array, block: RowBlock): void;
  /** Initial values of the term's own unknowns, from states of the initial guess. */
  initialize?(stateAt: (time: number) => StateSample, own: Float64Array): void;
}

/** Rows that couple two samples. */
export interface CompiledPair {
  readonly name: string;
  readonly index: number;
  readonly kind: TermKind;
  readonly rows: number;
  readonly times: readonly [number, number];
  readonly unit: number;
  readonly unitName: string;
  value(first: StateSample, second: StateSample, out: MutableNumbers, o: number): void;
  derivatives(first: StateSample, second: StateSample, firstBlock: RowBlock, secondBlock: RowBlock): void;
}

/** Default of a term: no forces, no time, no unknowns of its own. */
export const PLAIN = { usesForces: false, usesTime: false, own: 0 } as const;
