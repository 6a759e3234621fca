import type { Figure } from '../../figure/model/figure.js';
import type { Derivatives } from './derivative-arrays.js';
import type { LengthGroups } from './length-groups.js';
import type { MarkerProblem } from './marker-problem.js';
import { dotResponse, writeResponse } from './subtree-sums.js';

/** Writes the rows of the length groups: by the bone's own markers, and for its parent's group by the bone's origin. */
export function writeLengthRows(
  { figure, lengths }: MarkerProblem,
  b: number,
  exact: boolean,
  out: Derivatives,
): void {
  const { dof, parents } = figure;
  const { size, gradient, hessian, wrench, lengthResponse, originDerivatives, response } = out;
  const ownGroup = lengths.groupOfBone[b];
  if (ownGroup >= 0) {
    for (let k = 0; k < 6; k++) response[k] = lengthResponse[7 * b + k];
    hessian[(dof + ownGroup) * (size + 1)] += lengthResponse[7 * b + 6];
    addCoordinateColumns(figure, dof + ownGroup, b, out);
    addFactorColumns(figure, lengths, dof + ownGroup, b, out);
  }
  const parent = parents[b];
  const group = parent < 0 ? -1 : lengths.groupOfBone[parent];
  if (group < 0) return;
  const e = 3 * b;
  const w = 6 * b;
  gradient[dof + group] +=
    originDerivatives[e] * wrench[w] +
    originDerivatives[e + 1] * wrench[w + 1] +
    originDerivatives[e + 2] * wrench[w + 2];
  writeResponse(
    out,
    b,
    originDerivatives[e],
    originDerivatives[e + 1],
    originDerivatives[e + 2],
    0,
    0,
    0,
    exact,
  );
  hessian[(dof + group) * (size + 1)] += dotOriginDerivative(out, b);
  addCoordinateColumns(figure, dof + group, parent, out);
  addFactorColumns(figure, lengths, dof + group, parent, out);
}

/** Adds the derivatives with respect to the coordinates of `bone` and its ancestors to a group's row. */
function addCoordinateColumns(figure: Figure, row: number, bone: number, out: Derivatives): void {
  const { size, hessian } = out;
  const { parents, coordinateStart } = figure;
  for (let a = bone; a >= 0; a = parents[a]) {
    for (let i = coordinateStart[a]; i < coordinateStart[a + 1]; i++)
      hessian[row * size + i] += dotResponse(out, i);
  }
}

/** Adds the derivatives with respect to the length factors that move `bone` and its ancestors; a pair within one group counts twice. */
function addFactorColumns(
  { parents, dof }: Figure,
  { groupOfBone }: LengthGroups,
  row: number,
  bone: number,
  out: Derivatives,
): void {
  const { size, hessian } = out;
  for (let a = bone; parents[a] >= 0; a = parents[a]) {
    const group = groupOfBone[parents[a]];
    if (group < 0) continue;
    const other = dof + group;
    const value = dotOriginDerivative(out, a);
    if (other === row) hessian[row * (size + 1)] += 2 * value;
    else hessian[Math.max(row, other) * size + Math.min(row, other)] += value;
  }
}

/** Derivative of the response with respect to the length factor of bone b's parent. */
export function dotOriginDerivative({ originDerivatives, response }: Derivatives, b: number): number {
  const e = 3 * b;
  return (
    originDerivatives[e] * response[0] +
    originDerivatives[e + 1] * response[1] +
    originDerivatives[e + 2] * response[2]
  );
}

/** R d of each bone: derivative of its origin with respect to the length factor of its parent, world axes. */
export function writeOriginDerivatives(
  { state, lengths }: MarkerProblem,
  { originDerivatives }: Derivatives,
): void {
  const { figure, worldFromBone: world } = state;
  const { restPositions } = lengths;
  for (let b = 0; b < figure.bones.length; b++) {
    const o = 12 * figure.parents[b];
    if (o < 0) continue;
    const e = 3 * b;
    for (let row = 0; row < 3; row++) {
      const r = o + 3 * row;
      originDerivatives[e + row] =
        world[r] * restPositions[e] +
        world[r + 1] * restPositions[e + 1] +
        world[r + 2] * restPositions[e + 2];
    }
  }
}
