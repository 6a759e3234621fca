import type { Figure } from '../figure/model/figure.js';
import type { IkResult } from './problem/status.js';

/** Why a chain has no closed form. */
export interface ClosedFormUnavailable {
  readonly family: undefined;
  /** A clause: `axes 4, 5 and 6 do not meet in a point`. */
  readonly reason: string;
}

/** Result of a closed form: an {@link IkResult} and all solutions. */
export interface ClosedFormResult extends IkResult {
  /**
   * Every solution within the limits, the one nearest to the start (the one in the pose) first: the coordinates of the closed
   * form's joints, in chain order. Empty where there is none; then the pose is the result of `solveIk` from the start.
   */
  readonly solutions: readonly (readonly number[])[];
  /** Number of solutions outside the limits. */
  readonly forbidden: number;
}

export function noClosedForm(reason: string): ClosedFormUnavailable {
  return { family: undefined, reason };
}

/**
 * Why mimic joints exclude a closed form of a chain: one of its joints is a mimic joint, or one above it has its source on the
 * chain, so that the chain moves its own base. Mimic joints below the chain do not matter.
 *
 * @param chain - Bones of the closed form, the first nearest to the root.
 */
export function blockingMimicJoint(
  { bones, mimicJoints, parents }: Figure,
  chain: readonly number[],
): string | undefined {
  for (const { bone, source } of mimicJoints) {
    if (chain.includes(bone)) return `joint '${bones[bone].name}' mimics '${bones[source].name}'`;
    if (!chain.includes(source)) continue;
    for (let b = parents[chain[0]]; b >= 0; b = parents[b]) {
      if (b === bone) return `joint '${bones[bone].name}', which carries it, mimics '${bones[source].name}'`;
    }
  }
  return undefined;
}
