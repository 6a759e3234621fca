/** The two-point problems of a minimum-acceleration curve, all pieces at once, by Newton's method. */

import * as quat from '../../../math/geometry/quat.js';
import * as blockTridiagonal from '../../../math/linear/block-tridiagonal.js';
import * as linear from '../../../math/linear/lu.js';
import { quatFromRotationVector } from '../../../rotation/rotation-vector/exponential.js';
import { longRotationVector } from '../../representation/rotation-keys.js';
import { type Flight, fly, sensitivitiesOf } from './shooting.js';
import { COLUMNS, STATE } from './taylor-series.js';

export interface Problem {
  /** s, one a piece. */
  readonly spans: readonly number[];
  /** From key to key, rotation vectors, and the same as quaternions. */
  readonly ways: Float64Array;
  readonly turns: Float64Array;
  /** Angular velocity at each key, rad/s, or undefined where it is free. */
  readonly given: readonly (Float64Array | undefined)[];
  /** Springs at the free keys that pull their velocities towards some others: weight 1 is as stiff as the pieces are. */
  readonly pull?: { readonly velocities: Float64Array; readonly weight: number };
}

export interface Trial {
  /** Angular velocity at each key, rad/s. */
  readonly velocities: Float64Array;
  /** w, w', w'' at the start of each piece; time counts in spans of the piece here. */
  readonly starts: Float64Array;
}

export interface Shot extends Trial {
  readonly flights: readonly Flight[];
  /** Root of the sum of the squared residuals, without unit. */
  readonly miss: number;
  /** Largest of the angles and speeds, without unit: what rounding counts against. */
  readonly size: number;
}

const MOST_STEPS = 30;
const MOST_HALVINGS = 8;
/** Misses below are solutions, when no step makes them smaller. */
const SOLVED = 1e-13;

/** The same problem with all turns and velocities `share` times as large: at 0 it is a cubic spline in R^3. */
export function scaled(problem: Problem, share: number): Problem {
  if (share === 1) return problem;
  const ways = problem.ways.map((x) => share * x);
  const turns = new Float64Array(problem.turns.length);
  for (let s = 0; s < problem.spans.length; s++) {
    quatFromRotationVector(ways.subarray(3 * s, 3 * s + 3), turns.subarray(4 * s, 4 * s + 4));
  }
  return { spans: problem.spans, ways, turns, given: problem.given.map((v) => v?.map((x) => share * x)) };
}

/** To start from: every piece at constant speed. */
export function constantSpeed({ spans, ways, given }: Problem): Trial {
  const pieces = spans.length;
  const velocities = new Float64Array(3 * (pieces + 1));
  const starts = new Float64Array(9 * pieces);
  for (let s = 0; s < pieces; s++) {
    for (let k = 0; k < 3; k++) {
      starts[9 * s + k] = ways[3 * s + k];
      const speed = ways[3 * s + k] / spans[s];
      velocities[3 * s + k] += s === 0 ? speed : speed / 2;
      velocities[3 * s + 3 + k] += s === pieces - 1 ? speed : speed / 2;
    }
  }
  for (const [i, v] of given.entries()) if (v !== undefined) velocities.set(v, 3 * i);
  return { velocities, starts };
}

/** Newton's method from `trial`. @returns undefined where it does not arrive. */
export function settle(problem: Problem, trial: Trial): Shot | undefined {
  let now = shoot(problem, trial);
  for (let steps = 0; now !== undefined && steps < MOST_STEPS; steps++) {
    const step = newtonStep(problem, now);
    if (step === undefined) return undefined;
    let next: Shot | undefined;
    for (let halving = 0, share = 1; halving < MOST_HALVINGS; halving++, share *= 0.5) {
      next = shoot(problem, {
        velocities: now.velocities.map((x, i) => x + share * step.velocities[i]),
        starts: now.starts.map((x, i) => x + share * step.starts[i]),
      });
      if (next !== undefined && next.miss < now.miss * (1 - share / 4)) break;
      // At rounding nothing gets better any more.
      if (now.miss <= SOLVED * now.size) return now;
    }
    if (next === undefined || !(next.miss < now.miss)) return undefined;
    now = next;
  }
  return undefined;
}

/** Flies all pieces and sums what they miss. */
function shoot(problem: Problem, { velocities, starts }: Trial): Shot | undefined {
  const { spans, turns, given } = problem;
  const flights: Flight[] = [];
  const start = new Float64Array(STATE.size);
  let miss = 0;
  let size = 1;
  for (let s = 0; s < spans.length; s++) {
    start.fill(0);
    start[3] = 1;
    start.set(starts.subarray(9 * s, 9 * s + 9), STATE.w);
    const flight = fly(start.slice());
    if (flight === undefined) return undefined;
    flights.push(flight);
    const off = wayLeft(flight, turns.subarray(4 * s, 4 * s + 4));
    for (let k = 0; k < 3; k++) {
      const wanted = spans[s] * velocities[3 * s + 3 + k];
      miss += off[k] ** 2 + (flight.end[STATE.w + k] - wanted) ** 2;
      miss += (starts[9 * s + k] - spans[s] * velocities[3 * s + k]) ** 2;
      size = Math.max(size, Math.abs(wanted), Math.abs(starts[9 * s + 3 + k]));
    }
  }
  for (const [i, v] of given.entries()) {
    if (v !== undefined) continue;
    const before = i > 0 ? spans[i - 1] ** -2 : 0;
    const after = i < spans.length ? spans[i] ** -2 : 0;
    for (let k = 0; k < 3; k++) {
      let jump = 0;
      if (i > 0) jump += before * flights[i - 1].end[STATE.a + k];
      if (i < spans.length) jump -= after * starts[9 * i + 3 + k];
      jump += springOf(problem, i) * (velocities[3 * i + k] - (problem.pull?.velocities[3 * i + k] ?? 0));
      miss += (jump / (before + after)) ** 2;
    }
  }
  return { velocities, starts, flights, miss: Math.sqrt(miss), size };
}

/** Stiffness of the spring at key i: that of cubics, 4/h on each side, times its weight. */
function springOf({ spans, pull }: Problem, i: number): number {
  if (pull === undefined) return 0;
  return 4 * pull.weight * ((i > 0 ? 1 / spans[i - 1] : 0) + (i < spans.length ? 1 / spans[i] : 0));
}

/** log(R_end^-1 R_wanted): the turn that is missing, in body axes. */
function wayLeft(flight: Flight, wanted: Float64Array): number[] {
  return longRotationVector(quat.multiply(quat.conjugate(flight.end.subarray(0, 4)), wanted));
}

/** Answer of a piece: changes of w', w'' at its start, one column each for 1, the velocity there (3) and at the end (3). */
const WIDTH = 7;

/**
 * The full Newton step. Each piece gives its own six unknowns as linear functions of the velocities at its keys; what is left, that the
 * acceleration does not jump, is block tridiagonal in the velocities. That matrix is the second derivative of the energy.
 */
function newtonStep(problem: Problem, shot: Shot): Trial | undefined {
  const { spans } = problem;
  const { velocities, starts, flights } = shot;
  const changes = flights.map((flight) => {
    const { sums } = sensitivitiesOf(flight);
    return sums[sums.length - 1];
  });
  const answers = pieceAnswers(problem, shot, changes);
  if (answers === undefined) return undefined;
  const { rows, right } = accelerationRows(problem, shot, changes, answers);
  if (!blockTridiagonal.solve(rows, right)) return undefined;
  const change = new Float64Array(starts.length);
  for (let s = 0; s < spans.length; s++) {
    for (let k = 0; k < 3; k++) change[9 * s + k] = spans[s] * right[3 * s + k] - starts[9 * s + k];
    for (let r = 0; r < 6; r++) {
      let sum = answers[s][WIDTH * r];
      for (let k = 0; k < 6; k++) sum += answers[s][WIDTH * r + 1 + k] * right[3 * s + k];
      change[9 * s + 3 + r] = sum;
    }
  }
  return { velocities: right.map((x, i) => x - velocities[i]), starts: change };
}

/** {@link pieceAnswer} of all pieces; `changes`: how their ends change with their starts. */
export function pieceAnswers(
  problem: Problem,
  shot: Shot,
  changes: readonly Float64Array[],
): Float64Array[] | undefined {
  const answers: Float64Array[] = [];
  for (let s = 0; s < problem.spans.length; s++) {
    const answer = pieceAnswer(problem, shot, changes[s], s);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

/** Solves M_{e,w; w',w''} x = what the end misses, for the start velocity h v_0 and the end velocity h v_1. */
function pieceAnswer(
  problem: Problem,
  { starts, flights }: Shot,
  m: Float64Array,
  s: number,
): Float64Array | undefined {
  const h = problem.spans[s];
  const { end } = flights[s];
  const off = wayLeft(flights[s], problem.turns.subarray(4 * s, 4 * s + 4));
  const matrix = new Float64Array(36);
  const answer = new Float64Array(6 * WIDTH);
  for (let r = 0; r < 6; r++) {
    answer[WIDTH * r] = r < 3 ? off[r] : -end[STATE.w + r - 3];
    if (r >= 3) answer[WIDTH * r + 1 + r] = h;
    for (let k = 0; k < 3; k++) {
      answer[WIDTH * r] += m[COLUMNS * r + k] * starts[9 * s + k];
      answer[WIDTH * r + 1 + k] = -h * m[COLUMNS * r + k];
    }
    for (let c = 0; c < 6; c++) matrix[6 * r + c] = m[COLUMNS * r + 3 + c];
  }
  return linear.solve(matrix, 6, answer, WIDTH) ? answer : undefined;
}

/** Rows w'_before - w'_after = 0 at free keys and v = given at the others, in the velocities. */
export function accelerationRows(
  problem: Problem,
  { starts, flights }: Shot,
  changes: readonly Float64Array[],
  answers: readonly Float64Array[],
): { rows: { left: Float64Array[]; middle: Float64Array[]; right: Float64Array[] }; right: Float64Array } {
  const { spans, given, pull } = problem;
  const keys = given.length;
  const blocks = () => Array.from({ length: keys }, () => new Float64Array(9));
  const rows = { left: blocks(), middle: blocks(), right: blocks() };
  const right = new Float64Array(3 * keys);
  for (const [i, v] of given.entries()) {
    const spring = v === undefined ? springOf(problem, i) : 1;
    for (let k = 0; k < 9; k += 4) rows.middle[i][k] = spring;
    for (let k = 0; k < 3; k++) right[3 * i + k] = spring * (v?.[k] ?? pull?.velocities[3 * i + k] ?? 0);
  }
  for (let s = 0; s < spans.length; s++) {
    const h = spans[s];
    const answer = answers[s];
    const share = 1 / (h * h);
    if (given[s] === undefined) {
      for (let r = 0; r < 3; r++) {
        right[3 * s + r] += share * (starts[9 * s + 3 + r] + answer[WIDTH * r]);
        for (let c = 0; c < 3; c++) {
          rows.middle[s][3 * r + c] -= share * answer[WIDTH * r + 1 + c];
          rows.right[s][3 * r + c] -= share * answer[WIDTH * r + 4 + c];
        }
      }
    }
    if (given[s + 1] !== undefined) continue;
    const m = changes[s];
    for (let r = 0; r < 3; r++) {
      const row = COLUMNS * (6 + r);
      const at = 3 * (s + 1) + r;
      right[at] -= share * flights[s].end[STATE.a + r];
      for (let k = 0; k < 3; k++) {
        right[at] += share * m[row + k] * starts[9 * s + k];
        rows.left[s + 1][3 * r + k] += share * h * m[row + k];
      }
      for (let k = 0; k < 6; k++) {
        const change = share * m[row + 3 + k];
        right[at] -= change * answer[WIDTH * k];
        for (let c = 0; c < 3; c++) {
          rows.left[s + 1][3 * r + c] += change * answer[WIDTH * k + 1 + c];
          rows.middle[s + 1][3 * r + c] += change * answer[WIDTH * k + 4 + c];
        }
      }
    }
  }
  return { rows, right };
}
