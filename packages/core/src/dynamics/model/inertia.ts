import { FigureError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Bone, Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import { diagonalize } from '../../math/linear/symmetric-eigen.js';
import type { Numbers } from '../../math/linear/types.js';
import { rotateInertia } from './rotate-inertia.js';

/** Numbers of a bone's mass properties. */
export const INERTIA_SIZE = 10;

/** Tolerance of the triangle inequality, relative to the largest principal moment: files are rounded. */
const TRIANGLE_TOLERANCE = 1e-6;

/**
 * Mass properties of all bones, 10 numbers each, in the bone frame: mass m (kg), m times the centre of mass (kg m), inertia about the bone's
 * origin [xx, yy, zz, xy, xz, yz] (kg m^2). Zeros for a bone without mass.
 *
 * @throws FigureError `out-of-range` for an inertia that is not physical: a negative principal moment, an inertia without mass, or
 *   principal moments of a rigid group that violate the triangle inequality.
 */
export function packInertias(figure: Figure): Float64Array {
  requirePhysical(figure);
  const out = new Float64Array(INERTIA_SIZE * figure.bones.length);
  for (const bone of figure.bones) out.set(packBone(bone), INERTIA_SIZE * bone.index);
  return out;
}

function packBone({ mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }: Bone): number[] {
  const [x, y, z] = centerOfMass;
  return [mass, mass * x, mass * y, mass * z, ...aboutOrigin(mass, x, y, z, inertia)];
}

/** Parallel axis theorem: I_c + m (|c|^2 1 - c c^T). */
function aboutOrigin(mass: number, x: number, y: number, z: number, inertia: Numbers): number[] {
  const [xx, yy, zz, xy, xz, yz] = Array.from(inertia);
  return [
    xx + mass * (y * y + z * z),
    yy + mass * (x * x + z * z),
    zz + mass * (x * x + y * y),
    xy - mass * x * y,
    xz - mass * x * z,
    yz - mass * y * z,
  ];
}

/**
 * Checks that each bone with inertia has mass and that no principal moment is negative. The triangle inequality of the moments is checked for
 * rigid groups (bones joined by `fixed` joints), since files split the inertia of a body among links arbitrarily, and not for groups fixed to
 * the world.
 */
function requirePhysical(figure: Figure): void {
  const suspects = new Set<number>();
  for (const bone of figure.bones) {
    const { mass = 0, inertia = [0, 0, 0, 0, 0, 0] } = bone;
    if (mass === 0) {
      if (inertia.some((x) => x !== 0)) {
        throw inertiaError(bone, 'belongs to a bone without mass.', 'Give the bone a mass, kg.');
      }
      continue;
    }
    const [min, middle, max] = principalMoments(inertia);
    const slack = TRIANGLE_TOLERANCE * Math.max(Math.abs(min), Math.abs(max));
    if (min < -slack) {
      const what = `has a principal moment of ${min} kg m^2.`;
      throw inertiaError(bone, what, 'Give principal moments that are not negative.');
    }
    const root = movingAncestor(figure, bone.index);
    if (max > min + middle + slack && root >= 0) suspects.add(root);
  }
  for (const root of suspects) requireRigidGroup(figure, root);
}

/** The nearest bone up the tree, itself included, whose joint is not fixed; -1 for a bone fixed to the world. */
function movingAncestor({ bones, parents }: Figure, index: number): number {
  let b = index;
  while (b >= 0 && bones[b].joint.type === 'fixed') b = parents[b];
  return b;
}

/** Checks the triangle inequality for the bones that move rigidly with `root`. */
function requireRigidGroup(figure: Figure, root: number): void {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const members = figure.bones.filter(({ index }) => movingAncestor(figure, index) === root);
  const bodies = members.map((bone) => {
    const { index, mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] } = bone;
    const frame = state.worldFromBone.slice(12 * index, 12 * index + 12);
    const rotated = new Float64Array(6);
    rotateInertia(frame, 0, Float64Array.from(inertia), 0, rotated, 0);
    return { mass, center: rigid.transformPoint(frame, centerOfMass), inertia: rotated };
  });
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
  const center = [0, 1, 2].map(
    (k) => bodies.reduce((sum, body) => sum + body.mass * body.center[k], 0) / mass,
  );
  const total = [0, 0, 0, 0, 0, 0];
  for (const body of bodies) {
    const [x, y, z] = body.center.map((c, k) => c - center[k]);
    aboutOrigin(body.mass, x, y, z, body.inertia).forEach((entry, k) => {
      total[k] += entry;
    });
  }
  const [min, middle, max] = principalMoments(total);
  if (max <= min + middle + TRIANGLE_TOLERANCE * max) return;
  const group = members.length === 1 ? '' : ' with the bones fixed to it';
  throw inertiaError(
    figure.bones[root],
    `has${group} principal moments ${min}, ${middle} and ${max} kg m^2: the last exceeds the sum of the others.`,
    'Give the inertia of a physical body: each principal moment is at most the sum of the other two.',
  );
}

/** Principal moments of [xx, yy, zz, xy, xz, yz], ascending. */
function principalMoments([xx, yy, zz, xy, xz, yz]: readonly number[]): number[] {
  const m = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  diagonalize(m, 3, new Array<number>(9).fill(0));
  return [m[0], m[4], m[8]].sort((a, b) => a - b);
}

function inertiaError(bone: Bone, what: string, remedy: string): FigureError {
  return new FigureError('out-of-range', what, {
    path: `bones[${bone.index}] (${bone.name}).inertia`,
    remedy,
  });
}
