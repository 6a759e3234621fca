import { type Figure, limitViolation } from 'poise/figure';
import { computeUncertainty, type MarkerTracker } from 'poise/ik';
import {
  type AnswerError,
  answerError,
  noiseRatios,
} from '../../../scripts/oracles/markers/nearest-answer.js';
import { median } from '../statistics.js';
import type { Clip } from './clips.js';
import { placer, type Subject } from './subjects.js';

/** How the frames of a clip ended. */
export interface Ends {
  /** Frames by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly iterations: number;
  /** Root mean square over frames and markers, m. */
  readonly rms: number;
  readonly stationarity: number;
  /** Largest excess of a limit. */
  readonly excess: number;
}

/** Without noise: errors of all frames against the exact solutions. Errors in rad, translations in length scales. */
export interface ExactErrors {
  /** Mean number of directions observed. */
  readonly observed: number;
  /** Frames in which every direction is, and the largest error of a coordinate there, other answers apart. */
  readonly whole: number;
  readonly largestWhole: number;
  /** Frames whose error along the observed directions is within 1e-6 as it stands, and along the answers. */
  readonly straight: number;
  readonly within: number;
  /** Largest error along the answers, other answers apart. */
  readonly largest: number;
  /** Largest part of an error in unobserved directions. */
  readonly drift: number;
  /** Frames that ended in another pose that meets the points exactly and within the limits, and the largest residual there, m. */
  readonly other: number;
  readonly otherResidual: number;
  /** Frames that are neither: failures of the solver. */
  readonly missed: number;
}

/** With noise: errors over the Cramer-Rao bound, root mean squares. */
export interface NoisyErrors {
  /** Of coordinates at joints without an active limit: all, the worst, its name, and the share of coordinates and frames counted. */
  readonly coordinates: number;
  readonly worstCoordinate: number;
  readonly coordinate: string;
  readonly counted: number;
  /** Of observed directions, in what the markers see of them: all, and the worst by rank. */
  readonly directions: number;
  readonly worstDirection: number;
  /** Median error of a coordinate, rad. */
  readonly typical: number;
}

export interface Accuracy {
  readonly ends: Ends;
  readonly exact?: ExactErrors;
  readonly noisy?: NoisyErrors;
}

/** Required accuracy without noise, rad. */
const WANTED = 1e-6;
/** A pose whose points lie no farther off than this, root sum of squares, m, meets them: the floor makes it 1e-7 rad at most. */
const MEETS = 1e-10;
/** A coordinate or direction counted in fewer frames than this has no root mean square to speak of. */
const FEW = 30;

/** Solves all frames of a clip and judges every one. */
export function accuracyOf(
  subject: Subject,
  clip: Clip,
  frames: readonly Float64Array[],
  noise: number,
): Accuracy {
  const { figure } = subject;
  const { tracker, solve } = subject.begin();
  const judge = noise === 0 ? exactJudge(subject, tracker) : noisyJudge(subject, tracker, noise);
  const pose = new Float64Array(figure.dof);
  const statuses: Record<string, number> = {};
  let [iterations, residual, stationarity, excess] = [0, 0, 0, 0];
  clip.poses.forEach((truth, f) => {
    const result = solve(frames[f], pose);
    statuses[result.status] = (statuses[result.status] ?? 0) + 1;
    if (f > 0) iterations += result.iterations;
    residual += result.rms ** 2;
    stationarity = Math.max(stationarity, result.stationarity);
    excess = Math.max(excess, limitViolation(figure, pose));
    const blocked = new Set(result.activeLimits.map(({ bone }) => bone));
    judge.see(sameChart(tracker, truth, pose), pose, frames[f], blocked);
  });
  const count = clip.poses.length;
  return {
    ends: {
      statuses,
      iterations: iterations / Math.max(1, count - 1),
      rms: Math.sqrt(residual / count),
      stationarity,
      excess,
    },
    ...judge.verdict(),
  };
}

interface Judge {
  readonly see: (
    truth: Float64Array,
    pose: Float64Array,
    frame: Float64Array,
    blocked: ReadonlySet<string>,
  ) => void;
  readonly verdict: () => Pick<Accuracy, 'exact' | 'noisy'>;
}

/** The truth with each rotation vector in the chart of the estimate: v or v - 2 pi v / |v|, the same rotation. */
function sameChart(
  { problem: { charts } }: MarkerTracker,
  truth: Float64Array,
  pose: Float64Array,
): Float64Array {
  const out = truth.slice();
  for (const i of charts) {
    const v = truth.subarray(i, i + 3);
    const length = Math.hypot(...v);
    if (length === 0) continue;
    const other = v.map((x) => x * (1 - (2 * Math.PI) / length));
    const far = (from: Float64Array): number => Math.hypot(...from.map((x, k) => x - pose[i + k]));
    if (far(other) < far(v)) out.set(other, i);
  }
  return out;
}

/** Weighted residuals of a frame against scaled coordinates. */
function measuredProblem(
  { markers }: Subject,
  positionsAt: (pose: Float64Array) => Float64Array,
  { problem: { columnScale, lengthScale } }: MarkerTracker,
  frame: Float64Array,
): { readonly residual: (y: Float64Array) => Float64Array; readonly floor: number } {
  const there = Array.from(frame.keys()).filter((k) => !Number.isNaN(frame[k]));
  const largest = Math.max(...markers.map(({ weight = 1 }) => weight));
  const roots = there.map((k) => Math.sqrt((markers[Math.floor(k / 3)].weight ?? 1) / largest));
  const q = new Float64Array(columnScale.length);
  const out = new Float64Array(there.length);
  return {
    floor: 1e-3 * lengthScale,
    residual: (y) => {
      for (let i = 0; i < q.length; i++) q[i] = y[i] * columnScale[i];
      const positions = positionsAt(q);
      for (let n = 0; n < out.length; n++) out[n] = roots[n] * (positions[there[n]] - frame[there[n]]);
      return out;
    },
  };
}

function exactJudge(subject: Subject, tracker: MarkerTracker): Judge {
  const { figure } = subject;
  const { columnScale } = tracker.problem;
  const positionsAt = placer(subject);
  const all: { readonly error: AnswerError; readonly plain: number }[] = [];
  return {
    see: (truth, pose, frame) => {
      const scaled = (q: Float64Array): Float64Array => q.map((x, i) => x / columnScale[i]);
      const [y, z] = [scaled(truth), scaled(pose)];
      all.push({
        error: answerError(measuredProblem(subject, positionsAt, tracker, frame), y, z),
        plain: Math.max(...z.map((x, i) => Math.abs(x - y[i]))),
      });
    },
    verdict: () => {
      const isOther = ({ distance, estimateResidual }: AnswerError): boolean =>
        distance > WANTED && estimateResidual <= MEETS;
      const others = all.filter(({ error }) => isOther(error));
      const own = all.filter(({ error }) => !isOther(error));
      const whole = all.filter(({ error }) => error.observed === figure.dof);
      const largestOf = (of: readonly number[]): number => Math.max(0, ...of);
      return {
        exact: {
          observed: all.reduce((sum, { error }) => sum + error.observed, 0) / all.length,
          whole: whole.length,
          largestWhole: largestOf(whole.filter(({ error }) => !isOther(error)).map(({ plain }) => plain)),
          straight: all.filter(({ error }) => error.straight <= WANTED).length,
          within: all.filter(({ error }) => error.distance <= WANTED).length,
          largest: largestOf(own.map(({ error }) => error.distance)),
          drift: largestOf(own.map(({ error }) => error.drift)),
          other: others.length,
          otherResidual: largestOf(others.map(({ error }) => error.estimateResidual)),
          missed: own.filter(({ error }) => !(error.distance <= WANTED)).length,
        },
      };
    },
  };
}

function noisyJudge(subject: Subject, tracker: MarkerTracker, noise: number): Judge {
  const { figure } = subject;
  const { columnScale } = tracker.problem;
  const positionsAt = placer(subject);
  const byCoordinate = createSquares(figure.dof);
  const byDirection = createSquares(figure.dof);
  const errors: number[] = [];
  let frames = 0;
  return {
    see: (truth, pose, frame, blocked) => {
      frames++;
      const scaled = (q: Float64Array): Float64Array => q.map((x, i) => x / columnScale[i]);
      const { standardDeviations } = computeUncertainty(tracker, truth, noise);
      for (let i = 0; i < figure.dof; i++) {
        if (!Number.isFinite(standardDeviations[i])) continue;
        errors.push(Math.abs(pose[i] - truth[i]) / columnScale[i]);
        if (!blocked.has(figure.bones[figure.boneOfCoordinate[i]].name)) {
          byCoordinate.add(i, (pose[i] - truth[i]) / standardDeviations[i]);
        }
      }
      const problem = measuredProblem(subject, positionsAt, tracker, frame);
      noiseRatios(problem, scaled(truth), scaled(pose), noise).forEach((ratio, k) => {
        byDirection.add(k, ratio);
      });
    },
    verdict: () => {
      const coordinates = byCoordinate.verdict();
      const directions = byDirection.verdict();
      return {
        noisy: {
          coordinates: coordinates.all,
          worstCoordinate: coordinates.worst,
          coordinate: coordinateName(figure, coordinates.index),
          counted: coordinates.count / (frames * figure.dof),
          directions: directions.all,
          worstDirection: directions.worst,
          typical: median(errors),
        },
      };
    },
  };
}

function coordinateName(figure: Figure, index: number): string {
  if (index < 0) return '-';
  const { name, coordinate } = figure.bones[figure.boneOfCoordinate[index]];
  return `${name} ${index - coordinate}`;
}

/** Root mean squares of several series. */
function createSquares(size: number): {
  readonly add: (k: number, x: number) => void;
  readonly verdict: () => {
    readonly all: number;
    readonly worst: number;
    readonly index: number;
    readonly count: number;
  };
} {
  const squares = new Float64Array(size);
  const counts = new Float64Array(size);
  return {
    add: (k, x) => {
      squares[k] += x * x;
      counts[k]++;
    },
    verdict: () => {
      let [sum, count, index] = [0, 0, -1];
      for (let k = 0; k < size; k++) {
        sum += squares[k];
        count += counts[k];
        if (counts[k] < FEW) continue;
        if (index < 0 || squares[k] / counts[k] > squares[index] / counts[index]) index = k;
      }
      return {
        all: Math.sqrt(sum / count),
        worst: index < 0 ? Number.NaN : Math.sqrt(squares[index] / counts[index]),
        index,
        count,
      };
    },
  };
}
