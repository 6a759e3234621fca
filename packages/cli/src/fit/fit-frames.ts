/** Fits the poses of a figure to measured markers frame by frame. */
import type { MarkerClip } from '@poise/formats';
import { FormatError } from 'poise';
import { createPose, type Figure } from 'poise/figure';
import { createMarkerTracker, initializeMarkers, type MarkerResult, solveMarkers } from 'poise/ik';
import { catmullRomJointCurve, createMotion, type Motion, type TrackData } from 'poise/motion';
import type { FitProblem } from './marker-file.js';

export interface FittedFrames {
  /** s */
  readonly times: Float64Array;
  /** Number of each frame in the file, from 1. */
  readonly frames: readonly number[];
  readonly poses: readonly Float64Array[];
  /** Distance of each marker frame by frame, m; NaN where it is unobserved. */
  readonly residuals: readonly Float64Array[];
  /** Where the markers were measured, frame by frame, in the axes of the figure, m; NaN where unobserved. */
  readonly measured: readonly Float64Array[];
  /** Number of frames without an observed marker. */
  readonly unobserved: number;
  /** Time of the solves, s. */
  readonly seconds: number;
}

export interface FrameOptions {
  readonly start?: number;
  readonly end?: number;
  readonly markerUp?: 'x' | 'y' | 'z';
  readonly prior?: number;
}

/** Part of a frame by which a time may miss the range, for rounding. */
const ROUNDING = 1e-3;

/**
 * The first frame, and those after a gap, are sought from anywhere; the others start from the frame before.
 *
 * @throws FormatError `out-of-range` for a range without a frame.
 */
export function fitFrames(
  figure: Figure,
  clip: MarkerClip,
  { markers, tasks, locked }: FitProblem,
  options: FrameOptions,
): FittedFrames {
  const { start = -Infinity, end = Infinity, prior = 0 } = options;
  const slack = ROUNDING / clip.rate;
  const frames = Array.from(clip.times.keys()).filter(
    (f) => clip.times[f] >= start - slack && clip.times[f] <= end + slack,
  );
  if (frames.length === 0) {
    const last = clip.times[clip.frames - 1];
    throw new FormatError('out-of-range', 'leaves no frame.', {
      path: '--start, --end',
      remedy: `The markers are from ${clip.times[0]} to ${last} s.`,
    });
  }
  const tracker = createMarkerTracker(figure, markers, { tasks, locked, prior });
  const columns = markers.map(({ name }) => clip.names.indexOf(name));
  const turn = turnOf(options.markerUp ?? clip.up, figure.up);
  const positions = new Float64Array(3 * markers.length);
  const pose = createPose(figure);
  const poses: Float64Array[] = [];
  const residuals: Float64Array[] = [];
  const measured: Float64Array[] = [];
  let isLost = true;
  let unobserved = 0;
  const begun = performance.now();
  for (const f of frames) {
    columns.forEach((column, m) => {
      const from = 3 * (clip.names.length * f + column);
      turn(clip.positions, from, positions, 3 * m);
    });
    const result: MarkerResult = (isLost ? initializeMarkers : solveMarkers)(tracker, positions, pose);
    isLost = result.observed === 0;
    if (isLost) unobserved++;
    poses.push(Float64Array.from(pose));
    residuals.push(result.residuals);
    measured.push(Float64Array.from(positions));
  }
  const seconds = (performance.now() - begun) / 1000;
  return {
    times: Float64Array.from(frames, (f) => clip.times[f]),
    frames: frames.map((f) => f + 1),
    poses,
    residuals,
    measured,
    unobserved,
    seconds,
  };
}

/** Copies a point from the axes of a file to those of the figure, turned about x or z from up to up. */
function turnOf(
  fileUp: 'x' | 'y' | 'z' | undefined,
  up: readonly number[],
): (from: Float64Array, i: number, to: Float64Array, o: number) => void {
  const figureUp = (['x', 'y', 'z'] as const)[up.indexOf(Math.max(...up))];
  const steps = fileUp === undefined ? 0 : ('xyz'.indexOf(figureUp) - 'xyz'.indexOf(fileUp) + 3) % 3;
  // A cyclic exchange of the axes is a rotation.
  return (from, i, to, o) => {
    for (let k = 0; k < 3; k++) to[o + ((k + steps) % 3)] = from[i + k];
  };
}

/** Residuals of a marker, mm. */
export interface MarkerResidual {
  readonly name: string;
  /** Frames in which it is observed. */
  readonly observed: number;
  /** Left out where it is never observed. */
  readonly rms?: number;
  readonly max?: number;
  /** Frame of the largest, from 1, and its time, s. */
  readonly worstFrame?: number;
  readonly worstTime?: number;
}

/** The largest residual of all. */
export interface WorstResidual {
  readonly marker: string;
  /** mm */
  readonly distance: number;
  /** From 1. */
  readonly frame: number;
  /** s */
  readonly time: number;
}

/** Residuals by marker and all together, mm. @throws FormatError `invalid-file` where nothing was observed. */
export function residualsOf(
  { residuals, times, frames }: FittedFrames,
  names: readonly string[],
): {
  readonly markers: readonly MarkerResidual[];
  readonly rms: number;
  readonly worst: WorstResidual;
} {
  let total = 0;
  let points = 0;
  const markers = names.map((name, m): MarkerResidual => {
    let sum = 0;
    let observed = 0;
    let worst = -1;
    residuals.forEach((frame, f) => {
      if (Number.isNaN(frame[m])) return;
      sum += frame[m] ** 2;
      observed++;
      if (worst < 0 || frame[m] > residuals[worst][m]) worst = f;
    });
    total += sum;
    points += observed;
    if (worst < 0) return { name, observed };
    const max = 1000 * residuals[worst][m];
    return {
      name,
      observed,
      rms: 1000 * Math.sqrt(sum / observed),
      max,
      worstFrame: frames[worst],
      worstTime: times[worst],
    };
  });
  const [worst] = markers
    .filter(({ max }) => max !== undefined)
    .sort((a, b) => (b.max as number) - (a.max as number));
  if (worst === undefined) {
    throw new FormatError('invalid-file', 'are missing in every frame.', {
      path: 'markers',
      remedy: 'Give a recording of these markers.',
    });
  }
  return {
    markers,
    rms: 1000 * Math.sqrt(total / points),
    worst: {
      marker: worst.name,
      distance: worst.max as number,
      frame: worst.worstFrame as number,
      time: worst.worstTime as number,
    },
  };
}

/** A Catmull-Rom curve for each joint through the poses, from time 0. */
export function motionOfFrames(
  figure: Figure,
  { times, poses }: Pick<FittedFrames, 'times' | 'poses'>,
  name: string,
): Motion {
  const isSingle = poses.length === 1;
  const at = Float64Array.from(isSingle ? [0, 1 / 60] : times, (time) => time - (isSingle ? 0 : times[0]));
  const frames = isSingle ? [poses[0], poses[0]] : poses;
  const tracks = figure.bones.flatMap(({ index, coordinate, dof, joint }): TrackData[] => {
    if (dof === 0) return [];
    const values = Float64Array.from(
      frames.flatMap((pose) => [...pose.subarray(coordinate, coordinate + dof)]),
    );
    const vector = joint.type === 'ball' || joint.type === 'free' ? dof - 3 : -1;
    return [{ bone: index, curve: catmullRomJointCurve(at, values, dof, vector).curve }];
  });
  return createMotion(figure, { name, tracks });
}
