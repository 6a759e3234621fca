/** Bodies of MJCF: the elements below `<worldbody>` with frames resolved. */
import type { RigidData } from 'poise/figure';
import { type Inertia, inertiaDefect } from '../robot/inertia-defect.js';
import { cut, fail } from '../text/json-checks.js';
import { childOf, childrenOf, type XmlElement } from '../text/xml.js';
import { flagAt, numberAt, numbersAt, type Settings, tripleAt, wordAt } from './attributes.js';
import type { Compiler } from './compiler.js';
import { type Defaults, settingsOf } from './defaults.js';
import { diagonal, type MassProperties, massOfGeom, rotatedInertia, summed } from './geom-mass.js';
import { type JointElement, jointElement } from './joint-element.js';
import { IDENTITY, placedIn, placementOf, rotationOf } from './placement.js';

/** A site: a named frame on a body. */
export interface SiteElement {
  readonly name: string | undefined;
  readonly frame: RigidData;
}

/** A body as the file says. */
export interface BodyElement {
  readonly name: string;
  readonly location: string;
  /** Index in the list of bodies; -1 for a body of the world. */
  readonly parent: number;
  /** In the frame of its parent. */
  readonly frame: RigidData;
  readonly joints: readonly JointElement[];
  readonly mass: MassProperties | undefined;
  readonly sites: readonly SiteElement[];
  readonly isMocap: boolean;
}

/** Elements that make bodies which are not in the file. */
const GENERATORS: ReadonlySet<string> = new Set(['composite', 'flexcomp', 'replicate', 'attach']);

/** The parts of a file that bodies need. */
interface Model {
  readonly compiler: Compiler;
  readonly defaults: Defaults;
  readonly warnings: string[];
}

/** What stands in a body, frames resolved: each element with its frame and the default class around it. */
interface Part {
  readonly element: XmlElement;
  readonly settings: Settings;
  readonly frame: RigidData;
  readonly childClass: string | undefined;
}

/**
 * All bodies, parents before children, in the order of the file. Those without a name get `body1`, `body2` by their number.
 * @throws FormatError for malformed elements, `duplicate-name`, `unsupported`.
 */
export function bodiesOf(root: XmlElement, model: Model): BodyElement[] {
  const bodies: BodyElement[] = [];
  const names = new Set<string>();
  const readBody = (part: Part, parent: number): void => {
    const { element, settings, frame } = part;
    const name = wordAt(element, 'name') || `body${bodies.length + 1}`;
    if (names.has(name)) {
      const what = `two bodies have the name '${cut(name)}'.`;
      fail('duplicate-name', element.location, what, 'Give each body a unique name.');
    }
    names.add(name);
    const index = bodies.length;
    const childClass = wordAt(element, 'childclass') ?? part.childClass;
    const parts = partsOf(element, IDENTITY, childClass, model);
    bodies.push({
      name,
      location: element.location,
      parent,
      frame: placedIn(frame, placementOf(settings, model.compiler)),
      joints: jointsOf(parts, parent, model.compiler),
      mass: massOf(element, parts, model),
      sites: parts.flatMap(({ element: { tag }, ...site }) => (tag === 'site' ? siteOf(site, model) : [])),
      isMocap: flagAt(settings, 'mocap', false),
    });
    for (const child of parts) if (child.element.tag === 'body') readBody(child, index);
  };
  for (const world of childrenOf(root, 'worldbody')) {
    for (const part of partsOf(world, IDENTITY, wordAt(world, 'childclass'), model)) {
      if (part.element.tag === 'body') readBody(part, -1);
    }
  }
  return bodies;
}

/** Bodies, joints, geoms and sites of a body, with those in its frames. @throws FormatError `unsupported`. */
function partsOf(body: XmlElement, outer: RigidData, childClass: string | undefined, model: Model): Part[] {
  return body.children.flatMap((element): Part[] => {
    if (GENERATORS.has(element.tag)) {
      const remedy = 'Load the model in MuJoCo and save it: it prints the bodies that this makes.';
      return fail(
        'unsupported',
        element.location,
        `<${element.tag}> makes bodies that are not in the file.`,
        remedy,
      );
    }
    if (element.tag === 'frame') {
      const frame = placedIn(outer, placementOf(element, model.compiler));
      return partsOf(element, frame, wordAt(element, 'childclass') ?? childClass, model);
    }
    const settings = settingsOf(element, model.defaults, childClass);
    return [{ element, settings, frame: outer, childClass }];
  });
}

/** @throws FormatError `unsupported` for a free joint beside others or below another body. */
function jointsOf(parts: readonly Part[], parent: number, compiler: Compiler): JointElement[] {
  const joints = parts
    .filter(({ element: { tag } }) => tag === 'joint' || tag === 'freejoint')
    .map(({ element, settings, frame }) => jointElement(element, settings, frame, compiler));
  const free = joints.find(({ type }) => type === 'free');
  if (free !== undefined && (joints.length > 1 || parent >= 0)) {
    const what = joints.length > 1 ? 'is not the only joint of its body.' : 'is of a body inside another.';
    fail(
      'unsupported',
      free.location,
      `the free joint ${what}`,
      'Move the body into <worldbody>, with this joint alone.',
    );
  }
  return joints;
}

function siteOf({ settings, frame }: Omit<Part, 'element'>, { compiler }: Model): SiteElement {
  const ends = numbersAt(settings, 'fromto', 6);
  const middle = ends?.slice(0, 3).map((x, k) => (x + ends[3 + k]) / 2);
  const own = placementOf(settings, compiler);
  return {
    name: settings.attributes.get('name')?.trim() || undefined,
    frame: placedIn(frame, middle ? { ...own, position: [middle[0], middle[1], middle[2]] } : own),
  };
}

/** The mass of a body: of its `<inertial>`, or of its geoms, within the compiler's bounds. */
function massOf(body: XmlElement, parts: readonly Part[], model: Model): MassProperties | undefined {
  const { compiler, warnings } = model;
  const element = childOf(body, 'inertial');
  const isGiven =
    element !== undefined ? compiler.inertiaFromGeom !== 'true' : compiler.inertiaFromGeom === 'false';
  const mass = isGiven ? element && inertialOf(element, compiler) : massOfGeoms(parts, model, body.location);
  if (mass === undefined && compiler.boundMass === 0) return undefined;
  return checkedMass(
    mass ?? { mass: 0, centerOfMass: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] },
    compiler,
    element?.location ?? body.location,
    warnings,
  );
}

function massOfGeoms(parts: readonly Part[], { compiler, warnings }: Model, location: string) {
  let meshes = 0;
  const masses = parts.flatMap(({ element, settings, frame }): MassProperties[] => {
    if (element.tag !== 'geom') return [];
    const mass = massOfGeom(settings, compiler);
    if (mass === 'mesh') meshes++;
    if (mass === undefined || mass === 'mesh') return [];
    const { position: centerOfMass } = placedIn(frame, {
      position: mass.centerOfMass,
      rotation: [0, 0, 0, 1],
    });
    return [{ mass: mass.mass, centerOfMass, inertia: rotatedInertia(frame.rotation, mass.inertia) }];
  });
  if (meshes > 0) {
    const them = meshes === 1 ? 'a mesh' : `${meshes} meshes`;
    warnings.push(
      `${location}: the mass of ${them} is missing: meshes are not read, and there is no <inertial>.`,
    );
  }
  return summed(masses);
}

/** @throws FormatError for malformed attributes or a negative mass. */
function inertialOf(element: XmlElement, compiler: Compiler): MassProperties {
  const { location } = element;
  const mass = numberAt(element, 'mass', undefined);
  if (mass === undefined || mass < 0) {
    const what = mass === undefined ? 'is missing.' : `is ${mass} kg.`;
    fail('out-of-range', `${location}/@mass`, what, 'Give a mass of zero or more.');
  }
  const centerOfMass = tripleAt(element, 'pos', undefined);
  if (centerOfMass === undefined) {
    fail('invalid-file', `${location}/@pos`, 'is missing.', 'Give the centre of mass.');
  }
  const rotation = rotationOf(element, compiler);
  const full = numbersAt(element, 'fullinertia', 6);
  if (full && rotation) {
    const remedy = 'Remove the orientation, or give diaginertia.';
    fail('unsupported', `${location}/@fullinertia`, 'stands beside an orientation.', remedy);
  }
  const moments = tripleAt(element, 'diaginertia', [0, 0, 0] as const);
  const inertia: Inertia = full
    ? [full[0], full[1], full[2], full[3], full[4], full[5]]
    : rotatedInertia(rotation ?? [0, 0, 0, 1], diagonal(moments));
  if (!inertia.every(Number.isFinite)) {
    fail('not-finite', location, 'its inertia overflows.', 'Give moments of inertia in kg m^2.');
  }
  return { mass, centerOfMass, inertia };
}

/** Bounds and balance of the compiler; an inertia that no body has is kept with a warning, a negative one left out. */
function checkedMass(
  given: MassProperties,
  { boundMass, boundInertia, balanceInertia }: Compiler,
  location: string,
  warnings: string[],
): MassProperties {
  const mass = Math.max(given.mass, boundMass);
  let inertia = given.inertia;
  const least = Math.min(inertia[0], inertia[1], inertia[2]);
  if (least < boundInertia) {
    const [xx, yy, zz, ...products] = inertia;
    inertia = [
      Math.max(xx, boundInertia),
      Math.max(yy, boundInertia),
      Math.max(zz, boundInertia),
      ...products,
    ];
  }
  const defect = inertiaDefect(inertia);
  if (defect === undefined) return { ...given, mass, inertia };
  if (balanceInertia) {
    const mean = (inertia[0] + inertia[1] + inertia[2]) / 3;
    if (mean >= 0) return { ...given, mass, inertia: [mean, mean, mean, 0, 0, 0] };
  }
  warnings.push(`${location}: ${defect.message}`);
  return { ...given, mass, inertia: defect.isUnusable ? [0, 0, 0, 0, 0, 0] : inertia };
}
