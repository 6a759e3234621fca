import { boneIndex, clampToLimits, type Figure } from 'poise/figure';
import type { Prng } from '../prng.js';
import { placer, type Subject } from './subjects.js';

/** Poses of a clip at 120 frames a second, all inside the limits. */
export interface Clip {
  readonly name: string;
  readonly poses: readonly Float64Array[];
}

const RATE = 120;

/**
 * Walks at 1.3 m/s: hips, knees, ankles, arms and trunk swing by sines of one stride (1.1 s) with amplitudes drawn around those of
 * normal gait.
 */
export function walk(figure: Figure, frames: number, prng: Prng): Clip {
  const around = (x: number): number => x * (0.85 + 0.3 * prng.uniform());
  const hip = around(0.4);
  const knee = around(0.5);
  const ankle = around(0.2);
  const arm = around(0.35);
  const angle = around(0.06);
  const poses = Array.from({ length: frames }, (_, f) => {
    const t = f / RATE;
    const phase = (2 * Math.PI * t) / 1.1;
    const pose = new Float64Array(figure.dof);
    const set = (bone: string, k: number, value: number): void => {
      pose[figure.bones[boneIndex(figure, bone)].coordinate + k] = value;
    };
    set('hips', 1, 0.02 * Math.sin(2 * phase));
    set('hips', 2, 1.3 * t);
    set('hips', 4, 0.5 * angle * Math.sin(phase));
    for (const bone of ['spine', 'chest', 'upperChest']) {
      set(bone, 0, 0.03);
      set(bone, 2, -angle * Math.sin(phase));
    }
    set('neck', 0, 0.05 + 0.02 * Math.sin(2 * phase));
    set('head', 2, 0.5 * angle * Math.sin(phase));
    for (const [side, sign] of [
      ['left', 1],
      ['right', -1],
    ] as const) {
      const s = sign * Math.sin(phase);
      const lag = sign * Math.sin(phase - 1.2);
      set(`${side}UpperLeg`, 0, 0.15 + hip * s);
      set(`${side}UpperLeg`, 1, 0.03 * s);
      set(`${side}UpperLeg`, 2, 0.05 + 0.05 * s);
      set(`${side}LowerLeg`, 0, knee * 0.75 - 0.6 * knee * lag + 0.1);
      set(`${side}Foot`, 0, -0.05 - ankle * lag);
      set(`${side}Foot`, 1, 0.04 * s);
      set(`${side}Toes`, 0, 0.25 + 0.2 * lag);
      set(`${side}Shoulder`, 0, -0.05 * s);
      set(`${side}UpperArm`, 0, 0.15 - 0.2 * arm * s);
      set(`${side}UpperArm`, 1, -1.2);
      set(`${side}UpperArm`, 2, 0.2 - arm * s);
      set(`${side}LowerArm`, 0, 0.6 - 0.4 * arm * s);
      set(`${side}Hand`, 0, 0.3 * s);
      set(`${side}Hand`, 1, 0.1 + 0.1 * lag);
      set(`${side}Hand`, 2, 0.08 * s);
    }
    return pose;
  });
  return { name: 'walk', poses: checked(figure, poses) };
}

/**
 * Reaches about: a uniform cubic B-spline of poses drawn in the middle 60 % of every limit (convex, so the curve keeps to it), one
 * every 0.4 s; the hips wander and turn round once.
 */
export function reach(figure: Figure, frames: number, prng: Prng): Clip {
  const spans = Math.max(1, Math.ceil(frames / (0.4 * RATE)));
  const within = (size: number): number => size * (2 * prng.uniform() - 1);
  const controls = Array.from({ length: spans + 3 }, (_, n) => {
    const pose = Float64Array.from({ length: figure.dof }, () => within(0.2));
    pose[4] += (2 * Math.PI * n) / (spans + 3) - Math.PI;
    for (const { kind, parameters: p, coordinate, size } of figure.limitComponents) {
      if (kind === 'interval') {
        pose[coordinate] = (p[0] + p[1]) / 2 + within(0.3) * (p[1] - p[0]);
        continue;
      }
      // Of human and hand: quad-ellipses only.
      for (let k = 0; k < size; k++) {
        const x = within(0.42);
        pose[coordinate + k] = x < 0 ? -x * p[2 * k] : x * p[2 * k + 1];
      }
    }
    return pose;
  });
  const poses = Array.from({ length: frames }, (_, f) => {
    const t = Math.min((f / Math.max(1, frames - 1)) * spans, spans - 1e-9);
    const first = Math.floor(t);
    const u = t - first;
    const w = [(1 - u) ** 3, 3 * u ** 3 - 6 * u * u + 4, -3 * u ** 3 + 3 * u * u + 3 * u + 1, u ** 3];
    return Float64Array.from({ length: figure.dof }, (_, i) =>
      w.reduce((sum, x, k) => sum + (x / 6) * controls[first + k][i], 0),
    );
  });
  return { name: 'reach', poses: checked(figure, poses) };
}

/** The known solutions must be within the limits. */
function checked(figure: Figure, poses: readonly Float64Array[]): readonly Float64Array[] {
  for (const pose of poses) {
    if (clampToLimits(figure, pose.slice())) throw new Error('a clip leaves the limits');
  }
  return poses;
}

/**
 * Measured places of a clip, 3 numbers a point: forward kinematics, normal noise along each axis, a share missing (NaN).
 *
 * @param noise - Standard deviation along each axis of a point of weight 1, m.
 */
export function measure(
  subject: Subject,
  clip: Clip,
  noise: number,
  missing: number,
  prng: Prng,
): Float64Array[] {
  const positionsAt = placer(subject);
  return clip.poses.map((pose, f) => {
    const out = positionsAt(pose).slice();
    for (let m = 0; m < subject.markers.length; m++) {
      // The variance is the inverse of the weight.
      const spread = noise / Math.sqrt(subject.markers[m].weight ?? 1);
      for (let k = 3 * m; k < 3 * m + 3; k++) out[k] += spread * prng.normal();
      // The first frame is complete: with a missing marker it may have a second exact solution.
      if (prng.uniform() < missing && f > 0) out.fill(Number.NaN, 3 * m, 3 * m + 3);
    }
    return out;
  });
}
