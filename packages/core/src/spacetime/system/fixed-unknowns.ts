/** Unknowns fixed at zero. */
import { SpacetimeError } from '../../errors.js';
import type { Contact } from '../terms/contact-data.js';
import type { Parameterization } from '../transcription/parameterization.js';
import type { SpacetimeData } from '../types/data.js';
import type { Layout } from './layout.js';

/** Control points that determine value, first and second derivative at an end. */
const CONTROL_POINTS_AT_END = 3;

/** Control points that make a displacement and its first two derivatives zero at the chosen ends. @throws SpacetimeError */
export function fixedEndUnknowns(
  { fixedEnds = 'none', unknowns }: SpacetimeData,
  path: Parameterization,
  { indices }: Layout,
): Set<number> {
  const fixed = new Set<number>();
  if (fixedEnds === 'none') return fixed;
  const { basis, free } = path;
  const needed = (fixedEnds === 'both' ? 2 : 1) * CONTROL_POINTS_AT_END;
  if (unknowns !== 'displacement' || basis.count <= needed) {
    throw new SpacetimeError(
      unknowns === 'displacement' ? 'out-of-range' : 'unsupported',
      unknowns === 'displacement'
        ? `leaves none of ${basis.count} control points free.`
        : 'applies to displacements only.',
      { path: 'fixedEnds', remedy: "Use unknowns: 'displacement' and more intervals." },
    );
  }
  for (let k = 0; k < basis.count; k++) {
    const isFixed =
      (k < CONTROL_POINTS_AT_END && fixedEnds !== 'end') ||
      (k >= basis.count - CONTROL_POINTS_AT_END && fixedEnds !== 'start');
    for (let c = 0; isFixed && c < free.length; c++) fixed.add(indices.motion[k * free.length + c]);
  }
  return fixed;
}

/** Contact forces that vanish where a contact begins or ends within the motion: accelerations are continuous there, so forces must be. */
export function fixedEndForces(
  contacts: readonly Contact[],
  duration: number,
  { indices }: Layout,
): number[] {
  return contacts.flatMap(({ from, to, points, basis }, c) => {
    const size = 3 * points.length;
    const { ids } = indices.contacts[c];
    const first = from > 0 ? ids.slice(0, size) : [];
    const last = to < duration ? ids.slice((basis.count - 1) * size) : [];
    return [...first, ...last];
  });
}
