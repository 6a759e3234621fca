import type { Derivatives } from './derivative-arrays.js';
import { curvatureOf, derivativeOf } from './loss.js';
import type { MarkerProblem } from './marker-problem.js';

const spring = /* @__PURE__ */ new Float64Array(9);
const coupling = /* @__PURE__ */ new Float64Array(9);

/** K, wrench and [F][p] of the markers on each bone. */
export function sumMarkers(
  problem: MarkerProblem,
  exact: boolean,
  withLengths: boolean,
  out: Derivatives,
): void {
  const { bones, omega, positions, residual, loss, state, points } = problem;
  const { observedBelow, stiffness, wrench, forceMoments, lengthResponse } = out;
  const world = state.worldFromBone;
  observedBelow.fill(0);
  stiffness.fill(0);
  wrench.fill(0);
  forceMoments.fill(0);
  lengthResponse.fill(0);
  for (let m = 0; m < bones.length; m++) {
    if (omega[m] === 0) continue;
    const b = bones[m];
    observedBelow[b]++;
    const p = 3 * m;
    const x = positions[p] - world[9];
    const y = positions[p + 1] - world[10];
    const z = positions[p + 2] - world[11];
    const rx = residual[p];
    const ry = residual[p + 1];
    const rz = residual[p + 2];
    const square = rx * rx + ry * ry + rz * rz;
    const weight = omega[m] * derivativeOf(loss, square);
    const fx = weight * rx;
    const fy = weight * ry;
    const fz = weight * rz;
    const w = 6 * b;
    wrench[w] += fx;
    wrench[w + 1] += fy;
    wrench[w + 2] += fz;
    wrench[w + 3] += y * fz - z * fy;
    wrench[w + 4] += z * fx - x * fz;
    wrench[w + 5] += x * fy - y * fx;
    writeSpring(weight, exact ? 2 * omega[m] * curvatureOf(loss, square) : 0, rx, ry, rz);
    addStiffness(x, y, z, stiffness, 36 * b);
    if (exact) {
      // [F][p] = p F^T - (F.p) I
      const dot = fx * x + fy * y + fz * z;
      const t = 9 * b;
      forceMoments[t] += x * fx - dot;
      forceMoments[t + 1] += x * fy;
      forceMoments[t + 2] += x * fz;
      forceMoments[t + 3] += y * fx;
      forceMoments[t + 4] += y * fy - dot;
      forceMoments[t + 5] += y * fz;
      forceMoments[t + 6] += z * fx;
      forceMoments[t + 7] += z * fy;
      forceMoments[t + 8] += z * fz - dot;
    }
    if (!withLengths || problem.lengths.groupOfBone[b] < 0) continue;
    // v = R p, force S v, couple p x S v + (exact) v x F; v.S v; and v.F goes to the gradient.
    const o = 12 * b;
    const vx = world[o] * points[p] + world[o + 1] * points[p + 1] + world[o + 2] * points[p + 2];
    const vy = world[o + 3] * points[p] + world[o + 4] * points[p + 1] + world[o + 5] * points[p + 2];
    const vz = world[o + 6] * points[p] + world[o + 7] * points[p + 1] + world[o + 8] * points[p + 2];
    const sx = spring[0] * vx + spring[1] * vy + spring[2] * vz;
    const sy = spring[3] * vx + spring[4] * vy + spring[5] * vz;
    const sz = spring[6] * vx + spring[7] * vy + spring[8] * vz;
    const e = exact ? 1 : 0;
    const s = 7 * b;
    lengthResponse[s] += sx;
    lengthResponse[s + 1] += sy;
    lengthResponse[s + 2] += sz;
    lengthResponse[s + 3] += y * sz - z * sy + e * (vy * fz - vz * fy);
    lengthResponse[s + 4] += z * sx - x * sz + e * (vz * fx - vx * fz);
    lengthResponse[s + 5] += x * sy - y * sx + e * (vx * fy - vy * fx);
    lengthResponse[s + 6] += vx * sx + vy * sy + vz * sz;
    out.gradient[state.figure.dof + problem.lengths.groupOfBone[b]] += vx * fx + vy * fy + vz * fz;
  }
}

/** S = weight I + curvature r r^T. */
function writeSpring(weight: number, curvature: number, rx: number, ry: number, rz: number): void {
  spring[0] = weight + curvature * rx * rx;
  spring[1] = curvature * rx * ry;
  spring[2] = curvature * rx * rz;
  spring[3] = spring[1];
  spring[4] = weight + curvature * ry * ry;
  spring[5] = curvature * ry * rz;
  spring[6] = spring[2];
  spring[7] = spring[5];
  spring[8] = weight + curvature * rz * rz;
}

/** Adds K = [S, B; B^T, [p]B], B = -S[p], of the spring at p = (x, y, z). */
function addStiffness(x: number, y: number, z: number, out: Float64Array, o: number): void {
  for (let row = 0; row < 3; row++) {
    const sx = spring[3 * row];
    const sy = spring[3 * row + 1];
    const sz = spring[3 * row + 2];
    // s.(a x p) = a.(p x s): row of B.
    const bx = y * sz - z * sy;
    const by = z * sx - x * sz;
    const bz = x * sy - y * sx;
    coupling[3 * row] = bx;
    coupling[3 * row + 1] = by;
    coupling[3 * row + 2] = bz;
    const r = o + 6 * row;
    out[r] += sx;
    out[r + 1] += sy;
    out[r + 2] += sz;
    out[r + 3] += bx;
    out[r + 4] += by;
    out[r + 5] += bz;
    out[o + 18 + row] += bx;
    out[o + 24 + row] += by;
    out[o + 30 + row] += bz;
  }
  for (let k = 0; k < 3; k++) {
    out[o + 21 + k] += y * coupling[6 + k] - z * coupling[3 + k];
    out[o + 27 + k] += z * coupling[k] - x * coupling[6 + k];
    out[o + 33 + k] += x * coupling[3 + k] - y * coupling[k];
  }
}

/** Adds the sums of bone b to its parent, its subtree complete. */
export function addToParent(
  parent: number,
  b: number,
  { observedBelow, stiffness, wrench, forceMoments }: Derivatives,
): void {
  if (parent < 0) return;
  observedBelow[parent] += observedBelow[b];
  for (let k = 0; k < 36; k++) stiffness[36 * parent + k] += stiffness[36 * b + k];
  for (let k = 0; k < 6; k++) wrench[6 * parent + k] += wrench[6 * b + k];
  for (let k = 0; k < 9; k++) forceMoments[9 * parent + k] += forceMoments[9 * b + k];
}

/** response = K X, plus with `exact` the geometric term -F x u + [F][p] a in the couple, over the subtree of bone b. */
export function writeResponse(
  { stiffness, wrench, forceMoments, response }: Derivatives,
  b: number,
  ux: number,
  uy: number,
  uz: number,
  ax: number,
  ay: number,
  az: number,
  exact: boolean,
): void {
  for (let row = 0; row < 6; row++) {
    const k = 36 * b + 6 * row;
    response[row] =
      stiffness[k] * ux +
      stiffness[k + 1] * uy +
      stiffness[k + 2] * uz +
      stiffness[k + 3] * ax +
      stiffness[k + 4] * ay +
      stiffness[k + 5] * az;
  }
  if (!exact) return;
  const fx = wrench[6 * b];
  const fy = wrench[6 * b + 1];
  const fz = wrench[6 * b + 2];
  const t = 9 * b;
  response[3] +=
    forceMoments[t] * ax + forceMoments[t + 1] * ay + forceMoments[t + 2] * az - fy * uz + fz * uy;
  response[4] +=
    forceMoments[t + 3] * ax + forceMoments[t + 4] * ay + forceMoments[t + 5] * az - fz * ux + fx * uz;
  response[5] +=
    forceMoments[t + 6] * ax + forceMoments[t + 7] * ay + forceMoments[t + 8] * az - fx * uy + fy * ux;
}

/** X_i . response */
export function dotResponse({ columns, response }: Derivatives, i: number): number {
  const c = 6 * i;
  return (
    columns[c] * response[0] +
    columns[c + 1] * response[1] +
    columns[c + 2] * response[2] +
    columns[c + 3] * response[3] +
    columns[c + 4] * response[4] +
    columns[c + 5] * response[5]
  );
}
