import { coordinatesOf, type LimitSet, limitExcess, limitSets, projected } from './limits.js';
import { createOracle, gradientOf, type Oracle, objectiveOf } from './objective.js';
import type { Goal, Problem } from './types.js';

/** The fields of a solver's result that are checked. */
export interface Claim {
  readonly status: string;
  readonly objective: number;
  readonly lengthScale: number;
  readonly stationarity?: number;
  readonly residuals: readonly {
    /** Which goal of the problem. */
    readonly index: number;
    readonly value: number;
    readonly tolerance: number;
    readonly satisfied: boolean;
  }[];
  readonly activeLimits: readonly {
    readonly bone: string;
    readonly coordinate: number;
    readonly multiplier: number;
  }[];
}

/** docs/architecture.md, "Status": |P(q - grad f) - q| at most this, by the oracle's own gradient and projection. */
const STATIONARY = 1e-8;
/** Relative difference allowed between two computations in doubles. */
const ROUNDING = 1e-6;
/** Largest excess of a limit at an accepted iterate, rad or m per metre of reach. */
const MAX_EXCESS = 1e-12;

/** Measurements of a solve, and its failures. */
export interface Verdict {
  readonly failures: readonly string[];
  /** Largest excess of a limit over all accepted iterates; lengths over the length scale. */
  readonly excess: number;
  /** Largest difference of the objective from the oracle's, against 1 + f. */
  readonly objectiveError: number;
  /** |P(q - grad f) - q| of the answer by the oracle. */
  readonly stationarity: number;
  /** What doubles leave open of the gradient at the answer: the stationarity means something where this is below 1e-8. */
  readonly rounding: number;
  readonly iterates: number;
  /** Goals met, but f higher than at the start. */
  readonly roseToConverge: boolean;
}

export interface Judge {
  readonly oracle: Oracle;
  /** To be called at each accepted iterate. */
  observe(pose: ArrayLike<number>, objective: number): void;
  /** To be called with the answer. */
  conclude(pose: ArrayLike<number>, claim: Claim): Verdict;
}

/** Watches one solve from `start` and judges it by kinematics, gradient and projection of its own. */
export function createJudge(problem: Problem, start: ArrayLike<number>): Judge {
  const oracle = createOracle(problem);
  const sets = limitSets(problem.bones);
  const failures: string[] = [];
  const fail = (text: string): void => {
    if (failures.length < 10) failures.push(text);
  };
  let excess = 0;
  let objectiveError = 0;
  let iterates = 0;
  const watch = (pose: ArrayLike<number>, objective: number, where: string): void => {
    if (!Array.from(pose).every(Number.isFinite)) fail(`${where}: a coordinate is not finite`);
    if (!Number.isFinite(objective)) fail(`${where}: f is ${objective}`);
    const over = Math.max(0, ...sets.map((set) => limitExcess([set], pose) / oracle.scales[set.coordinate]));
    excess = Math.max(excess, over);
    if (!(over <= MAX_EXCESS)) fail(`${where}: a limit is exceeded by ${over}`);
    const { f, rounding } = objectiveOf(oracle, pose);
    const error = Math.abs(f - objective) / (1 + f);
    if (rounding < 1e-8) objectiveError = Math.max(objectiveError, error);
    if (!(error <= 1e-10 + rounding)) fail(`${where}: f is ${f}, not ${objective}`);
  };
  return {
    oracle,
    observe: (pose, objective) => {
      iterates++;
      watch(pose, objective, `iterate ${iterates}`);
    },
    conclude: (pose, claim) => {
      watch(pose, claim.objective, 'answer');
      const first = projected(sets, start);
      const before = objectiveOf(oracle, first).f;
      const { f, values, rounding, gradientRounding } = objectiveOf(oracle, pose);
      const met = claim.status === 'converged';
      const higher = f > before * (1 + 1e-10) + 1e-20;
      if (higher && !met) fail(`f rose from ${before} to ${f}`);
      judgeResiduals(oracle, claim, values, rounding, fail);
      judgeLocked(oracle, first, pose, fail);
      const gradient = gradientOf(oracle, pose);
      const stationarity = stationarityOf(oracle, sets, pose, gradient);
      judgeStatus(oracle, sets, pose, gradient, stationarity, gradientRounding, claim, fail);
      return {
        failures,
        excess,
        objectiveError,
        stationarity,
        rounding: gradientRounding,
        iterates,
        roseToConverge: higher && met,
      };
    },
  };
}

type Fail = (text: string) => void;

function judgeResiduals(
  { lengthScale }: Oracle,
  claim: Claim,
  values: readonly number[],
  rounding: number,
  fail: Fail,
): void {
  if (Math.abs(claim.lengthScale / lengthScale - 1) > 1e-12) fail(`length scale ${claim.lengthScale}`);
  if (claim.residuals.length !== values.length) fail(`${claim.residuals.length} residuals`);
  claim.residuals.forEach(({ value, tolerance, satisfied }, n) => {
    const error = Math.abs(value - values[n]) / Math.max(1, lengthScale);
    if (!(error <= 1e-10 * (1 + values[n]) + rounding)) fail(`residual ${n} is ${values[n]}, not ${value}`);
    if (satisfied !== value <= tolerance) fail(`residual ${n}: satisfied is ${satisfied}`);
  });
}

function judgeLocked(oracle: Oracle, first: readonly number[], pose: ArrayLike<number>, fail: Fail): void {
  oracle.locked.forEach((locked, i) => {
    if (locked && Math.abs(pose[i] - first[i]) > 1e-12 * oracle.scales[i])
      fail(`locked coordinate ${i} moved`);
  });
}

/** |P(q - grad f) - q| in scaled coordinates, over the coordinates that are not locked. */
function stationarityOf(
  oracle: Oracle,
  sets: readonly LimitSet[],
  pose: ArrayLike<number>,
  gradient: readonly number[],
): number {
  const moved = Array.from(pose, (x, i) => x - oracle.scales[i] * gradient[i]);
  return Math.hypot(
    ...projected(sets, moved).map((x, i) => (oracle.locked[i] ? 0 : (x - pose[i]) / oracle.scales[i])),
  );
}

/** Multiplier of a limit along its inward normal, 0 if the pose does not touch it. */
function multiplierOf(
  oracle: Oracle,
  set: LimitSet,
  pose: ArrayLike<number>,
  gradient: readonly number[],
): number {
  const x = coordinatesOf(set, pose);
  const scale = oracle.scales[set.coordinate];
  const normal = set.normal(x);
  const slope = normal.map((c, k) => -c * gradient[set.coordinate + k]).reduce((a, b) => a + b);
  // Touching: a little farther out is outside. A set of no width has no inside: it pushes either way.
  const reach = (side: number): number => {
    const beyond = x.map((c, k) => c + side * 1e-9 * scale * normal[k]);
    return Math.hypot(...set.nearest(beyond).map((c, k) => c - beyond[k]));
  };
  const touches = reach(1) > 0.5e-9 * scale;
  const pinned = set.size === 1 && touches && reach(-1) > 0.5e-9 * scale;
  return pinned ? Math.abs(slope) : touches ? Math.max(0, slope) : 0;
}

/** The status against its definition in docs/architecture.md. */
function judgeStatus(
  oracle: Oracle,
  sets: readonly LimitSet[],
  pose: ArrayLike<number>,
  gradient: readonly number[],
  stationarity: number,
  rounding: number,
  claim: Claim,
  fail: Fail,
): void {
  const { status, residuals, activeLimits } = claim;
  // A goal of weight 0 is off.
  const met = residuals.every(
    ({ index, satisfied }) => satisfied || oracle.problem.goals[index].weight === 0,
  );
  if (met !== (status === 'converged')) fail(`${status} with ${met ? 'all' : 'not all'} goals met`);
  if (status === 'converged') {
    if (activeLimits.length > 0) fail('converged with active limits');
    return;
  }
  const error = Math.abs((claim.stationarity ?? Number.NaN) - stationarity);
  if (!(error <= 1e-10 + rounding + ROUNDING * stationarity)) {
    fail(`${status}: stationarity is ${stationarity}, not ${claim.stationarity}`);
  }
  const free = sets.filter(({ coordinate }) => !oracle.locked[coordinate]);
  const pushes = free.map((set) => multiplierOf(oracle, set, pose, gradient));
  for (const { bone, coordinate, multiplier } of activeLimits) {
    const n = free.findIndex((set) => set.bone === bone && set.coordinate === coordinate);
    if (n < 0) fail(`${status}: no limit of ${bone} at ${coordinate}`);
    else if (
      !(multiplier > 0 && Math.abs(multiplier - pushes[n]) <= 1e-8 + rounding + ROUNDING * multiplier)
    ) {
      fail(`${status}: the limit of ${bone} at ${coordinate} pushes ${pushes[n]}, not ${multiplier}`);
    }
  }
  switch (status) {
    case 'out-of-reach':
    case 'limit-blocked': {
      if (!(stationarity <= STATIONARY * (1 + ROUNDING) + rounding))
        fail(`${status}: stationarity ${stationarity}`);
      const blocked = activeLimits.length > 0;
      if (blocked !== (status === 'limit-blocked'))
        fail(`${status} with ${activeLimits.length} active limits`);
      // Every limit with a positive multiplier is reported.
      free.forEach((set, n) => {
        const reported = activeLimits.some(({ coordinate }) => coordinate === set.coordinate);
        if (pushes[n] > 3 * STATIONARY + rounding && !reported)
          fail(`${status}: ${set.bone} at ${set.coordinate} pushes ${pushes[n]}, not reported`);
      });
      break;
    }
    case 'stalled':
    case 'iteration-limit':
      if (!(stationarity > STATIONARY * (1 - ROUNDING) - rounding))
        fail(`${status}, but stationary: ${stationarity}`);
      break;
    default:
      fail(`unknown status ${status}`);
  }
}

/** Whether no coordinate affects some component of goal n: its gradient is zero at generic poses. */
export function immovable(problem: Problem, n: number, poses: readonly ArrayLike<number>[]): boolean {
  const goal = { ...problem.goals[n], weight: 1 };
  const off = [0, 0, 0] as const;
  const goals: Goal[] =
    goal.type === 'relative-pose'
      ? [
          { ...goal, positionMask: off },
          { ...goal, orientationMask: off },
        ]
      : [goal];
  return goals.some((goal) => {
    const oracle = createOracle({ ...problem, goals: [goal] });
    return poses.every((pose) => gradientOf(oracle, pose).every((slope) => Math.abs(slope) < 1e-9));
  });
}
