import type { ErrorClass } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { Figure } from './figure.js';

/**
 * Total mass of a figure, kg.
 *
 * @throws `out-of-range` for a figure without mass: rigs of files have none.
 */
export function totalMass(
  { bones, name }: Figure,
  Fault: ErrorClass = FigureError,
  path: string = `figure ${name}`,
): number {
  const total = bones.reduce((sum, { mass = 0 }) => sum + mass, 0);
  if (total > 0) return total;
  throw new Fault('out-of-range', 'has no mass.', {
    path,
    remedy: "Give its bones a mass, or take createRagdoll(figure, { limits: 'given' }).figure.",
  });
}
