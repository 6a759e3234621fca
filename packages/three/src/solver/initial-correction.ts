import type { Figure } from 'poise/figure';
import { vec3 } from 'poise/math';
import { composeRotationVectors, differenceOfRotationVectors } from 'poise/rotation';

/** What a solver changed: from the pose that it was given to the one that it found. */
export interface Correction {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/**
 * A pose to start from: `pose` changed by the share given of an earlier correction. Turns are carried over as turns, R exp(share
 * log(R_from^-1 R_to)), never as differences of rotation vectors.
 */
export function startFrom(
  figure: Figure,
  pose: Float64Array,
  { from, to }: Correction,
  share: number,
  out: Float64Array,
): void {
  out.set(pose);
  if (!(share > 0)) return;
  for (const { coordinate: first, dof, joint } of figure.bones) {
    let i = first;
    const end = first + dof;
    if (joint.type === 'free') i += addScaled(out, from, to, i, i + 3, share);
    if (joint.type !== 'ball' && joint.type !== 'free') {
      addScaled(out, from, to, i, end, share);
      continue;
    }
    if (from[i] === to[i] && from[i + 1] === to[i + 1] && from[i + 2] === to[i + 2]) continue;
    const turn = differenceOfRotationVectors(from.subarray(i, end), to.subarray(i, end), 'body');
    vec3.scale(turn, share, turn);
    const here = out.slice(i, end);
    composeRotationVectors(here, turn, here, out.subarray(i, end));
  }
}

function addScaled(
  out: Float64Array,
  from: Float64Array,
  to: Float64Array,
  first: number,
  end: number,
  share: number,
): number {
  for (let i = first; i < end; i++) out[i] += share * (to[i] - from[i]);
  return end - first;
}
