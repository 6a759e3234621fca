import { type Drawn, drawProblem, seeded } from './random-problem.js';
import { type Claim, createJudge, immovable } from './verdict.js';

/** Outcome of a drawn problem: a solution, or the refusal of a goal that no coordinate affects. */
export type Outcome =
  | { readonly pose: ArrayLike<number>; readonly claim: Claim }
  | { readonly immovableGoal: number };

/** The solver under test, handed in: this folder imports nothing of it. */
export type Solve = (drawn: Drawn, observe: (pose: ArrayLike<number>, objective: number) => void) => Outcome;

/** Result of a run of random problems. */
export interface Tally {
  /** Problems by status; refusals under `immovable-goal`. */
  readonly counts: Record<string, number>;
  /** Of those the ones with an iteration limit of their own that was met. */
  stoppedAtLimit: number;
  /** Problems whose verdict has failures. */
  readonly failures: {
    readonly number: number;
    readonly status: string;
    readonly texts: readonly string[];
  }[];
  /** Accepted iterates seen. */
  iterates: number;
  /** Largest excess of a limit at any of them, rad, or m over the length scale. */
  excess: number;
  /** Largest difference of the objective from the oracle's, over 1 + f. */
  objectiveError: number;
  /** Largest stationarity, by the oracle, of an answer that is called stationary. */
  stationarity: number;
  /** Answers where doubles do not give the gradient to 1e-8: a target at the very origin of a sight, or 1e4 reaches off. */
  illConditioned: number;
  /** Solves in which the goals were met at a higher f than at the start. */
  roseToConverge: number;
}

/** Draws problems `from` to `from + count` of a seed, has each solved, and judges every accepted iterate and the answer. */
export function runRandomProblems(seed: number, from: number, count: number, solve: Solve): Tally {
  const tally = emptyTally();
  for (let number = from; number < from + count; number++)
    judgeOne(tally, drawProblem(seed, number), number, solve);
  return tally;
}

function emptyTally(): Tally {
  return {
    counts: {},
    stoppedAtLimit: 0,
    failures: [],
    iterates: 0,
    excess: 0,
    objectiveError: 0,
    stationarity: 0,
    illConditioned: 0,
    roseToConverge: 0,
  };
}

/** The tally of several runs together. */
export function mergedTally(tallies: readonly Tally[]): Tally {
  const all = emptyTally();
  for (const tally of tallies) {
    for (const [status, count] of Object.entries(tally.counts))
      all.counts[status] = (all.counts[status] ?? 0) + count;
    all.failures.push(...tally.failures);
    for (const name of ['stoppedAtLimit', 'iterates', 'illConditioned', 'roseToConverge'] as const)
      all[name] += tally[name];
    for (const name of ['excess', 'objectiveError', 'stationarity'] as const)
      all[name] = Math.max(all[name], tally[name]);
  }
  return all;
}

function judgeOne(tally: Tally, drawn: Drawn, number: number, solve: Solve): void {
  const { problem, start, options } = drawn;
  const judge = createJudge(problem, start);
  const outcome = solve(drawn, judge.observe);
  const status = 'claim' in outcome ? outcome.claim.status : 'immovable-goal';
  tally.counts[status] = (tally.counts[status] ?? 0) + 1;
  if (!('claim' in outcome)) {
    const random = seeded(number);
    const poses = [0, 1, 2].map(() => judge.oracle.scales.map((scale) => scale * (2 * random() - 1)));
    if (!immovable(problem, outcome.immovableGoal, poses)) {
      tally.failures.push({ number, status, texts: [`goal ${outcome.immovableGoal} can be moved`] });
    }
    return;
  }
  const verdict = judge.conclude(outcome.pose, outcome.claim);
  if (verdict.failures.length > 0) tally.failures.push({ number, status, texts: verdict.failures });
  const conditioned = verdict.rounding < 1e-8;
  tally.iterates += verdict.iterates;
  tally.excess = Math.max(tally.excess, verdict.excess);
  tally.objectiveError = Math.max(tally.objectiveError, verdict.objectiveError);
  if (!conditioned) tally.illConditioned++;
  else if (status === 'out-of-reach' || status === 'limit-blocked') {
    tally.stationarity = Math.max(tally.stationarity, verdict.stationarity);
  }
  if (verdict.roseToConverge) tally.roseToConverge++;
  if (status === 'iteration-limit' && options.maxIterations !== undefined) tally.stoppedAtLimit++;
}

/** The share of solves, without the problems stopped by their own iteration limit, that end neither met nor stationary. */
export function looseShare({ counts, stoppedAtLimit }: Tally): number {
  const of = (status: string): number => counts[status] ?? 0;
  const reported = of('converged') + of('out-of-reach') + of('limit-blocked');
  const loose = of('stalled') + of('iteration-limit') - stoppedAtLimit;
  return loose / (reported + loose);
}
