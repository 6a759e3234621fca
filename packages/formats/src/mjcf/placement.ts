/** Positions and orientations of MJCF elements. */
import type { Quadruple, RigidData, Triple } from 'poise/figure';
import { mat3, quat, vec3 } from 'poise/math';
import { fail } from '../text/json-checks.js';
import { numbersAt, type Settings, tripleAt } from './attributes.js';
import type { Compiler } from './compiler.js';

export const IDENTITY: RigidData = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };

/** Shorter vectors have no direction, as in MuJoCo. */
const MIN_LENGTH = 1e-14;

/** `pos` and the orientation, in whichever form. @throws FormatError. */
export function placementOf(settings: Settings, compiler: Compiler): RigidData {
  return {
    position: tripleAt(settings, 'pos', [0, 0, 0] as const),
    rotation: rotationOf(settings, compiler) ?? [0, 0, 0, 1],
  };
}

/** `inner` of the frame `outer`, in the frame around it. */
export function placedIn(outer: RigidData, inner: RigidData): RigidData {
  return {
    position: tripleOf(vec3.add(outer.position, quat.rotate(outer.rotation, inner.position))),
    rotation: quadrupleOf(quat.multiply(outer.rotation, inner.rotation)),
  };
}

/**
 * The orientation of an element: `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`; undefined where it has none.
 * @throws FormatError `not-unit` for a vector without a direction.
 */
export function rotationOf(settings: Settings, { angle, eulerOrder }: Compiler): Quadruple | undefined {
  const axisAngle = numbersAt(settings, 'axisangle', 4);
  if (axisAngle) {
    const axis = directionOf(axisAngle.slice(0, 3), settings, 'axisangle');
    return quadrupleOf(quat.fromAxisAngle(axis, axisAngle[3] * angle));
  }
  const euler = numbersAt(settings, 'euler', 3);
  if (euler) {
    return euler.reduce<Quadruple>(
      (q, value, k) => {
        const letter = eulerOrder[k];
        const axis = 'xyz'.indexOf(letter.toLowerCase());
        const turn = quat.fromAxisAngle(
          [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0],
          value * angle,
        );
        return quadrupleOf('xyz'.includes(letter) ? quat.multiply(q, turn) : quat.multiply(turn, q));
      },
      [0, 0, 0, 1],
    );
  }
  const axes = numbersAt(settings, 'xyaxes', 6);
  if (axes) {
    const x = directionOf(axes.slice(0, 3), settings, 'xyaxes');
    const given = axes.slice(3);
    const along = x.reduce((sum, value, k) => sum + value * given[k], 0);
    const y = directionOf(
      given.map((value, k) => value - along * x[k]),
      settings,
      'xyaxes',
    );
    return quadrupleOf(quat.fromMatrix(mat3.transpose([...x, ...y, ...vec3.cross(x, y)])));
  }
  const z = numbersAt(settings, 'zaxis', 3);
  if (z) return rotationFromZ(directionOf(z, settings, 'zaxis'));
  const wxyz = numbersAt(settings, 'quat', 4);
  if (wxyz === undefined) return undefined;
  const [w, qx, qy, qz] = wxyz;
  requireLength(Math.hypot(w, qx, qy, qz), settings, 'quat');
  return quadrupleOf(quat.normalize([qx, qy, qz, w]));
}

/** The unit vector along numbers of an attribute. @throws FormatError `not-unit`. */
export function directionOf(v: readonly number[], settings: Settings, attribute: string): Triple {
  const length = Math.hypot(...v);
  requireLength(length, settings, attribute);
  return [v[0] / length, v[1] / length, v[2] / length];
}

function requireLength(length: number, { location }: Settings, attribute: string): void {
  if (length >= MIN_LENGTH && length < Infinity) return;
  const what = length < MIN_LENGTH ? 'has a length of zero.' : 'is too long.';
  fail('not-unit', `${location}/@${attribute}`, what, 'Give a direction.');
}

/** The shortest rotation that takes +Z to a unit vector. */
export function rotationFromZ([x, y, z]: Triple): Quadruple {
  const s = Math.hypot(x, y);
  const half = Math.atan2(s, z) / 2;
  // Straight down: about x.
  if (s < MIN_LENGTH) return z > 0 ? [0, 0, 0, 1] : [1, 0, 0, 0];
  return [(-y / s) * Math.sin(half), (x / s) * Math.sin(half), 0, Math.cos(half)];
}

export function tripleOf([x, y, z]: readonly number[]): Triple {
  return [x, y, z];
}

export function quadrupleOf([x, y, z, w]: readonly number[]): Quadruple {
  return [x, y, z, w];
}
