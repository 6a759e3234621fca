/**
 * Gradient and Hessian of the markers' f over the tree, in time linear in the markers and in the pairs of coordinates of one
 * chain: the composite-body method of mass matrices (Walker & Orin 1982; Featherstone 2008, section 6.2), with springs in the
 * place of masses.
 *
 * Motions are spatial about a point c of the world: X = (u, a), the velocity u of the body at c and its angular velocity a; a
 * point at p from c moves with u + a x p. With F = omega rho' r the pull of a marker and
 * S = omega (rho' I + 2 rho'' r r^T) its stiffness, i before j on a chain,
 *
 *   f_i  = u_i.F + a_i.(p x F)
 *   f_ij = x_i.S x_j + F.(a_i x x_j) = X_i^T K X_j + a_i.(-F x u_j + [F][p] a_j)
 *
 * because what comes after a joint is carried by it, x_ij = a_i x x_j. K = [S, -S[p]; [p]S, -[p]S[p]]. All of F, p x F, K and
 * [F][p] add up over the markers of a subtree. Angles of one joint that turn each other's axes add da_i/dq_j . ((p - o) x F).
 *
 * The factor of a bone's lengths moves what starts from it like a slide along R d: column (R d, 0), after the joints of the
 * bone and before those of its child. Its own markers move by R p each.
 */

import type { Figure } from '../../figure/figure.js';
import { updateAxisDerivatives, updateColumnsQ } from '../../figure/jacobians.js';
import type { LengthGroups } from './length-groups.js';
import { curvatureOf, slopeOf } from './loss.js';
import type { MarkerProblem } from './marker-problem.js';

/** What the derivatives are written to, made once. n = dof coordinates, then one column a length group. */
export interface Derivatives {
  /** n + groups. */
  readonly size: number;
  /** Against scaled coordinates (`columnScale`), then factors. */
  readonly gradient: Float64Array;
  /** Lower triangle, size x size, row by row. Rows of coordinates are complete; those of groups too where asked for. */
  readonly hessian: Float64Array;
  /** Spatial columns (u, a) of the scaled coordinates, 6 each. */
  readonly columns: Float64Array;
  /** Markers seen in the subtree of each bone. */
  readonly below: Int32Array;
  /** K, 36 numbers a bone: own markers, then the subtree's. */
  readonly stiffness: Float64Array;
  /** F and p x F, 6 numbers a bone. */
  readonly wrench: Float64Array;
  /** [F][p], 9 numbers a bone. */
  readonly turning: Float64Array;
  /** Answer of a bone's own markers to its factor: force, couple, and the second derivative: 7 numbers a bone. */
  readonly stretch: Float64Array;
  /** How the start of each bone moves with the factor of its parent, 3 numbers a bone. */
  readonly edges: Float64Array;
}

export function createDerivatives({ figure, lengths }: MarkerProblem): Derivatives {
  const size = figure.dof + lengths.factors.length;
  const bones = figure.bones.length;
  return {
    size,
    gradient: new Float64Array(size),
    hessian: new Float64Array(size * size),
    columns: new Float64Array(6 * figure.dof),
    below: new Int32Array(bones),
    stiffness: new Float64Array(36 * bones),
    wrench: new Float64Array(6 * bones),
    turning: new Float64Array(9 * bones),
    stretch: new Float64Array(7 * bones),
    edges: new Float64Array(3 * bones),
  };
}

const response = /* @__PURE__ */ new Float64Array(6);
const spring = /* @__PURE__ */ new Float64Array(9);
const lever = /* @__PURE__ */ new Float64Array(9);

/**
 * Writes gradient and Hessian at the pose last evaluated.
 *
 * @param exact - The whole second derivative; without it the Gauss-Newton part, which is never indefinite.
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
  updateColumnsQ(state, pose);
  if (exact) updateAxisDerivatives(state, pose);
  out.gradient.fill(0);
  out.hessian.fill(0);
  writeColumns(problem, out);
  if (withLengths) writeEdges(problem, out);
  gatherMarkers(problem, exact, withLengths, out);
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (out.below[b] === 0) continue;
    writeBoneRows(problem, b, exact, withLengths, out);
    if (withLengths) writeLengthRows(problem, b, exact, out);
    addToParent(figure.parents[b], b, out);
  }
  addTasks(problem, pose, out);
  foldCouplings(problem, out);
  dropLocked(problem, out);
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

/** K, wrench and [F][p] of the markers on each bone itself. */
function gatherMarkers(problem: MarkerProblem, exact: boolean, withLengths: boolean, out: Derivatives): void {
  const { bones, omega, places, residual, loss, state, points } = problem;
  const { below, stiffness, wrench, turning, stretch } = out;
  const world = state.worldFromBone;
  below.fill(0);
  stiffness.fill(0);
  wrench.fill(0);
  turning.fill(0);
  stretch.fill(0);
  for (let m = 0; m < bones.length; m++) {
    if (omega[m] === 0) continue;
    const b = bones[m];
    below[b]++;
    const p = 3 * m;
    const x = places[p] - world[9];
    const y = places[p + 1] - world[10];
    const z = places[p + 2] - world[11];
    const rx = residual[p];
    const ry = residual[p + 1];
    const rz = residual[p + 2];
    const square = rx * rx + ry * ry + rz * rz;
    const pull = omega[m] * slopeOf(loss, square);
    const fx = pull * rx;
    const fy = pull * ry;
    const fz = pull * rz;
    const w = 6 * b;
    wrench[w] += fx;
    wrench[w + 1] += fy;
    wrench[w + 2] += fz;
    wrench[w + 3] += y * fz - z * fy;
    wrench[w + 4] += z * fx - x * fz;
    wrench[w + 5] += x * fy - y * fx;
    writeSpring(pull, exact ? 2 * omega[m] * curvatureOf(loss, square) : 0, rx, ry, rz);
    addStiffness(x, y, z, stiffness, 36 * b);
    if (exact) {
      // [F][p] = p F^T - (F.p) I
      const along = fx * x + fy * y + fz * z;
      const t = 9 * b;
      turning[t] += x * fx - along;
      turning[t + 1] += x * fy;
      turning[t + 2] += x * fz;
      turning[t + 3] += y * fx;
      turning[t + 4] += y * fy - along;
      turning[t + 5] += y * fz;
      turning[t + 6] += z * fx;
      turning[t + 7] += z * fy;
      turning[t + 8] += z * fz - along;
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
    stretch[s] += sx;
    stretch[s + 1] += sy;
    stretch[s + 2] += sz;
    stretch[s + 3] += y * sz - z * sy + e * (vy * fz - vz * fy);
    stretch[s + 4] += z * sx - x * sz + e * (vz * fx - vx * fz);
    stretch[s + 5] += x * sy - y * sx + e * (vx * fy - vy * fx);
    stretch[s + 6] += vx * sx + vy * sy + vz * sz;
    out.gradient[state.figure.dof + problem.lengths.groupOfBone[b]] += vx * fx + vy * fy + vz * fz;
  }
}

/** S = pull I + bend r r^T. */
function writeSpring(pull: number, bend: number, rx: number, ry: number, rz: number): void {
  spring[0] = pull + bend * rx * rx;
  spring[1] = bend * rx * ry;
  spring[2] = bend * rx * rz;
  spring[3] = spring[1];
  spring[4] = pull + bend * ry * ry;
  spring[5] = bend * ry * rz;
  spring[6] = spring[2];
  spring[7] = spring[5];
  spring[8] = pull + bend * rz * rz;
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
    lever[3 * row] = bx;
    lever[3 * row + 1] = by;
    lever[3 * row + 2] = bz;
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
    out[o + 21 + k] += y * lever[6 + k] - z * lever[3 + k];
    out[o + 27 + k] += z * lever[k] - x * lever[6 + k];
    out[o + 33 + k] += x * lever[3 + k] - y * lever[k];
  }
}

/** Rows of the coordinates of bone b against themselves and all before them on the chain. */
function writeBoneRows(
  { state, lengths }: MarkerProblem,
  b: number,
  exact: boolean,
  withLengths: boolean,
  out: Derivatives,
): void {
  const { figure, worldFromBone: world, axisDerivatives: turned } = state;
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
    let slope = 0;
    for (let k = 0; k < 6; k++) slope += columns[c + k] * wrench[w + k];
    gradient[j] = slope;
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
    for (let i = first; i <= j; i++) hessian[j * size + i] = work(columns, i);
    // Three angles at most turn together, and they come after the translations.
    if (exact) {
      for (let i = Math.max(first, j - 2); i <= j; i++) {
        const d = 9 * i + 3 * (j - i);
        hessian[j * size + i] += turned[d] * tx + turned[d + 1] * ty + turned[d + 2] * tz;
      }
    }
    for (let a = figure.parents[b]; a >= 0; a = figure.parents[a]) {
      for (let i = coordinateStart[a]; i < coordinateStart[a + 1]; i++)
        hessian[j * size + i] = work(columns, i);
    }
    if (!withLengths) continue;
    for (let a = b; figure.parents[a] >= 0; a = figure.parents[a]) {
      const group = lengths.groupOfBone[figure.parents[a]];
      if (group >= 0) hessian[(figure.dof + group) * size + j] += alongEdge(out.edges, a);
    }
  }
}

/** response = (K X, and with the geometric part -F x u + [F][p] a added to the couple), over the subtree of bone b. */
function writeResponse(
  { stiffness, wrench, turning }: Derivatives,
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
  response[3] += turning[t] * ax + turning[t + 1] * ay + turning[t + 2] * az - fy * uz + fz * uy;
  response[4] += turning[t + 3] * ax + turning[t + 4] * ay + turning[t + 5] * az - fz * ux + fx * uz;
  response[5] += turning[t + 6] * ax + turning[t + 7] * ay + turning[t + 8] * az - fx * uy + fy * ux;
}

/** X_i . response */
function work(columns: Float64Array, i: number): number {
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

/** Rows of the length groups: that of the bone's own markers, and that of its parent through the place where it starts. */
function writeLengthRows(
  { figure, lengths }: MarkerProblem,
  b: number,
  exact: boolean,
  out: Derivatives,
): void {
  const { dof, parents } = figure;
  const { size, gradient, hessian, wrench, stretch, edges } = out;
  const own = lengths.groupOfBone[b];
  if (own >= 0) {
    for (let k = 0; k < 6; k++) response[k] = stretch[7 * b + k];
    hessian[(dof + own) * (size + 1)] += stretch[7 * b + 6];
    addCoordinateWork(figure, dof + own, b, out);
    addEdgeWork(figure, lengths, dof + own, b, out);
  }
  const parent = parents[b];
  const group = parent < 0 ? -1 : lengths.groupOfBone[parent];
  if (group < 0) return;
  const e = 3 * b;
  const w = 6 * b;
  gradient[dof + group] += edges[e] * wrench[w] + edges[e + 1] * wrench[w + 1] + edges[e + 2] * wrench[w + 2];
  writeResponse(out, b, edges[e], edges[e + 1], edges[e + 2], 0, 0, 0, exact);
  hessian[(dof + group) * (size + 1)] += alongEdge(edges, b);
  addCoordinateWork(figure, dof + group, parent, out);
  addEdgeWork(figure, lengths, dof + group, parent, out);
}

/** Adds the work of the response against the coordinates of `bone` and its ancestors to a group's row. */
function addCoordinateWork(
  figure: Figure,
  row: number,
  bone: number,
  { size, hessian, columns }: Derivatives,
): void {
  const { parents, coordinateStart } = figure;
  for (let a = bone; a >= 0; a = parents[a]) {
    for (let i = coordinateStart[a]; i < coordinateStart[a + 1]; i++)
      hessian[row * size + i] += work(columns, i);
  }
}

/** The same against the factors that move `bone` and its ancestors; a pair within one group counts both ways. */
function addEdgeWork(
  { parents, dof }: Figure,
  { groupOfBone }: LengthGroups,
  row: number,
  bone: number,
  { size, hessian, edges }: Derivatives,
): void {
  for (let a = bone; parents[a] >= 0; a = parents[a]) {
    const group = groupOfBone[parents[a]];
    if (group < 0) continue;
    const other = dof + group;
    const value = alongEdge(edges, a);
    if (other === row) hessian[row * (size + 1)] += 2 * value;
    else hessian[Math.max(row, other) * size + Math.min(row, other)] += value;
  }
}

function alongEdge(edges: Float64Array, b: number): number {
  return edges[3 * b] * response[0] + edges[3 * b + 1] * response[1] + edges[3 * b + 2] * response[2];
}

/** R d of each bone: how its start moves with the factor of its parent, world axes. */
function writeEdges({ state, lengths }: MarkerProblem, { edges }: Derivatives): void {
  const { figure, worldFromBone: world } = state;
  const { restPositions } = lengths;
  for (let b = 0; b < figure.bones.length; b++) {
    const o = 12 * figure.parents[b];
    if (o < 0) continue;
    const e = 3 * b;
    for (let row = 0; row < 3; row++) {
      const r = o + 3 * row;
      edges[e + row] =
        world[r] * restPositions[e] +
        world[r + 1] * restPositions[e + 1] +
        world[r + 2] * restPositions[e + 2];
    }
  }
}

function addToParent(parent: number, b: number, { below, stiffness, wrench, turning }: Derivatives): void {
  if (parent < 0) return;
  below[parent] += below[b];
  for (let k = 0; k < 36; k++) stiffness[36 * parent + k] += stiffness[36 * b + k];
  for (let k = 0; k < 6; k++) wrench[6 * parent + k] += wrench[6 * b + k];
  for (let k = 0; k < 9; k++) turning[9 * parent + k] += turning[9 * b + k];
}

function addTasks(problem: MarkerProblem, pose: Float64Array, out: Derivatives): void {
  const { tasks, columnScale, hold, isHeld, held } = problem;
  if (hold > 0) {
    for (let i = 0; i < pose.length; i++) {
      if (isHeld[i] === 0) continue;
      out.gradient[i] += (hold * (pose[i] - held[i])) / columnScale[i];
      out.hessian[i * (out.size + 1)] += hold;
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
 * Takes coupled coordinates out, q_c = phi(q_d): g_d += phi' g_c, and for the Hessian the same on rows and columns, plus
 * g_c phi'' on the diagonal.
 */
function foldCouplings(
  { couplings, columnScale }: MarkerProblem,
  { size, gradient, hessian }: Derivatives,
): void {
  for (let n = 0; n < couplings.length; n++) {
    const { coordinate: c, driver: d, slope, curvature } = couplings[n];
    const s = (slope * columnScale[d]) / columnScale[c];
    const bend = (curvature * columnScale[d] * columnScale[d]) / columnScale[c];
    const at = (i: number, k: number): number => (i > k ? i * size + k : k * size + i);
    const cross = hessian[at(c, d)];
    const own = hessian[at(c, c)];
    for (let k = 0; k < size; k++) {
      if (k !== c && k !== d) hessian[at(d, k)] += s * hessian[at(c, k)];
    }
    hessian[at(d, d)] += 2 * s * cross + s * s * own + gradient[c] * bend;
    gradient[d] += s * gradient[c];
  }
}

/** Locked and coupled coordinates take no part. */
function dropLocked({ free, figure }: MarkerProblem, { size, gradient, hessian }: Derivatives): void {
  for (let i = 0; i < figure.dof; i++) {
    if (free[i] === 1) continue;
    gradient[i] = 0;
    for (let k = 0; k <= i; k++) hessian[i * size + k] = 0;
    for (let k = i; k < size; k++) hessian[k * size + i] = 0;
  }
}
