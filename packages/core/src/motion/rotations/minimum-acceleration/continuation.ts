/** Ways to a minimum where Newton's method does not find one at once. */

import { constantSpeed, type Problem, type Shot, scaled, settle, type Trial } from './newton.js';
import { isMinimum } from './second-variation.js';

/** Least step of the turn, as a share of the whole. */
const LEAST_SHARE = 1 / 128;
const MOST_RELAXATIONS = 60;
/** Springs so weak that Newton's method is tried without. */
const WEAK = 0.01;

/** The minimum, or undefined where none is found. */
export function findMinimum(problem: Problem): Shot | undefined {
  for (const attempt of [fromConstantSpeed, relax, grow]) {
    const shot = attempt(problem);
    if (shot !== undefined && isMinimum(problem, shot)) return shot;
  }
  return undefined;
}

function fromConstantSpeed(problem: Problem): Shot | undefined {
  return settle(problem, constantSpeed(problem));
}

/**
 * Begins with all velocities held, where every piece stands alone, and lets go of them by springs to where they were last: steps of the
 * implicit Euler method along the gradient of the energy, which only falls.
 */
function relax(problem: Problem): Shot | undefined {
  if (!problem.given.includes(undefined)) return undefined;
  const start = constantSpeed(problem);
  const held = {
    ...problem,
    given: problem.given.map((_, i) => start.velocities.slice(3 * i, 3 * i + 3)),
  };
  let shot = settle(held, start) ?? grow(held);
  for (let n = 0, weight = 1; shot !== undefined && n < MOST_RELAXATIONS; n++) {
    const free: Shot | undefined = weight < WEAK ? settle(problem, shot) : undefined;
    if (free !== undefined) return free;
    const next: Shot | undefined = settle(
      { ...problem, pull: { velocities: shot.velocities, weight } },
      shot,
    );
    weight *= next === undefined ? 4 : 0.25;
    shot = next ?? shot;
  }
  return undefined;
}

/** Follows the solution from small turns, where it is a cubic spline in R^3, to the turns that are wanted. */
function grow(problem: Problem): Shot | undefined {
  const shares: number[] = [];
  const shots: Shot[] = [];
  for (let share = 0, step = 0.5; share < 1; ) {
    const next = Math.min(1, share + step);
    const at = scaled(problem, next);
    const shot = settle(at, shots.length === 0 ? constantSpeed(at) : extended(shots, shares, next));
    if (shot === undefined) {
      step /= 2;
      if (step < LEAST_SHARE) return undefined;
      continue;
    }
    shots.push(shot);
    shares.push(next);
    share = next;
    step *= 1.5;
  }
  return shots[shots.length - 1];
}

/** Everything over its share, on the line through the last two. */
function extended(shots: readonly Shot[], shares: readonly number[], next: number): Trial {
  const n = shots.length;
  const [last, share] = [shots[n - 1], shares[n - 1]];
  const [before, shareBefore] = n > 1 ? [shots[n - 2], shares[n - 2]] : [last, share];
  const on = n > 1 ? (next - share) / (share - shareBefore) : 0;
  const extend = (a: Float64Array, b: Float64Array) =>
    a.map((x, i) => next * (x / share + on * (x / share - b[i] / shareBefore)));
  return {
    velocities: extend(last.velocities, before.velocities),
    starts: extend(last.starts, before.starts),
  };
}
