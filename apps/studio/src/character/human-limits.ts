import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { findHumanoid, type HumanBoneMap, type Humanoid, withAnatomicalLimits } from 'poise/humanoid';

/** The figure with the limits of a human where it is one, and has none of its own. */
export function humanLimits(
  figure: Figure,
  bones: HumanBoneMap<string | null> = {},
): { figure: Figure; humanoid: Humanoid | undefined } {
  const named = knownBones(figure, bones);
  const humanoid = findHumanoid(figure, named);
  if (humanoid === undefined || figure.limitComponents.length > 0) return { figure, humanoid };
  try {
    return { figure: withAnatomicalLimits(figure, named), humanoid };
  } catch (error) {
    // A rest pose that is none of a human's: it is posed without limits.
    if (error instanceof PoiseError) return { figure, humanoid };
    throw error;
  }
}

/** The option of those that the figure has: a project of an older version may name others. */
export function knownBones(
  { bones: own }: Figure,
  bones: HumanBoneMap<string | null>,
): { readonly bones?: HumanBoneMap<string | null> } {
  const names = new Set(own.map(({ name }) => name));
  const known = Object.entries(bones).filter(([, bone]) => bone === null || names.has(bone));
  return known.length > 0 ? { bones: Object.fromEntries(known) } : {};
}
