import type { Figure } from '../../../figure/model/figure.js';

/**
 * How far bones let go after a blow: of each bone 0 (not at all) to 1 (limp), with how many joints that move lie between it and the bone that was
 * hit.
 */
export interface Relaxation {
  readonly amount: Float64Array;
  readonly jointDistance: Int32Array;
}

export function createRelaxation({ bones }: Figure): Relaxation {
  return { amount: new Float64Array(bones.length), jointDistance: new Int32Array(bones.length) };
}

/** Lets go around a bone: by `share` there, by less the more joints lie between, by nothing beyond `spread` of them. */
export function relaxMuscles(
  { bones, parents }: Figure,
  slack: Relaxation,
  bone: number,
  share: number,
  spread: number,
): void {
  const { jointDistance, amount } = slack;
  jointDistance.fill(-1);
  jointDistance[bone] = 0;
  for (let b = bone; parents[b] >= 0; b = parents[b]) {
    jointDistance[parents[b]] = jointDistance[b] + (bones[b].dof > 0 ? 1 : 0);
  }
  for (let b = 0; b < parents.length; b++) {
    // Another tree is not touched.
    if (jointDistance[b] < 0 && parents[b] >= 0 && jointDistance[parents[b]] >= 0)
      jointDistance[b] = jointDistance[parents[b]] + (bones[b].dof > 0 ? 1 : 0);
    if (jointDistance[b] < 0) continue;
    amount[b] = Math.max(amount[b], share * Math.max(0, 1 - jointDistance[b] / (spread + 1)));
  }
}

/** Takes `share` back everywhere. @returns whether any is left. */
export function tightenMuscles({ amount }: Relaxation, share: number): boolean {
  let left = false;
  for (let b = 0; b < amount.length; b++) {
    amount[b] = Math.max(0, amount[b] - share);
    if (amount[b] > 0) left = true;
  }
  return left;
}
