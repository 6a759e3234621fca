/** Knot search: few keyframes for samples, for any kind of fit. */

/** Samples to be fitted by keyframes at some of them; S is the state of a keyframe. */
export interface FitProblem<S> {
  /** Number of samples. */
  readonly count: number;
  /** Initial state of a keyframe at a sample, from its neighbours. */
  readonly estimate: (sample: number) => S;
  /** Whether the piece between two keyframes is within the bound at every sample between them. */
  readonly fits: (from: number, a: S, to: number, b: S) => boolean;
  /**
   * Keyframes at these samples within the bound at every sample from the first to the last, starting from `states`; undefined if
   * none are found. A fixed keyframe keeps its state.
   */
  readonly refit: (
    keys: readonly number[],
    states: readonly S[],
    fixFirst: boolean,
    fixLast: boolean,
  ) => S[] | undefined;
}

export interface FoundKeys<S> {
  readonly keys: number[];
  readonly states: S[];
}

/** Keyframes on each side that are refitted with a change. */
const WINDOW = 3;

/**
 * Few keyframes within the bound: greedily the farthest feasible next keyframe, refitting those before it; then keyframes are
 * removed or merged while feasible. Not guaranteed to be optimal: the tests compare with the optimum.
 */
export function findKeys<S>(problem: FitProblem<S>): FoundKeys<S> {
  let found: FoundKeys<S> = { keys: [0], states: [problem.estimate(0)] };
  const last = problem.count - 1;
  while (found.keys[found.keys.length - 1] < last) found = withNextKey(problem, found, last);
  return removeKeys(problem, found);
}

/** Appends the farthest feasible keyframe: exponential, then binary search. */
function withNextKey<S>(problem: FitProblem<S>, found: FoundKeys<S>, last: number): FoundKeys<S> {
  const from = found.keys[found.keys.length - 1];
  // The next sample is always feasible: there are no samples between.
  let good = from + 1;
  let best = append(found, good, [...found.states, problem.estimate(good)]);
  let bad = last + 1;
  for (let step = 1; good < last && bad - good > 1; ) {
    const at = bad > last ? Math.min(good + step, last) : (good + bad) >> 1;
    const next = withKeyAt(problem, found, at);
    if (next === undefined) bad = at;
    else {
      good = at;
      best = next;
      step *= 2;
    }
  }
  return best;
}

function withKeyAt<S>(problem: FitProblem<S>, found: FoundKeys<S>, at: number): FoundKeys<S> | undefined {
  const { keys, states } = found;
  const end = problem.estimate(at);
  if (problem.fits(keys[keys.length - 1], states[states.length - 1], at, end)) {
    return append(found, at, [...states, end]);
  }
  const first = Math.max(0, keys.length - WINDOW);
  const window = problem.refit([...keys.slice(first), at], [...states.slice(first), end], first > 0, false);
  return window && append(found, at, [...states.slice(0, first), ...window]);
}

function append<S>({ keys }: FoundKeys<S>, at: number, states: S[]): FoundKeys<S> {
  return { keys: [...keys, at], states };
}

/** Removes keyframes until none can be spared: one removed, two replaced by one, three replaced by two. */
function removeKeys<S>(problem: FitProblem<S>, found: FoundKeys<S>): FoundKeys<S> {
  let best = found;
  for (let before = Number.POSITIVE_INFINITY; best.keys.length < before; ) {
    before = best.keys.length;
    for (let removed = 1; removed <= 3; removed++) {
      for (let k = 1; k + removed < best.keys.length; ) {
        const fewer = withOneKeyFewer(problem, best, k, removed);
        // The change may have made removals before k feasible, as far as the window reaches.
        k = fewer === undefined ? k + 1 : Math.max(1, k - WINDOW);
        best = fewer ?? best;
      }
    }
  }
  return best;
}

function withOneKeyFewer<S>(
  problem: FitProblem<S>,
  found: FoundKeys<S>,
  k: number,
  removed: number,
): FoundKeys<S> | undefined {
  const candidates = between(found.keys[k], found.keys[k + removed - 1], removed === 2 ? 9 : 6);
  for (const replacement of combinations(candidates, removed - 1)) {
    const fewer = replaceKeys(problem, found, k, k + removed, replacement);
    if (fewer !== undefined) return fewer;
  }
  return undefined;
}

/** All combinations of `count` (0 to 2) candidates, increasing. */
function combinations(candidates: readonly number[], count: number): number[][] {
  if (count === 0) return [[]];
  if (count === 1) return candidates.map((candidate) => [candidate]);
  return candidates.flatMap((a) => candidates.filter((b) => b > a).map((b) => [a, b]));
}

/** At most `max` samples from one to another, ordered from the middle outwards. */
function between(from: number, to: number, max: number): number[] {
  const count = Math.min(max, to - from + 1);
  const all = Array.from({ length: count }, (_, n) =>
    Math.round(from + (n / Math.max(1, count - 1)) * (to - from)),
  );
  const middle = 0.5 * (from + to);
  return [...new Set(all)].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b);
}

/** Replaces the keyframes from `begin` to before `end`; undefined if infeasible. */
function replaceKeys<S>(
  problem: FitProblem<S>,
  { keys, states }: FoundKeys<S>,
  begin: number,
  end: number,
  replacement: readonly number[],
): FoundKeys<S> | undefined {
  const first = Math.max(0, begin - WINDOW);
  const after = Math.min(keys.length, end + WINDOW);
  const window = [...keys.slice(first, begin), ...replacement, ...keys.slice(end, after)];
  const from = [
    ...states.slice(first, begin),
    ...replacement.map(problem.estimate),
    ...states.slice(end, after),
  ];
  const fitted = problem.refit(window, from, first > 0, after < keys.length);
  if (fitted === undefined) return undefined;
  return {
    keys: [...keys.slice(0, first), ...window, ...keys.slice(after)],
    states: [...states.slice(0, first), ...fitted, ...states.slice(after)],
  };
}
