/**
 * Elimination of one joint in the articulated-body algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, section 7.3). With S the motion
 * subspace of the joint, IA and pA the articulated-body inertia and bias force of its bone,
 *
 *   U = IA S,   D = S^T U + armature,   u = tau - S^T pA
 *   IA <- IA - U D^-1 U^T,   pA <- pA + U D^-1 u        as the parent sees them
 *
 * and on the way back, with a the acceleration of the bone due to the parent, q'' = D^-1 (u - U^T a), a <- a + S q''.
 */
import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/linear/cholesky.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import {
  ARTICULATED_SIZE,
  BLOCK_B,
  BLOCK_C,
  FACTOR_SIZE,
  subtractOuterSquare,
} from '../model/articulated-inertia.js';
import type { Dynamics } from '../model/dynamics.js';
import { addScaled, dot3, dotSpatial } from '../model/spatial-vectors.js';

/**
 * Tolerance of the singularity test: D counts as singular where a pivot is smaller than this fraction of the subtree's mass or inertia, which is
 * rounding.
 */
export const SINGULAR_TOLERANCE = 64 * Number.EPSILON;

/**
 * Eliminates a ball joint without armature: S = (1, 0), so D = A, and of IA only C - B^T A^-1 B remains. Keeps A^-1 (six numbers) and B.
 */
export function eliminateBall(dynamics: Dynamics, b: number, first: number, tau: Numbers): void {
  const { articulatedInertia: x, factors, jointForces, force, couple, state, inertiaScale } = dynamics;
  const { worldFromBone: m } = state;
  const i = ARTICULATED_SIZE * b;
  const o = FACTOR_SIZE * b;
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
  // det / (cxx + cyy + czz) is between a third of the smallest eigenvalue and the eigenvalue itself.
  if (!(determinant > SINGULAR_TOLERANCE * inertiaScale[2 * b + 1] * (cxx + cyy + czz))) {
    throw singularJoint(dynamics.figure.bones[b].name);
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
  for (let k = 0; k < 9; k++) factors[o + BLOCK_B + k] = x[i + BLOCK_B + k];
  // u = R tau - n, world axes.
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
  const b0 = x[i + BLOCK_B];
  const b1 = x[i + BLOCK_B + 1];
  const b2 = x[i + BLOCK_B + 2];
  const b3 = x[i + BLOCK_B + 3];
  const b4 = x[i + BLOCK_B + 4];
  const b5 = x[i + BLOCK_B + 5];
  const b6 = x[i + BLOCK_B + 6];
  const b7 = x[i + BLOCK_B + 7];
  const b8 = x[i + BLOCK_B + 8];
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
  x[i + BLOCK_C] -= b0 * y0 + b3 * y3 + b6 * y6;
  x[i + BLOCK_C + 1] -= b1 * y1 + b4 * y4 + b7 * y7;
  x[i + BLOCK_C + 2] -= b2 * y2 + b5 * y5 + b8 * y8;
  x[i + BLOCK_C + 3] -= b0 * y1 + b3 * y4 + b6 * y7;
  x[i + BLOCK_C + 4] -= b0 * y2 + b3 * y5 + b6 * y8;
  x[i + BLOCK_C + 5] -= b1 * y2 + b4 * y5 + b7 * y8;
  for (let k = 0; k < BLOCK_C; k++) x[i + k] = 0;
}

/**
 * Eliminates a joint of any type by D = L L^T: V = U L^-T, y = L^-1 u, then IA - V V^T and pA + V y. Keeps V (6 numbers a coordinate), L and
 * y.
 */
export function eliminateJoint(
  dynamics: Dynamics,
  b: number,
  first: number,
  size: number,
  tau: Numbers,
): void {
  const {
    articulatedInertia: x,
    factors: l,
    jointForces: y,
    scaledColumns: v,
    force,
    couple,
    armature,
    inertiaScale,
  } = dynamics;
  const i = ARTICULATED_SIZE * b;
  const o = FACTOR_SIZE * b;
  const t = 3 * b;
  const s = motionSubspace(dynamics, b);
  const start = s === dynamics.ballSubspace ? 0 : 6 * first;
  for (let k = 0; k < size; k++) {
    const a = start + 6 * k;
    const c = 6 * (first + k);
    multiplyArticulated(x, i, s, a, v, c);
    y[first + k] = tau[first + k] - dot3(s, a, couple, t) - dot3(s, a + 3, force, t);
    for (let j = 0; j <= k; j++) {
      l[o + k * size + j] = dotSpatial(s, start + 6 * j, v, c);
    }
    l[o + k * (size + 1)] += armature[first + k];
  }
  if (!cholesky.factor(l, size, size, o)) throw singularJoint(dynamics.figure.bones[b].name);
  for (let k = 0; k < size; k++) {
    const a = start + 6 * k;
    const angular = s[a] * s[a] + s[a + 1] * s[a + 1] + s[a + 2] * s[a + 2];
    const linear = s[a + 3] * s[a + 3] + s[a + 4] * s[a + 4] + s[a + 5] * s[a + 5];
    const tolerance = SINGULAR_TOLERANCE * (angular * inertiaScale[2 * b + 1] + linear * inertiaScale[2 * b]);
    if (!(l[o + k * (size + 1)] ** 2 > tolerance)) throw singularJoint(dynamics.figure.bones[b].name);
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
    subtractOuterSquare(v, c, x, i);
  }
}

/** Accelerations of a joint eliminated by {@link eliminateJoint}: q'' = D^-1 (u - U^T a), a the bone's `addedAcceleration`, to which S q'' is added. */
export function recoverJointAcceleration(
  dynamics: Dynamics,
  b: number,
  first: number,
  size: number,
  out: MutableNumbers,
): void {
  const { factors: l, jointForces: y, scaledColumns: v, addedAcceleration } = dynamics;
  const a = 6 * b;
  const o = FACTOR_SIZE * b;
  for (let k = 0; k < size; k++)
    out[first + k] = y[first + k] - dotSpatial(v, 6 * (first + k), addedAcceleration, a);
  const s = motionSubspace(dynamics, b);
  const start = s === dynamics.ballSubspace ? 0 : 6 * first;
  for (let k = size - 1; k >= 0; k--) {
    let sum = out[first + k];
    for (let j = k + 1; j < size; j++) sum -= l[o + j * size + k] * out[first + j];
    const rate = sum / l[o + k * (size + 1)];
    out[first + k] = rate;
    addScaled(s, start + 6 * k, rate, addedAcceleration, a);
    addScaled(s, start + 6 * k + 3, rate, addedAcceleration, a + 3);
  }
}

/** The array with S of a joint, 6 numbers a coordinate: that of all coordinates, or scratch for a ball, whose S is its bone's axes. */
function motionSubspace({ state, ballSubspace }: Dynamics, b: number): Float64Array {
  if (state.bodyAngularVelocity[b] === 0) return state.columnsV;
  for (let k = 0; k < 3; k++) {
    for (let n = 0; n < 3; n++) ballSubspace[6 * k + n] = state.worldFromBone[12 * b + 3 * n + k];
  }
  return ballSubspace;
}

/** IA S for one column S = (a, l): (A a + B l; B^T a + C l). */
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
  const g = i + BLOCK_B;
  const h = i + BLOCK_C;
  out[o] = x[i] * ax + x[i + 3] * ay + x[i + 4] * az + x[g] * lx + x[g + 1] * ly + x[g + 2] * lz;
  out[o + 1] = x[i + 3] * ax + x[i + 1] * ay + x[i + 5] * az + x[g + 3] * lx + x[g + 4] * ly + x[g + 5] * lz;
  out[o + 2] = x[i + 4] * ax + x[i + 5] * ay + x[i + 2] * az + x[g + 6] * lx + x[g + 7] * ly + x[g + 8] * lz;
  out[o + 3] = x[g] * ax + x[g + 3] * ay + x[g + 6] * az + x[h] * lx + x[h + 3] * ly + x[h + 4] * lz;
  out[o + 4] = x[g + 1] * ax + x[g + 4] * ay + x[g + 7] * az + x[h + 3] * lx + x[h + 1] * ly + x[h + 5] * lz;
  out[o + 5] = x[g + 2] * ax + x[g + 5] * ay + x[g + 8] * az + x[h + 4] * lx + x[h + 5] * ly + x[h + 2] * lz;
}

/** The error for a joint with singular D. */
export function singularJoint(name: string): DomainError {
  return new DomainError(
    'singular',
    'has no inertia to move, or its coordinates are singular at this pose.',
    {
      path: `bone ${name}`,
      remedy:
        'Give mass and inertia to it or to its descendants, or keep Euler angles and swings away from their poles.',
    },
  );
}
