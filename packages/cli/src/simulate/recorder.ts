/** Records poses of a run as a clip. */
import type { Bone, Figure } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { createCurve, createMotion, type Motion } from 'poise/motion';

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

/**
 * The clip: linear interpolation of the coordinates. Where a rotation vector changed chart between two poses, the piece ends at the equivalent vector in
 * its first chart, so that no piece takes the long way around.
 */
export function motionOf(figure: Figure, { times, poses }: Recorder, name: string): Motion {
  const tracks = figure.bones
    .filter(({ dof, mimic }) => dof > 0 && mimic === undefined)
    .map((bone) => {
      const { index, coordinate, dof } = bone;
      const controls = new Float64Array((times.length - 1) * 2 * dof);
      for (let s = 0; s + 1 < times.length; s++) {
        const from = poses[s].subarray(coordinate, coordinate + dof);
        const to = poses[s + 1].slice(coordinate, coordinate + dof);
        nearestEquivalent(bone, from, to);
        controls.set(from, 2 * s * dof);
        controls.set(to, (2 * s + 1) * dof);
      }
      return { bone: index, curve: createCurve({ size: dof, degree: 1, knots: times, controls }) };
    });
  return createMotion(figure, { name, tracks, base: poses[0] });
}

/** Replaces the rotation vector of `to` by the equivalent one nearer to `from`, of the two with length up to 2 pi. */
function nearestEquivalent({ joint }: Bone, from: Numbers, to: Float64Array): void {
  if (joint.type !== 'ball' && joint.type !== 'free') return;
  const o = joint.type === 'free' ? 3 : 0;
  const angle = Math.hypot(to[o], to[o + 1], to[o + 2]);
  if (angle === 0) return;
  const other = 1 - (2 * Math.PI) / angle;
  let near = 0;
  let far = 0;
  for (let k = o; k < o + 3; k++) {
    near += (to[k] - from[k]) ** 2;
    far += (other * to[k] - from[k]) ** 2;
  }
  if (far < near) for (let k = o; k < o + 3; k++) to[k] *= other;
}
