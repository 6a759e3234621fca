/** Records poses of a run as a clip. */
import type { Numbers } from 'poise/math';

export interface Recorder {
  readonly times: number[];
  readonly poses: Float64Array[];
}

export function createRecorder(): Recorder {
  return { times: [], poses: [] };
}

/** Records a pose; of equal consecutive poses only the first and the last. */
export function record({ times, poses }: Recorder, time: number, pose: Numbers): void {
  const n = poses.length;
  const same = (a: Float64Array): boolean => a.every((value, i) => value === pose[i]);
  if (n >= 2 && same(poses[n - 1]) && same(poses[n - 2])) {
    times[n - 1] = time;
    return;
  }
  times.push(time);
  poses.push(Float64Array.from(pose));
}
