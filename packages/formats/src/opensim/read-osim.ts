/** Reads an OpenSim model as a figure. */
import { FigureError, FormatError } from 'poise';
import { type BoneData, createFigure, type Figure, type LimitData } from 'poise/figure';
import { type FieldsOf, requireFields, requireOneOf } from 'poise/internal/checks';
import { requireBudget } from '../budget.js';
import { type Inertia, inertiaDefect } from '../robot/inertia-defect.js';
import { fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { childOf, parseXml, type XmlElement } from '../text/xml.js';
import { jointOf, type Link, linksOf, requireTree } from './bones.js';
import { coordinateNames, limitsByBone, settingsOf } from './coordinates.js';
import { type Coupler, composedAt, couplersOf } from './couplers.js';
import { GROUND, jointsOf } from './joints.js';
import { markersOf } from './markers.js';
import type { OsimModel } from './model.js';
import type { ReadOsimOptions } from './options.js';
import { withBodyTips } from './tips.js';
import { nameOf, numberOfChild, numbersOf, objectsOf, tripleOfChild } from './values.js';

const FIELDS: FieldsOf<ReadOsimOptions> = { source: true, name: true, locked: true, budget: true };

/**
 * Reads a model of OpenSim, of version 2 to 4. A bone a body, named as the body, below the bone `ground`; its frame is the body's. A joint becomes a
 * chain of hinges and sliders, exact: an axis that moves by a function of a coordinate is a mimic joint along the same piecewise
 * polynomial. Masses and inertias are read; muscles, geometry, contacts, controllers and constraints other than couplers are not.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | `CustomJoint` with functions of one coordinate each | a bone for each axis that moves |
 * | `PinJoint`, `SliderJoint`, `UniversalJoint`, `BallJoint`, `GimbalJoint`, `FreeJoint`, `PlanarJoint`, `EllipsoidJoint`, `ScapulothoracicJoint` | the same: OpenSim's angles are the coordinates |
 * | `WeldJoint` | a fixed bone |
 * | range of a clamped coordinate | a limit |
 * | `locked` | a limit to the default value (`options.locked`) |
 * | `CoordinateCouplerConstraint` | the axes of the coordinate mimic the other |
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`gait.osim#/OpenSimDocument/Model[@name='gait']/...`) and remedy.
 */
export function readOsim(input: string | Uint8Array | ArrayBuffer, options: ReadOsimOptions = {}): OsimModel {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'model.osim', locked = 'fixed' } = options;
  requireOneOf(locked, ['fixed', 'free'], 'options.locked', FormatError);
  const model = modelOf(parseXml(textOf(input, source), source));
  const warnings: string[] = [];
  const bodies = bodiesOf(model);
  const joints = jointsOf(model, bodies, warnings);
  requireTree(joints);
  requireBudget(
    options.budget,
    'bones',
    bodies.size + joints.reduce((sum, { motions }) => sum + motions.length, 0),
    source,
  );
  const names = coordinateNames(joints);
  const couplers = couplersOf(model, names, warnings);
  const isCoupled = (name: string) => couplers.has(name);
  const nameFor = freeNames(bodies);
  const links = joints.flatMap((joint) => linksOf(joint, isCoupled, nameFor));
  const boneOf = new Map(
    links.flatMap(({ bone, motion, drives }) => (drives ? [[motion?.coordinate as string, bone]] : [])),
  );
  const settings = joints.flatMap((joint) => settingsOf(joint, couplers, boneOf));
  const limits = limitsByBone(settings, locked === 'fixed');
  const bones = links.map((link) => ({
    ...boneOfLink(link, couplers, boneOf, limits.get(link.bone)),
    ...massOf(bodies.get(link.bone), warnings),
  }));
  const name = options.name ?? (model.attributes.get('name') || source);
  const bare = figureOf([{ name: GROUND }, ...bones], name, source);
  const indexOf = new Map(bare.bones.map((bone) => [bone.name, bone.coordinate]));
  const coordinates = settings.map((each) => ({
    ...each,
    coordinate: each.follows === undefined ? (indexOf.get(each.bone) as number) : -1,
  }));
  const lockedOnes = coordinates.filter((each) => each.locked && each.coordinate >= 0);
  const defaultPose = new Float64Array(bare.dof);
  for (const { coordinate, defaultValue } of coordinates) {
    if (coordinate >= 0) defaultPose[coordinate] = defaultValue;
  }
  return {
    figure: withBodyTips(bare, defaultPose, bodies, GROUND),
    coordinates: new Map(coordinates.map((each) => [each.name, each])),
    joints: new Map(joints.map(({ name: of, type, parent, child }) => [of, { type, parent, child }])),
    markers: markersOf(model, bodies, warnings),
    locked: locked === 'fixed' ? lockedOnes.map(({ bone }) => bone) : [],
    defaultPose,
    gravity: tripleOfChild(model, 'gravity', [0, -9.80665, 0] as const),
    warnings,
  };
}

/** @throws FormatError `invalid-file`, `unsupported`. */
function modelOf(root: XmlElement): XmlElement {
  const model = root.tag === 'OpenSimDocument' ? childOf(root, 'Model') : undefined;
  if (model === undefined) {
    const what = `has no <OpenSimDocument><Model>; its root is <${root.tag}>.`;
    return fail('invalid-file', root.location, what, 'Give a model of OpenSim (.osim).');
  }
  const version = Number(root.attributes.get('Version'));
  if (version < 10901) {
    const what = `is of version ${version}, before joints had a SpatialTransform.`;
    return fail('unsupported', root.location, what, 'Save the model with OpenSim 2 or later.');
  }
  return model;
}

/** Elements of the bodies by name; `ground` is there, with undefined where the file has no body of that name. */
function bodiesOf(model: XmlElement): ReadonlyMap<string, XmlElement | undefined> {
  const bodies = new Map<string, XmlElement | undefined>();
  for (const element of objectsOf(model, 'BodySet')) {
    if (element.tag !== 'Body') continue;
    const name = nameOf(element);
    if (bodies.has(name)) {
      fail(
        'duplicate-name',
        element.location,
        `two bodies have the name '${name}'.`,
        'Give each body a name of its own.',
      );
    }
    bodies.set(name, element);
  }
  if (bodies.size === 0) fail('invalid-file', model.location, 'has no body.', 'Give it a <BodySet>.');
  if (!bodies.has(GROUND)) bodies.set(GROUND, undefined);
  return bodies;
}

/** Names for bones of joints that no body has. */
function freeNames(bodies: ReadonlyMap<string, unknown>): (name: string) => string {
  const taken = new Set(bodies.keys());
  return (name) => {
    let free = name;
    for (let k = 2; taken.has(free); k++) free = `${name}_${k}`;
    taken.add(free);
    return free;
  };
}

/** The data of a bone, without its mass. */
function boneOfLink(
  link: Link,
  couplers: ReadonlyMap<string, Coupler>,
  boneOf: ReadonlyMap<string, string>,
  limit: LimitData | undefined,
): BoneData {
  const { bone: name, parent, rest, motion, drives } = link;
  const data = { name, parent, rest, joint: jointOf(link) };
  if (motion?.coordinate === undefined) return data;
  if (drives) return limit === undefined ? data : { ...data, limit };
  const coupler = couplers.get(motion.coordinate);
  const phi = coupler === undefined ? motion.phi : composedAt(motion.phi, coupler.phi, coupler.location);
  return { ...data, mimic: { bone: boneOf.get(coupler?.source ?? motion.coordinate) as string, ...phi } };
}

/** Mass, centre of mass and inertia of a body; none without mass. */
function massOf(body: XmlElement | undefined, warnings: string[]): Partial<BoneData> {
  const mass = body === undefined ? 0 : numberOfChild(body, 'mass', 0);
  if (body === undefined || mass === 0) return {};
  const centerOfMass = tripleOfChild(body, 'mass_center', [0, 0, 0] as const);
  const inertia = inertiaOf(body);
  const defect = inertiaDefect(inertia);
  if (defect) warnings.push(`${body.location}/inertia: ${defect.message}`);
  return { mass, centerOfMass, ...(defect?.isUnusable ? {} : { inertia }) };
}

function inertiaOf(body: XmlElement): Inertia {
  const all = childOf(body, 'inertia');
  const [xx, yy, zz, xy, xz, yz] =
    all === undefined
      ? (['xx', 'yy', 'zz', 'xy', 'xz', 'yz'] as const).map((each) =>
          numberOfChild(body, `inertia_${each}`, 0),
        )
      : numbersOf(all, 6);
  return [xx, yy, zz, xy, xz, yz];
}

/** @throws FormatError for what a figure cannot have, such as a cycle of bodies. */
function figureOf(bones: readonly BoneData[], name: string, source: string): Figure {
  try {
    return createFigure({ name, bones });
  } catch (cause) {
    if (!(cause instanceof FigureError)) throw cause;
    const path = `${source}#${cause.path}`;
    throw new FormatError(cause.code, cause.what, { path, remedy: cause.remedy, cause });
  }
}
