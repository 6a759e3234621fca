import { GoalError, nearestName } from '../../errors.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { checkPose } from '../../figure/model/pose.js';
import type { RateLimit } from './bounds.js';
import type { RotationParameterization } from './rotation-parameterization.js';

/** Options of a differential control. */
export interface DifferentialOptions {
  /** Decay rate of errors, 1/s: they fall as exp(-gain t). Default 20. */
  readonly gain?: number;
  /** Largest velocity an error asks for, m/s and rad/s. Default 4 times the reach per second and 4 pi rad/s. */
  readonly maxGoalSpeed?: Speeds;
  /**
   * Rate limits of all joints, and of single bones by name, exact in joint velocities nu. A rotation vector (ball, free) is limited by the
   * norm of its angular velocity, a free joint's position by the norm of its velocity, every other coordinate by its own rate. Default
   * 4 pi rad/s and 4 times the reach per second.
   */
  readonly maxJointRate?: Speeds & { readonly bones?: Readonly<Record<string, Speeds>> };
  /**
   * Rate at which a joint may approach its limit, and a point the plane of its half-space, 1/s: they slow down as exp(-limitGain t).
   * Default 20.
   */
  readonly limitGain?: number;
  /**
   * Width of the singular region relative to the largest singular value: directions with smaller singular values are damped. Smaller is
   * more exact and less smooth. Default 0.05.
   */
  readonly singularRegion?: number;
  /** Reference pose approached in the null space of all goals, and its decay rate (1/s, default 1). */
  readonly posture?: { readonly reference: Float64Array; readonly rate?: number };
  /**
   * Rotation parameterization of ball and free joints without a limit, for comparison: the unknowns are then its rates. Default: joint
   * velocities, which no parameterization improves on. Cannot be combined with a posture.
   */
  readonly parameterization?: RotationParameterization;
  /** Bones whose joints are locked. */
  readonly locked?: readonly (string | number)[];
}

/** Angular (rad/s) and linear (m/s) speed; Infinity for no limit. */
export interface Speeds {
  readonly angular?: number;
  readonly linear?: number;
}

/** Options with defaults applied. */
export interface ResolvedOptions {
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
  'parameterization',
  'locked',
];
const DEFAULT_ANGULAR_SPEED = 4 * Math.PI;
/** Length scales per second. */
const DEFAULT_LINEAR_SPEED = 16;

/** @throws GoalError, FigureError naming the option. */
export function resolveOptions(
  figure: Figure,
  options: DifferentialOptions,
  lengthScale: number,
): ResolvedOptions {
  const { gain = 20, limitGain = 20, singularRegion = 0.05, posture, maxGoalSpeed, maxJointRate } = options;
  requirePositive(gain, 'options.gain');
  requirePositive(limitGain, 'options.limitGain');
  requirePositive(singularRegion, 'options.singularRegion');
  const defaults = { angular: DEFAULT_ANGULAR_SPEED, linear: DEFAULT_LINEAR_SPEED * lengthScale };
  const rate = resolveSpeeds(maxJointRate, defaults, 'options.maxJointRate');
  const rateLimits = figure.bones.map(() => rate);
  for (const [name, own] of Object.entries(maxJointRate?.bones ?? {})) {
    const path = `options.maxJointRate.bones.${name}`;
    rateLimits[boneIndex(figure, name, path)] = resolveSpeeds(own, rate, path);
  }
  if (posture !== undefined && options.parameterization !== undefined) {
    throw new GoalError('unsupported', 'cannot be combined with a posture.', {
      path: 'options.parameterization',
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
    goalSpeed: resolveSpeeds(maxGoalSpeed, defaults, 'options.maxGoalSpeed'),
    rateLimits,
    posture: posture && { reference: posture.reference, rate: posture.rate ?? 1 },
  };
}

/** @throws GoalError for options that are no object, and for an unknown option. */
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
    throw new GoalError('unsupported', 'is not an option.', {
      path: `options.${name}`,
      remedy: near === undefined ? `There are ${NAMES.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

function resolveSpeeds(given: Speeds | undefined, fallback: RateLimit, path: string): RateLimit {
  const { angular = fallback.angular, linear = fallback.linear } = given ?? {};
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
