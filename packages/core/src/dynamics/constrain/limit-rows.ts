import { limitShapes } from '../../figure/limits/shapes.js';
import type { FigureState } from '../../figure/state.js';
import type { Numbers } from '../../math/types.js';
import { addRow, type ConstraintRows } from './rows.js';

const gradient = /* @__PURE__ */ new Float64Array(3);

/**
 * Adds a row for each limit that the motion could reach within a step: g(q) + h g'(q) N nu <= 0, g the very limit that clamps and solvers use, scaled
 * to the length of its gradient. A limit is convex, so that the step may leave it by the bend of its boundary over the step at most.
 *
 * @param step - h, s.
 * @param near - How near to the boundary a limit counts, rad or m.
 */
export function addLimitRows(
  rows: ConstraintRows,
  state: FigureState,
  pose: Numbers,
  step: number,
  near: number,
): void {
  const { figure } = rows;
  for (const part of figure.limitParts) {
    const { kind, parameters, coordinate, size, bone } = part;
    const shape = limitShapes[kind];
    if (kind === 'interval') {
      // Both sides may be near at once.
      addSide(rows, coordinate, pose[coordinate] - parameters[0], 1, step, near);
      addSide(rows, coordinate, parameters[1] - pose[coordinate], -1, step, near);
      continue;
    }
    const value = shape.value(parameters, pose, coordinate, size);
    shape.gradient(parameters, pose, coordinate, size, gradient, 0);
    let length = 0;
    for (let k = 0; k < size; k++) length += gradient[k] * gradient[k];
    length = Math.sqrt(length);
    if (!(length > 0) || value / length < -near) continue;
    const r = addRow(rows, coordinate + size - 1, -1);
    if (r < 0) continue;
    rows.bias[r] = -value / (length * step);
    writeTurn(rows, state, bone, coordinate, size, pose, 1 / length, r);
  }
}

/** One side of an interval: room + h side nu >= 0. Its coordinate's rate is its joint velocity, but for rotation vectors, which have no interval. */
function addSide(
  rows: ConstraintRows,
  coordinate: number,
  room: number,
  side: 1 | -1,
  step: number,
  near: number,
): void {
  if (!(room < near)) return;
  const r = addRow(rows, coordinate, -1);
  if (r < 0) return;
  rows.bias[r] = room / step;
  rows.jacobian[r * rows.figure.dof + coordinate] = side;
}

/** -scale gradient N to row r: how fast the limit is left behind, by each joint velocity of the bone. */
function writeTurn(
  { figure, jacobian, unit, rate }: ConstraintRows,
  { groups, groupOfBone, placeInBatch }: FigureState,
  bone: number,
  coordinate: number,
  size: number,
  pose: Numbers,
  scale: number,
  r: number,
): void {
  const { type, batch } = groups[groupOfBone[bone]];
  const o = r * figure.dof;
  for (let j = figure.coordinateStart[bone]; j < figure.coordinateStart[bone + 1]; j++) {
    unit[j] = 1;
    type.coordinateRate(batch, placeInBatch[bone], pose, unit, rate);
    unit[j] = 0;
    for (let k = 0; k < size; k++) jacobian[o + j] -= scale * gradient[k] * rate[coordinate + k];
  }
}
