import { PoiseError } from 'poise';
import { createRagdoll } from 'poise/dynamics';
import type { Figure } from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';

/** A human with masses, its coordinates the same; undefined where none are known. */
export function withMasses(figure: Figure, { bones }: Humanoid): Figure | undefined {
  if (figure.bones.some(({ mass = 0 }) => mass > 0)) return figure;
  try {
    const { figure: massive } = createRagdoll(figure, { joints: 'given', limits: 'given', humanoid: bones });
    return massive.dof === figure.dof ? massive : undefined;
  } catch (error) {
    if (error instanceof PoiseError) return undefined;
    throw error;
  }
}
