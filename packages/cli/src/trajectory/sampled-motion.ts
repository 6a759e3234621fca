/** Equidistant samples of a motion: coordinates, joint velocities and accelerations, and joint forces. */
import { FigureError, GoalError } from 'poise';
import { createDynamics, type Dynamics, inverseDynamics } from 'poise/dynamics';
import { createState, type Figure, type FigureState, velocityFromRates } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { angularAccelerationFromRates } from 'poise/rotation';
import { sampleTrajectory, type Trajectory } from 'poise/spacetime';
import { decimals } from '../io/parse-number.js';

/** Samples at equal intervals; lists of one time have a number for each coordinate. */
export interface SampledMotion {
  readonly figure: Figure;
  /** Samples per second. */
  readonly rate: number;
  readonly samples: readonly MotionSample[];
  /** What the samples leave out, one sentence each. */
  readonly notes: readonly string[];
}

export interface MotionSample {
  /** s */
  readonly time: number;
  /** q, rad and m. */
  readonly pose: Float64Array;
  /** Joint velocity v and its derivative v', rad/s and m/s. */
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  /** Joint forces, dual to v, N m and N; left out for a figure without mass, or with masses that no body has. */
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
 * @throws GoalError `out-of-range` for too many samples.
 */
export function sampleMotion(figure: Figure, motion: Motion, rate: number): SampledMotion {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const { dynamics, notes } = dynamicsOf(figure);
  return sampled(figure, motion.start, motion.end, rate, notes, (time) => {
    const [pose, rates, secondRates] = [0, 1, 2].map(() => new Float64Array(figure.dof));
    samplePose(sampler, time, pose, rates, secondRates);
    return sampleOf(time, pose, rates, secondRates, state, dynamics);
  });
}

/** Samples the trajectory of an optimization, with its own joint forces: contacts carry their share. */
export function sampleSolution(trajectory: Trajectory, rate: number): SampledMotion {
  const { figure } = trajectory.problem;
  return sampled(figure, 0, trajectory.duration, rate, [], (time) => {
    const { torques, ...sample } = sampleTrajectory(trajectory, Math.min(time, trajectory.duration));
    return { ...sample, time, ...(hasMass(figure) && { torques }) };
  });
}

/** One sample of a figure that does not move. */
export function samplePoseAtRest(figure: Figure, pose: Float64Array): SampledMotion {
  const zeros = (): Float64Array => new Float64Array(figure.dof);
  const { dynamics, notes } = dynamicsOf(figure);
  const sample = sampleOf(0, pose, zeros(), zeros(), createState(figure), dynamics);
  return { figure, rate: DEFAULT_RATE, samples: [sample], notes };
}

/** Dynamics of a figure with masses that a body can have; files may have others. */
function dynamicsOf(figure: Figure): { dynamics?: Dynamics; notes: readonly string[] } {
  if (!hasMass(figure)) return { notes: [] };
  try {
    return { dynamics: createDynamics(figure), notes: [] };
  } catch (error) {
    if (!(error instanceof FigureError)) throw error;
    return { notes: [`${error.path}: ${error.what} The samples have no joint forces.`] };
  }
}

function hasMass({ bones }: Figure): boolean {
  return bones.some(({ mass = 0 }) => mass > 0);
}

function sampled(
  figure: Figure,
  start: number,
  end: number,
  rate: number,
  notes: readonly string[],
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
  const isCut = remainder * rate > ROUNDING;
  const cut = isCut ? [`the motion goes on for ${decimals(remainder, 6)} s after the last sample.`] : [];
  return { figure, rate, samples, notes: [...notes, ...cut] };
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
