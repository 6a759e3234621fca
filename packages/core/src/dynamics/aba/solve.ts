import type { Dynamics } from '../model/dynamics.js';
import { transportVelocity } from '../model/spatial-vectors.js';
import { BALL, GENERAL } from '../model/tree-system.js';

const jointSolution = /* @__PURE__ */ new Float64Array(6);

/**
 * Solves H x = b with the factors of `factorTreeSystem`. Leaves the bone velocities J x in `motions`.
 *
 * @param out - x, dof numbers; may be `b`.
 */
export function solveTreeSystem(dynamics: Dynamics, b: Float64Array, out: Float64Array): void {
  const { allBones, biasWrenches } = dynamics.tree;
  biasWrenches.fill(0);
  backwardPass(dynamics, allBones, allBones.length, b, out);
  forwardPass(dynamics, allBones, allBones.length, out);
}

/**
 * Backward pass of the articulated-body solve, from the tips to the root: y = L^-1 (b - S^T p) of each joint, to `out`, with p the bias
 * wrench that each bone passes to its parent. Minus external wrenches may be given in `biasWrenches`, which is overwritten.
 *
 * @param bones - The first `count` take part, parents first: all with nonzero b or bias wrench, and their ancestors.
 * @param out - May be `b`.
 */
export function backwardPass(
  { figure, state, offsets, tree }: Dynamics,
  bones: Int32Array,
  count: number,
  b: Float64Array,
  out: Float64Array,
): void {
  const { jointKind, factorStart, factors: f, biasWrenches } = tree;
  const { worldFromBone: m } = state;
  const { parents, coordinateStart } = figure;
  for (let n = count - 1; n >= 0; n--) {
    const bone = bones[n];
    const o = 6 * bone;
    const c = coordinateStart[bone];
    const i = factorStart[bone];
    let nx = biasWrenches[o];
    let ny = biasWrenches[o + 1];
    let nz = biasWrenches[o + 2];
    let fx = biasWrenches[o + 3];
    let fy = biasWrenches[o + 4];
    let fz = biasWrenches[o + 5];
    const kind = jointKind[bone];
    if (kind === 3) {
      const y0 = b[c] - f[i + 18] * nx - f[i + 19] * ny - f[i + 20] * nz;
      const y1 = b[c + 1] - f[i + 21] * nx - f[i + 22] * ny - f[i + 23] * nz - f[i + 27] * y0;
      const y2 =
        b[c + 2] - f[i + 24] * nx - f[i + 25] * ny - f[i + 26] * nz - f[i + 28] * y0 - f[i + 29] * y1;
      out[c] = y0;
      out[c + 1] = y1;
      out[c + 2] = y2;
      nx += f[i] * y0 + f[i + 6] * y1 + f[i + 12] * y2;
      ny += f[i + 1] * y0 + f[i + 7] * y1 + f[i + 13] * y2;
      nz += f[i + 2] * y0 + f[i + 8] * y1 + f[i + 14] * y2;
      fx += f[i + 3] * y0 + f[i + 9] * y1 + f[i + 15] * y2;
      fy += f[i + 4] * y0 + f[i + 10] * y1 + f[i + 16] * y2;
      fz += f[i + 5] * y0 + f[i + 11] * y1 + f[i + 17] * y2;
    } else if (kind === 2) {
      const y0 = b[c] - f[i + 12] * nx - f[i + 13] * ny - f[i + 14] * nz;
      const y1 = b[c + 1] - f[i + 15] * nx - f[i + 16] * ny - f[i + 17] * nz - f[i + 18] * y0;
      out[c] = y0;
      out[c + 1] = y1;
      nx += f[i] * y0 + f[i + 6] * y1;
      ny += f[i + 1] * y0 + f[i + 7] * y1;
      nz += f[i + 2] * y0 + f[i + 8] * y1;
      fx += f[i + 3] * y0 + f[i + 9] * y1;
      fy += f[i + 4] * y0 + f[i + 10] * y1;
      fz += f[i + 5] * y0 + f[i + 11] * y1;
    } else if (kind === 1) {
      const y0 = b[c] - f[i + 6] * nx - f[i + 7] * ny - f[i + 8] * nz;
      out[c] = y0;
      nx += f[i] * y0;
      ny += f[i + 1] * y0;
      nz += f[i + 2] * y0;
      fx += f[i + 3] * y0;
      fy += f[i + 4] * y0;
      fz += f[i + 5] * y0;
    } else if (kind === BALL) {
      // In world axes: A^-1 (S b - n) to `out`, and S b to the parent.
      const e = 12 * bone;
      const tx = m[e] * b[c] + m[e + 1] * b[c + 1] + m[e + 2] * b[c + 2];
      const ty = m[e + 3] * b[c] + m[e + 4] * b[c + 1] + m[e + 5] * b[c + 2];
      const tz = m[e + 6] * b[c] + m[e + 7] * b[c + 1] + m[e + 8] * b[c + 2];
      const ux = tx - nx;
      const uy = ty - ny;
      const uz = tz - nz;
      out[c] = f[i] * ux + f[i + 3] * uy + f[i + 4] * uz;
      out[c + 1] = f[i + 3] * ux + f[i + 1] * uy + f[i + 5] * uz;
      out[c + 2] = f[i + 4] * ux + f[i + 5] * uy + f[i + 2] * uz;
      nx = tx;
      ny = ty;
      nz = tz;
      fx += f[i + 6] * ux + f[i + 9] * uy + f[i + 12] * uz;
      fy += f[i + 7] * ux + f[i + 10] * uy + f[i + 13] * uz;
      fz += f[i + 8] * ux + f[i + 11] * uy + f[i + 14] * uz;
    } else if (kind === GENERAL) {
      const dof = coordinateStart[bone + 1] - c;
      const columns = i + 6 * dof;
      const d = columns + 6 * dof;
      for (let k = 0; k < dof; k++) {
        const s = columns + 6 * k;
        let y =
          b[c + k] -
          (f[s] * nx + f[s + 1] * ny + f[s + 2] * nz + f[s + 3] * fx + f[s + 4] * fy + f[s + 5] * fz);
        for (let j = 0; j < k; j++) y -= f[d + k * dof + j] * jointSolution[j];
        jointSolution[k] = y / f[d + k * (dof + 1)];
      }
      for (let k = 0; k < dof; k++) out[c + k] = jointSolution[k];
      if (parents[bone] < 0) continue;
      for (let k = 0; k < dof; k++) {
        const z = i + 6 * k;
        const y = jointSolution[k];
        nx += f[z] * y;
        ny += f[z + 1] * y;
        nz += f[z + 2] * y;
        fx += f[z + 3] * y;
        fy += f[z + 4] * y;
        fz += f[z + 5] * y;
      }
    }
    if (parents[bone] < 0) continue;
    const p = 6 * parents[bone];
    const x = offsets[3 * bone];
    const y = offsets[3 * bone + 1];
    const z = offsets[3 * bone + 2];
    biasWrenches[p] += nx + y * fz - z * fy;
    biasWrenches[p + 1] += ny + z * fx - x * fz;
    biasWrenches[p + 2] += nz + x * fy - y * fx;
    biasWrenches[p + 3] += fx;
    biasWrenches[p + 4] += fy;
    biasWrenches[p + 5] += fz;
  }
}

/**
 * Forward pass, from the root to the tips: x = L^-T (E^-1 y - Z^T a), in place of y, with a the velocity of the bone with its parent; and
 * the bone velocities, to `motions`.
 *
 * @param bones - The first `count` take part, parents first, with their ancestors.
 */
export function forwardPass(
  { figure, state, offsets, tree }: Dynamics,
  bones: Int32Array,
  count: number,
  out: Float64Array,
): void {
  const { jointKind, factorStart, factors: f, motions } = tree;
  const { worldFromBone: m } = state;
  const { parents, coordinateStart } = figure;
  for (let n = 0; n < count; n++) {
    const bone = bones[n];
    const c = coordinateStart[bone];
    const i = factorStart[bone];
    const o = 6 * bone;
    let wx = 0;
    let wy = 0;
    let wz = 0;
    let vx = 0;
    let vy = 0;
    let vz = 0;
    if (parents[bone] >= 0) {
      transportVelocity(motions, 6 * parents[bone], offsets, 3 * bone, o);
      wx = motions[o];
      wy = motions[o + 1];
      wz = motions[o + 2];
      vx = motions[o + 3];
      vy = motions[o + 4];
      vz = motions[o + 5];
    }
    const kind = jointKind[bone];
    if (kind === 3) {
      let x0 =
        f[i + 30] * out[c] -
        (f[i] * wx + f[i + 1] * wy + f[i + 2] * wz + f[i + 3] * vx + f[i + 4] * vy + f[i + 5] * vz);
      let x1 =
        f[i + 31] * out[c + 1] -
        (f[i + 6] * wx + f[i + 7] * wy + f[i + 8] * wz + f[i + 9] * vx + f[i + 10] * vy + f[i + 11] * vz);
      const x2 =
        f[i + 32] * out[c + 2] -
        (f[i + 12] * wx + f[i + 13] * wy + f[i + 14] * wz + f[i + 15] * vx + f[i + 16] * vy + f[i + 17] * vz);
      x1 -= f[i + 29] * x2;
      x0 -= f[i + 27] * x1 + f[i + 28] * x2;
      out[c] = x0;
      out[c + 1] = x1;
      out[c + 2] = x2;
      wx += f[i + 18] * x0 + f[i + 21] * x1 + f[i + 24] * x2;
      wy += f[i + 19] * x0 + f[i + 22] * x1 + f[i + 25] * x2;
      wz += f[i + 20] * x0 + f[i + 23] * x1 + f[i + 26] * x2;
    } else if (kind === 2) {
      let x0 =
        f[i + 19] * out[c] -
        (f[i] * wx + f[i + 1] * wy + f[i + 2] * wz + f[i + 3] * vx + f[i + 4] * vy + f[i + 5] * vz);
      const x1 =
        f[i + 20] * out[c + 1] -
        (f[i + 6] * wx + f[i + 7] * wy + f[i + 8] * wz + f[i + 9] * vx + f[i + 10] * vy + f[i + 11] * vz);
      x0 -= f[i + 18] * x1;
      out[c] = x0;
      out[c + 1] = x1;
      wx += f[i + 12] * x0 + f[i + 15] * x1;
      wy += f[i + 13] * x0 + f[i + 16] * x1;
      wz += f[i + 14] * x0 + f[i + 17] * x1;
    } else if (kind === 1) {
      const x0 =
        f[i + 9] * out[c] -
        (f[i] * wx + f[i + 1] * wy + f[i + 2] * wz + f[i + 3] * vx + f[i + 4] * vy + f[i + 5] * vz);
      out[c] = x0;
      wx += f[i + 6] * x0;
      wy += f[i + 7] * x0;
      wz += f[i + 8] * x0;
    } else if (kind === BALL) {
      // Its angular velocity does not depend on the parent's: w = A^-1 u - Y v.
      const tx = out[c] - f[i + 6] * vx - f[i + 7] * vy - f[i + 8] * vz;
      const ty = out[c + 1] - f[i + 9] * vx - f[i + 10] * vy - f[i + 11] * vz;
      const tz = out[c + 2] - f[i + 12] * vx - f[i + 13] * vy - f[i + 14] * vz;
      const dx = tx - wx;
      const dy = ty - wy;
      const dz = tz - wz;
      const e = 12 * bone;
      out[c] = m[e] * dx + m[e + 3] * dy + m[e + 6] * dz;
      out[c + 1] = m[e + 1] * dx + m[e + 4] * dy + m[e + 7] * dz;
      out[c + 2] = m[e + 2] * dx + m[e + 5] * dy + m[e + 8] * dz;
      wx = tx;
      wy = ty;
      wz = tz;
    } else if (kind === GENERAL) {
      const dof = coordinateStart[bone + 1] - c;
      const columns = i + 6 * dof;
      const d = columns + 6 * dof;
      const carried = parents[bone] >= 0;
      for (let k = dof - 1; k >= 0; k--) {
        let x = out[c + k];
        if (carried) {
          const z = i + 6 * k;
          x -= f[z] * wx + f[z + 1] * wy + f[z + 2] * wz + f[z + 3] * vx + f[z + 4] * vy + f[z + 5] * vz;
        }
        for (let j = k + 1; j < dof; j++) x -= f[d + j * dof + k] * jointSolution[j];
        jointSolution[k] = x / f[d + k * (dof + 1)];
      }
      for (let k = 0; k < dof; k++) {
        const s = columns + 6 * k;
        const x = jointSolution[k];
        out[c + k] = x;
        wx += f[s] * x;
        wy += f[s + 1] * x;
        wz += f[s + 2] * x;
        vx += f[s + 3] * x;
        vy += f[s + 4] * x;
        vz += f[s + 5] * x;
      }
    }
    motions[o] = wx;
    motions[o + 1] = wy;
    motions[o + 2] = wz;
    motions[o + 3] = vx;
    motions[o + 4] = vy;
    motions[o + 5] = vz;
  }
}
