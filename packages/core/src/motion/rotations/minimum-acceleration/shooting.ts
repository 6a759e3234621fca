/**
 * Shooting: integrates one piece of a minimum-acceleration curve, over a parameter from 0 to 1, as an initial value
 * problem.
 */

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
  /** Start and length in the parameter of the piece. */
  readonly from: number;
  readonly length: number;
  /** Rotation from its start to its end. */
  readonly rotation: number[];
}

export interface Trajectory {
  readonly steps: readonly Step[];
  readonly end: Float64Array;
}

/** Sensitivities of ends to starts: of each step, and cumulative to the end of each step. */
export interface Sensitivities {
  readonly steps: readonly Float64Array[];
  readonly cumulative: readonly Float64Array[];
}

/** A piece that needs more, some twenty revolutions, is the result of a diverging iteration. */
const MAX_STEPS = 64;

/** Integrates a piece. @returns undefined if it takes too many steps. */
export function integrate(start: Float64Array): Trajectory | undefined {
  const steps: Step[] = [];
  let state = start;
  let from = 0;
  while (from < 1) {
    const series = expandState(state, createSeries());
    const rest = 1 - from;
    const remaining = Math.ceil(rest / stepLength(series, rest));
    if (!(steps.length + remaining <= MAX_STEPS)) return undefined;
    const length = rest / remaining;
    const end = new Float64Array(STATE.size);
    advance(series, length, end);
    const rotation = quat.multiply(quat.conjugate(state.subarray(0, 4)), end.subarray(0, 4));
    steps.push({ series, from, length, rotation });
    state = end;
    from = remaining === 1 ? 1 : from + length;
  }
  return { steps, end: state };
}

/** Sensitivities of a trajectory. They cost ten times the integration, so only accepted iterates compute them. */
export function computeSensitivities(trajectory: Trajectory): Sensitivities {
  const steps: Float64Array[] = [];
  const cumulative: Float64Array[] = [];
  for (const [k, { series, length, rotation }] of trajectory.steps.entries()) {
    const step = new Float64Array(ROWS * COLUMNS);
    writeSensitivity(series, length, step);
    steps.push(step);
    cumulative.push(k === 0 ? step : compose(step, cumulative[k - 1], rotation));
  }
  return { steps, cumulative };
}

/** Chain rule: M_step (w, w', w'') + R^T e. */
function compose(step: Float64Array, preceding: Float64Array, rotation: readonly number[]): Float64Array {
  const out = new Float64Array(ROWS * COLUMNS);
  const inverse = quat.conjugate(rotation);
  const angle = [0, 0, 0];
  for (let c = 0; c < COLUMNS; c++) {
    for (let r = 0; r < ROWS; r++) {
      let sum = 0;
      for (let k = 0; k < COLUMNS; k++) sum += step[COLUMNS * r + k] * preceding[COLUMNS * (3 + k) + c];
      out[COLUMNS * r + c] = sum;
    }
    for (let k = 0; k < 3; k++) angle[k] = preceding[COLUMNS * k + c];
    quat.rotate(inverse, angle, angle);
    for (let k = 0; k < 3; k++) out[COLUMNS * k + c] += angle[k];
  }
  return out;
}
