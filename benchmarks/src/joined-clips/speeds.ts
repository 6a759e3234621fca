/** Speeds of all bones between keys, by forward kinematics alone. */
import type { PlanarTransform } from 'poise/editing';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';

/** Half the time between two frames of the recordings at 120 Hz. */
const STEP = 1 / 240;

/** The origin and the tip of every bone at a time, world, m, 6 numbers a bone. */
export type EndsAt = (time: number) => Float64Array;

export function endsOf(figure: Figure, motion: Motion): EndsAt {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const w = state.worldFromBone;
    const out = new Float64Array(6 * figure.bones.length);
    for (const { index, tip = [0, 0, 0] } of figure.bones) {
      const o = 12 * index;
      for (let r = 0; r < 3; r++) {
        out[6 * index + r] = w[o + 9 + r];
        out[6 * index + 3 + r] =
          w[o + 9 + r] + w[o + 3 * r] * tip[0] + w[o + 3 * r + 1] * tip[1] + w[o + 3 * r + 2] * tip[2];
      }
    }
    return out;
  };
}

/** Distance of each point from where it is in another list. */
export function distances(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length / 3);
  for (let i = 0; i < out.length; i++)
    out[i] = Math.hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]);
  return out;
}

/** Largest speed of every point within a span, m/s. */
export function fastest(ends: EndsAt, from: number, to: number): Float64Array {
  const count = Math.max(1, Math.ceil((to - from) / STEP));
  const h = (to - from) / count;
  let before = ends(from);
  const speeds = new Float64Array(before.length / 3);
  for (let k = 1; k <= count; k++) {
    const here = ends(from + k * h);
    distances(here, before).forEach((way, i) => {
      speeds[i] = Math.max(speeds[i], way / h);
    });
    before = here;
  }
  return speeds;
}

/** Points of a clip whose figure stands along y, transformed. */
export function transformed({ angle, translation }: PlanarTransform, points: Float64Array): Float64Array {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const out = points.slice();
  for (let k = 0; k < points.length; k += 3) {
    const [x, y, z] = points.subarray(k, k + 3);
    out[k] = c * x + s * z + translation[0];
    out[k + 1] = y + translation[1];
    out[k + 2] = c * z - s * x + translation[2];
  }
  return out;
}
