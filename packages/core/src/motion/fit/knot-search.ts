/** The search for few keys, whatever is fitted. */

/** Samples to be fitted by keys at some of them; a state is what a key holds. */
export interface FitProblem<S> {
  /** How many samples there are. */
  readonly count: number;
  /** A key at a sample, from the samples next to it. */
  readonly estimate: (sample: number) => S;
  /** Whether the piece between two keys is within the bound at every sample between them. */
  readonly fits: (from: number, a: S, to: number, b: S) => boolean;
  /**
   * Keys at these samples that are within the bound at every sample from the first to the last, begun from the given ones; undefined where none are
   * found. A key that is held stays as it is.
   */
  readonly refit: (
    keys: readonly number[],
    states: readonly S[],
    holdFirst: boolean,
    holdLast: boolean,
  ) => S[] | undefined;
}

export interface FoundKeys<S> {
  readonly keys: number[];
  readonly states: S[];
}

/** How many keys on each side of a change may change with it. */
const NEAR = 3;

/**
 * Keys within the bound, few of them: from the first sample on the farthest next key that can be had, those before it changing with it; then keys are
 * taken away, and two made one, as long as that can be had. There is no promise that no fewer would do: see the comparison in the tests.
 */
export function findKeys<S>(problem: FitProblem<S>): FoundKeys<S> {
  let found: FoundKeys<S> = { keys: [0], states: [problem.estimate(0)] };
  const last = problem.count - 1;
  while (found.keys[found.keys.length - 1] < last) found = extended(problem, found, last);
  return thinned(problem, found);
}

/** With one key more, as far on as can be: by steps that double, then by halving. */
function extended<S>(problem: FitProblem<S>, found: FoundKeys<S>, last: number): FoundKeys<S> {
  const from = found.keys[found.keys.length - 1];
  // The next sample can always be a key: there is nothing between.
  let good = from + 1;
  let best = appended(found, good, [...found.states, problem.estimate(good)]);
  let bad = last + 1;
  for (let step = 1; good < last && bad - good > 1; ) {
    const at = bad > last ? Math.min(good + step, last) : (good + bad) >> 1;
    const next = reaching(problem, found, at);
    if (next === undefined) bad = at;
    else {
      good = at;
      best = next;
      step *= 2;
    }
  }
  return best;
}

function reaching<S>(problem: FitProblem<S>, found: FoundKeys<S>, at: number): FoundKeys<S> | undefined {
  const { keys, states } = found;
  const end = problem.estimate(at);
  if (problem.fits(keys[keys.length - 1], states[states.length - 1], at, end)) {
    return appended(found, at, [...states, end]);
  }
  const first = Math.max(0, keys.length - NEAR);
  const window = problem.refit([...keys.slice(first), at], [...states.slice(first), end], first > 0, false);
  return window && appended(found, at, [...states.slice(0, first), ...window]);
}

function appended<S>({ keys }: FoundKeys<S>, at: number, states: S[]): FoundKeys<S> {
  return { keys: [...keys, at], states };
}

/** Fewer keys where that can be had: one away, two made one, three made two, over and over until nothing is left to win. */
function thinned<S>(problem: FitProblem<S>, found: FoundKeys<S>): FoundKeys<S> {
  let best = found;
  for (let before = Number.POSITIVE_INFINITY; best.keys.length < before; ) {
    before = best.keys.length;
    for (let taken = 1; taken <= 3; taken++) {
      for (let k = 1; k + taken < best.keys.length; ) {
        const fewer = withOneLess(problem, best, k, taken);
        // What was tried before k may go now for as far as the change reached.
        k = fewer === undefined ? k + 1 : Math.max(1, k - NEAR);
        best = fewer ?? best;
      }
    }
  }
  return best;
}

function withOneLess<S>(
  problem: FitProblem<S>,
  found: FoundKeys<S>,
  k: number,
  taken: number,
): FoundKeys<S> | undefined {
  const places = between(found.keys[k], found.keys[k + taken - 1], taken === 2 ? 9 : 6);
  for (const instead of choices(places, taken - 1)) {
    const fewer = replaced(problem, found, k, k + taken, instead);
    if (fewer !== undefined) return fewer;
  }
  return undefined;
}

/** Every choice of so many (0 to 2) of the places, in rising order. */
function choices(places: readonly number[], count: number): number[][] {
  if (count === 0) return [[]];
  if (count === 1) return places.map((place) => [place]);
  return places.flatMap((a) => places.filter((b) => b > a).map((b) => [a, b]));
}

/** Samples from one to another, so many at most, from the middle outwards. */
function between(from: number, to: number, most: number): number[] {
  const count = Math.min(most, to - from + 1);
  const all = Array.from({ length: count }, (_, n) =>
    Math.round(from + (n / Math.max(1, count - 1)) * (to - from)),
  );
  const middle = 0.5 * (from + to);
  return [...new Set(all)].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle) || a - b);
}

/** With other keys in the place of those from `begin` to before `end`, or undefined. */
function replaced<S>(
  problem: FitProblem<S>,
  { keys, states }: FoundKeys<S>,
  begin: number,
  end: number,
  instead: readonly number[],
): FoundKeys<S> | undefined {
  const first = Math.max(0, begin - NEAR);
  const after = Math.min(keys.length, end + NEAR);
  const window = [...keys.slice(first, begin), ...instead, ...keys.slice(end, after)];
  const from = [...states.slice(first, begin), ...instead.map(problem.estimate), ...states.slice(end, after)];
  const fitted = problem.refit(window, from, first > 0, after < keys.length);
  if (fitted === undefined) return undefined;
  return {
    keys: [...keys.slice(0, first), ...window, ...keys.slice(after)],
    states: [...states.slice(0, first), ...fitted, ...states.slice(after)],
  };
}
