/**
 * From rows against pose, velocity and acceleration at a moment to rows against the unknown numbers (paper, section 4.3: "several further
 * applications of the chain rule").
 *
 * With eps, nu, nu' in the tangent space, u nominal time, s = dt/du:
 *
 *   nu  = nu_u / s,   nu' = nu'_u / s^2 - nu_u s_u / s^3
 *
 * (nu_u, nu'_u against u), for rotation vectors (eps, nu_u, nu'_u) through the blocks of `turning.ts`, for all else eps = x, nu_u = x_u,
 * nu'_u = x_uu; and x, x_u, x_uu = sum of B_k, B_k', B_k'' times control point k.
 */
import type { Moment, Places } from '../transcription/state-at.js';
import type { CompiledTerm, RowBlock } from './term.js';

/** Scratch for one row. */
export interface ChainScratch {
  readonly orders: readonly Float64Array[];
}

export function createChainScratch(dof: number): ChainScratch {
  return { orders: [0, 1, 2, 3].map(() => new Float64Array(dof)) };
}

/** Adds row r of a block to `dense`, which has a place for each unknown. */
export function addRow(
  moment: Moment,
  places: Places,
  shape: Pick<CompiledTerm, 'space' | 'order' | 'usesForces' | 'usesTime' | 'own'>,
  block: RowBlock,
  r: number,
  ownStart: number,
  scratch: ChainScratch,
  dense: Float64Array,
): void {
  const { figure } = moment.path;
  const { dof } = figure;
  const { order, space } = shape;
  const s = moment.stretch;
  const rate = 1 / s;
  const square = rate * rate;
  const turn = -moment.stretchRate * square * rate;
  const [byX, byFirst, bySecond, byThird] = scratch.orders;
  const at = r * dof;
  const g0 = block.orders[0];
  const g1 = block.orders[1];
  const g2 = block.orders[2];
  for (let i = 0; i < dof; i++) byX[i] = g0[at + i];
  if (order >= 1) for (let i = 0; i < dof; i++) byFirst[i] = rate * g1[at + i];
  if (order >= 2) {
    for (let i = 0; i < dof; i++) {
      byFirst[i] += turn * g2[at + i];
      bySecond[i] = square * g2[at + i];
    }
  }
  if (order === 3) for (let i = 0; i < dof; i++) byThird[i] = square * rate * block.orders[3][at + i];
  if (space === 'tangent') throughTurnings(moment, order, byX, byFirst, bySecond);
  addSpline(moment, places, order, scratch, dense);
  if (places.clock.length > 0) addClock(moment, places, shape, block, r, dense);
  if (shape.usesForces) addForces(moment, places, block, r, dense);
  for (let k = 0; k < shape.own; k++) dense[ownStart + k] += block.own[r * shape.own + k];
}

/** Rows against (eps, nu_u, nu'_u) of rotation vectors become rows against (d, d_u, d_uu). */
function throughTurnings(
  { path, turnings }: Moment,
  order: number,
  byX: Float64Array,
  byFirst: Float64Array,
  bySecond: Float64Array,
): void {
  for (let b = 0; b < turnings.length; b++) {
    const i = path.turnings[b].coordinate;
    const { turn, nuByValue, nuRateByValue, nuRateByRate } = turnings[b];
    const e0 = byX[i];
    const e1 = byX[i + 1];
    const e2 = byX[i + 2];
    const v0 = order >= 1 ? byFirst[i] : 0;
    const v1 = order >= 1 ? byFirst[i + 1] : 0;
    const v2 = order >= 1 ? byFirst[i + 2] : 0;
    const a0 = order >= 2 ? bySecond[i] : 0;
    const a1 = order >= 2 ? bySecond[i + 1] : 0;
    const a2 = order >= 2 ? bySecond[i + 2] : 0;
    for (let k = 0; k < 3; k++) {
      const t0 = turn[k];
      const t1 = turn[3 + k];
      const t2 = turn[6 + k];
      byX[i + k] = e0 * t0 + e1 * t1 + e2 * t2;
      if (order === 0) continue;
      byX[i + k] += v0 * nuByValue[k] + v1 * nuByValue[3 + k] + v2 * nuByValue[6 + k];
      byFirst[i + k] = v0 * t0 + v1 * t1 + v2 * t2;
      if (order === 1) continue;
      byX[i + k] += a0 * nuRateByValue[k] + a1 * nuRateByValue[3 + k] + a2 * nuRateByValue[6 + k];
      byFirst[i + k] += a0 * nuRateByRate[k] + a1 * nuRateByRate[3 + k] + a2 * nuRateByRate[6 + k];
      bySecond[i + k] = a0 * t0 + a1 * t1 + a2 * t2;
    }
  }
}

function addSpline(
  { path, instant }: Moment,
  places: Places,
  order: number,
  { orders }: ChainScratch,
  dense: Float64Array,
): void {
  const { free, basis } = path;
  const width = basis.degree + 1;
  const row = instant.basis;
  const [byX, byFirst, bySecond, byThird] = orders;
  for (let c = 0; c < free.length; c++) {
    const i = free[c];
    const g0 = byX[i];
    const g1 = order >= 1 ? byFirst[i] : 0;
    const g2 = order >= 2 ? bySecond[i] : 0;
    const g3 = order === 3 ? byThird[i] : 0;
    if (g0 === 0 && g1 === 0 && g2 === 0 && g3 === 0) continue;
    for (let j = 0; j < width; j++) {
      dense[places.motion[(instant.first + j) * free.length + c]] +=
        g0 * row[j] + g1 * row[width + j] + g2 * row[2 * width + j] + g3 * row[3 * width + j];
    }
  }
}

/** What the timing does: through s and s_u, and through the moment's own time. */
function addClock(
  moment: Moment,
  places: Places,
  { space, order, usesTime }: Pick<CompiledTerm, 'space' | 'order' | 'usesTime'>,
  block: RowBlock,
  r: number,
  dense: Float64Array,
): void {
  const { path, instant, stretch: s, stretchRate, x } = moment;
  const { dof } = path.figure;
  const first = space === 'tangent' ? moment.nominalVelocity : x[1];
  const second = space === 'tangent' ? moment.nominalAcceleration : x[2];
  const square = 1 / (s * s);
  let byStretch = 0;
  let byStretchRate = 0;
  const at = r * dof;
  if (order >= 1) {
    const g = block.orders[1];
    for (let i = 0; i < dof; i++) byStretch -= square * first[i] * g[at + i];
  }
  if (order >= 2) {
    const g = block.orders[2];
    const cube = square / s;
    const fourth = 3 * stretchRate * square * square;
    for (let i = 0; i < dof; i++) {
      byStretch += (fourth * first[i] - 2 * cube * second[i]) * g[at + i];
      byStretchRate -= cube * first[i] * g[at + i];
    }
  }
  if (order === 3) {
    const g = block.orders[3];
    const fourth = -3 * square * square;
    for (let i = 0; i < dof; i++) byStretch += fourth * x[3][i] * g[at + i];
  }
  const byTime = usesTime ? block.time[r] : 0;
  const { values, slopes, integrals } = instant.clock;
  for (let m = 0; m < places.clock.length; m++) {
    dense[places.clock[m]] += byStretch * values[m] + byStretchRate * slopes[m] + byTime * integrals[m];
  }
}

function addForces(
  { instant, forces }: Moment,
  places: Places,
  block: RowBlock,
  r: number,
  dense: Float64Array,
): void {
  const at = r * forces.length;
  for (const { contact, first, values } of instant.forces) {
    const { point, points, ids } = places.contacts[contact];
    const size = 3 * points;
    for (let k = 0; k < size; k++) {
      const g = places.forceScale * block.force[at + 3 * point + k];
      if (g === 0) continue;
      for (let j = 0; j < values.length; j++) dense[ids[(first + j) * size + k]] += g * values[j];
    }
  }
}
