import { createPose, type Figure, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  bodyLandmarks,
  computeUncertainty,
  createHandFigure,
  createLandmarkFit,
  createMarkerTracker,
  handLandmarks,
  initializeMarkers,
  type LandmarkResult,
  type Marker,
  type MarkerResult,
  type MarkerTracker,
  solveLandmarks,
  solveMarkers,
} from 'poise/ik';
import { beforeAll, describe, expect, it } from 'vitest';
import { answerError, noiseRatios } from '../../../../../scripts/oracles/markers/nearest-answer.js';
import { createRandom } from '../../figure/support.js';
import { laboratoryMarkers, measured, measuredProblem, positionsOf, smoothClip } from './support.js';

const human = createHumanFigure();
const hand = createHandFigure();
const FRAMES = 80;

interface Frame {
  readonly truth: Float64Array;
  readonly seen: Float64Array;
  readonly pose: Float64Array;
  readonly result: MarkerResult | LandmarkResult;
}

interface Clip {
  readonly figure: Figure;
  readonly markers: readonly Marker[];
  readonly tracker: MarkerTracker;
  readonly frames: readonly Frame[];
}

type Solve = (positions: Float64Array, pose: Float64Array) => MarkerResult | LandmarkResult;

/** A clip solved frame by frame, 10 % of its points missing; the first, which is sought from nothing, is whole. */
function run(
  figure: Figure,
  markers: readonly Marker[],
  tracker: MarkerTracker,
  solve: Solve,
  noise: number,
  salt: number,
): Clip {
  const random = createRandom(salt);
  const pose = createPose(figure);
  const frames = smoothClip(figure, random, FRAMES, { knots: 8, rotation: [0, 2.4, 0] }).map((truth, f) => {
    const seen = measured(positionsOf(figure, markers, truth), random, noise, f === 0 ? 0 : 0.1);
    const result = solve(seen, pose);
    return { truth, seen, pose: pose.slice(), result };
  });
  return { figure, markers, tracker, frames };
}

function track(noise: number, salt: number): Clip {
  const tracker = createMarkerTracker(human, laboratoryMarkers);
  let step = initializeMarkers;
  const solve: Solve = (positions, pose) => {
    const result = step(tracker, positions, pose);
    step = solveMarkers;
    return result;
  };
  return run(human, laboratoryMarkers, tracker, solve, noise, salt);
}

/** By the landmark fit with its defaults, `prior` among them. */
function lay(figure: Figure, landmarks: readonly Marker[], salt: number): Clip {
  const made = createLandmarkFit(figure, { landmarks });
  return run(
    figure,
    landmarks,
    made.tracker,
    (positions, pose) => solveLandmarks(made, positions, pose),
    0,
    salt,
  );
}

/** What the oracle takes: the frame, the truth and the estimate against coordinates over their scales. */
function judged({ figure, markers, tracker }: Clip, { seen, truth, pose }: Frame) {
  const { columnScale, lengthScale } = tracker.problem;
  const scaled = (q: Float64Array): Float64Array => q.map((x, i) => x / columnScale[i]);
  return {
    problem: measuredProblem(figure, markers, seen, columnScale, 1e-3 * lengthScale),
    truth: scaled(truth),
    estimate: scaled(pose),
  };
}

describe.each([
  ['31 markers on the human', () => track(0, 41)],
  ['33 landmarks on the human, defaults', () => lay(human, bodyLandmarks(human), 44)],
  ['21 landmarks on the hand, defaults', () => lay(hand, handLandmarks(hand), 45)],
])('%s, one point in ten missing, no noise', (_, make) => {
  let clip: Clip;
  beforeAll(() => {
    clip = make();
  });

  it('every frame converges within the limits, stationary to 1e-8', () => {
    for (const { pose, result } of clip.frames) {
      expect(result.status).toBe('converged');
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitViolation(clip.figure, pose)).toBe(0);
    }
  });

  it('every frame is within 1e-6 rad of the set of exact solutions that contains the truth', () => {
    let others = 0;
    let whole = 0;
    clip.frames.forEach((frame, f) => {
      const { problem, truth, estimate } = judged(clip, frame);
      const error = answerError(problem, truth, estimate);
      if (error.distance > 1e-6) {
        // Another answer, as exact, that no curve of answers ties to the truth: less than one frame in a thousand.
        expect(error.estimateResidual, `frame ${f}: ${error.distance} rad off`).toBeLessThan(1e-10);
        others++;
      } else if (error.observed === clip.figure.dof) {
        whole++;
        for (let i = 0; i < clip.figure.dof; i++) expect(Math.abs(estimate[i] - truth[i])).toBeLessThan(1e-6);
      }
      // With few directions observed it would be easy.
      expect(error.observed).toBeGreaterThan(0.6 * clip.figure.dof);
    });
    expect(others).toBeLessThanOrEqual(2);
    // The 33 landmarks see the spine and the head less than whole in any frame.
    if (clip.markers.length !== 33) expect(whole).toBeGreaterThan(FRAMES / 5);
  });
});

describe.each([
  [0.005, 42],
  [0.02, 43],
])('31 markers on the human, 10 %% missing, %f m of noise', (noise, salt) => {
  let clip: Clip;
  beforeAll(() => {
    clip = track(noise, salt);
  });

  it('all frames are stationary to 1e-8 and lie within the limits, no farther from the markers than the truth', () => {
    for (const { truth, seen, pose, result } of clip.frames) {
      expect(['out-of-reach', 'limit-blocked']).toContain(result.status);
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitViolation(human, pose)).toBe(0);
      const positions = positionsOf(human, laboratoryMarkers, truth);
      let sum = 0;
      clip.tracker.names.forEach((_, m) => {
        if (Number.isNaN(result.residuals[m])) return;
        for (let k = 0; k < 3; k++) sum += (positions[3 * m + k] - seen[3 * m + k]) ** 2;
      });
      expect(result.rms).toBeLessThanOrEqual(Math.sqrt(sum / result.observed));
    }
  });

  it('coordinates without an active limit err by at most twice the Cramer-Rao bound', () => {
    const squares = new Float64Array(human.dof);
    const counts = new Float64Array(human.dof);
    for (const { truth, seen, pose, result } of clip.frames) {
      solveMarkers(clip.tracker, seen, pose.slice());
      const { standardDeviations } = computeUncertainty(clip.tracker, truth, noise);
      const blocked = new Set(result.activeLimits.map(({ bone }) => bone));
      for (let i = 0; i < human.dof; i++) {
        if (blocked.has(human.bones[human.boneOfCoordinate[i]].name)) continue;
        if (!Number.isFinite(standardDeviations[i])) continue;
        squares[i] += ((pose[i] - truth[i]) / standardDeviations[i]) ** 2;
        counts[i]++;
      }
    }
    let all = 0;
    let total = 0;
    for (let i = 0; i < human.dof; i++) {
      all += squares[i];
      total += counts[i];
      if (counts[i] < 20) continue;
      expect(Math.sqrt(squares[i] / counts[i]), `q${i} over ${counts[i]} frames`).toBeLessThan(2);
    }
    expect(total).toBeGreaterThan(0.5 * FRAMES * human.dof);
    // Not far under it either: a bound that nothing comes near would prove nothing.
    expect(Math.sqrt(all / total)).toBeGreaterThan(0.5);
    expect(Math.sqrt(all / total)).toBeLessThan(1.2);
  });

  it('observed directions err by at most twice the bound', () => {
    const squares = new Float64Array(human.dof);
    const counts = new Float64Array(human.dof);
    for (const frame of clip.frames) {
      const { problem, truth, estimate } = judged(clip, frame);
      noiseRatios(problem, truth, estimate, noise).forEach((ratio, k) => {
        squares[k] += ratio ** 2;
        counts[k]++;
      });
    }
    const ratios = Array.from(squares, (x, k) => Math.sqrt(x / counts[k])).filter((_, k) => counts[k] >= 20);
    expect(ratios.length).toBeGreaterThan(45);
    for (const ratio of ratios) expect(ratio).toBeLessThan(2);
    // The best observed, which no limit helps, reach it: the root mean square of 80 frames and 20 directions spreads by 2 %.
    const best = Math.sqrt(ratios.slice(0, 20).reduce((sum, x) => sum + x * x, 0) / 20);
    expect(best).toBeGreaterThan(0.85);
    expect(best).toBeLessThan(1.15);
  });
});
