/** One piece of a minimum-acceleration curve, over a parameter from 0 to 1: shot from its start. */

import * as quat from '../../../math/geometry/quat.js';
import {
  advance,
  COLUMNS,
  createSeries,
  expandState,
  ROWS,
  type Series,
  STATE,
  stepLength,
  writeSensitivity,
} from './taylor-series.js';

/** A Taylor step of a piece. */
export interface Step {
  readonly series: Series;
  /** Where it begins, in the parameter of the piece, and how long it is. */
  readonly from: number;
  readonly length: number;
  /** The turn from its start to its end. */
  readonly turn: number[];
}

export interface Flight {
  readonly steps: readonly Step[];
  readonly end: Float64Array;
}

/** How ends change with starts: of each step, and of the piece up to the end of each. */
export interface Sensitivities {
  readonly steps: readonly Float64Array[];
  readonly sums: readonly Float64Array[];
}

/** A piece that needs more, twenty turns or so, is no motion that anybody asked for; Newton's method came astray. */
const MOST_STEPS = 64;

/** Shoots a piece. @returns undefined when it would take too many steps. */
export function fly(start: Float64Array): Flight | undefined {
  const steps: Step[] = [];
  let state = start;
  let from = 0;
  while (from < 1) {
    const series = expandState(state, createSeries());
    const left = 1 - from;
    const many = Math.ceil(left / stepLength(series, left));
    if (!(steps.length + many <= MOST_STEPS)) return undefined;
    const length = left / many;
    const end = new Float64Array(STATE.size);
    advance(series, length, end);
    const turn = quat.multiply(quat.conjugate(state.subarray(0, 4)), end.subarray(0, 4));
    steps.push({ series, from, length, turn });
    state = end;
    from = many === 1 ? 1 : from + length;
  }
  return { steps, end: state };
}

/** Ten times the work of the flight itself, so it is done for those that count alone. */
export function sensitivitiesOf(flight: Flight): Sensitivities {
  const steps: Float64Array[] = [];
  const sums: Float64Array[] = [];
  for (const [k, { series, length, turn }] of flight.steps.entries()) {
    const step = new Float64Array(ROWS * COLUMNS);
    writeSensitivity(series, length, step);
    steps.push(step);
    sums.push(k === 0 ? step : compose(step, sums[k - 1], turn));
  }
  return { steps, sums };
}

/** The sensitivity of a step after what leads to it: M_step (w, w', w'') + R^T e. */
function compose(step: Float64Array, before: Float64Array, turn: readonly number[]): Float64Array {
  const out = new Float64Array(ROWS * COLUMNS);
  const back = quat.conjugate(turn);
  const angle = [0, 0, 0];
  for (let c = 0; c < COLUMNS; c++) {
    for (let r = 0; r < ROWS; r++) {
      let sum = 0;
      for (let k = 0; k < COLUMNS; k++) sum += step[COLUMNS * r + k] * before[COLUMNS * (3 + k) + c];
      out[COLUMNS * r + c] = sum;
    }
    for (let k = 0; k < 3; k++) angle[k] = before[COLUMNS * k + c];
    quat.rotate(back, angle, angle);
    for (let k = 0; k < 3; k++) out[COLUMNS * k + c] += angle[k];
  }
  return out;
}
