/** A problem as rows over one vector of unknowns: layout, residuals and Jacobian. */
import { addRow, type ChainScratch, createChainScratch } from '../terms/chain-rule.js';
import type { CompiledPair, CompiledTerm, RowBlock, TermKind } from '../terms/term.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import { appendRow, type JacobianRows } from '../transcription/jacobian-rows.js';
import type { Parameterization } from '../transcription/parameterization.js';
import {
  type CollocationPoint,
  createStateSample,
  evaluateStateSample,
  type StateSample,
  type UnknownIndices,
} from '../transcription/state-sample.js';

/** The rows of a term at one collocation point. */
export interface TermRows {
  readonly term: CompiledTerm;
  /** For a cost: its weight times the quadrature weight. */
  readonly weight: number;
  readonly firstRow: number;
  /** First own unknown of the term. */
  readonly ownStart: number;
}

/** The rows at a collocation point, and the unknowns on which they depend, ascending. */
export interface CollocationRows {
  readonly collocation: CollocationPoint;
  readonly terms: readonly TermRows[];
  readonly support: Int32Array;
}

/** The rows of a pair, and the unknowns on which they depend, ascending. */
export interface PairRows {
  readonly pair: CompiledPair;
  readonly collocations: readonly [CollocationPoint, CollocationPoint];
  readonly support: Int32Array;
  readonly firstRow: number;
}

/** Scratch, written by {@link writeResidual} and {@link linearize}. */
export interface SystemScratch {
  readonly samples: readonly [StateSample, StateSample];
  readonly blocks: readonly [RowBlock, RowBlock];
  readonly chain: ChainScratch;
  /** Dense row, zero except while a row is written. */
  readonly dense: Float64Array;
  /** Unknowns of one term. */
  readonly own: Float64Array;
}

export interface System {
  readonly parameterization: Parameterization;
  readonly indices: UnknownIndices;
  /** Number of unknowns. */
  readonly size: number;
  readonly terms: readonly CompiledTerm[];
  /** First own unknown of each term. */
  readonly ownStart: readonly number[];
  readonly collocations: readonly CollocationRows[];
  readonly pairs: readonly PairRows[];
  readonly rows: number;
  /** Kind of each row, and its term or pair (pairs follow terms). */
  readonly kinds: readonly TermKind[];
  readonly owners: Int32Array;
  readonly sets: readonly ConvexSet[];
  /** First column of each row of J^T J. */
  readonly first: Int32Array;
  /** Fixed unknowns: no row has a column for them. */
  readonly fixed: Int32Array;
  readonly scratch: SystemScratch;
}

/** A block for the rows of the largest term. */
export function createBlock(dof: number, forces: number, rows: number, own: number): RowBlock {
  return {
    orders: [0, 1, 2, 3].map(() => new Float64Array(rows * dof)),
    force: new Float64Array(rows * forces),
    time: new Float64Array(rows),
    own: new Float64Array(own),
  };
}

/** Scratch of a system, sized for its largest term. */
export function createScratch(
  path: Parameterization,
  forcePoints: number,
  terms: readonly CompiledTerm[],
  pairs: readonly CompiledPair[],
  size: number,
): SystemScratch {
  const rows = Math.max(1, ...terms.map((term) => term.rows), ...pairs.map((pair) => pair.rows));
  const own = Math.max(1, ...terms.map((term) => term.rows * term.own));
  const { dof } = path.figure;
  const block = (): RowBlock => createBlock(dof, 3 * forcePoints, rows, own);
  return {
    samples: [createStateSample(path, forcePoints), createStateSample(path, forcePoints)],
    blocks: [block(), block()],
    chain: createChainScratch(dof),
    dense: new Float64Array(size),
    own: new Float64Array(Math.max(1, ...terms.map((term) => term.own))),
  };
}

/** Writes the residuals at the given unknowns. */
export function writeResidual(system: System, unknowns: Float64Array, out: Float64Array): void {
  const { indices, scratch } = system;
  const { samples, own } = scratch;
  const [sample, other] = samples;
  for (const { collocation, terms } of system.collocations) {
    evaluateStateSample(sample, collocation, indices, unknowns);
    for (const termRows of terms) {
      readOwn(termRows, unknowns, own);
      termRows.term.value(sample, own, out, termRows.firstRow);
      scaleResidual(termRows, sample, out);
    }
  }
  for (const { pair, collocations, firstRow } of system.pairs) {
    evaluateStateSample(sample, collocations[0], indices, unknowns);
    evaluateStateSample(other, collocations[1], indices, unknowns);
    pair.value(sample, other, out, firstRow);
  }
}

/** Writes the residuals and their Jacobian. */
export function linearize(system: System, unknowns: Float64Array, out: JacobianRows): void {
  const { indices, scratch } = system;
  const { samples, blocks, chain, dense, own } = scratch;
  const [sample, other] = samples;
  const [block, otherBlock] = blocks;
  for (const { collocation, terms, support } of system.collocations) {
    evaluateStateSample(sample, collocation, indices, unknowns);
    for (const termRows of terms) {
      const { term, firstRow, ownStart } = termRows;
      readOwn(termRows, unknowns, own);
      term.value(sample, own, out.residual, firstRow);
      clear(block, term, sample);
      term.derivatives(sample, own, block);
      const factor = costFactor(termRows, sample);
      const isScaledByTime = term.kind === 'cost' && term.integral && indices.timeScaling.length > 0;
      for (let r = 0; r < term.rows; r++) {
        addRow(sample, indices, term, block, r, ownStart, chain, dense);
        if (isScaledByTime) {
          scaleRow(sample, out.residual[firstRow + r], factor, indices, support, dense);
          appendRow(out, firstRow + r, support, dense);
        } else appendRow(out, firstRow + r, support, dense, factor);
      }
      scaleResidual(termRows, sample, out.residual);
    }
  }
  for (const { pair, collocations, support, firstRow } of system.pairs) {
    evaluateStateSample(sample, collocations[0], indices, unknowns);
    evaluateStateSample(other, collocations[1], indices, unknowns);
    pair.value(sample, other, out.residual, firstRow);
    clear(block, pairShape(pair.rows), sample);
    clear(otherBlock, pairShape(pair.rows), sample);
    pair.derivatives(sample, other, block, otherBlock);
    const shape = pairShape(pair.rows);
    for (let r = 0; r < pair.rows; r++) {
      addRow(sample, indices, shape, block, r, 0, chain, dense);
      addRow(other, indices, shape, otherBlock, r, 0, chain, dense);
      appendRow(out, firstRow + r, support, dense);
    }
  }
  for (let k = 0; k < system.fixed.length; k++) dense[system.fixed[k]] = 0;
}

type Shape = Pick<CompiledTerm, 'rows' | 'space' | 'order' | 'usesForces' | 'usesTime' | 'own'>;

function pairShape(rows: number): Shape {
  return { rows, space: 'tangent', order: 2, usesForces: false, usesTime: false, own: 0 };
}

function clear(
  block: RowBlock,
  { rows, order, usesForces, usesTime, own }: Shape,
  sample: StateSample,
): void {
  const { dof } = sample.parameterization.figure;
  for (let k = 0; k <= order; k++) block.orders[k].fill(0, 0, rows * dof);
  if (usesForces) block.force.fill(0, 0, rows * sample.forces.length);
  if (usesTime) block.time.fill(0, 0, rows);
  if (own > 0) block.own.fill(0, 0, rows * own);
}

function readOwn({ term, ownStart }: TermRows, unknowns: Float64Array, own: Float64Array): void {
  for (let k = 0; k < term.own; k++) own[k] = unknowns[ownStart + k];
}

/** Square root of the weight; an integral over real time is scaled by s. */
function costFactor({ term, weight }: TermRows, { timeScale }: StateSample): number {
  if (term.kind !== 'cost') return 1;
  return Math.sqrt(term.integral ? weight * timeScale : weight);
}

function scaleResidual(termRows: TermRows, sample: StateSample, out: Float64Array): void {
  const { term, firstRow } = termRows;
  if (term.kind !== 'cost') return;
  const factor = costFactor(termRows, sample);
  for (let r = 0; r < term.rows; r++) out[firstRow + r] *= factor;
}

/** Row of f r from that of r, where the time scaling is unknown: f dr + r df, f = sqrt(w s). */
function scaleRow(
  { collocation, timeScale }: StateSample,
  residual: number,
  factor: number,
  { timeScaling }: UnknownIndices,
  support: Int32Array,
  dense: Float64Array,
): void {
  for (let k = 0; k < support.length; k++) dense[support[k]] *= factor;
  const byTimeScale = (0.5 * factor * residual) / timeScale;
  for (let m = 0; m < timeScaling.length; m++)
    dense[timeScaling[m]] += byTimeScale * collocation.timeScaling.values[m];
}
