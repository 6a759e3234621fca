import type { Figure } from 'poise/figure';
import { quat, vec3 } from 'poise/math';

/** Length of a leaf without a tip, relative to its offset from its parent. */
const LEAF_LENGTH_RATIO = 0.5;

/**
 * End of a bone, bone frame, m: its tip, or for a leaf without one half its offset from the parent, in the same direction. A
 * bone without an offset or without a parent ends along its own +Y.
 *
 * @param defaultLength - Length of such a bone, m.
 * @returns undefined for a bone with children and no tip.
 */
export function leafTip(figure: Figure, bone: number, defaultLength: number): readonly number[] | undefined {
  const { tip, rest, parent } = figure.bones[bone];
  if (tip !== undefined && vec3.norm(tip) > 0) return tip;
  if (figure.bones.some((other) => other.parent === bone)) return undefined;
  const length = vec3.norm(rest.position);
  if (parent >= 0 && length > 0) {
    return quat.rotate(quat.conjugate(rest.rotation), vec3.scale(rest.position, LEAF_LENGTH_RATIO));
  }
  return [0, defaultLength, 0];
}
