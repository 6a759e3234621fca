import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { findHumanoid, type HumanBoneMap, type Humanoid, withAnatomicalLimits } from 'poise/humanoid';

/** The figure with the limits of a human where it is one, and has none of its own. */
export function humanLimits(
  figure: Figure,
  bones: HumanBoneMap<string | null> = {},
): { figure: Figure; humanoid: Humanoid | undefined } {
  const named = Object.keys(bones).length > 0 ? { bones } : {};
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
