import type { Figure } from '../../../figure/model/figure.js';

/** Relaxation of each bone's drive after a hit, 0 (none) to 1 (limp), and its distance from the hit bone in joints with degrees of freedom. */
export interface Relaxation {
  readonly amount: Float64Array;
  readonly jointDistance: Int32Array;
}

export function createRelaxation({ bones }: Figure): Relaxation {
  return { amount: new Float64Array(bones.length), jointDistance: new Int32Array(bones.length) };
}

/**
 * Raises the relaxation around a bone to at least `share` at the bone, decreasing linearly with the distance in joints, to zero at `spread` + 1
 * of them.
 */
export function relaxMuscles(
  { bones, parents }: Figure,
  relaxation: Relaxation,
  bone: number,
  share: number,
  spread: number,
): void {
  const { jointDistance, amount } = relaxation;
  jointDistance.fill(-1);
  jointDistance[bone] = 0;
  for (let b = bone; parents[b] >= 0; b = parents[b]) {
    jointDistance[parents[b]] = jointDistance[b] + (bones[b].dof > 0 ? 1 : 0);
  }
  for (let b = 0; b < parents.length; b++) {
    // Other trees are unaffected.
    if (jointDistance[b] < 0 && parents[b] >= 0 && jointDistance[parents[b]] >= 0)
      jointDistance[b] = jointDistance[parents[b]] + (bones[b].dof > 0 ? 1 : 0);
    if (jointDistance[b] < 0) continue;
    amount[b] = Math.max(amount[b], share * Math.max(0, 1 - jointDistance[b] / (spread + 1)));
  }
}

/** Reduces the relaxation of all bones by `share`. @returns whether any is left. */
export function tightenMuscles({ amount }: Relaxation, share: number): boolean {
  let isRelaxed = false;
  for (let b = 0; b < amount.length; b++) {
    amount[b] = Math.max(0, amount[b] - share);
    if (amount[b] > 0) isRelaxed = true;
  }
  return isRelaxed;
}
