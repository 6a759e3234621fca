/** The timing changes by a part of itself in a step: what moves is stretched by it as a whole, and no linear model sees far. */

import { solveEnvelope } from '../../math/envelope-cholesky.js';
import * as linearSystem from '../../math/linear-system.js';
import type { Solver } from './state.js';

/**
 * Where the step changes timing by more than `clockReach`, makes it the best step that changes it by just so much: with A the unknowns that
 * are held, p + H^-1 E_A t, t such that p_A is as wanted.
 */
export function holdClock(solver: Solver): void {
  const { system, unknowns, step, hessian: factor } = solver;
  const { clock } = system.places;
  solver.clockHeld = false;
  const held: number[] = [];
  const wanted: number[] = [];
  for (let m = 0; m < clock.length; m++) {
    const reach = solver.clockReach * unknowns[clock[m]];
    if (!(Math.abs(step[clock[m]]) > reach)) continue;
    held.push(clock[m]);
    wanted.push(Math.sign(step[clock[m]]) * reach);
  }
  if (held.length === 0) return;
  solver.clockHeld = true;
  const columns = held.map((id) => {
    const column = new Float64Array(system.size);
    column[id] = 1;
    solveEnvelope(factor, column);
    return column;
  });
  const count = held.length;
  const matrix = new Float64Array(count * count);
  const change = new Float64Array(count);
  for (let r = 0; r < count; r++) {
    for (let c = 0; c < count; c++) matrix[r * count + c] = columns[c][held[r]];
    change[r] = wanted[r] - step[held[r]];
  }
  if (!linearSystem.solve(matrix, count, change)) return;
  for (let c = 0; c < count; c++) {
    for (let i = 0; i < step.length; i++) step[i] += change[c] * columns[c][i];
  }
}
