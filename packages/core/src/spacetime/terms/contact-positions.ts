/** Positions of contact points on their planes: those of the reference, moved rigidly until all lie in the plane. */
import { SpacetimeError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as symmetricEigen from '../../math/linear/symmetric-eigen.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/linear/types.js';

/** The data of a contact that define its positions. */
export interface ContactPlacement {
  readonly bone: number;
  readonly points: readonly Vec3[];
  readonly from: number;
  readonly to: number;
  readonly normal: Numbers;
  readonly height: number;
}

/** Largest distance of contact points from a common plane, m. */
const PLANARITY_TOLERANCE = 1e-6;

/**
 * Positions of the points of one contact, world, m, 3 numbers each.
 *
 * Contacts of one bone on one plane with overlapping spans are moved as one: heel and ball of a foot stay consistent to rounding.
 *
 * @param poseAt - The reference.
 * @throws SpacetimeError `out-of-range` where the points do not lie in one plane, so that they cannot all touch.
 */
export function contactPositions(
  figure: Figure,
  contact: ContactPlacement,
  all: readonly ContactPlacement[],
  poseAt: (time: number) => Numbers,
  path: string,
): Float64Array {
  const group = overlappingContacts(contact, all);
  const from = Math.max(...group.map((other) => other.from));
  const to = Math.min(...group.map((other) => other.to));
  const middle =
    to > from
      ? 0.5 * (from + to)
      : 0.5 * (Math.min(...group.map((other) => other.from)) + Math.max(...group.map((other) => other.to)));
  const state = createState(figure);
  forwardKinematics(state, poseAt(middle));
  const world = (p: Vec3): number[] => worldPoint(state, contact.bone, p);
  const groupPoints = group.flatMap(({ points }) => points.map(world));
  const own = contact.points.map(world);
  const { normal, height } = contact;
  const center = [0, 0, 0];
  for (const p of groupPoints) for (let k = 0; k < 3; k++) center[k] += p[k] / groupPoints.length;
  const axis = planeNormal(groupPoints, center, normal, path);
  const normalOffset = height - vec3.dot(normal, center);
  const positions = new Float64Array(3 * own.length);
  own.forEach((p, k) => {
    const rotated = rotateBetween(axis, normal, vec3.subtract(p, center));
    for (let r = 0; r < 3; r++) positions[3 * k + r] = center[r] + rotated[r] + normalOffset * normal[r];
    // Remove the rounding error along the normal.
    const error =
      height -
      (normal[0] * positions[3 * k] + normal[1] * positions[3 * k + 1] + normal[2] * positions[3 * k + 2]);
    for (let r = 0; r < 3; r++) positions[3 * k + r] += error * normal[r];
  });
  return positions;
}

/** The contacts moved together with this one, itself included: same bone and plane, spans that overlap directly or through others. */
function overlappingContacts(
  contact: ContactPlacement,
  all: readonly ContactPlacement[],
): ContactPlacement[] {
  const group = [contact];
  for (let grown = true; grown; ) {
    grown = false;
    for (const other of all) {
      if (group.includes(other) || other.bone !== contact.bone || other.height !== contact.height) continue;
      if (vec3.dot(other.normal, contact.normal) < 1 - 1e-12) continue;
      if (!group.some(({ from, to }) => other.from < to && from < other.to)) continue;
      group.push(other);
      grown = true;
    }
  }
  return group;
}

/** Unit normal of the points' own plane; the direction nearest to `normal` where the points leave a choice. */
function planeNormal(points: readonly number[][], center: Numbers, normal: Numbers, path: string): number[] {
  const covariance = new Float64Array(9);
  for (const p of points) {
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) covariance[3 * r + c] += (p[r] - center[r]) * (p[c] - center[c]);
    }
  }
  const vectors = new Float64Array(9);
  symmetricEigen.diagonalize(covariance, 3, vectors);
  const minVariance = PLANARITY_TOLERANCE * PLANARITY_TOLERANCE * points.length;
  // Principal directions in which the points extend: none, a line, a plane.
  const extents = [0, 1, 2].filter((k) => covariance[4 * k] > minVariance);
  if (extents.length === 3) {
    throw new SpacetimeError('out-of-range', 'do not lie in one plane, so they cannot all touch.', {
      path: `${path}.points`,
      remedy: 'Give coplanar points, or a contact for each.',
    });
  }
  const axis = Array.from(normal);
  for (const k of extents) {
    const v = [vectors[3 * k], vectors[3 * k + 1], vectors[3 * k + 2]];
    const component = vec3.dot(axis, v);
    for (let r = 0; r < 3; r++) axis[r] -= component * v[r];
  }
  const length = Math.hypot(axis[0], axis[1], axis[2]);
  if (!(length > 1e-6)) {
    throw new SpacetimeError(
      'out-of-range',
      'span a plane perpendicular to the contact plane in the reference, so they cannot all touch.',
      {
        path: `${path}.points`,
        remedy: 'Give a reference in which they lie flat, or the positions of the points.',
      },
    );
  }
  return axis.map((x) => x / length);
}

/** Rotates v by the shortest rotation from the unit vector a to b. */
function rotateBetween(a: Numbers, b: Numbers, v: Numbers): MutableNumbers {
  const cross = vec3.cross(a, b);
  const cosine = vec3.dot(a, b);
  const twice = vec3.cross(cross, vec3.cross(cross, v));
  const once = vec3.cross(cross, v);
  const factor = 1 / (1 + cosine);
  return [0, 1, 2].map((r) => v[r] + once[r] + factor * twice[r]);
}
