/**
 * Chain rule: from rows of derivatives with respect to pose, velocity and acceleration to rows with respect to the unknowns (Grassia 1997,
 * section 4.3: "several further applications of the chain rule").
 *
 * With eps (`Mechanics`), v, v' in the tangent space, u nominal time, s = dt/du:
 *
 *   v = v_u / s,   v' = v'_u / s^2 - v_u s_u / s^3
 *
 * v_u is the velocity with respect to u, v'_u its derivative with respect to u. Rotation vectors: (eps, v_u, v'_u) through the blocks of
 * `rotation-chain-rule.ts`. Other coordinates: d eps = dx, v_u = x_u, v'_u = x_uu. x, x_u, x_uu = sum of B_k, B_k', B_k'' times control
 * point k.
 */
import type { StateSample, UnknownIndices } from '../transcription/state-sample.js';
import type { CompiledTerm, RowBlock } from './term.js';

/** Scratch of one row. */
export interface ChainScratch {
  readonly orders: readonly Float64Array[];
}

export function createChainScratch(dof: number): ChainScratch {
  return { orders: [0, 1, 2, 3].map(() => new Float64Array(dof)) };
}

/** Adds row r of a block to `dense`, which has an entry for each unknown. */
export function addRow(
  sample: StateSample,
  indices: UnknownIndices,
  shape: Pick<CompiledTerm, 'space' | 'order' | 'usesForces' | 'usesTime' | 'own'>,
  block: RowBlock,
  r: number,
  ownStart: number,
  scratch: ChainScratch,
  dense: Float64Array,
): void {
  const { figure } = sample.parameterization;
  const { dof } = figure;
  const { order, space } = shape;
  const s = sample.timeScale;
  const rate = 1 / s;
  const square = rate * rate;
  const cross = -sample.timeScaleRate * square * rate;
  const [byX, byFirst, bySecond, byThird] = scratch.orders;
  const at = r * dof;
  const g0 = block.orders[0];
  const g1 = block.orders[1];
  const g2 = block.orders[2];
  for (let i = 0; i < dof; i++) byX[i] = g0[at + i];
  if (order >= 1) for (let i = 0; i < dof; i++) byFirst[i] = rate * g1[at + i];
  if (order >= 2) {
    for (let i = 0; i < dof; i++) {
      byFirst[i] += cross * g2[at + i];
      bySecond[i] = square * g2[at + i];
    }
  }
  if (order === 3) for (let i = 0; i < dof; i++) byThird[i] = square * rate * block.orders[3][at + i];
  if (space === 'tangent') throughRotations(sample, order, byX, byFirst, bySecond);
  addSpline(sample, indices, order, scratch, dense);
  if (indices.timeScaling.length > 0) addTimeScaling(sample, indices, shape, block, r, dense);
  if (shape.usesForces) addForces(sample, indices, block, r, dense);
  for (let k = 0; k < shape.own; k++) dense[ownStart + k] += block.own[r * shape.own + k];
}

/** Rows with respect to (eps, v_u, v'_u) of rotation vectors become rows with respect to (d, d_u, d_uu). */
function throughRotations(
  { parameterization, rotations }: StateSample,
  order: number,
  byX: Float64Array,
  byFirst: Float64Array,
  bySecond: Float64Array,
): void {
  for (let b = 0; b < rotations.length; b++) {
    const i = parameterization.rotations[b].coordinate;
    const { rightJacobian, velocityByValue, accelerationByValue, accelerationByRate } = rotations[b];
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
      const j0 = rightJacobian[k];
      const j1 = rightJacobian[3 + k];
      const j2 = rightJacobian[6 + k];
      byX[i + k] = e0 * j0 + e1 * j1 + e2 * j2;
      if (order === 0) continue;
      byX[i + k] += v0 * velocityByValue[k] + v1 * velocityByValue[3 + k] + v2 * velocityByValue[6 + k];
      byFirst[i + k] = v0 * j0 + v1 * j1 + v2 * j2;
      if (order === 1) continue;
      byX[i + k] +=
        a0 * accelerationByValue[k] + a1 * accelerationByValue[3 + k] + a2 * accelerationByValue[6 + k];
      byFirst[i + k] +=
        a0 * accelerationByRate[k] + a1 * accelerationByRate[3 + k] + a2 * accelerationByRate[6 + k];
      bySecond[i + k] = a0 * j0 + a1 * j1 + a2 * j2;
    }
  }
}

function addSpline(
  { parameterization, collocation }: StateSample,
  indices: UnknownIndices,
  order: number,
  { orders }: ChainScratch,
  dense: Float64Array,
): void {
  const { free, basis } = parameterization;
  const width = basis.degree + 1;
  const row = collocation.basis;
  const [byX, byFirst, bySecond, byThird] = orders;
  for (let c = 0; c < free.length; c++) {
    const i = free[c];
    const g0 = byX[i];
    const g1 = order >= 1 ? byFirst[i] : 0;
    const g2 = order >= 2 ? bySecond[i] : 0;
    const g3 = order === 3 ? byThird[i] : 0;
    if (g0 === 0 && g1 === 0 && g2 === 0 && g3 === 0) continue;
    for (let j = 0; j < width; j++) {
      dense[indices.motion[(collocation.first + j) * free.length + c]] +=
        g0 * row[j] + g1 * row[width + j] + g2 * row[2 * width + j] + g3 * row[3 * width + j];
    }
  }
}

/** Derivatives with respect to the time scaling: through s, s_u and the sample's real time. */
function addTimeScaling(
  sample: StateSample,
  indices: UnknownIndices,
  { space, order, usesTime }: Pick<CompiledTerm, 'space' | 'order' | 'usesTime'>,
  block: RowBlock,
  r: number,
  dense: Float64Array,
): void {
  const { parameterization, collocation, timeScale: s, timeScaleRate, x } = sample;
  const { dof } = parameterization.figure;
  const first = space === 'tangent' ? sample.nominalVelocity : x[1];
  const second = space === 'tangent' ? sample.nominalAcceleration : x[2];
  const square = 1 / (s * s);
  let byTimeScale = 0;
  let byTimeScaleRate = 0;
  const at = r * dof;
  if (order >= 1) {
    const g = block.orders[1];
    for (let i = 0; i < dof; i++) byTimeScale -= square * first[i] * g[at + i];
  }
  if (order >= 2) {
    const g = block.orders[2];
    const cube = square / s;
    const fourth = 3 * timeScaleRate * square * square;
    for (let i = 0; i < dof; i++) {
      byTimeScale += (fourth * first[i] - 2 * cube * second[i]) * g[at + i];
      byTimeScaleRate -= cube * first[i] * g[at + i];
    }
  }
  if (order === 3) {
    const g = block.orders[3];
    const fourth = -3 * square * square;
    for (let i = 0; i < dof; i++) byTimeScale += fourth * x[3][i] * g[at + i];
  }
  const byTime = usesTime ? block.time[r] : 0;
  const { values, derivatives, integrals } = collocation.timeScaling;
  for (let m = 0; m < indices.timeScaling.length; m++) {
    dense[indices.timeScaling[m]] +=
      byTimeScale * values[m] + byTimeScaleRate * derivatives[m] + byTime * integrals[m];
  }
}

function addForces(
  { collocation, forces }: StateSample,
  indices: UnknownIndices,
  block: RowBlock,
  r: number,
  dense: Float64Array,
): void {
  const at = r * forces.length;
  for (const { contact, first, values } of collocation.forces) {
    const { point, points, ids } = indices.contacts[contact];
    const size = 3 * points;
    for (let k = 0; k < size; k++) {
      const g = indices.forceScale * block.force[at + 3 * point + k];
      if (g === 0) continue;
      for (let j = 0; j < values.length; j++) dense[ids[(first + j) * size + k]] += g * values[j];
    }
  }
}
