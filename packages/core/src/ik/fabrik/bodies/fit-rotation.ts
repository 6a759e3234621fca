/**
 * Fits a rotation to weighted pairs of vectors, B = sum w y x^T (Wahba's problem). Rank 1, one direction: the smallest rotation; rank 2:
 * a unique rotation. Allocates nothing.
 */

import { wahbaRotation } from '../../../math/geometry/wahba.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';

/** Ratio of the second to the first singular value of B below which only one direction is determined. */
const RANK_TOLERANCE = 1e-10;

/** |u + v| of unit vectors below which they are antiparallel within rounding. */
const ANTIPARALLEL = 1e-15;

/** Rank of a set of vectors: 0 no rotation, 1 one direction, 2 a unique rotation. */
export type FitRank = 0 | 1 | 2;

const unit = /* @__PURE__ */ new Float64Array(9);

/** Rotation of one body at a time, by the passes and by coordinate descent: what is fitted, and the frame that results. */
export interface BodyFit {
  /** Frame of the body at q = 0. */
  readonly rest: Float64Array;
  /** Desired frame of the body. */
  readonly target: Float64Array;
  /** B = sum w y x^T: x in body axes, y in the basis. */
  readonly pairs: Float64Array;
  /** A direction normal to the first x, in body axes. */
  readonly normal: Float64Array;
  /** Weighted means: of the desired positions of the body's points, and of their positions in the body. */
  readonly mean: Float64Array;
  readonly center: Float64Array;
}

export function createBodyFit(): BodyFit {
  return {
    rest: new Float64Array(12),
    target: new Float64Array(12),
    pairs: new Float64Array(9),
    normal: new Float64Array(3),
    mean: new Float64Array(3),
    center: new Float64Array(3),
  };
}

/** b = 0. */
export function clearPairs(b: Float64Array): void {
  for (let n = 0; n < 9; n++) b[n] = 0;
}

/** b += w y x^T: x is to be rotated to y. */
export function addPair(
  b: Float64Array,
  w: number,
  x0: number,
  x1: number,
  x2: number,
  y0: number,
  y1: number,
  y2: number,
): void {
  b[0] += w * y0 * x0;
  b[1] += w * y0 * x1;
  b[2] += w * y0 * x2;
  b[3] += w * y1 * x0;
  b[4] += w * y1 * x1;
  b[5] += w * y1 * x2;
  b[6] += w * y2 * x0;
  b[7] += w * y2 * x1;
  b[8] += w * y2 * x2;
}

/**
 * Unit quaternion [x, y, z, w] of the R that maximizes tr(R^T B), to out[0..3]: at rank 1 the smallest rotation of that direction, at
 * rank 0 the identity.
 *
 * @param reference - For antiparallel directions: the rotation axis is the component of `reference` normal to x. In the axes of x; given
 * by the bone, so that the result is independent of the basis.
 */
export function fitRotation(b: Float64Array, reference: Numbers, out: MutableNumbers): FitRank {
  let size = 0;
  for (let n = 0; n < 9; n++) size += b[n] * b[n];
  size = Math.sqrt(size);
  if (!(size > 0 && size < Number.POSITIVE_INFINITY)) {
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
    return 0;
  }
  for (let n = 0; n < 9; n++) unit[n] = b[n] / size;
  // |cofactors of B| = sqrt((s1 s2)^2 + (s1 s3)^2 + (s2 s3)^2), at least s1 s2.
  const minors = crossSquare(unit, 0, 3) + crossSquare(unit, 3, 6) + crossSquare(unit, 6, 0);
  if (Math.sqrt(minors) <= RANK_TOLERANCE) {
    fitDirection(unit, reference, out);
    return 1;
  }
  wahbaRotation(unit, out);
  return 2;
}

/** |a x b|^2 of two rows of a matrix. */
function crossSquare(m: Float64Array, a: number, b: number): number {
  const x = m[a + 1] * m[b + 2] - m[a + 2] * m[b + 1];
  const y = m[a + 2] * m[b] - m[a] * m[b + 2];
  const z = m[a] * m[b + 1] - m[a + 1] * m[b];
  return x * x + y * y + z * z;
}

/** B = s u v^T to rounding: the smallest rotation that takes v to u. */
function fitDirection(b: Float64Array, reference: Numbers, out: MutableNumbers): void {
  // The row of B of largest norm gives v up to sign, and B v gives u with the same sign.
  let row = 0;
  let largest = -1;
  for (let r = 0; r < 9; r += 3) {
    const square = b[r] * b[r] + b[r + 1] * b[r + 1] + b[r + 2] * b[r + 2];
    if (square > largest) {
      largest = square;
      row = r;
    }
  }
  const length = Math.sqrt(largest);
  const x = b[row] / length;
  const y = b[row + 1] / length;
  const z = b[row + 2] / length;
  const ux = b[0] * x + b[1] * y + b[2] * z;
  const uy = b[3] * x + b[4] * y + b[5] * z;
  const uz = b[6] * x + b[7] * y + b[8] * z;
  const size = Math.sqrt(ux * ux + uy * uy + uz * uz);
  writeSmallestRotation(x, y, z, ux / size, uy / size, uz / size, reference, out);
}

/**
 * The smallest rotation from the unit vector v to the unit vector u, as `pointsAtRotation`:
 * q = [v x u, |v + u|^2 / 2] / |v + u|, the cross product computed from v and the shorter of u - v and u + v.
 */
export function writeSmallestRotation(
  vx: number,
  vy: number,
  vz: number,
  ux: number,
  uy: number,
  uz: number,
  reference: Numbers,
  out: MutableNumbers,
): void {
  const sx = vx + ux;
  const sy = vy + uy;
  const sz = vz + uz;
  const length = Math.sqrt(sx * sx + sy * sy + sz * sz);
  if (length < ANTIPARALLEL) {
    // Rotation by pi about the component of `reference` normal to v; about any normal where that vanishes.
    const tangential = reference[0] * vx + reference[1] * vy + reference[2] * vz;
    let ax = reference[0] - tangential * vx;
    let ay = reference[1] - tangential * vy;
    let az = reference[2] - tangential * vz;
    let size = Math.sqrt(ax * ax + ay * ay + az * az);
    if (!(size > 1e-8)) {
      const useX = Math.abs(vx) < 0.8;
      ax = useX ? 0 : -vz;
      ay = useX ? -vz : 0;
      az = useX ? vy : vx;
      size = Math.sqrt(ax * ax + ay * ay + az * az);
    }
    out[0] = ax / size;
    out[1] = ay / size;
    out[2] = az / size;
    out[3] = 0;
    return;
  }
  const near = vx * ux + vy * uy + vz * uz >= 0;
  const dx = near ? ux - vx : sx;
  const dy = near ? uy - vy : sy;
  const dz = near ? uz - vz : sz;
  let qx = (vy * dz - vz * dy) / length;
  let qy = (vz * dx - vx * dz) / length;
  let qz = (vx * dy - vy * dx) / length;
  let qw = length / 2;
  const norm = Math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw);
  qx /= norm;
  qy /= norm;
  qz /= norm;
  qw /= norm;
  out[0] = qx;
  out[1] = qy;
  out[2] = qz;
  out[3] = qw;
}
