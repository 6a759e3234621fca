import { seededRandom } from '../../../math/random.js';
import { poseBodies } from '../bodies/bodies.js';
import { sweepJoints } from './coordinate-descent.js';
import {
  aim,
  bendToArc,
  drawPose,
  findSingleChain,
  isStraight,
  layFromBox,
  layStraight,
  measureLinks,
  type SingleChain,
} from './initial-poses.js';
import { backwardPass, forwardPass, measure, type Passes } from './passes.js';

/** A pass or sweep that leaves more than this share of f is slow; so many slow ones in a row end the turn of each. */
const SLOW = 0.98;
const SLOW_PASSES = 5;
const SLOW_SWEEPS = 3;

/** A round of passes and sweeps that leaves more than this share of f is stuck; so many in a row end a descent. */
const STUCK = 0.8;
const STUCK_ROUNDS = 2;

/** Passes on a chain without limits after which it is bent to an arc, which ends there. */
const PASSES_BEFORE_ARC = 20;

/** Starts on an arc that are tried before poses are drawn, and the turn of the plane from one to the next: about the golden angle. */
const ARCS = 2;
const ARC_TURN = 2.4;

/** Sweeps at most, over `maxIterations`, that bring the best pose found to rest where the goals are not met. */
const SETTLING = 10;

/** Rise of f, relative, that is rounding. */
const ROUNDING = 1e-14;
/** Move (rad, or length scales) of a sweep that changes no body any more. */
const STILL = 1e-12;

/** A pose that the passes stood at: frames of the bodies and coordinates. */
interface Snapshot {
  readonly frames: Float64Array;
  readonly pose: Float64Array;
  value: number;
}

/** The search for a pose, memory made. */
export interface Search extends SearchOptions {
  readonly passes: Passes;
  readonly single: SingleChain | undefined;
  /** Where the root of the single chain moves. */
  readonly boxed: SingleChain | undefined;
  /** Whether no link of the single chain is limited or turns less than freely. */
  readonly open: boolean;
  /** Lowest pose of all descents, and of the one under way. */
  readonly best: Snapshot;
  readonly local: Snapshot;
}

interface SearchOptions {
  readonly maxIterations: number;
  readonly restarts: number;
  readonly seed: number;
  readonly sweeps: boolean;
  readonly lengthScale: number;
}

export interface Effort {
  readonly iterations: number;
  readonly restarts: number;
  readonly stopped: boolean;
}

export function createSearch(passes: Passes, options: SearchOptions): Search {
  const { chains } = passes;
  const { count, figure } = chains.bodies;
  const found = findSingleChain(passes);
  const single = found?.moves === true ? undefined : found;
  const freeLinks = found?.links.every((k, n) => n === 0 || chains.constrained[k] === 0) === true;
  const snapshot = (): Snapshot => ({
    frames: new Float64Array(12 * count),
    pose: new Float64Array(figure.dof),
    value: Number.POSITIVE_INFINITY,
  });
  return {
    ...options,
    passes,
    single,
    boxed: found?.moves === true && freeLinks ? found : undefined,
    open: single?.links.every((k) => chains.constrained[k] === 0) === true,
    best: snapshot(),
    local: snapshot(),
  };
}

/** From the bodies as they stand to the best pose found, which they are left at. `start` is the pose they stand in. */
export function search(work: Search, start: Float64Array): Effort {
  const { passes, single, boxed, open, best, restarts: most } = work;
  best.value = Number.POSITIVE_INFINITY;
  keep(best, passes, measure(passes));
  if (reached(passes)) return { iterations: 0, restarts: 0, stopped: false };
  let iterations = 0;
  let restarts = 0;
  let distance = 0;
  let within = true;
  if (boxed !== undefined && layFromBox(boxed, passes, measureLinks(boxed, passes.chains))) {
    measure(passes);
    return { iterations: 1, restarts, stopped: false };
  }
  if (single !== undefined) {
    const length = measureLinks(single, passes.chains);
    distance = aim(single, passes);
    // One link longer than all the others and the distance together: too near to reach.
    const least = 2 * largest(single.lengths) - length;
    within = distance < length && distance > least;
    if (!within || isStraight(single, passes)) {
      if (within) bendToArc(single, passes, distance, 0);
      else layStraight(single, passes, distance <= least);
      iterations++;
      keep(best, passes, measure(passes));
      if (open && !within) return { iterations, restarts, stopped: false };
    }
  }
  const { maxIterations } = work;
  const bends = open && work.sweeps && most > 0;
  const first = descend(work, bends ? Math.min(PASSES_BEFORE_ARC, maxIterations) : maxIterations);
  iterations += first;
  let stopped = first >= maxIterations;
  if (work.sweeps && within) {
    const random = seededRandom(work.seed);
    while (!reached(passes) && restarts < most) {
      restarts++;
      poseBodies(passes.chains.bodies, start);
      passes.pose.set(start);
      measure(passes);
      if (single !== undefined && restarts <= ARCS) {
        aim(single, passes);
        bendToArc(single, passes, distance, restarts * ARC_TURN);
      } else drawPose(passes, start, work.lengthScale, random);
      const more = descend(work, maxIterations);
      iterations += more;
      stopped = more >= maxIterations;
    }
  }
  if (!reached(passes)) {
    recall(best, passes);
    if (work.sweeps) {
      const settled = settle(work);
      iterations += settled.sweeps;
      stopped = settled.stopped;
    }
  }
  return { iterations, restarts, stopped };
}

/** Passes while they help, then sweeps while they do, and again, from the bodies as they stand. Leaves them at the lowest. */
function descend(
  { passes, local, best, sweeps, maxIterations }: Search,
  most: number = maxIterations,
): number {
  let iterations = 0;
  let stuck = 0;
  local.value = Number.POSITIVE_INFINITY;
  keep(local, passes, measure(passes));
  keep(best, passes, local.value);
  while (!reached(passes) && stuck < STUCK_ROUNDS) {
    const before = local.value;
    for (let turn = 0; turn < (sweeps ? 2 : 1); turn++) {
      let slow = 0;
      while (slow < (turn === 0 ? SLOW_PASSES : SLOW_SWEEPS)) {
        if (iterations >= most) return iterations;
        iterations++;
        if (turn === 1) sweepJoints(passes);
        else {
          backwardPass(passes);
          forwardPass(passes);
        }
        const value = measure(passes);
        slow = value < SLOW * local.value ? 0 : slow + 1;
        keep(local, passes, value);
        keep(best, passes, value);
        if (reached(passes)) return iterations;
      }
      recall(local, passes);
    }
    stuck = local.value < STUCK * before ? 0 : stuck + 1;
  }
  return iterations;
}

/**
 * Sweeps to where no joint alone lowers f: with limits that share no coordinate such a pose is stationary. Near there f changes
 * with the square of what is left, and its rounding hides half the digits; so sweeps go on while they still move bodies.
 */
function settle({ passes, best, maxIterations, lengthScale }: Search): Settled {
  const { bodies } = passes.chains;
  const most = SETTLING * maxIterations;
  const lowest = best.value;
  for (let n = 1; n <= most; n++) {
    sweepJoints(passes);
    const value = measure(passes);
    if (!(value <= lowest * (1 + ROUNDING))) {
      recall(best, passes);
      return { sweeps: n, stopped: false };
    }
    const moved = largestMove(best, bodies.frames, lengthScale);
    take(best, passes, value);
    if (reached(passes) || moved < STILL) return { sweeps: n, stopped: false };
  }
  return { sweeps: most, stopped: true };
}

interface Settled {
  readonly sweeps: number;
  readonly stopped: boolean;
}

/** Largest change of an entry of a body's frame, places over a length. */
function largestMove({ frames }: Snapshot, now: Float64Array, length: number): number {
  let moved = 0;
  for (let i = 0; i < now.length; i++) {
    const change = Math.abs(now[i] - frames[i]);
    moved = Math.max(moved, i % 12 < 9 ? change : change / length);
  }
  return moved;
}

function keep(snapshot: Snapshot, { chains, pose }: Passes, value: number): void {
  if (value < snapshot.value) take(snapshot, { chains, pose }, value);
}

function take(snapshot: Snapshot, { chains, pose }: Pick<Passes, 'chains' | 'pose'>, value: number): void {
  snapshot.value = value;
  snapshot.frames.set(chains.bodies.frames);
  snapshot.pose.set(pose);
}

function recall(snapshot: Snapshot, passes: Passes): void {
  const { bodies, active, constrained } = passes.chains;
  bodies.frames.set(snapshot.frames);
  passes.pose.set(snapshot.pose);
  // How far a slider is drawn out stands in `joints`.
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    if (constrained[k] === 1) bodies.types[k].writeTransforms(bodies.batches[k], passes.pose, bodies.joints);
  }
  measure(passes);
}

/** Under the tolerance by this share: reading the coordinates back rounds. */
const MARGIN = 1e-9;

/** Whether every goal that counts is within its tolerance at the bodies last measured. */
function reached({ chains, distances }: Passes): boolean {
  const { effectors, weights } = chains;
  for (let e = 0; e < effectors.length; e++) {
    if (weights[e] > 0 && !(distances[e] <= effectors[e].tolerance * (1 - MARGIN))) return false;
  }
  return true;
}

function largest(numbers: Float64Array): number {
  let most = 0;
  for (let n = 0; n < numbers.length; n++) most = Math.max(most, numbers[n]);
  return most;
}
