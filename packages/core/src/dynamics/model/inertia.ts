import { FigureError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Bone, Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import { diagonalize } from '../../math/linear/symmetric-eigen.js';
import type { Numbers } from '../../math/linear/types.js';
import { rotateInertia } from './rotate-inertia.js';

/** Numbers of a bone's inertia. */
export const INERTIA = 10;

/** How far, against the largest moment, a moment may be longer than the other two together: what rounding of files leaves. */
const TRIANGLE = 1e-6;

/**
 * Mass properties of all bones, 10 numbers each, in the bone frame: mass m (kg), m times the centre of mass (kg m), inertia about the bone's
 * origin [xx, yy, zz, xy, xz, yz] (kg m^2). Zeros for a bone without mass.
 *
 * @throws FigureError `out-of-range` for an inertia that no body has: a moment that is negative, an inertia without mass, or, of all that
 *   moves as one, a moment longer than the other two together.
 */
export function packInertias(figure: Figure): Float64Array {
  requirePhysical(figure);
  const out = new Float64Array(INERTIA * figure.bones.length);
  for (const bone of figure.bones) out.set(inertiaOf(bone), INERTIA * bone.index);
  return out;
}

function inertiaOf({ mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }: Bone): number[] {
  const [x, y, z] = centerOfMass;
  return [mass, mass * x, mass * y, mass * z, ...aboutOrigin(mass, x, y, z, inertia)];
}

/** Steiner: I_c + m (|c|^2 - c c^T). */
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
 * Each bone by itself has a mass where it has an inertia, and no negative moment. That no moment is longer than the other two together is asked
 * of what moves as one, bones joined by `fixed` joints: files share the inertia of a body out among links in parts that are no bodies. What
 * stands still is not asked.
 */
function requirePhysical(figure: Figure): void {
  const doubtful = new Set<number>();
  for (const bone of figure.bones) {
    const { mass = 0, inertia = [0, 0, 0, 0, 0, 0] } = bone;
    if (mass === 0) {
      if (inertia.some((x) => x !== 0)) {
        throw refusal(bone, 'belongs to a bone without mass.', 'Give the bone a mass, kg.');
      }
      continue;
    }
    const [least, middle, most] = momentsOf(inertia);
    const slack = TRIANGLE * Math.max(Math.abs(least), Math.abs(most));
    if (least < -slack) {
      const what = `has a principal moment of ${least} kg m^2.`;
      throw refusal(bone, what, 'Give principal moments that are not negative.');
    }
    const carrier = carrierOf(figure, bone.index);
    if (most > least + middle + slack && carrier >= 0) doubtful.add(carrier);
  }
  for (const carrier of doubtful) requireBody(figure, carrier);
}

/** The bone whose joint moves a bone, -1 for one that nothing moves. */
function carrierOf({ bones, parents }: Figure, index: number): number {
  let b = index;
  while (b >= 0 && bones[b].joint.type === 'fixed') b = parents[b];
  return b;
}

/** Refuses what moves as one with bone `carrier` where its moments are no body's. */
function requireBody(figure: Figure, carrier: number): void {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const members = figure.bones.filter(({ index }) => carrierOf(figure, index) === carrier);
  const parts = members.map((bone) => {
    const { index, mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] } = bone;
    const frame = state.worldFromBone.slice(12 * index, 12 * index + 12);
    const turned = new Float64Array(6);
    rotateInertia(frame, 0, Float64Array.from(inertia), 0, turned, 0);
    return { mass, center: rigid.transformPoint(frame, centerOfMass), turned };
  });
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  const center = [0, 1, 2].map(
    (k) => parts.reduce((sum, part) => sum + part.mass * part.center[k], 0) / mass,
  );
  const total = [0, 0, 0, 0, 0, 0];
  for (const part of parts) {
    const [x, y, z] = part.center.map((c, k) => c - center[k]);
    aboutOrigin(part.mass, x, y, z, part.turned).forEach((entry, k) => {
      total[k] += entry;
    });
  }
  const [least, middle, most] = momentsOf(total);
  if (most <= least + middle + TRIANGLE * most) return;
  const alone = members.length === 1 ? '' : ' with the bones fixed to it';
  throw refusal(
    figure.bones[carrier],
    `has${alone} principal moments ${least}, ${middle} and ${most} kg m^2, the last longer than the others together.`,
    'Give the inertia of a body: no moment is longer than the other two together.',
  );
}

/** Principal moments of [xx, yy, zz, xy, xz, yz], ascending. */
function momentsOf([xx, yy, zz, xy, xz, yz]: readonly number[]): number[] {
  const m = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  diagonalize(m, 3, new Array<number>(9).fill(0));
  return [m[0], m[4], m[8]].sort((a, b) => a - b);
}

function refusal(bone: Bone, what: string, remedy: string): FigureError {
  return new FigureError('out-of-range', what, {
    path: `bones[${bone.index}] (${bone.name}).inertia`,
    remedy,
  });
}
