import { type FieldsOf, requireFields, requirePositive } from '../../checks.js';
import { GoalError } from '../../errors.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { checkPose } from '../../figure/model/pose.js';
import { requireBones } from '../problem/option-checks.js';
import type { RateLimit } from './bounds.js';
import type { RotationParameterization } from './rotation-parameterization.js';

/** Options of a differential control. */
export interface DifferentialOptions {
  /** Decay rate of errors, 1/s: they fall as exp(-gain t). Default 20. */
  readonly gain?: number;
  /** Largest velocity an error asks for, m/s and rad/s. Default 4 times the reach per second and 4 pi rad/s. */
  readonly maxGoalSpeed?: Speeds;
  /**
   * Rate limits of all joints, and of single bones by name, exact in joint velocities v. A rotation vector (ball, free) is limited by the
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

const OPTIONS: FieldsOf<DifferentialOptions> = {
  gain: true,
  maxGoalSpeed: true,
  maxJointRate: true,
  limitGain: true,
  singularRegion: true,
  posture: true,
  parameterization: true,
  locked: true,
};
const SPEEDS: FieldsOf<Speeds> = { angular: true, linear: true };
const DEFAULT_ANGULAR_SPEED = 4 * Math.PI;
/** Length scales per second. */
const DEFAULT_LINEAR_SPEED = 16;

/** @throws GoalError for options that are no object, and for an unknown option. */
export function checkOptionNames(options: DifferentialOptions): void {
  requireFields(options, OPTIONS, 'options', GoalError);
  requireBones(options.locked, 'options.locked');
}

/** @throws GoalError, FigureError naming the option. */
export function resolveOptions(
  figure: Figure,
  options: DifferentialOptions,
  lengthScale: number,
): ResolvedOptions {
  const { gain = 20, limitGain = 20, singularRegion = 0.05, posture, maxGoalSpeed, maxJointRate } = options;
  requirePositive(gain, 'options.gain', GoalError, '1/s');
  requirePositive(limitGain, 'options.limitGain', GoalError, '1/s');
  requirePositive(singularRegion, 'options.singularRegion', GoalError);
  const defaults = { angular: DEFAULT_ANGULAR_SPEED, linear: DEFAULT_LINEAR_SPEED * lengthScale };
  const rate = resolveSpeeds(maxJointRate, defaults, 'options.maxJointRate', { ...SPEEDS, bones: true });
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
    requireFields(posture, { reference: true, rate: true }, 'options.posture', GoalError);
    checkPose(figure, posture.reference, 'options.posture.reference');
    requirePositive(posture.rate ?? 1, 'options.posture.rate', GoalError, '1/s');
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

function resolveSpeeds(
  given: Speeds | undefined,
  fallback: RateLimit,
  path: string,
  known: object = SPEEDS,
): RateLimit {
  if (given !== undefined) requireFields(given, known, path, GoalError);
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
