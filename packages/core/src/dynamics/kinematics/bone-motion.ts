import type { Numbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';

/**
 * Forward pass of the recursive Newton-Euler algorithm (Featherstone, *Rigid Body Dynamics Algorithms*, table 5.1): velocities and accelerations
 * of all bones, parents first, at the pose of the last `updateKinematics`; to `angularVelocity`, `velocity`, `angularAcceleration` and
 * `acceleration`. With r from the parent's origin, S = (a, l) the motion subspace and u the joint velocity,
 *
 *   w = w_p + a u,   v = v_p + w_p x r + l u
 *   w' = w_p' + a u' + w_p x (a u) + c,   c the bias of axes that depend on the joint's own coordinates
 *   v' = v_p' + w_p' x r + w_p x (w_p x r) + l u' + 2 w_p x (l u)
 *
 * @param velocity - u of all joints, mimic joints among them; see `expandVelocity`.
 * @param acceleration - u' likewise; undefined for zero, which leaves the velocity-product terms.
 * @param baseAcceleration - Acceleration of the world, m/s^2: minus gravity, so that the forces include the weight.
 */
export function updateBoneMotion(
  dynamics: Dynamics,
  velocity: Numbers,
  acceleration: Numbers | undefined,
  baseAcceleration: Numbers,
): void {
  const { figure, state, offsets, hasVaryingAxes } = dynamics;
  const { angularVelocity: w, velocity: v, angularAcceleration: wd, acceleration: vd } = dynamics;
  const { parents } = figure;
  const { worldFromBone: m, columnsV, columnStart, columnEnd, bodyAngularVelocity, hasTranslation } = state;
  for (let b = 0; b < parents.length; b++) {
    const o = 3 * b;
    const p = 3 * parents[b];
    let wx = 0;
    let wy = 0;
    let wz = 0;
    let vx = 0;
    let vy = 0;
    let vz = 0;
    let ax = 0;
    let ay = 0;
    let az = 0;
    let lx = baseAcceleration[0];
    let ly = baseAcceleration[1];
    let lz = baseAcceleration[2];
    if (p >= 0) {
      const x = offsets[o];
      const y = offsets[o + 1];
      const z = offsets[o + 2];
      wx = w[p];
      wy = w[p + 1];
      wz = w[p + 2];
      ax = wd[p];
      ay = wd[p + 1];
      az = wd[p + 2];
      const cx = wy * z - wz * y;
      const cy = wz * x - wx * z;
      const cz = wx * y - wy * x;
      vx = v[p] + cx;
      vy = v[p + 1] + cy;
      vz = v[p + 2] + cz;
      lx = vd[p] + ay * z - az * y + wy * cz - wz * cy;
      ly = vd[p + 1] + az * x - ax * z + wz * cx - wx * cz;
      lz = vd[p + 2] + ax * y - ay * x + wx * cy - wy * cx;
    }
    const first = columnStart[b];
    // Angular velocity of the joint.
    let tx = 0;
    let ty = 0;
    let tz = 0;
    if (bodyAngularVelocity[b] === 1) {
      const e = 12 * b;
      const x = velocity[first];
      const y = velocity[first + 1];
      const z = velocity[first + 2];
      tx = m[e] * x + m[e + 1] * y + m[e + 2] * z;
      ty = m[e + 3] * x + m[e + 4] * y + m[e + 5] * z;
      tz = m[e + 6] * x + m[e + 7] * y + m[e + 8] * z;
      if (acceleration !== undefined) {
        const i = acceleration[first];
        const j = acceleration[first + 1];
        const k = acceleration[first + 2];
        ax += m[e] * i + m[e + 1] * j + m[e + 2] * k;
        ay += m[e + 3] * i + m[e + 4] * j + m[e + 5] * k;
        az += m[e + 6] * i + m[e + 7] * j + m[e + 8] * k;
      }
    } else {
      let sx = 0;
      let sy = 0;
      let sz = 0;
      for (let i = first; i < columnEnd[b]; i++) {
        const c = 6 * i;
        const rate = velocity[i];
        tx += columnsV[c] * rate;
        ty += columnsV[c + 1] * rate;
        tz += columnsV[c + 2] * rate;
        if (hasTranslation[b] === 1) {
          sx += columnsV[c + 3] * rate;
          sy += columnsV[c + 4] * rate;
          sz += columnsV[c + 5] * rate;
        }
        if (acceleration === undefined) continue;
        const second = acceleration[i];
        ax += columnsV[c] * second;
        ay += columnsV[c + 1] * second;
        az += columnsV[c + 2] * second;
        lx += columnsV[c + 3] * second;
        ly += columnsV[c + 4] * second;
        lz += columnsV[c + 5] * second;
      }
      if (hasTranslation[b] === 1) {
        vx += sx;
        vy += sy;
        vz += sz;
        lx += 2 * (wy * sz - wz * sy);
        ly += 2 * (wz * sx - wx * sz);
        lz += 2 * (wx * sy - wy * sx);
      }
    }
    w[o] = wx + tx;
    w[o + 1] = wy + ty;
    w[o + 2] = wz + tz;
    v[o] = vx;
    v[o + 1] = vy;
    v[o + 2] = vz;
    wd[o] = ax + wy * tz - wz * ty;
    wd[o + 1] = ay + wz * tx - wx * tz;
    wd[o + 2] = az + wx * ty - wy * tx;
    vd[o] = lx;
    vd[o + 1] = ly;
    vd[o + 2] = lz;
    if (hasVaryingAxes[b] === 1) addAxisBias(dynamics, b, velocity);
  }
}

/**
 * Adds the bias c of a joint whose axes depend on its own coordinates to the angular acceleration of its bone. With D_ij = da_i/dq_j for
 * i <= j, and da_j/dq_i = D_ij + a_i x a_j: c = sum_i D_ii u_i^2 + sum_{i<j} (2 D_ij + a_i x a_j) u_i u_j.
 */
function addAxisBias(dynamics: Dynamics, b: number, rates: Numbers): void {
  const { state, angularAcceleration: wd } = dynamics;
  const { columnsV: a, axisDerivatives: d, columnStart, columnEnd } = state;
  const end = columnEnd[b];
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = columnStart[b]; i < end; i++) {
    const p = 6 * i;
    let k = 9 * i;
    const square = rates[i] * rates[i];
    x += d[k] * square;
    y += d[k + 1] * square;
    z += d[k + 2] * square;
    for (let j = i + 1; j < end; j++) {
      k += 3;
      const q = 6 * j;
      const product = rates[i] * rates[j];
      x += (2 * d[k] + a[p + 1] * a[q + 2] - a[p + 2] * a[q + 1]) * product;
      y += (2 * d[k + 1] + a[p + 2] * a[q] - a[p] * a[q + 2]) * product;
      z += (2 * d[k + 2] + a[p] * a[q + 1] - a[p + 1] * a[q]) * product;
    }
  }
  const o = 3 * b;
  wd[o] += x;
  wd[o + 1] += y;
  wd[o + 2] += z;
}
