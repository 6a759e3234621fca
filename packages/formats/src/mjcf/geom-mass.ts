/** Masses and inertias of geoms. */
import type { RigidData, Triple } from 'poise/figure';
import { quat, vec3 } from 'poise/math';
import type { Inertia } from '../robot/inertia-defect.js';
import { fail } from '../text/json-checks.js';
import { flagAt, numberAt, numbersAt, oneOfAt, type Settings, wordAt } from './attributes.js';
import type { Compiler } from './compiler.js';
import { directionOf, placementOf, rotationFromZ, tripleOf } from './placement.js';

/** A rigid body: mass (kg), centre of mass (m) and inertia about it in the axes of the frame around it. */
export interface MassProperties {
  readonly mass: number;
  readonly centerOfMass: Triple;
  readonly inertia: Inertia;
}

const TYPES = [
  'plane',
  'hfield',
  'sphere',
  'capsule',
  'ellipsoid',
  'cylinder',
  'box',
  'mesh',
  'sdf',
] as const;

type Shape = 'sphere' | 'capsule' | 'ellipsoid' | 'cylinder' | 'box';

/** Numbers of `size` that a shape takes; with `fromto` the last half-length follows from the ends. */
const SIZES: Readonly<Record<Shape, number>> = { sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 2, box: 3 };

/** kg/m^3. */
const WATER = 1000;

/**
 * The mass of a geom in the frame around it; undefined where it has none: planes, height fields, groups without mass.
 * That of a mesh is unknown, since the mesh is not read: `'mesh'`.
 *
 * @throws FormatError for malformed attributes.
 */
export function massOfGeom(geom: Settings, compiler: Compiler): MassProperties | 'mesh' | undefined {
  const type = oneOfAt(geom, 'type', TYPES, 'sphere');
  const [first, last] = compiler.inertiaGroups;
  const group = numberAt(geom, 'group', 0);
  const given = numberAt(geom, 'mass', undefined);
  const density = numberAt(geom, 'density', WATER);
  if (group < first || group > last || (given ?? density) === 0) return undefined;
  if (type === 'plane' || type === 'hfield') return undefined;
  if (type === 'mesh' || type === 'sdf' || wordAt(geom, 'mesh') !== undefined) return 'mesh';
  const { size, frame } = shapeOf(geom, type, compiler);
  const mass = given ?? density * volumeOf(type, size);
  if (!(mass >= 0 && mass < Infinity)) {
    const attribute = given === undefined ? 'density' : 'mass';
    fail(
      'out-of-range',
      `${geom.location}/@${attribute}`,
      'gives a negative or infinite mass.',
      'Give 0 or more.',
    );
  }
  const moments = momentsOf(type, size, mass, flagAt(geom, 'shellinertia', false) ? geom : undefined);
  return { mass, centerOfMass: frame.position, inertia: rotatedInertia(frame.rotation, diagonal(moments)) };
}

function shapeOf(geom: Settings, type: Shape, compiler: Compiler): { size: number[]; frame: RigidData } {
  const size = [...(numbersAt(geom, 'size', 1, 3) ?? [])];
  const ends = type === 'sphere' ? undefined : numbersAt(geom, 'fromto', 6);
  let frame = placementOf(geom, compiler);
  if (ends) {
    const [from, to] = [ends.slice(0, 3), ends.slice(3)];
    const between = vec3.subtract(tripleOf(from), tripleOf(to));
    const half = vec3.norm(between) / 2;
    const round = type === 'capsule' || type === 'cylinder';
    size.splice(1, 2, ...(round ? [half] : [size[0], half]));
    const middle = tripleOf(from.map((x, k) => (x + to[k]) / 2));
    frame = { position: middle, rotation: rotationFromZ(directionOf(between, geom, 'fromto')) };
  }
  const count = SIZES[type];
  if (size.length < count || size.slice(0, count).some((x) => !(x > 0))) {
    const what = `gives a ${type} no size.`;
    fail('out-of-range', `${geom.location}/@size`, what, `Give ${count} positive numbers.`);
  }
  return { size, frame };
}

function volumeOf(type: Shape, [a, b, c]: readonly number[]): number {
  switch (type) {
    case 'sphere':
      return (4 / 3) * Math.PI * a ** 3;
    case 'capsule':
      return Math.PI * (2 * b * a ** 2 + (4 / 3) * a ** 3);
    case 'cylinder':
      return Math.PI * 2 * b * a ** 2;
    case 'ellipsoid':
      return (4 / 3) * Math.PI * a * b * c;
    case 'box':
      return 8 * a * b * c;
  }
}

/** Principal moments of inertia of a solid shape; `shell` is a geom whose mass is on its surface. */
function momentsOf(
  type: Shape,
  [a, b, c]: readonly number[],
  mass: number,
  shell: Settings | undefined,
): Triple {
  if (shell) {
    const remedy = 'Give the body an <inertial>, which MuJoCo prints on saving the model.';
    fail('unsupported', `${shell.location}/@shellinertia`, 'puts the mass on the surface.', remedy);
  }
  switch (type) {
    case 'sphere': {
      const i = (2 / 5) * mass * a ** 2;
      return [i, i, i];
    }
    case 'cylinder': {
      const i = (mass * (3 * a ** 2 + 4 * b ** 2)) / 12;
      return [i, i, (mass * a ** 2) / 2];
    }
    case 'capsule': {
      // A cylinder and two half balls.
      const height = 2 * b;
      const ball = (mass * 4 * a) / (4 * a + 3 * height);
      const rod = mass - ball;
      const ofBall = (2 * ball * a ** 2) / 5;
      const i = (rod * (3 * a ** 2 + height ** 2)) / 12 + ofBall + (ball * height * (3 * a + 2 * height)) / 8;
      return [i, i, (rod * a ** 2) / 2 + ofBall];
    }
    case 'ellipsoid':
    case 'box': {
      const k = mass / (type === 'box' ? 3 : 5);
      return [k * (b ** 2 + c ** 2), k * (a ** 2 + c ** 2), k * (a ** 2 + b ** 2)];
    }
  }
}

export function diagonal([xx, yy, zz]: Triple): Inertia {
  return [xx, yy, zz, 0, 0, 0];
}

/** R I R^T. */
export function rotatedInertia(rotation: RigidData['rotation'], [xx, yy, zz, xy, xz, yz]: Inertia): Inertia {
  const r = quat.toMatrix(rotation);
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
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
}

/** One body of several, by Steiner's theorem; undefined where they have no mass. */
export function summed(parts: readonly MassProperties[]): MassProperties | undefined {
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  if (!(mass > 0)) return undefined;
  const center = tripleOf(
    [0, 1, 2].map((k) => parts.reduce((sum, part) => sum + part.mass * part.centerOfMass[k], 0) / mass),
  );
  const inertia = [0, 0, 0, 0, 0, 0];
  for (const part of parts) {
    const [x, y, z] = vec3.subtract(part.centerOfMass, center);
    const m = part.mass;
    const steiner = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
    for (let k = 0; k < 6; k++) inertia[k] += part.inertia[k] + m * steiner[k];
  }
  const [xx, yy, zz, xy, xz, yz] = inertia;
  return { mass, centerOfMass: center, inertia: [xx, yy, zz, xy, xz, yz] };
}
