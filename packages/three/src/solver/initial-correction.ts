import type { Figure } from 'poise/figure';
import { vec3 } from 'poise/math';
import { composeRotationVectors, differenceOfRotationVectors } from 'poise/rotation';

/** Change made by a solve: from its start pose to its solution. */
export interface Correction {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/**
 * Warm start: applies a fraction of an earlier correction to `pose`. Rotations are composed, R exp(fraction log(R_from^-1
 * R_to)), instead of differences of rotation vectors added.
 */
export function applyCorrection(
  figure: Figure,
  pose: Float64Array,
  { from, to }: Correction,
  fraction: number,
  out: Float64Array,
): void {
  out.set(pose);
  if (!(fraction > 0)) return;
  for (const { coordinate: first, dof, joint } of figure.bones) {
    let i = first;
    const end = first + dof;
    if (joint.type === 'free') i += addScaled(out, from, to, i, i + 3, fraction);
    if (joint.type !== 'ball' && joint.type !== 'free') {
      addScaled(out, from, to, i, end, fraction);
      continue;
    }
    if (from[i] === to[i] && from[i + 1] === to[i + 1] && from[i + 2] === to[i + 2]) continue;
    const rotation = differenceOfRotationVectors(from.subarray(i, end), to.subarray(i, end), 'body');
    vec3.scale(rotation, fraction, rotation);
    const composed = out.slice(i, end);
    composeRotationVectors(composed, rotation, composed, out.subarray(i, end));
  }
}

function addScaled(
  out: Float64Array,
  from: Float64Array,
  to: Float64Array,
  first: number,
  end: number,
  fraction: number,
): number {
  for (let i = first; i < end; i++) out[i] += fraction * (to[i] - from[i]);
  return end - first;
}
