import { GoalError, nearestName } from '../../errors.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { checkPose } from '../../figure/model/pose.js';
import type { RateLimit } from './bounds.js';
import type { RotationForm } from './rotation-parameterization.js';

/** Settings of a differential control. */
export interface DifferentialOptions {
  /** How fast errors die away, 1/s: they fall as exp(-gain t). Default 20. */
  readonly gain?: number;
  /** Most that an error asks for, whatever its size: m/s and rad/s. Default 4 times the reach a second and 4 pi rad/s. */
  readonly maxGoalSpeed?: Speeds;
  /**
   * How fast joints may move, all of them and some of their own, by name of the bone: in joint velocities nu, exactly. A rotation vector
   * (ball, free) by the length of its angular velocity, a free joint's position by the length of its velocity, every other
   * coordinate by its own rate. Default 4 pi rad/s and 4 times the reach a second.
   */
  readonly maxJointRate?: Speeds & { readonly bones?: Readonly<Record<string, Speeds>> };
  /**
   * How fast a joint may close the gap to its limit, and a point that to the plane of its half-space, 1/s: they slow down as
   * exp(-limitGain t). Default 20.
   */
  readonly limitGain?: number;
  /**
   * Width of the singular region, over the largest singular value: directions that the goals reach with less are damped. Smaller is
   * more exact and less calm. Default 0.05.
   */
  readonly singularRegion?: number;
  /** A pose that the joints return to as far as no goal feels it, and at which rate (1/s, default 1). */
  readonly posture?: { readonly reference: Float64Array; readonly rate?: number };
  /**
   * How balls and free joints without a limit write their rotation, for comparisons: the unknowns are then its rates. Left out, they are the
   * joint velocities, and no form is better. Not with a posture.
   */
  readonly form?: RotationForm;
  /** Bones whose joints stay as they are. */
  readonly locked?: readonly (string | number)[];
}

/** Speeds of turning (rad/s) and of sliding (m/s); infinite for no limit. */
export interface Speeds {
  readonly angular?: number;
  readonly linear?: number;
}

/** Options with their defaults. */
export interface SettledOptions {
  readonly gain: number;
  readonly limitGain: number;
  readonly singularRegion: number;
  readonly goalSpeed: RateLimit;
  readonly rateLimits: readonly RateLimit[];
  readonly posture: { readonly reference: Float64Array; readonly rate: number } | undefined;
}

const NAMES = [
  'gain',
  'maxGoalSpeed',
  'maxJointRate',
  'limitGain',
  'singularRegion',
  'posture',
  'form',
  'locked',
];
const FAST_TURN = 4 * Math.PI;
/** Length scales a second. */
const FAST_MOVE = 16;

/** @throws GoalError, FigureError naming the option. */
export function settleOptions(
  figure: Figure,
  options: DifferentialOptions,
  lengthScale: number,
): SettledOptions {
  const { gain = 20, limitGain = 20, singularRegion = 0.05, posture, maxGoalSpeed, maxJointRate } = options;
  requirePositive(gain, 'options.gain');
  requirePositive(limitGain, 'options.limitGain');
  requirePositive(singularRegion, 'options.singularRegion');
  const fast = { angular: FAST_TURN, linear: FAST_MOVE * lengthScale };
  const rate = speeds(maxJointRate, fast, 'options.maxJointRate');
  const rateLimits = figure.bones.map(() => rate);
  for (const [name, own] of Object.entries(maxJointRate?.bones ?? {})) {
    const path = `options.maxJointRate.bones.${name}`;
    rateLimits[boneIndex(figure, name, path)] = speeds(own, rate, path);
  }
  if (posture !== undefined && options.form !== undefined) {
    throw new GoalError('unsupported', 'does not go with a posture.', {
      path: 'options.form',
      remedy: 'Leave out one of them.',
    });
  }
  if (posture !== undefined) {
    checkPose(figure, posture.reference, 'options.posture.reference');
    requirePositive(posture.rate ?? 1, 'options.posture.rate');
  }
  return {
    gain,
    limitGain,
    singularRegion,
    goalSpeed: speeds(maxGoalSpeed, fast, 'options.maxGoalSpeed'),
    rateLimits,
    posture: posture && { reference: posture.reference, rate: posture.rate ?? 1 },
  };
}

/** @throws GoalError for options that are no object, or an unknown one. */
export function checkOptionNames(options: DifferentialOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new GoalError('unsupported', `is ${options}.`, {
      path: 'options',
      remedy: 'Give an object, or leave it out.',
    });
  }
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name)) continue;
    const near = nearestName(name, NAMES);
    throw new GoalError('unsupported', 'is no option.', {
      path: `options.${name}`,
      remedy: near === undefined ? `There are ${NAMES.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

function speeds(given: Speeds | undefined, otherwise: RateLimit, path: string): RateLimit {
  const { angular = otherwise.angular, linear = otherwise.linear } = given ?? {};
  for (const [name, value] of Object.entries({ angular, linear })) {
    if (value >= 0) continue;
    throw new GoalError('out-of-range', `is ${value}.`, {
      path: `${path}.${name}`,
      remedy: 'Give a speed of zero or more; Infinity for no limit.',
    });
  }
  return { angular, linear };
}

function requirePositive(value: number, path: string): void {
  if (value > 0 && Number.isFinite(value)) return;
  throw new GoalError('out-of-range', `is ${value}.`, { path, remedy: 'Give a positive, finite number.' });
}
