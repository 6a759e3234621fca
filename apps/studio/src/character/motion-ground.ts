import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { pointsOf } from './points.js';

/** Samples of a motion in which its ground is sought. */
const SAMPLES = 40;

/** The ground of a motion: height of the lowest point of some bones, by index, through it along `up`, m. */
export function groundOf(
  figure: Figure,
  motion: Motion,
  up: ArrayLike<number> = figure.up,
  bones?: readonly number[],
): number {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  let ground = Number.POSITIVE_INFINITY;
  for (let n = 0; n <= SAMPLES; n++) {
    const time = motion.start + (n / SAMPLES) * (motion.end - motion.start);
    forwardKinematics(state, samplePose(sampler, time, pose));
    for (const point of pointsOf(figure, state, bones)) ground = Math.min(ground, vec3.dot(point, up));
  }
  return ground;
}
