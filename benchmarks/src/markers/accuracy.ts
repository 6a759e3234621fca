import type { Figure } from 'poise/figure';
import {
  acquirePose,
  coordinateUncertainty,
  createMarkerTracker,
  observability,
  type TrackResult,
  trackMarkers,
} from 'poise/ik';
import { median } from '../statistics.js';
import type { Clip } from './clips.js';
import { markerSet } from './marker-set.js';

/** How near the poses of a clip came to the known ones. */
export interface Accuracy {
  /** Frames by how they ended. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly iterations: number;
  /** Root mean square over frames and markers, m. */
  readonly rms: number;
  readonly stationarity: number;
  /** Largest and median error of coordinates that have no part in an unseen direction, rad (hips' place in length scales). */
  readonly largest: number;
  readonly typical: number;
  /** Coordinates compared, of all. */
  readonly compared: number;
  /** Root mean square of error over bound: all together, and of the worst coordinate; joints at no active limit. */
  readonly overBound: number;
  readonly worstOverBound: number;
  readonly worstCoordinate: string;
  /** Share of coordinates and frames that this is over. */
  readonly free: number;
}

/** Of a coordinate that is seen no more than this lies in unseen directions, squared. */
const UNSEEN = 1e-13;
/** Errors are taken of every third frame: the bounds take ten times as long as the tracking. */
const EVERY = 3;
/** A coordinate free of active limits in fewer frames than this has no root mean square to speak of. */
const FEW = 30;

export function accuracyOf(
  figure: Figure,
  clip: Clip,
  frames: readonly Float64Array[],
  noise: number,
): Accuracy {
  const tracker = createMarkerTracker(figure, markerSet);
  const scale = tracker.problem.columnScale;
  const pose = new Float64Array(figure.dof);
  const statuses: Record<string, number> = {};
  const squares = new Float64Array(figure.dof);
  const counts = new Float64Array(figure.dof);
  let [iterations, residual, stationarity, largest] = [0, 0, 0, 0];
  const errors: number[] = [];
  clip.poses.forEach((truth, f) => {
    const result: TrackResult = (f === 0 ? acquirePose : trackMarkers)(tracker, frames[f], pose);
    statuses[result.status] = (statuses[result.status] ?? 0) + 1;
    if (f > 0) iterations += result.iterations;
    residual += result.rms ** 2;
    stationarity = Math.max(stationarity, result.stationarity);
    if (f % EVERY > 0) return;
    const { seen } = observability(tracker, truth);
    const bound = noise > 0 ? coordinateUncertainty(tracker, truth, noise).standardDeviations : undefined;
    const blocked = new Set(result.activeLimits.map(({ bone }) => bone));
    for (let i = 0; i < figure.dof; i++) {
      const error = Math.abs(pose[i] - truth[i]) / scale[i];
      if (1 - seen[i] < UNSEEN) {
        largest = Math.max(largest, error);
        errors.push(error);
      }
      if (bound === undefined || !Number.isFinite(bound[i])) continue;
      if (blocked.has(figure.bones[figure.boneOfCoordinate[i]].name)) continue;
      squares[i] += ((pose[i] - truth[i]) / bound[i]) ** 2;
      counts[i]++;
    }
  });
  let [all, total, worst] = [0, 0, -1];
  for (let i = 0; i < figure.dof; i++) {
    all += squares[i];
    total += counts[i];
    if (counts[i] < FEW) continue;
    if (worst < 0 || squares[i] / counts[i] > squares[worst] / counts[worst]) worst = i;
  }
  const count = clip.poses.length;
  const bone = worst < 0 ? undefined : figure.bones[figure.boneOfCoordinate[worst]];
  return {
    statuses,
    iterations: iterations / Math.max(1, count - 1),
    rms: Math.sqrt(residual / count),
    stationarity,
    largest,
    typical: median(errors),
    compared: errors.length / (Math.ceil(count / EVERY) * figure.dof),
    overBound: Math.sqrt(all / total),
    worstOverBound: worst < 0 ? Number.NaN : Math.sqrt(squares[worst] / counts[worst]),
    worstCoordinate: bone === undefined ? '-' : `${bone.name} ${worst - bone.coordinate}`,
    free: total / (Math.ceil(count / EVERY) * figure.dof),
  };
}
