/** Masses and inertias of links, in link axes. */
import type { Triple } from 'poise/figure';
import { quat } from 'poise/math';
import { type Inertia, inertiaDefect } from '../robot/inertia-defect.js';
import { fail } from '../text/json-checks.js';
import { childOf, type XmlElement } from '../text/xml.js';
import { numberAt } from './attributes.js';
import { originOf } from './origin.js';

/** Mass properties of a link, as in BoneData. */
export interface UrdfInertial {
  readonly mass?: number;
  readonly centerOfMass?: Triple;
  /** About the centre of mass in link axes, kg m^2: [xx, yy, zz, xy, xz, yz]. */
  readonly inertia?: Inertia;
}

/**
 * The `<inertial>` of a link. The file gives the inertia about the centre of mass in axes rotated by the `rpy` of the
 * origin: in link axes it is R I R^T.
 *
 * An indefinite inertia (a negative principal moment) is ignored with a warning, since files contain placeholders; one whose
 * principal moments violate the triangle inequality is kept with a warning.
 *
 * @throws FormatError for malformed numbers or a negative mass.
 */
export function inertialOf(link: XmlElement, warnings: string[]): UrdfInertial {
  const element = childOf(link, 'inertial');
  if (element === undefined) return {};
  const { position, rotation } = originOf(element);
  const massElement = childOf(element, 'mass');
  const mass = massElement && numberAt(massElement, 'value', undefined);
  if (massElement && mass !== undefined && mass < 0) {
    fail('out-of-range', `${massElement.location}/@value`, `is ${mass} kg.`, 'Give a mass of zero or more.');
  }
  const tensor = childOf(element, 'inertia');
  const inertia = tensor && rotated(tensor, quat.toMatrix(rotation));
  const defect = inertia && inertiaDefect(inertia);
  if (tensor && defect) warnings.push(`${tensor.location}: ${defect.message}`);
  return {
    ...(mass !== undefined && { mass, centerOfMass: position }),
    ...(inertia && defect?.isUnusable !== true && { inertia }),
  };
}

/** R I R^T, for a symmetric I from the attributes of an element. */
function rotated(tensor: XmlElement, r: ArrayLike<number>): Inertia {
  const [xx, xy, xz, yy, yz, zz] = ['ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'].map((name) =>
    numberAt(tensor, name, 0),
  );
  const rows = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
  const entry = (i: number, j: number): number => {
    let sum = 0;
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) sum += r[3 * i + a] * rows[a][b] * r[3 * j + b];
    return sum;
  };
  const out = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)] as const;
  if (!out.every(Number.isFinite)) {
    fail('not-finite', tensor.location, 'overflows.', 'Give moments of inertia in kg m^2.');
  }
  return out;
}
