/** The reference motion, at any nominal time. */
import type { Figure } from '../../figure/model/figure.js';
import { checkPose, createPose } from '../../figure/model/pose.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import {
  createRotationState,
  expRotationState,
  type RotationState,
} from '../../motion/representation/rotation-state.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';

/** Pose and its derivatives with respect to nominal time; rotation vectors also as rotation states. */
export interface ReferenceState {
  readonly pose: Float64Array;
  readonly rates: Float64Array;
  readonly secondRates: Float64Array;
  /** One for each rotation vector of the figure, in their order: body axes, rates with respect to nominal time. */
  readonly rotations: readonly RotationState[];
}

/** The reference at any nominal time. */
export type Reference = (time: number) => ReferenceState;

/** @throws MotionError, FigureError for a motion or pose of another figure. */
export function createReference(figure: Figure, given: Motion | Numbers | undefined): Reference {
  const vectors = rotationVectors(figure);
  const withRotations = (pose: Float64Array, rates: Float64Array, seconds: Float64Array): ReferenceState => ({
    pose,
    rates,
    secondRates: seconds,
    rotations: Array.from(vectors, (i) => {
      const point = {
        value: pose.slice(i, i + 3),
        first: rates.slice(i, i + 3),
        second: seconds.slice(i, i + 3),
      };
      return expRotationState(point, createRotationState());
    }),
  });
  if (given === undefined || !isMotion(given)) {
    const pose = given === undefined ? createPose(figure) : Float64Array.from(given);
    checkPose(figure, pose, 'reference');
    const constant = withRotations(pose, new Float64Array(figure.dof), new Float64Array(figure.dof));
    return () => constant;
  }
  const sampler = createMotionSampler(figure, given);
  return (time) => {
    const pose = new Float64Array(figure.dof);
    const rates = new Float64Array(figure.dof);
    const seconds = new Float64Array(figure.dof);
    samplePose(sampler, given.start + time, pose, rates, seconds);
    return withRotations(pose, rates, seconds);
  };
}

export function isMotion(given: Motion | Numbers): given is Motion {
  return 'tracks' in given;
}
