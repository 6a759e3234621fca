/**
 * Gradient and Hessian of the markers' f over the tree, in time linear in the markers and in the pairs of coordinates on one chain: the
 * composite-body method of mass matrices (Walker & Orin 1982; Featherstone 2008, section 6.2), with springs instead of masses.
 *
 * Motions are spatial about a world point c: X = (u, a), the velocity u of the body at c and its angular velocity a; a point at p from c
 * moves with u + a x p. With F = omega rho' r the force of a marker and S = omega (rho' I + 2 rho'' r r^T) its stiffness, i before j on a
 * chain,
 *
 *   f_i  = u_i.F + a_i.(p x F)
 *   f_ij = x_i.S x_j + F.(a_i x x_j) = X_i^T K X_j + a_i.(-F x u_j + [F][p] a_j)
 *
 * because a joint moves everything after it, x_ij = a_i x x_j. K = [S, -S[p]; [p]S, -[p]S[p]]. F, p x F, K and [F][p] are sums over the
 * markers of a subtree. Angles of one joint that rotate each other's axes add da_i/dq_j . ((p - o) x F).
 *
 * The length factor of a bone moves its children like a translation along R d: column (R d, 0), after the joints of the bone and before
 * those of the child. Its own markers move by R p each.
 */

import { updateAxisDerivatives, updateMotionSubspaceQ } from '../../figure/kinematics/jacobians.js';
import type { Derivatives } from './derivative-arrays.js';
import { dotOriginDerivative, writeLengthRows, writeOriginDerivatives } from './length-derivatives.js';
import type { MarkerProblem } from './marker-problem.js';
import { addToParent, dotResponse, sumMarkers, writeResponse } from './subtree-sums.js';

/**
 * Writes gradient and Hessian at the pose last evaluated.
 *
 * @param exact - The full second derivative; otherwise its Gauss-Newton part, which is positive semidefinite.
 * @param withLengths - Also the rows of the length groups.
 */
export function differentiate(
  problem: MarkerProblem,
  pose: Float64Array,
  exact: boolean,
  withLengths: boolean,
  out: Derivatives,
): void {
  const { state, figure } = problem;
  updateMotionSubspaceQ(state, pose);
  if (exact) updateAxisDerivatives(state, pose);
  out.gradient.fill(0);
  out.hessian.fill(0);
  writeColumns(problem, out);
  if (withLengths) writeOriginDerivatives(problem, out);
  sumMarkers(problem, exact, withLengths, out);
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (out.observedBelow[b] === 0) continue;
    writeBoneRows(problem, b, exact, withLengths, out);
    if (withLengths) writeLengthRows(problem, b, exact, out);
    addToParent(figure.parents[b], b, out);
  }
  addTasks(problem, pose, out);
  eliminateCoupled(problem, out);
  zeroLocked(problem, out);
}

/** X of every coordinate about the origin of the first bone: u = l + (o - c) x a, times the scale of its column. */
function writeColumns({ state, columnScale }: MarkerProblem, { columns }: Derivatives): void {
  const { figure, worldFromBone: world, columnsQ: from } = state;
  const { boneOfCoordinate, dof } = figure;
  for (let i = 0; i < dof; i++) {
    const o = 12 * boneOfCoordinate[i] + 9;
    const x = world[o] - world[9];
    const y = world[o + 1] - world[10];
    const z = world[o + 2] - world[11];
    const c = 6 * i;
    const s = columnScale[i];
    const ax = s * from[c];
    const ay = s * from[c + 1];
    const az = s * from[c + 2];
    columns[c] = s * from[c + 3] + y * az - z * ay;
    columns[c + 1] = s * from[c + 4] + z * ax - x * az;
    columns[c + 2] = s * from[c + 5] + x * ay - y * ax;
    columns[c + 3] = ax;
    columns[c + 4] = ay;
    columns[c + 5] = az;
  }
}

/** Rows of the coordinates of bone b: columns of the bone and of its ancestors. */
function writeBoneRows(
  { state, lengths }: MarkerProblem,
  b: number,
  exact: boolean,
  withLengths: boolean,
  out: Derivatives,
): void {
  const { figure, worldFromBone: world, axisDerivatives } = state;
  const { coordinateStart } = figure;
  const { size, gradient, hessian, columns, wrench } = out;
  const first = coordinateStart[b];
  const end = coordinateStart[b + 1];
  const w = 6 * b;
  const o = 12 * b + 9;
  // (p - o) x F over the subtree
  const x = world[o] - world[9];
  const y = world[o + 1] - world[10];
  const z = world[o + 2] - world[11];
  const tx = wrench[w + 3] - y * wrench[w + 2] + z * wrench[w + 1];
  const ty = wrench[w + 4] - z * wrench[w] + x * wrench[w + 2];
  const tz = wrench[w + 5] - x * wrench[w + 1] + y * wrench[w];
  for (let j = first; j < end; j++) {
    const c = 6 * j;
    let derivative = 0;
    for (let k = 0; k < 6; k++) derivative += columns[c + k] * wrench[w + k];
    gradient[j] = derivative;
    writeResponse(
      out,
      b,
      columns[c],
      columns[c + 1],
      columns[c + 2],
      columns[c + 3],
      columns[c + 4],
      columns[c + 5],
      exact,
    );
    for (let i = first; i <= j; i++) hessian[j * size + i] = dotResponse(out, i);
    // At most three angles are coupled, and they come after the translations.
    if (exact) {
      for (let i = Math.max(first, j - 2); i <= j; i++) {
        const d = 9 * i + 3 * (j - i);
        hessian[j * size + i] +=
          axisDerivatives[d] * tx + axisDerivatives[d + 1] * ty + axisDerivatives[d + 2] * tz;
      }
    }
    for (let a = figure.parents[b]; a >= 0; a = figure.parents[a]) {
      for (let i = coordinateStart[a]; i < coordinateStart[a + 1]; i++)
        hessian[j * size + i] = dotResponse(out, i);
    }
    if (!withLengths) continue;
    for (let a = b; figure.parents[a] >= 0; a = figure.parents[a]) {
      const group = lengths.groupOfBone[figure.parents[a]];
      if (group >= 0) hessian[(figure.dof + group) * size + j] += dotOriginDerivative(out, a);
    }
  }
}

function addTasks(problem: MarkerProblem, pose: Float64Array, out: Derivatives): void {
  const { tasks, columnScale, priorWeight, hasPrior, priorPose } = problem;
  if (priorWeight > 0) {
    for (let i = 0; i < pose.length; i++) {
      if (hasPrior[i] === 0) continue;
      out.gradient[i] += (priorWeight * (pose[i] - priorPose[i])) / columnScale[i];
      out.hessian[i * (out.size + 1)] += priorWeight;
    }
  }
  for (let n = 0; n < tasks.length; n++) {
    const { coordinate: i, target, weight } = tasks[n];
    const s = columnScale[i];
    out.gradient[i] += s * weight * (pose[i] - target);
    out.hessian[i * (out.size + 1)] += s * s * weight;
  }
}

/**
 * Eliminates coupled coordinates, q_c = phi(q_d): g_d += phi' g_c, the same for rows and columns of the Hessian, plus g_c phi'' on the
 * diagonal.
 */
function eliminateCoupled(
  { couplings, columnScale }: MarkerProblem,
  { size, gradient, hessian }: Derivatives,
): void {
  for (let n = 0; n < couplings.length; n++) {
    const { coordinate: c, driver: d, derivative, curvature } = couplings[n];
    const s = (derivative * columnScale[d]) / columnScale[c];
    const secondDerivative = (curvature * columnScale[d] * columnScale[d]) / columnScale[c];
    const at = (i: number, k: number): number => (i > k ? i * size + k : k * size + i);
    const cross = hessian[at(c, d)];
    const diagonal = hessian[at(c, c)];
    for (let k = 0; k < size; k++) {
      if (k !== c && k !== d) hessian[at(d, k)] += s * hessian[at(c, k)];
    }
    hessian[at(d, d)] += 2 * s * cross + s * s * diagonal + gradient[c] * secondDerivative;
    gradient[d] += s * gradient[c];
  }
}

/** Zeroes the rows and columns of locked and coupled coordinates. */
function zeroLocked({ free, figure }: MarkerProblem, { size, gradient, hessian }: Derivatives): void {
  for (let i = 0; i < figure.dof; i++) {
    if (free[i] === 1) continue;
    gradient[i] = 0;
    for (let k = 0; k <= i; k++) hessian[i * size + k] = 0;
    for (let k = i; k < size; k++) hessian[k * size + i] = 0;
  }
}
