/** The motion of each kind of joint of OpenSim as rotations and translations in series, each a function of one coordinate. */
import type { RigidData, Triple } from 'poise/figure';
import { describe, fail } from '../text/json-checks.js';
import { childOf, childrenOf, type XmlElement } from '../text/xml.js';
import { quaternionFromBodyXyz } from './frames.js';
import { functionOf, readPhi } from './functions.js';
import { constantPhi, IDENTITY_PHI, type Phi, scaledPhi } from './phi.js';
import { nameOf, numbersOf, objectsOf, textOfChild } from './values.js';

/** A rotation about (rad) or a translation along (m) an axis, by phi of a coordinate. */
export interface AxisMotion {
  readonly type: 'rotation' | 'translation';
  /** For names of bones: `rotation1`. */
  readonly name: string;
  readonly axis: Triple;
  /** Undefined where it is constant. */
  readonly coordinate?: string;
  readonly phi: Phi;
}

/** A rigid transform between motions. */
export interface Placement {
  readonly type: 'placement';
  readonly placement: RigidData;
}

export type Motion = AxisMotion | Placement;

const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];
const Z: Triple = [0, 0, 1];

/** The coordinate elements of a joint, in file order. */
export function coordinateElements(joint: XmlElement): readonly XmlElement[] {
  return [
    ...childrenOf(joint, 'coordinates').flatMap(({ children }) => children),
    ...objectsOf(joint, 'CoordinateSet'),
  ].filter(({ tag }) => tag === 'Coordinate');
}

/**
 * Motions of a joint from the parent's joint frame outwards.
 *
 * @throws FormatError `unsupported` for a kind of joint that is not read, and for a reversed one.
 */
export function motionsOf(joint: XmlElement): readonly Motion[] {
  const reversed = textOfChild(joint, 'reverse');
  if (reversed === 'true') {
    fail(
      'unsupported',
      joint.location,
      'is reversed.',
      'Exchange its parent and child, and set <reverse> to false.',
    );
  }
  const names = coordinateElements(joint).map(nameOf);
  const coordinate = (k: number) => names[k] ?? `${nameOf(joint)}_coord_${k}`;
  const turn = (k: number, axis: Triple): AxisMotion => simple('rotation', coordinate(k), axis);
  const slide = (k: number, axis: Triple): AxisMotion => simple('translation', coordinate(k), axis);
  switch (joint.tag) {
    case 'CustomJoint':
      return spatialTransform(joint);
    case 'WeldJoint':
      return [];
    case 'PinJoint':
      return [turn(0, Z)];
    case 'SliderJoint':
      return [slide(0, X)];
    case 'UniversalJoint':
      return [turn(0, X), turn(1, Y)];
    case 'BallJoint':
    case 'GimbalJoint':
      return [turn(0, X), turn(1, Y), turn(2, Z)];
    case 'FreeJoint':
      return [slide(3, X), slide(4, Y), slide(5, Z), turn(0, X), turn(1, Y), turn(2, Z)];
    case 'PlanarJoint':
      return [slide(1, X), slide(2, Y), turn(0, Z)];
    case 'EllipsoidJoint':
      return ellipsoid(radiiOf(joint, 'radii_x_y_z'), [0, 1, 2].map(coordinate));
    case 'ScapulothoracicJoint':
      return scapulothoracic(joint, [0, 1, 2, 3].map(coordinate));
    default: {
      const remedy =
        'Use a CustomJoint, or one of WeldJoint, PinJoint, SliderJoint, UniversalJoint, BallJoint, GimbalJoint, FreeJoint, PlanarJoint, EllipsoidJoint, ScapulothoracicJoint.';
      return fail('unsupported', joint.location, `is a ${joint.tag}, which is not read.`, remedy);
    }
  }
}

function simple(type: AxisMotion['type'], coordinate: string, axis: Triple): AxisMotion {
  return { type, name: coordinate, axis, coordinate, phi: IDENTITY_PHI };
}

/** Translations in the parent's joint frame, then rotations 1 to 3, each about an axis that the ones before have rotated. */
function spatialTransform(joint: XmlElement): readonly Motion[] {
  const transform = childOf(joint, 'SpatialTransform');
  if (transform === undefined) {
    const what = 'has no <SpatialTransform>.';
    return fail('invalid-file', joint.location, what, 'Save the model with OpenSim 2 or later.');
  }
  const axes = childrenOf(transform, 'TransformAxis');
  if (axes.length > 6) {
    fail(
      'wrong-size',
      transform.location,
      `has ${axes.length} axes.`,
      'Give three rotations and three translations.',
    );
  }
  const motions = axes.map((element, k) => {
    const type = k < 3 ? 'rotation' : 'translation';
    return axisMotion(element, type, `${type}${(k % 3) + 1}`);
  });
  return [...motions.slice(3), ...motions.slice(0, 3)];
}

function axisMotion(element: XmlElement, type: AxisMotion['type'], name: string): AxisMotion {
  const given = childOf(element, 'axis');
  const [x, y, z] =
    given === undefined
      ? fail('invalid-file', element.location, 'has no <axis>.', 'Give its axis.')
      : numbersOf(given, 3);
  const size = Math.hypot(x, y, z);
  if (!(size > 0)) fail('not-unit', element.location, 'has an axis of length 0.', 'Give a direction.');
  const axis: Triple = [x / size, y / size, z / size];
  const coordinates = textOfChild(element, 'coordinates')?.split(/\s+/) ?? [];
  const written = functionOf(element);
  if (coordinates.length > 1) {
    const what = `is a function of ${coordinates.length} coordinates, ${describe(coordinates.join(' '))}.`;
    fail('unsupported', element.location, what, 'Use functions of one coordinate.');
  }
  const [coordinate] = coordinates;
  if (coordinate === undefined) {
    const phi = written === undefined ? constantPhi(0) : readPhi(written);
    return { type, name, axis, phi: constantPhi(phi.polynomial[0]) };
  }
  return { type, name, axis, coordinate, phi: written === undefined ? IDENTITY_PHI : readPhi(written) };
}

function radiiOf(joint: XmlElement, tag: string): Triple {
  const child = childOf(joint, tag);
  if (child === undefined)
    return fail('invalid-file', joint.location, `has no <${tag}>.`, 'Give three radii.');
  const [a, b, c] = numbersOf(child, 3);
  return [a, b, c];
}

/** Coefficients of a sine, exact to rounding up to 4 rad: the remainder is y^32 / 32!. */
const SINE: readonly number[] = taylor(1);
const COSINE: readonly number[] = taylor(0);

/** Taylor coefficients of the odd (1) or even (0) part of sin y + cos y. */
function taylor(parity: number): readonly number[] {
  let factor = 1;
  return Array.from({ length: 32 }, (_, n) => {
    if (n > 0) factor /= n;
    return n % 2 === parity ? (n % 4 < 2 ? factor : -factor) : 0;
  });
}

/**
 * A frame R = Rx(q0) Ry(q1) Rz(q2) with its origin on an ellipsoid where its z axis is normal to the unit sphere that the ellipsoid is scaled from:
 * p = (a sin q1, -b sin q0 cos q1, c cos q0 cos q1). In the plane of y and z, (-b sin q0, c cos q0) is the sum of a radius (c + b)/2 rotated
 * by q0 and one of (c - b)/2 rotated by -q0.
 */
function ellipsoid([a, b, c]: Triple, [q0, q1, q2]: readonly string[]): readonly Motion[] {
  const along = (name: string, axis: Triple, size: number, wave: readonly number[]): AxisMotion => ({
    type: 'translation',
    name,
    axis,
    coordinate: q1,
    phi: scaledPhi({ polynomial: wave }, size),
  });
  const rotated = (name: string, factor: number): AxisMotion => ({
    type: 'rotation',
    name,
    axis: X,
    coordinate: q0,
    phi: { polynomial: [0, factor] },
  });
  return [
    simple('rotation', q0, X),
    along('radius1', Z, 0.5 * (c + b), COSINE),
    ...(b === c
      ? []
      : [rotated('turn1', -2), along('radius2', Z, 0.5 * (c - b), COSINE), rotated('turn2', 2)]),
    along('radius3', X, a, SINE),
    simple('rotation', q1, Y),
    simple('rotation', q2, Z),
  ];
}

/**
 * An ellipsoid joint whose frames are rotated by 90 degrees about z, so that abduction and elevation are positive, and a hinge (winging) in
 * the plane tangent to the ellipsoid.
 */
function scapulothoracic(joint: XmlElement, names: readonly string[]): readonly Motion[] {
  const [a, b, c] = radiiOf(joint, 'thoracic_ellipsoid_radii_x_y_z');
  const origin = childOf(joint, 'scapula_winging_axis_origin');
  const direction = childOf(joint, 'scapula_winging_axis_direction');
  const [x, y] = origin === undefined ? [0, 0] : numbersOf(origin, 2);
  const [angle] = direction === undefined ? [0] : numbersOf(direction, 1);
  const quarter = quaternionFromBodyXyz([0, 0, Math.PI / 2]);
  const back = quaternionFromBodyXyz([0, 0, -Math.PI / 2]);
  return [
    { type: 'placement', placement: { position: [0, 0, 0], rotation: quarter } },
    ...ellipsoid([b, a, c], names),
    { type: 'placement', placement: { position: [0, 0, 0], rotation: back } },
    { type: 'placement', placement: { position: [x, y, 0], rotation: [0, 0, 0, 1] } },
    simple('rotation', names[3], [-Math.sin(angle), Math.cos(angle), 0]),
    { type: 'placement', placement: { position: [-x, -y, 0], rotation: [0, 0, 0, 1] } },
  ];
}
