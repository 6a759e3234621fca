/** What a bone feels like with its joint free: the step of the articulated-body algorithm at one joint. */
import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/linear/cholesky.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { ARTICULATED, B, C, FACTOR, subtractSquare } from '../model/articulated-inertia.js';
import type { Dynamics } from '../model/dynamics.js';
import { addScaled, dot3, dot6 } from '../model/vectors.js';

/**
 * What rounding leaves of an inertia of one where there is none: a joint that feels less than this part of the mass it carries has nothing
 * to move.
 */
export const NOTHING = 64 * Number.EPSILON;

/**
 * A ball without armature hands on no couple: A and B are gone, C - B^T A^-1 B is left. Keeps A^-1 (six numbers), then B.
 */
export function freeBall(dynamics: Dynamics, b: number, first: number, tau: Numbers): void {
  const { articulated: x, factors, jointForces, force, couple, state, inertiaScale } = dynamics;
  const { worldFromBone: m } = state;
  const i = ARTICULATED * b;
  const o = FACTOR * b;
  const e = 12 * b;
  const xx = x[i];
  const yy = x[i + 1];
  const zz = x[i + 2];
  const xy = x[i + 3];
  const xz = x[i + 4];
  const yz = x[i + 5];
  // Cofactors of A.
  const cxx = yy * zz - yz * yz;
  const cxy = xz * yz - xy * zz;
  const cxz = xy * yz - xz * yy;
  const cyy = xx * zz - xz * xz;
  const czz = xx * yy - xy * xy;
  const determinant = xx * cxx + xy * cxy + xz * cxz;
  // The least eigenvalue is between once and three times determinant / (cxx + cyy + czz).
  if (!(determinant > NOTHING * inertiaScale[2 * b + 1] * (cxx + cyy + czz))) {
    throw singular(dynamics.figure.bones[b].name);
  }
  const s = 1 / determinant;
  const ixx = s * cxx;
  const iyy = s * cyy;
  const izz = s * czz;
  const ixy = s * cxy;
  const ixz = s * cxz;
  const iyz = s * (xy * xz - xx * yz);
  factors[o] = ixx;
  factors[o + 1] = iyy;
  factors[o + 2] = izz;
  factors[o + 3] = ixy;
  factors[o + 4] = ixz;
  factors[o + 5] = iyz;
  for (let k = 0; k < 9; k++) factors[o + B + k] = x[i + B + k];
  // u = R tau - n.
  const t = 3 * b;
  const tx = tau[first];
  const ty = tau[first + 1];
  const tz = tau[first + 2];
  const rx = m[e] * tx + m[e + 1] * ty + m[e + 2] * tz;
  const ry = m[e + 3] * tx + m[e + 4] * ty + m[e + 5] * tz;
  const rz = m[e + 6] * tx + m[e + 7] * ty + m[e + 8] * tz;
  const ux = rx - couple[t];
  const uy = ry - couple[t + 1];
  const uz = rz - couple[t + 2];
  jointForces[first] = ux;
  jointForces[first + 1] = uy;
  jointForces[first + 2] = uz;
  const b0 = x[i + B];
  const b1 = x[i + B + 1];
  const b2 = x[i + B + 2];
  const b3 = x[i + B + 3];
  const b4 = x[i + B + 4];
  const b5 = x[i + B + 5];
  const b6 = x[i + B + 6];
  const b7 = x[i + B + 7];
  const b8 = x[i + B + 8];
  // Y = A^-1 B
  const y0 = ixx * b0 + ixy * b3 + ixz * b6;
  const y1 = ixx * b1 + ixy * b4 + ixz * b7;
  const y2 = ixx * b2 + ixy * b5 + ixz * b8;
  const y3 = ixy * b0 + iyy * b3 + iyz * b6;
  const y4 = ixy * b1 + iyy * b4 + iyz * b7;
  const y5 = ixy * b2 + iyy * b5 + iyz * b8;
  const y6 = ixz * b0 + iyz * b3 + izz * b6;
  const y7 = ixz * b1 + iyz * b4 + izz * b7;
  const y8 = ixz * b2 + iyz * b5 + izz * b8;
  couple[t] = rx;
  couple[t + 1] = ry;
  couple[t + 2] = rz;
  force[t] += y0 * ux + y3 * uy + y6 * uz;
  force[t + 1] += y1 * ux + y4 * uy + y7 * uz;
  force[t + 2] += y2 * ux + y5 * uy + y8 * uz;
  x[i + C] -= b0 * y0 + b3 * y3 + b6 * y6;
  x[i + C + 1] -= b1 * y1 + b4 * y4 + b7 * y7;
  x[i + C + 2] -= b2 * y2 + b5 * y5 + b8 * y8;
  x[i + C + 3] -= b0 * y1 + b3 * y4 + b6 * y7;
  x[i + C + 4] -= b0 * y2 + b3 * y5 + b6 * y8;
  x[i + C + 5] -= b1 * y2 + b4 * y5 + b7 * y8;
  for (let k = 0; k < C; k++) x[i + k] = 0;
}

/**
 * Any joint: U = I S, D = S^T U + armature = L L^T, V = U L^-T, y = L^-1 (tau - S^T f), then I - V V^T and f + V y. Keeps V (6 numbers a
 * coordinate), L and y.
 */
export function freeJoint(dynamics: Dynamics, b: number, first: number, size: number, tau: Numbers): void {
  const {
    articulated: x,
    factors: l,
    jointForces: y,
    inertiaColumns: v,
    force,
    couple,
    armature,
    inertiaScale,
  } = dynamics;
  const i = ARTICULATED * b;
  const o = FACTOR * b;
  const t = 3 * b;
  const s = motionColumns(dynamics, b);
  const start = s === dynamics.ballColumns ? 0 : 6 * first;
  for (let k = 0; k < size; k++) {
    const a = start + 6 * k;
    const c = 6 * (first + k);
    multiplyArticulated(x, i, s, a, v, c);
    y[first + k] = tau[first + k] - dot3(s, a, couple, t) - dot3(s, a + 3, force, t);
    for (let j = 0; j <= k; j++) {
      l[o + k * size + j] = dot6(s, start + 6 * j, v, c);
    }
    l[o + k * (size + 1)] += armature[first + k];
  }
  if (!cholesky.factor(l, size, size, o)) throw singular(dynamics.figure.bones[b].name);
  for (let k = 0; k < size; k++) {
    const a = start + 6 * k;
    const turn = s[a] * s[a] + s[a + 1] * s[a + 1] + s[a + 2] * s[a + 2];
    const slide = s[a + 3] * s[a + 3] + s[a + 4] * s[a + 4] + s[a + 5] * s[a + 5];
    const least = NOTHING * (turn * inertiaScale[2 * b + 1] + slide * inertiaScale[2 * b]);
    if (!(l[o + k * (size + 1)] ** 2 > least)) throw singular(dynamics.figure.bones[b].name);
  }
  for (let k = 0; k < size; k++) {
    const c = 6 * (first + k);
    for (let j = 0; j < k; j++) {
      const entry = l[o + k * size + j];
      y[first + k] -= entry * y[first + j];
      addScaled(v, 6 * (first + j), -entry, v, c);
      addScaled(v, 6 * (first + j) + 3, -entry, v, c + 3);
    }
    const reciprocal = 1 / l[o + k * (size + 1)];
    const rate = reciprocal * y[first + k];
    y[first + k] = rate;
    for (let n = 0; n < 6; n++) v[c + n] *= reciprocal;
    addScaled(v, c, rate, couple, t);
    addScaled(v, c + 3, rate, force, t);
    subtractSquare(v, c, x, i);
  }
}

/** What a joint that {@link freeJoint} has freed does where its bone is carried along with the accelerations at `added[a]`, which it moves on. */
export function spreadJoint(
  dynamics: Dynamics,
  b: number,
  first: number,
  size: number,
  out: MutableNumbers,
): void {
  const { factors: l, jointForces: y, inertiaColumns: v, added } = dynamics;
  const a = 6 * b;
  const o = FACTOR * b;
  for (let k = 0; k < size; k++) out[first + k] = y[first + k] - dot6(v, 6 * (first + k), added, a);
  const s = motionColumns(dynamics, b);
  const start = s === dynamics.ballColumns ? 0 : 6 * first;
  for (let k = size - 1; k >= 0; k--) {
    let sum = out[first + k];
    for (let j = k + 1; j < size; j++) sum -= l[o + j * size + k] * out[first + j];
    const rate = sum / l[o + k * (size + 1)];
    out[first + k] = rate;
    addScaled(s, start + 6 * k, rate, added, a);
    addScaled(s, start + 6 * k + 3, rate, added, a + 3);
  }
}

/** The array with the motion columns of a joint, 6 numbers each: those of all coordinates, or a scratch where the bone keeps none. */
function motionColumns({ state, ballColumns }: Dynamics, b: number): Float64Array {
  if (state.bodyTurn[b] === 0) return state.columnsNu;
  for (let k = 0; k < 3; k++) {
    for (let n = 0; n < 3; n++) ballColumns[6 * k + n] = state.worldFromBone[12 * b + 3 * n + k];
  }
  return ballColumns;
}

/** (A a + B l; B^T a + C l) for the column (a, l). */
export function multiplyArticulated(
  x: Float64Array,
  i: number,
  s: Float64Array,
  c: number,
  out: Float64Array,
  o: number,
): void {
  const ax = s[c];
  const ay = s[c + 1];
  const az = s[c + 2];
  const lx = s[c + 3];
  const ly = s[c + 4];
  const lz = s[c + 5];
  const g = i + B;
  const h = i + C;
  out[o] = x[i] * ax + x[i + 3] * ay + x[i + 4] * az + x[g] * lx + x[g + 1] * ly + x[g + 2] * lz;
  out[o + 1] = x[i + 3] * ax + x[i + 1] * ay + x[i + 5] * az + x[g + 3] * lx + x[g + 4] * ly + x[g + 5] * lz;
  out[o + 2] = x[i + 4] * ax + x[i + 5] * ay + x[i + 2] * az + x[g + 6] * lx + x[g + 7] * ly + x[g + 8] * lz;
  out[o + 3] = x[g] * ax + x[g + 3] * ay + x[g + 6] * az + x[h] * lx + x[h + 3] * ly + x[h + 4] * lz;
  out[o + 4] = x[g + 1] * ax + x[g + 4] * ay + x[g + 7] * az + x[h + 3] * lx + x[h + 1] * ly + x[h + 5] * lz;
  out[o + 5] = x[g + 2] * ax + x[g + 5] * ay + x[g + 8] * az + x[h + 4] * lx + x[h + 5] * ly + x[h + 2] * lz;
}

/** @returns the error for a joint that has nothing to move. */
export function singular(name: string): DomainError {
  return new DomainError('singular', 'has nothing to move, or stands where its chart is singular.', {
    path: `bone ${name}`,
    remedy:
      'Give mass and inertia to it or to what it carries, or keep Euler angles and swings away from their poles.',
  });
}
