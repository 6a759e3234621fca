/** Paths of points in clips, and in blends of clips: of points, not of the joints that move them, so that no foot dips between them. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { createFade, evaluateFade, type Fade } from '../clips/fade.js';
import type { PointTransform } from '../clips/planar-alignment.js';

/** Position of a point at a time, world, m. */
export type PointPath = (time: number) => [number, number, number];

/** The path of a point of a bone. */
export type PointPaths = (bone: string, point: Vec3) => PointPath;

/** Half the step of the differences that give the velocity of a path, s. */
const STEP = 1e-3;

/** The paths of a clip; times outside as it extrapolates. */
export function clipPaths(figure: Figure, motion: Motion): PointPaths {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (bone, point) => (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const [x, y, z] = worldPoint(state, bone, point);
    return [x, y, z];
  };
}

/** Velocity of a path by differences within a span, m/s. */
export function velocityOf(
  path: PointPath,
  time: number,
  from: number,
  to: number,
): [number, number, number] {
  const [low, high] = [Math.max(from, time - STEP), Math.min(to, time + STEP)];
  const [a, b] = [path(low), path(high)];
  const h = high - low;
  return [(b[0] - a[0]) / h, (b[1] - a[1]) / h, (b[2] - a[2]) / h];
}

/** From the paths of the first clip to those of the second, transformed, by the weight of a blend. */
export function blendedPaths(
  first: PointPaths,
  second: PointPaths,
  weight: (time: number) => number,
  shift: number,
  transform: PointTransform,
): PointPaths {
  return (bone, point) => {
    const [a, b] = [first(bone, point), second(bone, point)];
    return (time) => {
      const w = weight(time);
      if (w <= 0) return a(time);
      const there = transform(b(time - shift), 1);
      return w >= 1 ? there : vec3.lerp(a(time), there, w, [0, 0, 0]);
    };
  };
}

/** Paths of a span of a clip whose ends meet: what lies between them fades inwards at both, at the start `share` of it. */
export function loopedPaths(
  clip: PointPaths,
  {
    from,
    length,
    duration,
    share,
    unit,
  }: {
    readonly from: number;
    readonly length: number;
    readonly duration: number;
    readonly share: number;
    readonly unit: number;
  },
  transform: PointTransform,
): PointPaths {
  return (bone, point) => {
    const own = clip(bone, point);
    const groups = [{ coordinates: [0, 1, 2], unit }];
    const path: PointPath = (time) => own(from + time);
    const origin = transform([0, 0, 0], -1);
    const start = path(0);
    const startVelocity = velocityOf(path, 0, 0, length);
    const end = transform(path(length), -1);
    const ahead = transform(velocityOf(path, length, 0, length), -1);
    // What lies between the start and the end, in the axes of the start.
    const value = start.map((x, r) => end[r] - x);
    const first = startVelocity.map((x, r) => ahead[r] - origin[r] - x);
    const second = new Float64Array(3);
    const fade = (ofValue: number, ofRate: number): Fade =>
      createFade(
        { value: value.map((x) => ofValue * x), first: first.map((x) => ofRate * x), second },
        groups,
        duration,
      );
    const atStart = fade(share, share);
    const atEnd = fade(share - 1, 1 - share);
    const inside: PointPath = (time) => {
      const here = path(time);
      if (time < duration) vec3.add(here, evaluateFade(atStart, time).value, here);
      if (time <= length - duration) return here;
      const [x, y, z] = transform(evaluateFade(atEnd, Math.max(0, length - time)).value, 1);
      const [ox, oy, oz] = transform([0, 0, 0], 1);
      return [here[0] + x - ox, here[1] + y - oy, here[2] + z - oz];
    };
    return (time) => {
      if (time < 0) return transform(inside(time + length), -1);
      return time > length ? transform(inside(time - length), 1) : inside(time);
    };
  };
}
