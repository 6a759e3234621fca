/**
 * Curvature of limits. The force lambda of a curved limit turns with the coordinates along its boundary, so it has a stiffness:
 *
 *   lambda n(q + h v) = lambda n(q + h v_l) - C (v - v_l) / h,   C = h^2 lambda P (d2g/dq2 / |dg/dq|) P,   P = 1 - n n^T
 *
 * with n the inward unit normal and v_l the velocities at which the limit is linearized. That is the Hessian of the Lagrangian, of sequential quadratic
 * programming: without it, outer iterations under a load overshoot along the boundary. C is positive semidefinite, as limits are convex.
 */
import type { Numbers } from '../../../math/linear/types.js';
import type { LimitShape } from '../../../math/optimization/active-limits.js';
import type { JointPotentials } from '../state/joint-potentials.js';

const hessian = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(3);

/**
 * Writes C of potential t, linearized at x[at..].
 *
 * @param scale - h^2 lambda / |dg/dx|.
 */
export function writeLimitCurvature(
  { row, curvature, size: sizes }: JointPotentials,
  t: number,
  shape: LimitShape,
  parameters: Numbers,
  x: Numbers,
  at: number,
  scale: number,
): void {
  const size = sizes[t];
  const o = 3 * t;
  shape.hessian(parameters, x, at, size, hessian, 0);
  // P H P = H - n (H n)^T - (H n) n^T + (n^T H n) n n^T
  let normal = 0;
  for (let r = 0; r < size; r++) {
    product[r] = 0;
    for (let k = 0; k < size; k++) product[r] += hessian[size * r + k] * row[o + k];
    normal += product[r] * row[o + r];
  }
  for (let r = 0; r < size; r++) {
    for (let k = 0; k < size; k++) {
      curvature[9 * t + size * r + k] =
        scale *
        (hessian[size * r + k] -
          row[o + r] * product[k] -
          product[r] * row[o + k] +
          normal * row[o + r] * row[o + k]);
    }
  }
}

/** Subtracts C (v - v_l) of potential t from joint impulses. */
export function subtractCurvatureImpulse(
  { curvature, linearizedAt, size: sizes, coordinate }: JointPotentials,
  t: number,
  velocity: Float64Array,
  out: Float64Array,
): void {
  const size = sizes[t];
  const i = coordinate[t];
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let k = 0; k < size; k++)
      sum += curvature[9 * t + size * r + k] * (velocity[i + k] - linearizedAt[3 * t + k]);
    out[i + r] -= sum;
  }
}
