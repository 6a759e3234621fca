/** Default classes: attributes that elements of a class have unless they say otherwise. */
import { nearestName } from 'poise/errors';
import { cut, fail } from '../text/json-checks.js';
import { childrenOf, type XmlElement } from '../text/xml.js';
import { type Settings, wordAt } from './attributes.js';

/** Attributes by tag. All actuators share one entry. */
type DefaultClass = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Default classes by name. */
export type Defaults = ReadonlyMap<string, DefaultClass>;

const MAIN = 'main';

const ACTUATORS: ReadonlySet<string> = new Set([
  'general',
  'motor',
  'position',
  'velocity',
  'intvelocity',
  'damper',
  'cylinder',
  'muscle',
  'adhesion',
  'dcmotor',
]);

/** Attributes of which an element has one: its own replaces those of its class. */
const ORIENTATIONS = ['axisangle', 'xyaxes', 'zaxis', 'euler'];

function keyOf(tag: string): string {
  return ACTUATORS.has(tag) ? 'actuator' : tag;
}

/** The classes of all `<default>` sections. @throws FormatError `invalid-file`. */
export function defaultsOf(root: XmlElement): Defaults {
  const classes = new Map<string, DefaultClass>([[MAIN, new Map()]]);
  const read = (element: XmlElement, parent: DefaultClass, isTop: boolean): void => {
    const name = wordAt(element, 'class') ?? (isTop ? MAIN : '');
    if (name === '') fail('invalid-file', `${element.location}/@class`, 'is missing.', 'Name the class.');
    const own = new Map(classes.get(name) ?? parent);
    for (const child of element.children) {
      if (child.tag === 'default') continue;
      const key = keyOf(child.tag);
      own.set(key, merged(own.get(key), child.attributes));
    }
    // Before its own classes, which start from it wherever they stand.
    classes.set(name, own);
    if (isTop) classes.set(MAIN, own);
    for (const child of childrenOf(element, 'default')) read(child, own, false);
  };
  for (const section of childrenOf(root, 'default')) read(section, classes.get(MAIN) ?? new Map(), true);
  return classes;
}

/**
 * The settings of an element: its attributes over those of its class, which is its `class`, or that of the body around it.
 * @throws FormatError `unknown-name`.
 */
export function settingsOf(
  element: XmlElement,
  defaults: Defaults,
  childClass: string | undefined,
): Settings {
  const name = wordAt(element, 'class') ?? childClass ?? MAIN;
  const found = defaults.get(name);
  if (found === undefined) return failClass(name, element, defaults);
  const { location } = element;
  return { location, attributes: merged(found.get(keyOf(element.tag)), element.attributes) };
}

function failClass(name: string, { location }: XmlElement, defaults: Defaults): never {
  const near = nearestName(name, defaults.keys());
  const remedy = near === undefined ? 'Define it in <default>.' : `Did you mean '${cut(near)}'?`;
  return fail('unknown-name', `${location}/@class`, `there is no default class '${cut(name)}'.`, remedy);
}

function merged(
  below: ReadonlyMap<string, string> | undefined,
  own: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (below === undefined) return own;
  const out = new Map(below);
  if (ORIENTATIONS.some((name) => own.has(name))) for (const name of ORIENTATIONS) out.delete(name);
  for (const [name, value] of own) out.set(name, value);
  return out;
}
