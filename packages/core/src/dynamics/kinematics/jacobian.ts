/** J and J^T of all bones at the current kinematics (`updateKinematics`), for figures without mimic joints. */

import type { Dynamics } from '../model/dynamics.js';
import { transportVelocity } from '../model/spatial-vectors.js';

/**
 * Writes the bone velocities J v.
 *
 * @param out - Angular velocity (rad/s), then velocity of the origin (m/s), world axes, 6 numbers a bone.
 */
export function writeBoneVelocities(dynamics: Dynamics, velocity: Float64Array, out: Float64Array): void {
  const { figure, state, offsets } = dynamics;
  const { parents, coordinateStart } = figure;
  const { worldFromBone: m, columnsV: columns, bodyAngularVelocity, hasTranslation } = state;
  for (let b = 0; b < parents.length; b++) {
    const o = 6 * b;
    let wx = 0;
    let wy = 0;
    let wz = 0;
    let vx = 0;
    let vy = 0;
    let vz = 0;
    if (parents[b] >= 0) {
      transportVelocity(out, 6 * parents[b], offsets, 3 * b, o);
      wx = out[o];
      wy = out[o + 1];
      wz = out[o + 2];
      vx = out[o + 3];
      vy = out[o + 4];
      vz = out[o + 5];
    }
    const first = coordinateStart[b];
    const end = coordinateStart[b + 1];
    if (bodyAngularVelocity[b] === 1) {
      const e = 12 * b;
      const x = velocity[first];
      const y = velocity[first + 1];
      const z = velocity[first + 2];
      wx += m[e] * x + m[e + 1] * y + m[e + 2] * z;
      wy += m[e + 3] * x + m[e + 4] * y + m[e + 5] * z;
      wz += m[e + 6] * x + m[e + 7] * y + m[e + 8] * z;
    } else {
      const sliding = hasTranslation[b] === 1;
      for (let i = first; i < end; i++) {
        const c = 6 * i;
        const rate = velocity[i];
        wx += columns[c] * rate;
        wy += columns[c + 1] * rate;
        wz += columns[c + 2] * rate;
        if (!sliding) continue;
        vx += columns[c + 3] * rate;
        vy += columns[c + 4] * rate;
        vz += columns[c + 5] * rate;
      }
    }
    out[o] = wx;
    out[o + 1] = wy;
    out[o + 2] = wz;
    out[o + 3] = vx;
    out[o + 4] = vy;
    out[o + 5] = vz;
  }
}

/**
 * Upper bound of the speed of the points of a bone's shapes, m/s.
 *
 * @param extent - Largest distance of the shapes from its origin, m.
 * @param reference - Bone relative to whose origin the speed is taken; -1 for the world.
 */
export function maxPointSpeed(motion: Float64Array, b: number, extent: number, reference: number): number {
  const o = 6 * b;
  const x = motion[o];
  const y = motion[o + 1];
  const z = motion[o + 2];
  let u = motion[o + 3];
  let v = motion[o + 4];
  let w = motion[o + 5];
  if (reference >= 0) {
    u -= motion[6 * reference + 3];
    v -= motion[6 * reference + 4];
    w -= motion[6 * reference + 5];
  }
  return Math.sqrt(u * u + v * v + w * w) + extent * Math.sqrt(x * x + y * y + z * z);
}

/**
 * Writes the joint forces of wrenches on the bones, sum over bones of J_b^T (couple, force).
 *
 * @param wrenches - Couple about the bone's origin (N m), then force (N), world axes, 6 numbers a bone. Overwritten by the sum over each bone's subtree.
 * @param out - dof numbers.
 */
export function applyJacobianTranspose(dynamics: Dynamics, wrenches: Float64Array, out: Float64Array): void {
  const { figure, state, offsets } = dynamics;
  const { parents, coordinateStart } = figure;
  const { worldFromBone: m, columnsV: columns, bodyAngularVelocity, hasTranslation } = state;
  for (let b = parents.length - 1; b >= 0; b--) {
    const o = 6 * b;
    const nx = wrenches[o];
    const ny = wrenches[o + 1];
    const nz = wrenches[o + 2];
    const fx = wrenches[o + 3];
    const fy = wrenches[o + 4];
    const fz = wrenches[o + 5];
    const first = coordinateStart[b];
    const end = coordinateStart[b + 1];
    if (bodyAngularVelocity[b] === 1) {
      const e = 12 * b;
      out[first] = m[e] * nx + m[e + 3] * ny + m[e + 6] * nz;
      out[first + 1] = m[e + 1] * nx + m[e + 4] * ny + m[e + 7] * nz;
      out[first + 2] = m[e + 2] * nx + m[e + 5] * ny + m[e + 8] * nz;
    } else {
      const sliding = hasTranslation[b] === 1;
      for (let i = first; i < end; i++) {
        const c = 6 * i;
        let sum = columns[c] * nx + columns[c + 1] * ny + columns[c + 2] * nz;
        if (sliding) sum += columns[c + 3] * fx + columns[c + 4] * fy + columns[c + 5] * fz;
        out[i] = sum;
      }
    }
    if (parents[b] < 0) continue;
    const p = 6 * parents[b];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    wrenches[p] += nx + y * fz - z * fy;
    wrenches[p + 1] += ny + z * fx - x * fz;
    wrenches[p + 2] += nz + x * fy - y * fx;
    wrenches[p + 3] += fx;
    wrenches[p + 4] += fy;
    wrenches[p + 5] += fz;
  }
}
