import { requirePositive } from '../pose/checks.js';

/** How an active ragdoll takes blows, falls and gets up. Times in s. */
export interface ReactionOptions {
  /** Impulse that makes the bone it hits limp, N s. Default: 1 m/s times the mass. */
  readonly limpImpulse?: number;
  /** Impulse that knocks it out at once, N s. Default: 3 m/s times the mass. */
  readonly knockOutImpulse?: number;
  /** Joints between the bone hit and those that it makes no more slack. Default 3. */
  readonly spread?: number;
  /** How long bones stay slack, and then how long limp ones take to be taut again. Default 0.1, 0.6. */
  readonly hold?: number;
  readonly tauten?: number;
  /** They tauten only while the error is below, rad. Default 0.5. */
  readonly calm?: number;
  /** How long they may wait for that before it falls. Default 2. */
  readonly patience?: number;
  /** It falls beyond these: root mean square of the joints' angles to the target, rad (default 1); the root's angle to the target, rad (default 1). */
  readonly fallError?: number;
  readonly fallTilt?: number;
  /** Likewise the root's distance, m. Default 0.6 where the root is assisted, else Infinity: muscles alone do not bring it back. */
  readonly fallDistance?: number;
  /**
   * Likewise how far the extrapolated centre of mass is outside what it stands on, m. Default Infinity where the root is assisted, else 0.1: without
   * a step to the side nothing holds it then.
   */
  readonly fallBalance?: number;
  /** Speed, sqrt(2 E / m) of its kinetic energy, below which a fallen figure lies still, m/s, and for how long it has to. Default 0.05, 0.5. */
  readonly restSpeed?: number;
  readonly restTime?: number;
  /** Whether it gets up. Default: where the root is assisted; muscles alone have not the balance. */
  readonly recover?: boolean;
  /** How long it takes to go over from how it lies into the get-up. Default 0.6. */
  readonly blend?: number;
  /** How long the get-up takes, after which it tracks. Default 2. */
  readonly getUp?: number;
}

export type Reactions = Required<ReactionOptions>;

/** @throws DomainError `out-of-range` for numbers below zero. */
export function readReactions(
  {
    limpImpulse,
    knockOutImpulse,
    spread = 3,
    hold = 0.1,
    tauten = 0.6,
    calm = 0.5,
    patience = 2,
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
  const above = (value: number, name: string, unit: string): number =>
    requirePositive(value, `options.${name}`, unit, { endless: true });
  const least = (value: number, name: string, unit: string): number =>
    requirePositive(value, `options.${name}`, unit, { zero: true, endless: true });
  return {
    limpImpulse: above(limpImpulse ?? mass, 'limpImpulse', 'N s'),
    knockOutImpulse: above(knockOutImpulse ?? 3 * mass, 'knockOutImpulse', 'N s'),
    spread: least(spread, 'spread', 'joints'),
    hold: least(hold, 'hold', 's'),
    tauten: above(tauten, 'tauten', 's'),
    calm: above(calm, 'calm', 'rad'),
    patience: least(patience, 'patience', 's'),
    fallError: above(fallError, 'fallError', 'rad'),
    fallTilt: above(fallTilt, 'fallTilt', 'rad'),
    fallDistance: above(fallDistance ?? (assisted ? 0.6 : Number.POSITIVE_INFINITY), 'fallDistance', 'm'),
    fallBalance: least(fallBalance ?? (assisted ? Number.POSITIVE_INFINITY : 0.1), 'fallBalance', 'm'),
    restSpeed: above(restSpeed, 'restSpeed', 'm/s'),
    restTime: least(restTime, 'restTime', 's'),
    recover: recover ?? assisted,
    blend: above(blend, 'blend', 's'),
    getUp: above(getUp, 'getUp', 's'),
  };
}
