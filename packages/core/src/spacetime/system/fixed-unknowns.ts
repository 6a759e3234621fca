/** Unknowns of a problem that nothing moves from zero. */
import { SpacetimeError } from '../../errors.js';
import type { Contact } from '../terms/contact-data.js';
import type { Path } from '../transcription/parameterization.js';
import type { SpacetimeData } from '../types/data.js';
import type { Layout } from './layout.js';

/** Control points that say value, first and second derivative at an end. */
const AT_AN_END = 3;

/** Those of the ends at which a displacement is to be nothing, with two derivatives. @throws SpacetimeError */
export function heldUnknowns(
  { heldEnds = 'none', unknowns }: SpacetimeData,
  path: Path,
  { places }: Layout,
): Set<number> {
  const held = new Set<number>();
  if (heldEnds === 'none') return held;
  const { basis, free } = path;
  const needed = (heldEnds === 'both' ? 2 : 1) * AT_AN_END;
  if (unknowns !== 'displacement' || basis.count <= needed) {
    throw new SpacetimeError(
      unknowns === 'displacement' ? 'out-of-range' : 'unsupported',
      unknowns === 'displacement'
        ? `leaves nothing of ${basis.count} control points.`
        : 'is for displacements.',
      { path: 'heldEnds', remedy: "Use unknowns: 'displacement' and more intervals." },
    );
  }
  for (let k = 0; k < basis.count; k++) {
    const isHeld =
      (k < AT_AN_END && heldEnds !== 'end') || (k >= basis.count - AT_AN_END && heldEnds !== 'start');
    for (let c = 0; isHeld && c < free.length; c++) held.add(places.motion[k * free.length + c]);
  }
  return held;
}

/**
 * Forces that are nothing where a contact begins or ends within the motion: accelerations do not jump there, so what pushes until then
 * must have faded.
 */
export function heldForces(contacts: readonly Contact[], duration: number, { places }: Layout): number[] {
  return contacts.flatMap(({ from, to, points, basis }, c) => {
    const size = 3 * points.length;
    const { ids } = places.contacts[c];
    const first = from > 0 ? ids.slice(0, size) : [];
    const last = to < duration ? ids.slice((basis.count - 1) * size) : [];
    return [...first, ...last];
  });
}
