/** Largest number of variables that enter, as a multiple of the candidates: a cycle by rounding ends there. */
const MAX_ENTRIES = 3;

/**
 * Minimizes |b - A x| over x >= 0. The factorization of A is the caller's, behind `solve` and `descent`.
 */
export interface NonnegativeLeastSquares {
  /** 1 for a variable that may be nonzero; cleared for one that enters by rounding only. */
  readonly candidate: Uint8Array;
  /**
   * 1 for a variable that is not fixed at zero. One that is active at the start without being a candidate may have either sign;
   * candidates that are active at the start are a guess: those with a negative solution leave, all where the columns are dependent.
   */
  readonly active: Uint8Array;
  /** x: the minimizer over the active variables, zero for the others. */
  readonly solution: Float64Array;
  /** The last x that was not negative. */
  readonly feasible: Float64Array;
  /** Minimizes over the active variables: writes `solution`. @returns whether their columns are linearly independent. */
  solve(): boolean;
  /** Updates the residual b - A x of the last solution. */
  updateResidual(): void;
  /** a_n . (b - A x): half the rate at which the square of the residual falls with x_n. */
  descent(n: number): number;
}

/**
 * The active set method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23): the variable of the fastest descent enters;
 * where the minimizer has a negative entry, the step towards it ends at the first zero, and that variable leaves.
 *
 * @param tolerance - Descent that counts as zero.
 */
export function solveNonnegativeLeastSquares(problem: NonnegativeLeastSquares, tolerance: number): void {
  const { candidate, active, solution, feasible } = problem;
  const count = active.length;
  feasible.fill(0);
  let max = 0;
  for (let n = 0; n < count; n++) if (candidate[n] === 1 || active[n] === 1) max += MAX_ENTRIES;
  for (let independent = problem.solve(); !isFeasible(problem, independent); independent = problem.solve()) {
    for (let n = 0; n < count; n++) {
      if (candidate[n] === 1 && !(independent && solution[n] > 0)) active[n] = 0;
    }
  }
  feasible.set(solution);
  for (let entries = 0; ; entries++) {
    problem.updateResidual();
    if (entries > max) return;
    const entering = findEntering(problem, tolerance);
    if (entering < 0) return;
    active[entering] = 1;
    for (;;) {
      problem.solve();
      // The fraction of the step to the new solution at which the first variable becomes zero.
      let alpha = 1;
      let leaving = -1;
      for (let n = 0; n < count; n++) {
        if (active[n] === 0 || candidate[n] === 0 || solution[n] > 0) continue;
        const fraction = feasible[n] > 0 ? feasible[n] / (feasible[n] - solution[n]) : 0;
        if (fraction < alpha || leaving < 0) {
          alpha = Math.min(alpha, fraction);
          leaving = n;
        }
      }
      if (leaving < 0) break;
      for (let n = 0; n < count; n++) feasible[n] += alpha * (solution[n] - feasible[n]);
      active[leaving] = 0;
      feasible[leaving] = 0;
      if (leaving === entering) candidate[leaving] = 0;
    }
    feasible.set(solution);
  }
}

/** Whether no active candidate is negative, zero or among dependent columns. */
function isFeasible({ candidate, active, solution }: NonnegativeLeastSquares, independent: boolean): boolean {
  for (let n = 0; n < active.length; n++)
    if (active[n] === 1 && candidate[n] === 1 && !(independent && solution[n] > 0)) return false;
  return true;
}

/** The candidate of the fastest descent; -1 for none above the tolerance. */
function findEntering(problem: NonnegativeLeastSquares, tolerance: number): number {
  const { candidate, active } = problem;
  let largest = tolerance;
  let entering = -1;
  for (let n = 0; n < active.length; n++) {
    if (candidate[n] === 0 || active[n] === 1) continue;
    const x = problem.descent(n);
    if (x <= largest) continue;
    largest = x;
    entering = n;
  }
  return entering;
}
