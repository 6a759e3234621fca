import { seededRandom } from '../../../math/random.js';
import { updateBodies } from '../bodies/bodies.js';
import { descendCoordinates } from './coordinate-descent.js';
import {
  bendToArc,
  drawRandomPose,
  findSingleChain,
  isStraight,
  measureLinks,
  type SingleChain,
  straighten,
  straightenFromBox,
  writeTargetDirection,
} from './initial-poses.js';
import { backwardPass, evaluate, forwardPass, type Passes } from './passes.js';

/** Smallest ratio of f that counts as slow decrease for a pass or a descent round; so many in a row switch to the other. */
const SLOW_DECREASE = 0.98;
const MAX_SLOW_PASSES = 5;
const MAX_SLOW_DESCENTS = 3;

/** Smallest ratio of f that counts as stagnation for passes and descent together; so many in a row end a local search. */
const STAGNATION = 0.8;
const MAX_STAGNATIONS = 2;

/** Passes on a chain without limits after which it is restarted from an arc, which meets the goal. */
const PASSES_BEFORE_ARC = 20;

/** Number of arc starts before random ones, and the rotation of the arc's plane between them: about the golden angle. */
const ARCS = 2;
const ARC_ROTATION = 2.4;

/** Largest number of polishing rounds, over `maxIterations`. */
const POLISH_FACTOR = 10;

/** Relative increase of f within rounding. */
const ROUNDING = 1e-14;
/** Change of a body's frame (rad, or length scales) in one round at which polishing ends. */
const MIN_MOVE = 1e-12;

/** Frames of the bodies and coordinates, with their f. */
interface Snapshot {
  readonly frames: Float64Array;
  readonly pose: Float64Array;
  value: number;
}

/** Multi-start local search, with its memory. */
export interface MultiStart extends MultiStartOptions {
  readonly passes: Passes;
  readonly singleChain: SingleChain | undefined;
  /** The single chain if its root translates. */
  readonly boxedChain: SingleChain | undefined;
  /** Whether every joint of the single chain is an unlimited 3-DOF rotation. */
  readonly unlimited: boolean;
  /** Lowest f of all descents, and of the current one. */
  readonly best: Snapshot;
  readonly local: Snapshot;
}

interface MultiStartOptions {
  readonly maxIterations: number;
  readonly restarts: number;
  readonly seed: number;
  readonly coordinateDescent: boolean;
  readonly lengthScale: number;
}

export interface SearchStatistics {
  readonly iterations: number;
  readonly restarts: number;
  readonly stopped: boolean;
}

export function createMultiStart(passes: Passes, options: MultiStartOptions): MultiStart {
  const { chains } = passes;
  const { count, figure } = chains.bodies;
  const found = findSingleChain(passes);
  const single = found?.translates === true ? undefined : found;
  const freeLinks = found?.links.every((k, n) => n === 0 || chains.constrained[k] === 0) === true;
  const snapshot = (): Snapshot => ({
    frames: new Float64Array(12 * count),
    pose: new Float64Array(figure.dof),
    value: Number.POSITIVE_INFINITY,
  });
  return {
    ...options,
    passes,
    singleChain: single,
    boxedChain: found?.translates === true && freeLinks ? found : undefined,
    unlimited: single?.links.every((k) => chains.constrained[k] === 0) === true,
    best: snapshot(),
    local: snapshot(),
  };
}

/** Searches from the current bodies, at pose `start`, and leaves the bodies at the best pose found. */
export function runMultiStart(work: MultiStart, start: Float64Array): SearchStatistics {
  const { passes, singleChain, boxedChain, unlimited, best, restarts: maxRestarts } = work;
  best.value = Number.POSITIVE_INFINITY;
  storeIfBetter(best, passes, evaluate(passes));
  if (goalsSatisfied(passes)) return { iterations: 0, restarts: 0, stopped: false };
  let iterations = 0;
  let restarts = 0;
  let distance = 0;
  let reachable = true;
  if (
    boxedChain !== undefined &&
    straightenFromBox(boxedChain, passes, measureLinks(boxedChain, passes.chains))
  ) {
    evaluate(passes);
    return { iterations: 1, restarts, stopped: false };
  }
  if (singleChain !== undefined) {
    const length = measureLinks(singleChain, passes.chains);
    distance = writeTargetDirection(singleChain, passes);
    // A link longer than the distance and all other links together: the target is too near.
    const minDistance = 2 * largest(singleChain.lengths) - length;
    reachable = distance < length && distance > minDistance;
    if (!reachable || isStraight(singleChain, passes)) {
      if (reachable) bendToArc(singleChain, passes, distance, 0);
      else straighten(singleChain, passes, distance <= minDistance);
      iterations++;
      storeIfBetter(best, passes, evaluate(passes));
      if (unlimited && !reachable) return { iterations, restarts, stopped: false };
    }
  }
  const { maxIterations } = work;
  const usesArcs = unlimited && work.coordinateDescent && maxRestarts > 0;
  const first = descend(work, usesArcs ? Math.min(PASSES_BEFORE_ARC, maxIterations) : maxIterations);
  iterations += first;
  let stopped = first >= maxIterations;
  if (work.coordinateDescent && reachable) {
    const random = seededRandom(work.seed);
    while (!goalsSatisfied(passes) && restarts < maxRestarts) {
      restarts++;
      updateBodies(passes.chains.bodies, start);
      passes.pose.set(start);
      evaluate(passes);
      if (singleChain !== undefined && restarts <= ARCS) {
        writeTargetDirection(singleChain, passes);
        bendToArc(singleChain, passes, distance, restarts * ARC_ROTATION);
      } else drawRandomPose(passes, start, work.lengthScale, random);
      const count = descend(work, maxIterations);
      iterations += count;
      stopped = count >= maxIterations;
    }
  }
  if (!goalsSatisfied(passes)) {
    restore(best, passes);
    if (work.coordinateDescent) {
      const polished = polish(work);
      iterations += polished.rounds;
      stopped = polished.stopped;
    }
  }
  return { iterations, restarts, stopped };
}

/** Alternates passes and coordinate descent while they decrease f, from the current bodies. Leaves the bodies at the lowest f. */
function descend(
  { passes, local, best, coordinateDescent, maxIterations }: MultiStart,
  limit: number = maxIterations,
): number {
  let iterations = 0;
  let stagnations = 0;
  local.value = Number.POSITIVE_INFINITY;
  storeIfBetter(local, passes, evaluate(passes));
  storeIfBetter(best, passes, local.value);
  while (!goalsSatisfied(passes) && stagnations < MAX_STAGNATIONS) {
    const before = local.value;
    for (let phase = 0; phase < (coordinateDescent ? 2 : 1); phase++) {
      let slow = 0;
      while (slow < (phase === 0 ? MAX_SLOW_PASSES : MAX_SLOW_DESCENTS)) {
        if (iterations >= limit) return iterations;
        iterations++;
        if (phase === 1) descendCoordinates(passes);
        else {
          backwardPass(passes);
          forwardPass(passes);
        }
        const value = evaluate(passes);
        slow = value < SLOW_DECREASE * local.value ? 0 : slow + 1;
        storeIfBetter(local, passes, value);
        storeIfBetter(best, passes, value);
        if (goalsSatisfied(passes)) return iterations;
      }
      restore(local, passes);
    }
    stagnations = local.value < STAGNATION * before ? 0 : stagnations + 1;
  }
  return iterations;
}

/**
 * Coordinate descent until no single joint lowers f; with limits that share no coordinate such a pose is stationary. Near it the change of
 * f is quadratic in the remaining displacement and drops below rounding first, so the criterion is the displacement of the bodies.
 */
function polish({ passes, best, maxIterations, lengthScale }: MultiStart): PolishResult {
  const { bodies } = passes.chains;
  const maxRounds = POLISH_FACTOR * maxIterations;
  const lowest = best.value;
  for (let n = 1; n <= maxRounds; n++) {
    descendCoordinates(passes);
    const value = evaluate(passes);
    if (!(value <= lowest * (1 + ROUNDING))) {
      restore(best, passes);
      return { rounds: n, stopped: false };
    }
    const moved = largestMove(best, bodies.frames, lengthScale);
    store(best, passes, value);
    if (goalsSatisfied(passes) || moved < MIN_MOVE) return { rounds: n, stopped: false };
  }
  return { rounds: maxRounds, stopped: true };
}

interface PolishResult {
  readonly rounds: number;
  readonly stopped: boolean;
}

/** Largest change of an entry of a body's frame, positions over a length. */
function largestMove({ frames }: Snapshot, now: Float64Array, length: number): number {
  let moved = 0;
  for (let i = 0; i < now.length; i++) {
    const change = Math.abs(now[i] - frames[i]);
    moved = Math.max(moved, i % 12 < 9 ? change : change / length);
  }
  return moved;
}

function storeIfBetter(snapshot: Snapshot, { chains, pose }: Passes, value: number): void {
  if (value < snapshot.value) store(snapshot, { chains, pose }, value);
}

function store(snapshot: Snapshot, { chains, pose }: Pick<Passes, 'chains' | 'pose'>, value: number): void {
  snapshot.value = value;
  snapshot.frames.set(chains.bodies.frames);
  snapshot.pose.set(pose);
}

function restore(snapshot: Snapshot, passes: Passes): void {
  const { bodies, active, constrained } = passes.chains;
  bodies.frames.set(snapshot.frames);
  passes.pose.set(snapshot.pose);
  // The translation of a slider is stored in `joints`.
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    if (constrained[k] === 1) bodies.types[k].writeTransforms(bodies.batches[k], passes.pose, bodies.joints);
  }
  evaluate(passes);
}

/** Relative margin below the tolerance: reading the coordinates back rounds. */
const TOLERANCE_MARGIN = 1e-9;

/** Whether every goal of positive weight is within its tolerance, as last evaluated. */
function goalsSatisfied({ chains, distances }: Passes): boolean {
  const { effectors, weights } = chains;
  for (let e = 0; e < effectors.length; e++) {
    if (weights[e] > 0 && !(distances[e] <= effectors[e].tolerance * (1 - TOLERANCE_MARGIN))) return false;
  }
  return true;
}

function largest(numbers: Float64Array): number {
  let maximum = 0;
  for (let n = 0; n < numbers.length; n++) maximum = Math.max(maximum, numbers[n]);
  return maximum;
}
