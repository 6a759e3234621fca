import { pointJacobianV } from '../../figure/kinematics/jacobians.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Mechanics } from './mechanics.js';

/**
 * Accumulates point forces on the bones, at the current pose: writes `positions`, and for each bone its force, its moment sum of r x f, and
 * the sum of r f^T - (r . f) 1, which gives the derivative of that moment with respect to a rotation of the bone: (alpha x r) x f =
 * (r f^T - (r . f) 1) alpha.
 */
export function writeExternalForces(m: Mechanics, forces: Numbers, active: Numbers | undefined): void {
  const { points, positions, external, moments, dynamics } = m;
  const { worldFromBone: world } = dynamics.state;
  external.fill(0);
  moments.fill(0);
  for (let p = 0; p < points.length; p++) {
    const { bone, point } = points[p];
    const w = 12 * bone;
    const o = 3 * p;
    const a = point[0];
    const b = point[1];
    const c = point[2];
    const x = world[w] * a + world[w + 1] * b + world[w + 2] * c;
    const y = world[w + 3] * a + world[w + 4] * b + world[w + 5] * c;
    const z = world[w + 6] * a + world[w + 7] * b + world[w + 8] * c;
    positions[o] = world[w + 9] + x;
    positions[o + 1] = world[w + 10] + y;
    positions[o + 2] = world[w + 11] + z;
    if (active !== undefined && active[p] === 0) continue;
    const fx = forces[o];
    const fy = forces[o + 1];
    const fz = forces[o + 2];
    const e = 6 * bone;
    external[e] += fx;
    external[e + 1] += fy;
    external[e + 2] += fz;
    external[e + 3] += y * fz - z * fy;
    external[e + 4] += z * fx - x * fz;
    external[e + 5] += x * fy - y * fx;
    const n = 9 * bone;
    moments[n] -= y * fy + z * fz;
    moments[n + 1] += x * fy;
    moments[n + 2] += x * fz;
    moments[n + 3] += y * fx;
    moments[n + 4] -= x * fx + z * fz;
    moments[n + 5] += y * fz;
    moments[n + 6] += z * fx;
    moments[n + 7] += z * fy;
    moments[n + 8] -= x * fx + y * fy;
  }
}

const position = /* @__PURE__ */ new Float64Array(3);

/** d tau/df = -J^T at the current pose, dof x (3 points), zero for points that are not active. */
export function writeForceColumns(m: Mechanics, active: Numbers | undefined, out: Float64Array): void {
  const { points, positions, supports, jacobians, dynamics } = m;
  const { dof } = dynamics.figure;
  const width = 3 * points.length;
  out.fill(0);
  for (let p = 0; p < points.length; p++) {
    if (active !== undefined && active[p] === 0) continue;
    const jacobian = jacobians[p];
    const support = supports[p];
    for (let k = 0; k < 3; k++) position[k] = positions[3 * p + k];
    pointJacobianV(dynamics.state, points[p].bone, position, jacobian);
    for (let n = 0; n < support.length; n++) {
      const i = support[n];
      const at = i * width + 3 * p;
      out[at] = -jacobian[i];
      out[at + 1] = -jacobian[dof + i];
      out[at + 2] = -jacobian[2 * dof + i];
    }
  }
}
