/** Masses of links, in the axes that figures use. */
import type { Triple } from 'poise/figure';
import { quat } from 'poise/math';
import { fail } from '../text/json-checks.js';
import { numberAt } from './attributes.js';
import { originOf } from './origin.js';
import { childOf, type XmlElement } from './xml.js';

/** Mass of a link: as the fields of a bone. */
export interface UrdfInertial {
  readonly mass?: number;
  readonly centerOfMass?: Triple;
  /** About the centre of mass in link axes, kg m^2: [xx, yy, zz, xy, xz, yz]. */
  readonly inertia?: readonly [number, number, number, number, number, number];
}

/** Rounding of the moments, against the largest, that no file is blamed for: they come with a few digits. */
const ROUNDING = 1e-6;

/**
 * The `<inertial>` of a link. The file gives the inertia about the centre of mass in axes of its own, turned by the
 * `rpy` of the origin: in link axes it is R I R^T.
 *
 * An inertia that no distribution of mass has (a principal moment below zero) is left out with a warning, since files
 * carry placeholders; one whose moments break the triangle inequality is kept with a warning.
 *
 * @throws FormatError for numbers that are none, or a negative mass.
 */
export function inertialOf(link: XmlElement, warnings: string[]): UrdfInertial {
  const element = childOf(link, 'inertial');
  if (element === undefined) return {};
  const { position, rotation } = originOf(element);
  const massElement = childOf(element, 'mass');
  const mass = massElement && numberAt(massElement, 'value', undefined);
  if (massElement && mass !== undefined && mass < 0) {
    fail('out-of-range', `${massElement.place}/@value`, `is ${mass} kg.`, 'Give a mass of zero or more.');
  }
  const tensor = childOf(element, 'inertia');
  const inertia = tensor && rotated(tensor, quat.toMatrix(rotation));
  const fault = inertia && faultOf(inertia);
  if (tensor && fault) warnings.push(`${tensor.place}: ${fault.says}`);
  return {
    ...(mass !== undefined && { mass, centerOfMass: position }),
    ...(inertia && fault?.refused !== true && { inertia }),
  };
}

/** R I R^T, for a symmetric I from the attributes of an element. */
function rotated(tensor: XmlElement, r: ArrayLike<number>): NonNullable<UrdfInertial['inertia']> {
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
    fail('not-finite', tensor.place, 'overflows.', 'Give moments of inertia in kg m^2.');
  }
  return out;
}

/** What is wrong with an inertia, and whether it is of no use at all. */
function faultOf(
  inertia: NonNullable<UrdfInertial['inertia']>,
): { readonly says: string; readonly refused: boolean } | undefined {
  const size = Math.max(...inertia.map(Math.abs));
  if (size === 0) return undefined;
  const [xx, yy, zz, xy, xz, yz] = inertia.map((moment) => moment / size);
  if (Math.min(xx, yy, zz) < 0 || !isSemidefinite(xx, yy, zz, xy, xz, yz)) {
    return { says: 'has a principal moment below zero, which no body has; it is left out.', refused: true };
  }
  // The second moments of the mass, tr(I)/2 1 - I, have no eigenvalue below zero either.
  const half = (xx + yy + zz) / 2;
  return isSemidefinite(half - xx, half - yy, half - zz, -xy, -xz, -yz)
    ? undefined
    : {
        says: 'has a principal moment larger than the sum of the others, which no body has.',
        refused: false,
      };
}

/** A symmetric matrix has no eigenvalue below zero exactly when no principal minor is. */
function isSemidefinite(xx: number, yy: number, zz: number, xy: number, xz: number, yz: number): boolean {
  const determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  const minors = [xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz];
  return Math.min(xx, yy, zz, ...minors, determinant) >= -ROUNDING;
}
