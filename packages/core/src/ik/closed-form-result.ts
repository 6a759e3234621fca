import type { Figure } from '../figure/model/figure.js';
import type { IkResult } from './problem/status.js';

/** Why a chain has no closed form here. */
export interface ClosedFormUnavailable {
  readonly family: undefined;
  /** One sentence part: `axes 4, 5 and 6 do not meet in a point`. */
  readonly reason: string;
}

/** What a closed form gives beside what every solve gives. */
export interface ClosedFormResult extends IkResult {
  /**
   * Every solution within the limits, the one nearest to the start first (the one in the pose): the coordinates of the
   * joints of the closed form, in chain order. Empty where there is none; then the pose is what `solveIk` makes of the start.
   */
  readonly solutions: readonly (readonly number[])[];
  /** Solutions that some limit forbids. */
  readonly forbidden: number;
}

export function noClosedForm(reason: string): ClosedFormUnavailable {
  return { family: undefined, reason };
}

/**
 * Why joints that follow others keep a chain from its closed form: one of its own follows, or one above it follows one of its
 * own, so that the chain moves its own base. Followers that hang on the chain do not matter.
 *
 * @param chain - Bones of the closed form, the first nearest to the root.
 */
export function blockingMimicJoint(
  { bones, mimicJoints, parents }: Figure,
  chain: readonly number[],
): string | undefined {
  for (const { bone, source } of mimicJoints) {
    if (chain.includes(bone)) return `joint '${bones[bone].name}' follows '${bones[source].name}'`;
    if (!chain.includes(source)) continue;
    for (let b = parents[chain[0]]; b >= 0; b = parents[b]) {
      if (b === bone) return `joint '${bones[bone].name}', which carries it, follows '${bones[source].name}'`;
    }
  }
  return undefined;
}
