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

/** A term at one collocation point. */
export interface TermUse {
  readonly term: CompiledTerm;
  /** For a cost: its weight times the quadrature weight. */
  readonly weight: number;
  readonly firstRow: number;
  /** First own unknown of the term. */
  readonly ownStart: number;
}

/** A collocation point, its terms, and the unknowns on which they depend, ascending. */
export interface CollocationUse {
  readonly collocation: CollocationPoint;
  readonly uses: readonly TermUse[];
  readonly support: Int32Array;
}

export interface PairUse {
  readonly pair: CompiledPair;
  readonly collocations: readonly [CollocationPoint, CollocationPoint];
  readonly support: Int32Array;
  readonly firstRow: number;
}

export interface System {
  readonly parameterization: Parameterization;
  readonly indices: UnknownIndices;
  /** Number of unknowns. */
  readonly size: number;
  readonly terms: readonly CompiledTerm[];
  readonly collocations: readonly CollocationUse[];
  readonly pairs: readonly PairUse[];
  readonly rows: number;
  /** Kind of each row, and its term or pair (pairs follow terms). */
  readonly kinds: readonly TermKind[];
  readonly owners: Int32Array;
  readonly sets: readonly ConvexSet[];
  /** First column of each row of J^T J. */
  readonly first: Int32Array;
  readonly samples: readonly [StateSample, StateSample];
  readonly blocks: readonly [RowBlock, RowBlock];
  readonly chain: ChainScratch;
  /** Fixed unknowns: no row has a column for them. */
  readonly fixed: Int32Array;
  /** Dense row, zero except while a row is written. */
  readonly dense: Float64Array;
  readonly own: Float64Array;
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
): Pick<System, 'samples' | 'blocks' | 'chain' | 'dense' | 'own'> {
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
  const { indices, samples, own } = system;
  const [sample, other] = samples;
  for (const { collocation, uses } of system.collocations) {
    evaluateStateSample(sample, collocation, indices, unknowns);
    for (const use of uses) {
      readOwn(use, unknowns, own);
      use.term.value(sample, own, out, use.firstRow);
      scaleResidual(use, sample, out);
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
  const { indices, samples, blocks, chain, dense, own } = system;
  const [sample, other] = samples;
  const [block, otherBlock] = blocks;
  for (const { collocation, uses, support } of system.collocations) {
    evaluateStateSample(sample, collocation, indices, unknowns);
    for (const use of uses) {
      const { term, firstRow, ownStart } = use;
      readOwn(use, unknowns, own);
      term.value(sample, own, out.residual, firstRow);
      clear(block, term, sample);
      term.derivatives(sample, own, block);
      const factor = costFactor(use, sample);
      for (let r = 0; r < term.rows; r++) {
        addRow(sample, indices, term, block, r, ownStart, chain, dense);
        if (term.kind === 'cost')
          scaleRow(use, sample, out.residual[firstRow + r], factor, indices, support, dense);
        appendRow(out, firstRow + r, support, dense);
      }
      scaleResidual(use, sample, out.residual);
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

function readOwn({ term, ownStart }: TermUse, unknowns: Float64Array, own: Float64Array): void {
  for (let k = 0; k < term.own; k++) own[k] = unknowns[ownStart + k];
}

/** Square root of the weight; an integral over real time is scaled by s. */
function costFactor({ term, weight }: TermUse, { timeScale }: StateSample): number {
  if (term.kind !== 'cost') return 1;
  return Math.sqrt(term.integral ? weight * timeScale : weight);
}

function scaleResidual(use: TermUse, sample: StateSample, out: Float64Array): void {
  if (use.term.kind !== 'cost') return;
  const factor = costFactor(use, sample);
  for (let r = 0; r < use.term.rows; r++) out[use.firstRow + r] *= factor;
}

/** Row of f r from that of r: f dr + r df, f = sqrt(w s). */
function scaleRow(
  { term }: TermUse,
  { collocation, timeScale }: StateSample,
  residual: number,
  factor: number,
  { timeScaling }: UnknownIndices,
  support: Int32Array,
  dense: Float64Array,
): void {
  for (let k = 0; k < support.length; k++) dense[support[k]] *= factor;
  if (!term.integral) return;
  const byTimeScale = (0.5 * factor * residual) / timeScale;
  for (let m = 0; m < timeScaling.length; m++)
    dense[timeScaling[m]] += byTimeScale * collocation.timeScaling.values[m];
}
