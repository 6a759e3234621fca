import { type FieldsOf, requireBoolean, requireNotNegative, requirePositive } from '../../../checks.js';
import { DomainError } from '../../../errors.js';

/** Reactions of an active ragdoll to hits and falls. Times in s. */
export interface ReactionOptions {
  /** Impulse that makes the bone it hits limp, N s. Default: 1 m/s times the mass. */
  readonly limpImpulse?: number;
  /** Impulse that knocks it out at once, N s. Default: 3 m/s times the mass. */
  readonly knockOutImpulse?: number;
  /** Number of joints from the hit bone beyond which drives stay unrelaxed. Default 3. */
  readonly spread?: number;
  /** Time that drives stay relaxed, then time in which limp ones tighten to full weight. Default 0.1, 0.6. */
  readonly hitDuration?: number;
  readonly tauten?: number;
  /** Limp drives tighten only while the error is below this, rad. Default 0.5. */
  readonly calm?: number;
  /** Time above that error after which it falls. Default 2. */
  readonly timeout?: number;
  /** Thresholds above which it falls: root mean square of the joint angles to the target, rad (default 1); angle of the root to its target, rad (default 1). */
  readonly fallError?: number;
  readonly fallTilt?: number;
  /** The same for the distance of the root, m. Default 0.6 with an assisted root, else Infinity: joint torques alone cannot return it. */
  readonly fallDistance?: number;
  /**
   * The same for the distance of the extrapolated centre of mass outside the support polygon, m. Default Infinity with an assisted root, else 0.1: only a step
   * to the side could recover the balance then.
   */
  readonly fallBalance?: number;
  /** Speed sqrt(2 E / m) of its kinetic energy E below which a fallen figure lies still, m/s, and for how long. Default 0.05, 0.5. */
  readonly restSpeed?: number;
  readonly restTime?: number;
  /** Whether it gets up. Default: with an assisted root; joint torques alone do not keep the balance. */
  readonly recover?: boolean;
  /** Time to blend from the lying pose into the get-up. Default 0.6. */
  readonly blend?: number;
  /** Duration of the get-up, after which it tracks. Default 2. */
  readonly getUp?: number;
}

export const REACTION_OPTIONS: FieldsOf<ReactionOptions> = {
  limpImpulse: true,
  knockOutImpulse: true,
  spread: true,
  hitDuration: true,
  tauten: true,
  calm: true,
  timeout: true,
  fallError: true,
  fallTilt: true,
  fallDistance: true,
  fallBalance: true,
  restSpeed: true,
  restTime: true,
  recover: true,
  blend: true,
  getUp: true,
};

export type Reactions = Required<ReactionOptions>;

/** @throws DomainError `out-of-range` for negative numbers. */
export function readReactions(
  {
    limpImpulse,
    knockOutImpulse,
    spread = 3,
    hitDuration = 0.1,
    tauten = 0.6,
    calm = 0.5,
    timeout = 2,
    fallError = 1,
    fallTilt = 1,
    fallDistance,
    fallBalance,
    restSpeed = 0.05,
    restTime = 0.5,
    recover,
    blend = 0.6,
    getUp = 2,
  }: ReactionOptions,
  mass: number,
  assisted: boolean,
): Reactions {
  const positive = (value: number, name: string, unit: string): number => {
    requirePositive(value, `options.${name}`, DomainError, unit, true);
    return value;
  };
  const notNegative = (value: number, name: string, unit: string): number => {
    requireNotNegative(value, `options.${name}`, DomainError, unit, true);
    return value;
  };
  requireBoolean(recover ?? assisted, 'options.recover', DomainError);
  return {
    limpImpulse: positive(limpImpulse ?? mass, 'limpImpulse', 'N s'),
    knockOutImpulse: positive(knockOutImpulse ?? 3 * mass, 'knockOutImpulse', 'N s'),
    spread: notNegative(spread, 'spread', 'joints'),
    hitDuration: notNegative(hitDuration, 'hitDuration', 's'),
    tauten: positive(tauten, 'tauten', 's'),
    calm: positive(calm, 'calm', 'rad'),
    timeout: notNegative(timeout, 'timeout', 's'),
    fallError: positive(fallError, 'fallError', 'rad'),
    fallTilt: positive(fallTilt, 'fallTilt', 'rad'),
    fallDistance: positive(fallDistance ?? (assisted ? 0.6 : Number.POSITIVE_INFINITY), 'fallDistance', 'm'),
    fallBalance: notNegative(fallBalance ?? (assisted ? Number.POSITIVE_INFINITY : 0.1), 'fallBalance', 'm'),
    restSpeed: positive(restSpeed, 'restSpeed', 'm/s'),
    restTime: notNegative(restTime, 'restTime', 's'),
    recover: recover ?? assisted,
    blend: positive(blend, 'blend', 's'),
    getUp: positive(getUp, 'getUp', 's'),
  };
}
