/**
 * Gradient and Hessian of f = 1/2 sum w_p^2 |e|^2 + w_r^2 |r|^2,  e = x* - x,  r = log(R* R^-1), by sums over subtrees.
 *
 * Coordinate i moves a point x of its subtree by v_i = l_i + w_i x x (x from the origin). For i an ancestor of j, or j:
 *
 *   g_j  = -sum w_p^2 v_j.e + w_r^2 w_j.r
 *   H_ij =  sum w_p^2 (v_i.v_j - w_i.(v_j x e)) + w_r^2 (w_i.M w_j - 1/2 w_i.(w_j x r)),
 *   M    =  n n^T + (t/2) cot(t/2) (1 - n n^T),  r = t n,
 *
 * M the symmetric part of the inverse right Jacobian of the rotation. So H_ij = w_i.n_j + l_i.t_j with a moment n_j and a force t_j that depend on
 * j and on sums over its subtree only: n^2 products of 6 numbers at most, as in the composite rigid-body algorithm.
 * The Gauss-Newton matrix is H without the terms in e and r.
 */
import { FREE, SLIDER } from '../tree/tree.js';
import { SUMS, type Table, type Workspace } from './problem.js';
import type { TreePattern } from './tree-matrix.js';

/** Offsets in the sums: w_p^2, w_p^2 x, force w_p^2 e, torque w_r^2 r, moment x x force + torque. */
const W = 0;
const C = 1;
const E = 4;
const R = 7;
const G = 10;
/** w_p^2 (|x|^2 1 - x x^T) + w_r^2 M, and tr(X) 1 - X with X = w_p^2 x e^T, by rows. */
const K = 13;
const X = 22;
/** Of the masses over the total: m, m x. */
export const M = 31;
const END = 35;

/** Sums over the matches of each joint alone. */
export function updateSums({ errors, sums }: Workspace, table: Table): void {
  const { joint, positionWeight, rotationWeight } = table;
  sums.fill(0);
  for (let m = 0; m < table.size; m++) {
    const s = SUMS * joint[m];
    const o = 9 * m;
    const p = positionWeight[m];
    if (p > 0) {
      const x = errors[o];
      const y = errors[o + 1];
      const z = errors[o + 2];
      addForce(sums, s, x, y, z, p * errors[o + 3], p * errors[o + 4], p * errors[o + 5]);
      const px = p * x;
      const py = p * y;
      const pz = p * z;
      sums[s + W] += p;
      sums[s + C] += px;
      sums[s + C + 1] += py;
      sums[s + C + 2] += pz;
      sums[s + K] += py * y + pz * z;
      sums[s + K + 1] -= px * y;
      sums[s + K + 2] -= px * z;
      sums[s + K + 3] -= px * y;
      sums[s + K + 4] += px * x + pz * z;
      sums[s + K + 5] -= py * z;
      sums[s + K + 6] -= px * z;
      sums[s + K + 7] -= py * z;
      sums[s + K + 8] += px * x + py * y;
    }
    const w = rotationWeight[m];
    if (w > 0) addRotation(sums, s, w, errors[o + 6], errors[o + 7], errors[o + 8]);
  }
}

/** Sums over the subtree of each joint. */
export function sumSubtrees({ tree: { joints, parent }, sums }: Workspace): void {
  for (let j = joints - 1; j >= 0; j--) {
    if (parent[j] < 0) continue;
    const from = SUMS * j;
    const to = SUMS * parent[j];
    for (let k = 0; k < END; k++) sums[to + k] += sums[from + k];
  }
}

/** Adds a force at a point. */
export function addForce(
  sums: Float64Array,
  s: number,
  x: number,
  y: number,
  z: number,
  ex: number,
  ey: number,
  ez: number,
): void {
  sums[s + E] += ex;
  sums[s + E + 1] += ey;
  sums[s + E + 2] += ez;
  sums[s + G] += y * ez - z * ey;
  sums[s + G + 1] += z * ex - x * ez;
  sums[s + G + 2] += x * ey - y * ex;
  sums[s + X] += y * ey + z * ez;
  sums[s + X + 1] -= x * ey;
  sums[s + X + 2] -= x * ez;
  sums[s + X + 3] -= y * ex;
  sums[s + X + 4] += x * ex + z * ez;
  sums[s + X + 5] -= y * ez;
  sums[s + X + 6] -= z * ex;
  sums[s + X + 7] -= z * ey;
  sums[s + X + 8] += x * ex + y * ey;
}

/** Adds a rotation error: torque and M = c 1 + d r r^T, c = (t/2) cot(t/2), d = (1 - c)/t^2. */
function addRotation(sums: Float64Array, s: number, w: number, x: number, y: number, z: number): void {
  const tx = w * x;
  const ty = w * y;
  const tz = w * z;
  sums[s + R] += tx;
  sums[s + R + 1] += ty;
  sums[s + R + 2] += tz;
  sums[s + G] += tx;
  sums[s + G + 1] += ty;
  sums[s + G + 2] += tz;
  const t2 = x * x + y * y + z * z;
  let d = 1 / 12 + t2 / 720;
  let c = 1 - d * t2;
  if (t2 > 1e-4) {
    const half = 0.5 * Math.sqrt(t2);
    c = half / Math.tan(half);
    d = (1 - c) / t2;
  }
  const wc = w * c;
  const dx = d * tx;
  const dy = d * ty;
  const dz = d * tz;
  sums[s + K] += wc + dx * x;
  sums[s + K + 1] += dx * y;
  sums[s + K + 2] += dx * z;
  sums[s + K + 3] += dx * y;
  sums[s + K + 4] += wc + dy * y;
  sums[s + K + 5] += dy * z;
  sums[s + K + 6] += dx * z;
  sums[s + K + 7] += dy * z;
  sums[s + K + 8] += wc + dz * z;
}

/** Motions of all coordinates at the frames last updated. */
export function updateMotions({ tree, axes, positions, origin, motions }: Workspace): void {
  const { size, jointOf, kind, first } = tree;
  for (let i = 0; i < size; i++) {
    const j = jointOf[i];
    const o = 6 * i;
    let wx = axes[3 * j];
    let wy = axes[3 * j + 1];
    let wz = axes[3 * j + 2];
    if (kind[j] === FREE) {
      const k = i - first[j];
      wx = k % 3 === 0 ? 1 : 0;
      wy = k % 3 === 1 ? 1 : 0;
      wz = k % 3 === 2 ? 1 : 0;
    }
    if (kind[j] === SLIDER || (kind[j] === FREE && i - first[j] < 3)) {
      motions[o] = motions[o + 1] = motions[o + 2] = 0;
      motions[o + 3] = wx;
      motions[o + 4] = wy;
      motions[o + 5] = wz;
      continue;
    }
    const px = positions[3 * j] - origin[0];
    const py = positions[3 * j + 1] - origin[1];
    const pz = positions[3 * j + 2] - origin[2];
    motions[o] = wx;
    motions[o + 1] = wy;
    motions[o + 2] = wz;
    // l = p x w
    motions[o + 3] = py * wz - pz * wy;
    motions[o + 4] = pz * wx - px * wz;
    motions[o + 5] = px * wy - py * wx;
  }
}

/** g_j = -(w_j.G + l_j.E), and the diagonal of the Gauss-Newton matrix. Requires `sumSubtrees` and `updateMotions`. */
export function updateGradient({ tree, sums, motions, gradient, scale }: Workspace): void {
  let largest = 0;
  for (let i = 0; i < tree.size; i++) {
    const s = SUMS * tree.jointOf[i];
    const o = 6 * i;
    const wx = motions[o];
    const wy = motions[o + 1];
    const wz = motions[o + 2];
    const lx = motions[o + 3];
    const ly = motions[o + 4];
    const lz = motions[o + 5];
    gradient[i] = -(
      wx * sums[s + G] +
      wy * sums[s + G + 1] +
      wz * sums[s + G + 2] +
      lx * sums[s + E] +
      ly * sums[s + E + 1] +
      lz * sums[s + E + 2]
    );
    // W |l|^2 + 2 w.(c x l) + w.K w
    const cx = sums[s + C];
    const cy = sums[s + C + 1];
    const cz = sums[s + C + 2];
    const d =
      sums[s + W] * (lx * lx + ly * ly + lz * lz) +
      2 * (wx * (cy * lz - cz * ly) + wy * (cz * lx - cx * lz) + wz * (cx * ly - cy * lx)) +
      sums[s + K] * wx * wx +
      sums[s + K + 4] * wy * wy +
      sums[s + K + 8] * wz * wz +
      2 * (sums[s + K + 1] * wx * wy + sums[s + K + 2] * wx * wz + sums[s + K + 5] * wy * wz);
    scale[i] = d;
    if (d > largest) largest = d;
  }
  // A coordinate that moves nothing stays where it is.
  for (let i = 0; i < tree.size; i++) if (scale[i] < 1e-12 * largest) scale[i] = 1e-12 * largest;
}

/** H; `exact` false: the Gauss-Newton matrix. Requires `sumSubtrees` and `updateMotions`. */
export function updateHessian(
  { tree, sums, motions, hessian }: Workspace,
  pattern: TreePattern,
  exact: boolean,
): void {
  const { size: n, parents, jointOf } = tree;
  const { starts, depths } = pattern;
  for (let j = 0; j < n; j++) {
    const s = SUMS * jointOf[j];
    const o = 6 * j;
    const wx = motions[o];
    const wy = motions[o + 1];
    const wz = motions[o + 2];
    const lx = motions[o + 3];
    const ly = motions[o + 4];
    const lz = motions[o + 5];
    const cx = sums[s + C];
    const cy = sums[s + C + 1];
    const cz = sums[s + C + 2];
    const weight = sums[s + W];
    // t = W l + w x c,  n = c x l + K w
    const tx = weight * lx + wy * cz - wz * cy;
    const ty = weight * ly + wz * cx - wx * cz;
    const tz = weight * lz + wx * cy - wy * cx;
    let nx = cy * lz - cz * ly + sums[s + K] * wx + sums[s + K + 1] * wy + sums[s + K + 2] * wz;
    let ny = cz * lx - cx * lz + sums[s + K + 3] * wx + sums[s + K + 4] * wy + sums[s + K + 5] * wz;
    let nz = cx * ly - cy * lx + sums[s + K + 6] * wx + sums[s + K + 7] * wy + sums[s + K + 8] * wz;
    if (exact) {
      // (tr(X) 1 - X) w - l x e - 1/2 w x r
      const ex = sums[s + E];
      const ey = sums[s + E + 1];
      const ez = sums[s + E + 2];
      const rx = 0.5 * sums[s + R];
      const ry = 0.5 * sums[s + R + 1];
      const rz = 0.5 * sums[s + R + 2];
      nx += sums[s + X] * wx + sums[s + X + 1] * wy + sums[s + X + 2] * wz;
      ny += sums[s + X + 3] * wx + sums[s + X + 4] * wy + sums[s + X + 5] * wz;
      nz += sums[s + X + 6] * wx + sums[s + X + 7] * wy + sums[s + X + 8] * wz;
      nx -= ly * ez - lz * ey + wy * rz - wz * ry;
      ny -= lz * ex - lx * ez + wz * rx - wx * rz;
      nz -= lx * ey - ly * ex + wx * ry - wy * rx;
    }
    const row = starts[j];
    for (let i = j; i >= 0; i = parents[i]) {
      const k = 6 * i;
      hessian[row + depths[i]] =
        motions[k] * nx +
        motions[k + 1] * ny +
        motions[k + 2] * nz +
        motions[k + 3] * tx +
        motions[k + 4] * ty +
        motions[k + 5] * tz;
    }
  }
}

/**
 * The three rotations of a free joint are one exponential, not three rotations in series: h_ij for i before j becomes 1/2 (h_ij + h_ji)
 * = h_ij + 1/2 (w_i x w_j).(moment about the joint).
 */
export function symmetrizeFree(
  { tree, sums, positions, origin, hessian }: Workspace,
  pattern: TreePattern,
): void {
  const { kind, first } = tree;
  const { starts, depths } = pattern;
  for (let j = 0; j < tree.joints; j++) {
    if (kind[j] !== FREE) continue;
    const s = SUMS * j;
    const a = first[j] + 3;
    const px = positions[3 * j] - origin[0];
    const py = positions[3 * j + 1] - origin[1];
    const pz = positions[3 * j + 2] - origin[2];
    const mx = sums[s + G] - (py * sums[s + E + 2] - pz * sums[s + E + 1]);
    const my = sums[s + G + 1] - (pz * sums[s + E] - px * sums[s + E + 2]);
    const mz = sums[s + G + 2] - (px * sums[s + E + 1] - py * sums[s + E]);
    hessian[starts[a + 1] + depths[a]] += 0.5 * mz;
    hessian[starts[a + 2] + depths[a]] -= 0.5 * my;
    hessian[starts[a + 2] + depths[a + 1]] += 0.5 * mx;
  }
}
