/** Coordinates that are functions of others. */
import { describe, fail } from '../text/json-checks.js';
import { childOf, type XmlElement } from '../text/xml.js';
import { functionOf, readPhi } from './functions.js';
import { composedPhi, type Phi, scaledPhi } from './phi.js';
import { flagOfChild, numberOfChild, objectsOf, textOfChild } from './values.js';

export interface Coupler {
  readonly location: string;
  /** The coordinate that it is a function of. */
  readonly source: string;
  readonly phi: Phi;
}

const CONSTRAINTS = /Constraint$/;

/**
 * Functions of coupled coordinates by name, each of an independent one; those of coupled coordinates are composed. Disabled ones are left out, other constraints
 * named in a warning.
 *
 * @throws FormatError `unknown-name`, `unsupported`, `cycle`, `duplicate-name`.
 */
export function couplersOf(
  model: XmlElement,
  coordinates: ReadonlySet<string>,
  warnings: string[],
): ReadonlyMap<string, Coupler> {
  const given = new Map<string, Coupler>();
  for (const element of objectsOf(model, 'ConstraintSet')) {
    const { tag, location } = element;
    if (!CONSTRAINTS.test(tag)) continue;
    if (flagOfChild(element, 'isDisabled', false) || !flagOfChild(element, 'isEnforced', true)) continue;
    if (tag !== 'CoordinateCouplerConstraint') {
      warnings.push(`${location}: a ${tag} is not read: the figure moves as if it were not there.`);
      continue;
    }
    const dependent = textOfChild(element, 'dependent_coordinate_name') ?? '';
    const sources = textOfChild(element, 'independent_coordinate_names')?.split(/\s+/) ?? [];
    if (sources.length !== 1) {
      const what = `couples '${dependent}' to ${sources.length} coordinates.`;
      fail('unsupported', location, what, 'Couple a coordinate to one other.');
    }
    for (const name of [dependent, sources[0]]) {
      if (coordinates.has(name)) continue;
      fail(
        'unknown-name',
        location,
        `names no coordinate ${describe(name)}.`,
        'Name coordinates of the model.',
      );
    }
    if (given.has(dependent)) {
      fail('duplicate-name', location, `couples '${dependent}' again.`, 'Couple each coordinate once.');
    }
    const holder = childOf(element, 'coupled_coordinates_function');
    const written = holder && functionOf(holder);
    if (written === undefined) return fail('invalid-file', location, 'has no function.', 'Give one.');
    const phi = scaledPhi(readPhi(written), numberOfChild(element, 'scale_factor', 1));
    given.set(dependent, { location, source: sources[0], phi });
  }
  return new Map([...given].map(([name, coupler]) => [name, followed(coupler, given)]));
}

/** The coupler of an independent coordinate. */
function followed(first: Coupler, given: ReadonlyMap<string, Coupler>): Coupler {
  let { source, phi } = first;
  const { location } = first;
  for (let n = 0; given.has(source); n++) {
    if (n > given.size)
      fail('cycle', location, 'is on a cycle of couplers.', 'Leave one coordinate independent.');
    const next = given.get(source) as Coupler;
    phi = composedAt(phi, next.phi, location);
    source = next.source;
  }
  return { location, source, phi };
}

/** outer of inner. @throws FormatError `unsupported`. */
export function composedAt(outer: Phi, inner: Phi, location: string): Phi {
  const phi = composedPhi(outer, inner);
  if (phi !== undefined) return phi;
  const what = 'applies a spline to a coordinate that is a curved function of another.';
  return fail('unsupported', location, what, 'Couple it by a LinearFunction or a PiecewiseLinearFunction.');
}
