/** Equidistant samples of a motion: coordinates, joint velocities and accelerations, and joint forces. */
import { GoalError } from 'poise';
import { createDynamics, type Dynamics, inverseDynamics } from 'poise/dynamics';
import { createState, type Figure, type FigureState, velocityFromRates } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { angularAccelerationFromRates } from 'poise/rotation';
import { sampleTrajectory, type Trajectory } from 'poise/spacetime';

/** Samples at equal intervals; lists of one time have a number for each coordinate. */
export interface SampledMotion {
  readonly figure: Figure;
  /** Samples per second. */
  readonly rate: number;
  readonly samples: readonly MotionSample[];
  /** Time between the last sample and the end of the motion, s. */
  readonly remainder: number;
}

export interface MotionSample {
  /** s */
  readonly time: number;
  /** q, rad and m. */
  readonly pose: Float64Array;
  /** Joint velocity v and its derivative v', rad/s and m/s. */
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  /** Joint forces, dual to v, N m and N; left out for a figure without mass. */
  readonly torques?: Float64Array;
}

/** Samples per second without `--rate`. */
export const DEFAULT_RATE = 100;
/** Numbers of all samples together at most. */
const MAX_NUMBERS = 5e7;
/** Part of an interval by which the end may miss a sample, for rounding. */
const ROUNDING = 1e-6;

/**
 * Samples a clip. Joint forces are those of inverse dynamics in the gravity of the figure's up, without contacts: those of a free root are what holds it.
 *
 * @throws GoalError `out-of-range` for too many samples; FigureError for masses that no dynamics has.
 */
export function sampleMotion(figure: Figure, motion: Motion, rate: number): SampledMotion {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const dynamics = hasMass(figure) ? createDynamics(figure) : undefined;
  return sampled(figure, motion.start, motion.end, rate, (time) => {
    const [pose, rates, secondRates] = [0, 1, 2].map(() => new Float64Array(figure.dof));
    samplePose(sampler, time, pose, rates, secondRates);
    return sampleOf(time, pose, rates, secondRates, state, dynamics);
  });
}

/** Samples the trajectory of an optimization, with its own joint forces: contacts carry their share. */
export function sampleSolution(trajectory: Trajectory, rate: number): SampledMotion {
  const { figure } = trajectory.problem;
  return sampled(figure, 0, trajectory.duration, rate, (time) => {
    const { torques, ...sample } = sampleTrajectory(trajectory, Math.min(time, trajectory.duration));
    return { ...sample, time, ...(hasMass(figure) && { torques }) };
  });
}

/** One sample of a figure that does not move. */
export function samplePoseAtRest(figure: Figure, pose: Float64Array): SampledMotion {
  const zeros = (): Float64Array => new Float64Array(figure.dof);
  const dynamics = hasMass(figure) ? createDynamics(figure) : undefined;
  const sample = sampleOf(0, pose, zeros(), zeros(), createState(figure), dynamics);
  return { figure, rate: DEFAULT_RATE, samples: [sample], remainder: 0 };
}

function hasMass({ bones }: Figure): boolean {
  return bones.some(({ mass = 0 }) => mass > 0);
}

function sampled(
  figure: Figure,
  start: number,
  end: number,
  rate: number,
  at: (time: number) => MotionSample,
): SampledMotion {
  const intervals = Math.floor((end - start) * rate + ROUNDING);
  const numbers = (intervals + 1) * 4 * Math.max(1, figure.dof);
  if (!(numbers <= MAX_NUMBERS)) {
    throw new GoalError('out-of-range', `makes ${intervals + 1} samples of ${figure.dof} coordinates.`, {
      path: `--rate ${rate}`,
      remedy: 'Give a lower rate.',
    });
  }
  const samples = Array.from({ length: intervals + 1 }, (_, k) => at(start + k / rate));
  const remainder = Math.max(0, end - (start + intervals / rate));
  return { figure, rate, samples, remainder: remainder * rate > ROUNDING ? remainder : 0 };
}

function sampleOf(
  time: number,
  pose: Float64Array,
  rates: Float64Array,
  secondRates: Float64Array,
  state: FigureState,
  dynamics: Dynamics | undefined,
): MotionSample {
  const velocity = new Float64Array(pose.length);
  velocityFromRates(state, pose, rates, velocity);
  const acceleration = accelerationFromRates(state.figure, pose, rates, secondRates);
  return {
    time,
    pose,
    velocity,
    acceleration,
    ...(dynamics && { torques: inverseDynamics(dynamics, pose, velocity, acceleration) }),
  };
}

/** v' of all joints: q'', and of a rotation vector the angular acceleration in the bone frame. */
function accelerationFromRates(
  { bones }: Figure,
  pose: Float64Array,
  rates: Float64Array,
  secondRates: Float64Array,
): Float64Array {
  const out = secondRates.slice();
  for (const { joint, coordinate, dof } of bones) {
    if (joint.type !== 'ball' && joint.type !== 'free') continue;
    const first = coordinate + dof - 3;
    const vector = (numbers: Float64Array): number[] => Array.from(numbers.subarray(first, first + 3));
    out.set(angularAccelerationFromRates(vector(pose), vector(rates), vector(secondRates), 'body'), first);
  }
  return out;
}
