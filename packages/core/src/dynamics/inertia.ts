import { FigureError } from '../errors.js';
import type { Bone, Figure } from '../figure/figure.js';
import { diagonalize } from '../math/symmetric-eigen.js';

/** Numbers of a bone's inertia. */
export const INERTIA = 10;

/** How far, against the largest moment, a moment may be longer than the other two together: what rounding of files leaves. */
const TRIANGLE = 1e-6;

/**
 * Mass properties of all bones, 10 numbers each, in the bone frame: mass m (kg), m times the centre of mass (kg m), inertia about the bone's
 * origin [xx, yy, zz, xy, xz, yz] (kg m^2). Zeros for a bone without mass.
 *
 * @throws FigureError `out-of-range` for an inertia that no body has: a moment that is negative, or longer than the other two together, or an
 *   inertia without mass.
 */
export function packInertias(figure: Figure): Float64Array {
  const out = new Float64Array(INERTIA * figure.bones.length);
  for (const bone of figure.bones) out.set(inertiaOf(bone), INERTIA * bone.index);
  return out;
}

function inertiaOf(bone: Bone): number[] {
  const { mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] } = bone;
  requirePhysical(bone, mass, inertia);
  const [x, y, z] = centerOfMass;
  const [xx, yy, zz, xy, xz, yz] = inertia;
  return [
    mass,
    mass * x,
    mass * y,
    mass * z,
    // Steiner: I_c + m (|c|^2 - c c^T)
    xx + mass * (y * y + z * z),
    yy + mass * (x * x + z * z),
    zz + mass * (x * x + y * y),
    xy - mass * x * y,
    xz - mass * x * z,
    yz - mass * y * z,
  ];
}

function requirePhysical(bone: Bone, mass: number, inertia: readonly number[]): void {
  const refuse = (what: string, remedy: string): never => {
    throw new FigureError('out-of-range', what, {
      path: `bones[${bone.index}] (${bone.name}).inertia`,
      remedy,
    });
  };
  if (mass === 0) {
    if (inertia.some((x) => x !== 0)) refuse('belongs to a bone without mass.', 'Give the bone a mass, kg.');
    return;
  }
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const m = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  diagonalize(m, 3, new Array<number>(9).fill(0));
  const [least, middle, most] = [m[0], m[4], m[8]].sort((a, b) => a - b);
  const slack = TRIANGLE * Math.max(Math.abs(least), Math.abs(most));
  if (least < -slack) {
    refuse(`has a principal moment of ${least} kg m^2.`, 'Give principal moments that are not negative.');
  }
  if (most > least + middle + slack) {
    refuse(
      `has principal moments ${least}, ${middle} and ${most} kg m^2, the last longer than the others together.`,
      'Give the inertia of a body: no moment is longer than the other two together.',
    );
  }
}
