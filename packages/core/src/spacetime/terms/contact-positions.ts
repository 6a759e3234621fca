/** Where the points of contacts stand on their planes: as the reference has them, moved as one body until all lie in the plane. */
import { SpacetimeError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as symmetricEigen from '../../math/linear/symmetric-eigen.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/** What of a contact decides where it stands. */
export interface StandingContact {
  readonly bone: number;
  readonly points: readonly Numbers[];
  readonly from: number;
  readonly to: number;
  readonly normal: Numbers;
  readonly height: number;
}

/** How far points that touch one plane may be from lying in one, m. */
const FLAT = 1e-6;

/**
 * Places of the points of one contact, world, m, 3 numbers each.
 *
 * Contacts of one bone on one plane whose spans overlap stand as one: heel and ball of a foot are placed together, so that no rounding sets them
 * against each other.
 *
 * @param poseAt - The reference.
 * @throws SpacetimeError `out-of-range` where the points cannot all touch: they do not lie in one plane.
 */
export function standingPlaces(
  figure: Figure,
  contact: StandingContact,
  all: readonly StandingContact[],
  poseAt: (time: number) => Numbers,
  path: string,
): Float64Array {
  const group = overlapping(contact, all);
  const from = Math.max(...group.map((other) => other.from));
  const to = Math.min(...group.map((other) => other.to));
  const middle =
    to > from
      ? 0.5 * (from + to)
      : 0.5 * (Math.min(...group.map((other) => other.from)) + Math.max(...group.map((other) => other.to)));
  const state = createState(figure);
  forwardKinematics(state, poseAt(middle));
  const world = (p: Numbers): number[] => placePoint(state.worldFromBone, contact.bone, p);
  const together = group.flatMap(({ points }) => points.map(world));
  const own = contact.points.map(world);
  const { normal, height } = contact;
  const center = [0, 0, 0];
  for (const p of together) for (let k = 0; k < 3; k++) center[k] += p[k] / together.length;
  const axis = planeNormal(together, center, normal, path);
  const lift = height - vec3.dot(normal, center);
  const places = new Float64Array(3 * own.length);
  own.forEach((p, k) => {
    const turned = turnTo(axis, normal, vec3.subtract(p, center));
    for (let r = 0; r < 3; r++) places[3 * k + r] = center[r] + turned[r] + lift * normal[r];
    // What rounding has left.
    const off =
      height - (normal[0] * places[3 * k] + normal[1] * places[3 * k + 1] + normal[2] * places[3 * k + 2]);
    for (let r = 0; r < 3; r++) places[3 * k + r] += off * normal[r];
  });
  return places;
}

/** The contacts that stand with this one, itself among them: of its bone, on its plane, overlapping directly or through others. */
function overlapping(contact: StandingContact, all: readonly StandingContact[]): StandingContact[] {
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

function placePoint(world: Float64Array, bone: number, p: Numbers): number[] {
  const o = 12 * bone;
  return [0, 1, 2].map(
    (r) =>
      world[o + 3 * r] * p[0] + world[o + 3 * r + 1] * p[1] + world[o + 3 * r + 2] * p[2] + world[o + 9 + r],
  );
}

/** The direction of the points' own plane that is to become the normal; the nearest to it where they leave a choice. */
function planeNormal(points: readonly number[][], center: Numbers, normal: Numbers, path: string): number[] {
  const spread = new Float64Array(9);
  for (const p of points) {
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) spread[3 * r + c] += (p[r] - center[r]) * (p[c] - center[c]);
    }
  }
  const vectors = new Float64Array(9);
  symmetricEigen.diagonalize(spread, 3, vectors);
  const least = FLAT * FLAT * points.length;
  // Directions in which the points are spread: none, a line, a plane.
  const spreadIn = [0, 1, 2].filter((k) => spread[4 * k] > least);
  if (spreadIn.length === 3) {
    throw new SpacetimeError('out-of-range', 'do not lie in one plane: they cannot all touch.', {
      path: `${path}.points`,
      remedy: 'Give the points of one flat side, or a contact for each.',
    });
  }
  const axis = Array.from(normal);
  for (const k of spreadIn) {
    const v = [vectors[3 * k], vectors[3 * k + 1], vectors[3 * k + 2]];
    const along = vec3.dot(axis, v);
    for (let r = 0; r < 3; r++) axis[r] -= along * v[r];
  }
  const length = Math.hypot(axis[0], axis[1], axis[2]);
  if (!(length > 1e-6)) {
    throw new SpacetimeError(
      'out-of-range',
      'stand upright on their plane in the reference: they cannot all touch.',
      {
        path: `${path}.points`,
        remedy: 'Give a reference where they lie flat, or the places of the points.',
      },
    );
  }
  return axis.map((x) => x / length);
}

/** Rotates v by the least turn that brings the unit vector a to b. */
function turnTo(a: Numbers, b: Numbers, v: Numbers): MutableNumbers {
  const cross = vec3.cross(a, b);
  const cosine = vec3.dot(a, b);
  const twice = vec3.cross(cross, vec3.cross(cross, v));
  const once = vec3.cross(cross, v);
  const factor = 1 / (1 + cosine);
  return [0, 1, 2].map((r) => v[r] + once[r] + factor * twice[r]);
}
