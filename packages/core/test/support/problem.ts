import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { type Goal, goalHessians, goalTypes } from 'poise/ik';
import * as problems from '../../src/ik/problem/create-problem.js';
import { assignHessians } from '../../src/ik/problem/hessian.js';
import type { Problem } from '../../src/ik/problem/problem.js';

/** The problem of goals of any type, all priorities together. */
export function createProblem(
  figure: Figure,
  goals: readonly Goal[],
  locked: readonly (string | number)[],
): Problem {
  const problem = problems.createProblem(goalTypes, figure, goals, locked);
  assignHessians(problem, goalHessians.flat());
  return problem;
}

/** The same, or undefined for a goal that no joint moves. */
export function movableProblem(figure: Figure, goal: Goal): Problem | undefined {
  try {
    return createProblem(figure, [goal], []);
  } catch (error) {
    if (error instanceof PoiseError && error.code === 'immovable-goal') return undefined;
    throw error;
  }
}
