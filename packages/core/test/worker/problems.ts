import type { Figure } from 'poise/figure';
import { createIk, type Goal } from 'poise/ik';
import { randomFigure, randomPose } from '../support/random-figure.js';
import { goalKinds } from '../support/random-goals.js';

export interface Problem {
  readonly figure: Figure;
  readonly goals: Goal[];
  readonly start: Float64Array;
}

/** A random figure with one to three goals of random kinds on it that createIk accepts. */
export function randomProblem(random: () => number): Problem {
  const kinds = Object.values(goalKinds);
  for (;;) {
    const figure = randomFigure(random, 9);
    const count = 1 + Math.floor(3 * random());
    const goals = Array.from({ length: count }, () =>
      kinds[Math.floor(kinds.length * random())](random, figure),
    );
    try {
      createIk(figure, goals);
    } catch {
      // A goal that no joint moves.
      continue;
    }
    return { figure, goals, start: randomPose(figure, random) };
  }
}
