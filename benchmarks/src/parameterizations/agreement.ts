import { quat } from 'poise/math';
import { matrixPartials } from 'poise/rotation';
import * as rotation from 'poise/rotation/alternatives';
import {
  type Parameterization,
  parameterizations,
} from '../../../examples/parameterizations/model/parameterizations.js';
import type { Prng } from '../prng.js';

/**
 * The largest difference between what the parameterizations compute by hand and the functions of poise/rotation, over random rotations: R, and
 * the angular velocity that each parameter gives, from the partial derivatives of R.
 */
export function largestDisagreement(random: Prng, count: number): number {
  let worst = 0;
  for (let n = 0; n < count; n++) {
    const q = quat.normalize([random.normal(), random.normal(), random.normal(), random.normal()]);
    for (const parameterization of parameterizations)
      worst = Math.max(worst, disagreement(parameterization, q));
  }
  return worst;
}

function disagreement({ key, rotation: parameterization }: Parameterization, q: readonly number[]): number {
  if (parameterization === undefined) return 0;
  const p = new Float64Array(parameterization.parameters);
  parameterization.fromQuaternion(q, p, 0);
  const r = quat.toMatrix(q);
  const rotated = [0, 0, 0, 1];
  parameterization.writeQuaternion(p, 0, rotated);
  let worst = Math.max(...quat.toMatrix(rotated).map((x, k) => Math.abs(x - r[k])));
  const map = new Float64Array(3 * parameterization.rates);
  parameterization.writeVelocityMap(p, 0, map);
  const partials = partialsOf(key, p, r);
  if (parameterization.writeConstraint !== undefined) {
    const row = new Float64Array(parameterization.rates);
    const wanted = parameterization.writeConstraint(p, 0, row, 0);
    worst = Math.max(worst, Math.abs(wanted), ...row.map((x, k) => Math.abs(x - q[k])));
    leaveOut(partials, q);
  }
  for (let k = 0; k < parameterization.rates; k++) {
    const w = angularVelocity(partials.slice(9 * k, 9 * k + 9), r);
    for (let c = 0; c < 3; c++) worst = Math.max(worst, Math.abs(w[c] - map[c * parameterization.rates + k]));
  }
  return worst;
}

/** dR by each rate, nine numbers each. */
function partialsOf(key: string, p: Float64Array, r: readonly number[]): number[] {
  switch (key) {
    case 'euler':
      return rotation.eulerMatrixPartials(p, 'XYZ');
    case 'unit':
      return rotation.quatMatrixPartials(p);
    case 'autonormalized':
      return rotation.anyQuatMatrixPartials(p);
    case 'rate':
      return rotation.matrixRates(r, 'body');
    default:
      return matrixPartials(p);
  }
}

/** Projects the partial derivatives onto the tangent space of |q| = 1: dR/dq_n - q_n (sum of q_m dR/dq_m). */
function leaveOut(partials: number[], q: readonly number[]): void {
  for (let e = 0; e < 9; e++) {
    const along = q.reduce((sum, x, n) => sum + x * partials[9 * n + e], 0);
    for (let n = 0; n < 4; n++) partials[9 * n + e] -= q[n] * along;
  }
}

/** The skew part of R^T dR. */
function angularVelocity(d: readonly number[], r: readonly number[]): number[] {
  const at = (i: number, j: number): number =>
    [0, 1, 2].reduce((sum, k) => sum + r[3 * k + i] * d[3 * k + j], 0);
  return [at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)].map((x) => x / 2);
}
