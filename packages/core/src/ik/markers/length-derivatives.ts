import type { Figure } from '../../figure/model/figure.js';
import type { Derivatives } from './derivative-arrays.js';
import type { LengthGroups } from './length-groups.js';
import type { MarkerProblem } from './marker-problem.js';
import { response, work, writeResponse } from './subtree-sums.js';

/** Rows of the length groups: that of the bone's own markers, and that of its parent through the place where it starts. */
export function writeLengthRows(
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

/** How the response works against the start of bone b moving with the factor of its parent. */
export function alongEdge(edges: Float64Array, b: number): number {
  return edges[3 * b] * response[0] + edges[3 * b + 1] * response[1] + edges[3 * b + 2] * response[2];
}

/** R d of each bone: how its start moves with the factor of its parent, world axes. */
export function writeEdges({ state, lengths }: MarkerProblem, { edges }: Derivatives): void {
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
