/**
 * What counts on one side only in the model of a step: inequalities, k = rho, and the half-spaces of convex sets, stiff. Each adds
 *
 *   k/2 max(0, y + a.p)^2
 *
 * to the model, y how far beyond it is without a step.
 */
import type { Envelope } from '../../math/envelope-cholesky.js';
import type { JacobianRows } from '../jacobian-rows.js';
import type { System } from '../system.js';
import { addSquares } from './add-squares.js';
import { createHalfSpaces, type HalfSpaces } from './half-spaces.js';
import { addPull } from './normal-equations.js';

/** All sides: rows first, then a half-space for each set. */
export interface Sides {
  readonly count: number;
  /** Which rows are inequalities. */
  readonly rows: Int32Array;
  readonly spaces: HalfSpaces;
  /** k; zero where nothing can be run into. */
  readonly stiffness: Float64Array;
  /** y. */
  readonly offset: Float64Array;
  /** y + a.p at the best step so far, and a times the way from there to a new one. */
  readonly beyond: Float64Array;
  readonly way: Float64Array;
  /** 1 for each that the model counts. */
  readonly active: Uint8Array;
  /** What each weighs in the matrix, and pulls in the gradient, that are put together. */
  readonly weight: Float64Array;
  readonly pull: Float64Array;
}

export function createSides({ kinds, sets }: System): Sides {
  const rows = Int32Array.from(kinds.flatMap((kind, i) => (kind === 'inequality' ? [i] : [])));
  const count = rows.length + sets.length;
  const room = (): Float64Array => new Float64Array(count);
  return {
    count,
    rows,
    spaces: createHalfSpaces(sets.length),
    stiffness: room(),
    offset: room(),
    beyond: room(),
    way: room(),
    active: new Uint8Array(count),
    weight: room(),
    pull: room(),
  };
}

/** Where the sides stand in the unknowns. */
interface Places {
  readonly rows: JacobianRows;
  readonly system: Pick<System, 'sets'>;
}

/** out = a.p, side by side. */
export function writeAlong(
  { rows: ids, spaces: { normal } }: Sides,
  { rows, system: { sets } }: Places,
  p: Float64Array,
  out: Float64Array,
): void {
  const { start, columns, values } = rows;
  for (let c = 0; c < ids.length; c++) {
    const end = start[ids[c] + 1];
    let sum = 0;
    for (let k = start[ids[c]]; k < end; k++) sum += values[k] * p[columns[k]];
    out[c] = sum;
  }
  for (let w = 0; w < sets.length; w++) {
    const { at, size } = sets[w];
    let sum = 0;
    for (let i = 0; i < size; i++) sum += normal[3 * w + i] * p[at + i];
    out[ids.length + w] = sum;
  }
}

/** gradient += sum of pull a. */
export function addPulls(
  { rows: ids, spaces: { normal }, pull }: Sides,
  { rows, system: { sets } }: Places,
  gradient: Float64Array,
): void {
  for (let c = 0; c < ids.length; c++) if (pull[c] !== 0) addPull(rows, ids[c], pull[c], gradient);
  for (let w = 0; w < sets.length; w++) {
    const by = pull[ids.length + w];
    if (by === 0) continue;
    const { at, size } = sets[w];
    for (let i = 0; i < size; i++) gradient[at + i] += by * normal[3 * w + i];
  }
}

/** hessian += sum of weight a a^T. */
export function addSideSquares(
  { rows: ids, spaces: { normal }, weight }: Sides,
  { rows, system: { sets } }: Places,
  hessian: Envelope,
): void {
  const { base, values } = hessian;
  addSquares(
    rows,
    ids.length,
    (c) => ids[c],
    (c) => weight[c],
    hessian,
  );
  for (let w = 0; w < sets.length; w++) {
    const by = weight[ids.length + w];
    if (by === 0) continue;
    const { at, size } = sets[w];
    for (let i = 0; i < size; i++) {
      const v = by * normal[3 * w + i];
      for (let j = 0; j <= i; j++) values[base[at + i] + at + j] += v * normal[3 * w + j];
    }
  }
}
