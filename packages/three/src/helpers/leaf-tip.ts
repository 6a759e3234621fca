import type { Figure } from 'poise/figure';
import { quat, vec3 } from 'poise/math';

/** Length of a leaf over that of the way that led to it. */
const SHARE = 0.5;

/**
 * Where a bone ends, bone frame, m: its tip, or, of a leaf that has none, on along the way that led to it, half as far. A bone that
 * stands where its parent does, or alone, ends along its own +Y.
 *
 * @param alone - How long such a bone is drawn, m.
 * @returns undefined for a bone that ends where others start.
 */
export function leafTip(figure: Figure, bone: number, alone: number): readonly number[] | undefined {
  const { tip, rest, parent } = figure.bones[bone];
  if (tip !== undefined && vec3.norm(tip) > 0) return tip;
  if (figure.bones.some((other) => other.parent === bone)) return undefined;
  const length = vec3.norm(rest.position);
  if (parent >= 0 && length > 0) {
    return quat.rotate(quat.conjugate(rest.rotation), vec3.scale(rest.position, SHARE));
  }
  return [0, alone, 0];
}
