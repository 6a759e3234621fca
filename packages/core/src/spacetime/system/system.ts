/** A whole problem as rows over one vector of unknowns: where everything stands, and how rows and Jacobian are written. */
import { addRow, type ChainScratch, createChainScratch } from '../terms/chain-rule.js';
import type { CompiledPair, CompiledTerm, RowBlock, TermKind } from '../terms/term.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import { appendRow, type JacobianRows } from '../transcription/jacobian-rows.js';
import type { Path } from '../transcription/parameterization.js';
import {
  createMoment,
  evaluateMoment,
  type Instant,
  type Moment,
  type Places,
} from '../transcription/state-at.js';

/** A term at one moment. */
export interface TermUse {
  readonly term: CompiledTerm;
  /** Of a wish: weight times what the moment stands for. */
  readonly weight: number;
  readonly firstRow: number;
  /** Where the term's own unknowns begin. */
  readonly ownStart: number;
}

/** A moment, the terms that look at it, and the unknowns that act there, ascending. */
export interface InstantUse {
  readonly instant: Instant;
  readonly uses: readonly TermUse[];
  readonly support: Int32Array;
}

export interface PairUse {
  readonly pair: CompiledPair;
  readonly instants: readonly [Instant, Instant];
  readonly support: Int32Array;
  readonly firstRow: number;
}

export interface System {
  readonly path: Path;
  readonly places: Places;
  /** Number of unknowns. */
  readonly size: number;
  readonly terms: readonly CompiledTerm[];
  readonly instants: readonly InstantUse[];
  readonly pairs: readonly PairUse[];
  readonly rows: number;
  /** What each row is, and the term or pair that it is of (pairs behind terms). */
  readonly kinds: readonly TermKind[];
  readonly owners: Int32Array;
  readonly sets: readonly ConvexSet[];
  /** First column of each row of J^T J. */
  readonly first: Int32Array;
  readonly moments: readonly [Moment, Moment];
  readonly blocks: readonly [RowBlock, RowBlock];
  readonly chain: ChainScratch;
  /** Unknowns that stay as they are: no row has a column for them. */
  readonly held: Int32Array;
  /** One place for each unknown, zero but while a row is written. */
  readonly dense: Float64Array;
  readonly own: Float64Array;
}

/** Room for the rows of the largest term. */
export function createBlock(dof: number, forces: number, rows: number, own: number): RowBlock {
  return {
    orders: [0, 1, 2, 3].map(() => new Float64Array(rows * dof)),
    force: new Float64Array(rows * forces),
    time: new Float64Array(rows),
    own: new Float64Array(own),
  };
}

/** Scratch of a system, for as many rows as its largest term has. */
export function createScratch(
  path: Path,
  forcePoints: number,
  terms: readonly CompiledTerm[],
  pairs: readonly CompiledPair[],
  size: number,
): Pick<System, 'moments' | 'blocks' | 'chain' | 'dense' | 'own'> {
  const rows = Math.max(1, ...terms.map((term) => term.rows), ...pairs.map((pair) => pair.rows));
  const own = Math.max(1, ...terms.map((term) => term.rows * term.own));
  const { dof } = path.figure;
  const block = (): RowBlock => createBlock(dof, 3 * forcePoints, rows, own);
  return {
    moments: [createMoment(path, forcePoints), createMoment(path, forcePoints)],
    blocks: [block(), block()],
    chain: createChainScratch(dof),
    dense: new Float64Array(size),
    own: new Float64Array(Math.max(1, ...terms.map((term) => term.own))),
  };
}

/** The rows at the unknowns given. */
export function writeResidual(system: System, unknowns: Float64Array, out: Float64Array): void {
  const { places, moments, own } = system;
  const [moment, other] = moments;
  for (const { instant, uses } of system.instants) {
    evaluateMoment(moment, instant, places, unknowns);
    for (const use of uses) {
      readOwn(use, unknowns, own);
      use.term.value(moment, own, out, use.firstRow);
      scaleResidual(use, moment, out);
    }
  }
  for (const { pair, instants, firstRow } of system.pairs) {
    evaluateMoment(moment, instants[0], places, unknowns);
    evaluateMoment(other, instants[1], places, unknowns);
    pair.value(moment, other, out, firstRow);
  }
}

/** The rows and their Jacobian. */
export function linearize(system: System, unknowns: Float64Array, out: JacobianRows): void {
  const { places, moments, blocks, chain, dense, own } = system;
  const [moment, other] = moments;
  const [block, otherBlock] = blocks;
  for (const { instant, uses, support } of system.instants) {
    evaluateMoment(moment, instant, places, unknowns);
    for (const use of uses) {
      const { term, firstRow, ownStart } = use;
      readOwn(use, unknowns, own);
      term.value(moment, own, out.residual, firstRow);
      clear(block, term, moment);
      term.derivatives(moment, own, block);
      const factor = wishFactor(use, moment);
      for (let r = 0; r < term.rows; r++) {
        addRow(moment, places, term, block, r, ownStart, chain, dense);
        if (term.kind === 'wish')
          scaleRow(use, moment, out.residual[firstRow + r], factor, places, support, dense);
        appendRow(out, firstRow + r, support, dense);
      }
      scaleResidual(use, moment, out.residual);
    }
  }
  for (const { pair, instants, support, firstRow } of system.pairs) {
    evaluateMoment(moment, instants[0], places, unknowns);
    evaluateMoment(other, instants[1], places, unknowns);
    pair.value(moment, other, out.residual, firstRow);
    clear(block, PAIR_SHAPE(pair.rows), moment);
    clear(otherBlock, PAIR_SHAPE(pair.rows), moment);
    pair.derivatives(moment, other, block, otherBlock);
    const shape = PAIR_SHAPE(pair.rows);
    for (let r = 0; r < pair.rows; r++) {
      addRow(moment, places, shape, block, r, 0, chain, dense);
      addRow(other, places, shape, otherBlock, r, 0, chain, dense);
      appendRow(out, firstRow + r, support, dense);
    }
  }
  for (let k = 0; k < system.held.length; k++) dense[system.held[k]] = 0;
}

type Shape = Pick<CompiledTerm, 'rows' | 'space' | 'order' | 'usesForces' | 'usesTime' | 'own'>;

function PAIR_SHAPE(rows: number): Shape {
  return { rows, space: 'tangent', order: 2, usesForces: false, usesTime: false, own: 0 };
}

function clear(block: RowBlock, { rows, order, usesForces, usesTime, own }: Shape, moment: Moment): void {
  const { dof } = moment.path.figure;
  for (let k = 0; k <= order; k++) block.orders[k].fill(0, 0, rows * dof);
  if (usesForces) block.force.fill(0, 0, rows * moment.forces.length);
  if (usesTime) block.time.fill(0, 0, rows);
  if (own > 0) block.own.fill(0, 0, rows * own);
}

function readOwn({ term, ownStart }: TermUse, unknowns: Float64Array, own: Float64Array): void {
  for (let k = 0; k < term.own; k++) own[k] = unknowns[ownStart + k];
}

/** sqrt of the weight: over real time, of which the moment stands for s times its nominal share. */
function wishFactor({ term, weight }: TermUse, { stretch }: Moment): number {
  if (term.kind !== 'wish') return 1;
  return Math.sqrt(term.integral ? weight * stretch : weight);
}

function scaleResidual(use: TermUse, moment: Moment, out: Float64Array): void {
  if (use.term.kind !== 'wish') return;
  const factor = wishFactor(use, moment);
  for (let r = 0; r < use.term.rows; r++) out[use.firstRow + r] *= factor;
}

/** The row of f r from that of r: f dr + r df, f = sqrt(w s). */
function scaleRow(
  { term }: TermUse,
  { instant, stretch }: Moment,
  residual: number,
  factor: number,
  { clock }: Places,
  support: Int32Array,
  dense: Float64Array,
): void {
  for (let k = 0; k < support.length; k++) dense[support[k]] *= factor;
  if (!term.integral) return;
  const byStretch = (0.5 * factor * residual) / stretch;
  for (let m = 0; m < clock.length; m++) dense[clock[m]] += byStretch * instant.clock.values[m];
}
