import type { Manifold } from '../../dynamics/collide/manifold/manifold.js';
import { boxBox } from '../../dynamics/collide/primitives/box-box.js';
import { capsuleBox } from '../../dynamics/collide/primitives/sphere-capsule-box.js';
import {
  boxPlane,
  capsuleCapsule,
  capsulePlane,
} from '../../dynamics/collide/primitives/sphere-capsule-pairs.js';
import { CAPSULE, PLANE, SHAPE_SIZE } from '../../dynamics/collide/shapes/world-shapes.js';
import { boundsOverlap } from '../../dynamics/collide/sweep-and-prune.js';
import { updateWorldShapes } from '../../dynamics/collide/update-world-shapes.js';
import { pointJacobianV } from '../../figure/kinematics/jacobians.js';
import type { FigureState } from '../../figure/model/state.js';
import type { MutableNumbers } from '../../math/linear/types.js';
import type { Clearance, ClearancePair } from './clearance.js';

/**
 * Axes count as parallel where the distances at both ends of their overlap differ by less than this fraction of the radii: the middle is
 * the witness point.
 */
const PARALLEL_TOLERANCE = 1e-9;

const at = /* @__PURE__ */ new Float64Array(3);

/**
 * Writes the signed distances, m, one for each of `clearance.rows`, at the pose last given to `forwardKinematics`.
 *
 * The distance is the maximum of n . (x - y) over all unit n, x the support point of the first shape against n, y that of the other along
 * n: one formula for separated and overlapping shapes, and Lipschitz with constant 1 in the motion of either. It has a kink where two pairs
 * of witness points are equally near: parallel axes and faces, crossing axes of two capsules (where it is minus both radii), and the
 * mid-planes inside a box. There one pair is chosen: for parallel capsules the middle of their overlap, for crossing ones the common
 * normal, for collinear axes the perpendicular nearest to +Y.
 *
 * @throws DomainError `not-finite` for frames that are not finite.
 */
export function writeClearances(clearance: Clearance, state: FigureState, out: MutableNumbers): void {
  const { collider, pairs, cutoff, within } = clearance;
  updateWorldShapes(collider, state.worldFromBone);
  for (const pair of pairs) {
    const { a, b, firstRow, features } = pair;
    const end = firstRow + features;
    if (cutoff < Number.POSITIVE_INFINITY && !boundsOverlap(collider.bounds, a, collider.bounds, b, cutoff)) {
      for (let row = firstRow; row < end; row++) {
        within[row] = 0;
        out[row] = cutoff;
      }
      continue;
    }
    measure(clearance, a, b);
    for (let feature = 0; feature < features; feature++) {
      const row = firstRow + feature;
      const gap = clearance.manifold.separation[feature];
      within[row] = gap < cutoff ? 1 : 0;
      out[row] = gap < cutoff ? gap : cutoff;
      if (gap < cutoff) writeWitness(clearance, pair, feature);
    }
  }
}

/** Fills the manifold: its first point is the pair of nearest points; against a plane it has one point per feature. */
function measure({ collider: { kind, worldShapes }, manifold }: Clearance, i: number, j: number): void {
  const a = SHAPE_SIZE * i;
  const b = SHAPE_SIZE * j;
  manifold.count = 0;
  if (kind[j] === PLANE) {
    if (kind[i] === CAPSULE) capsulePlane(worldShapes, a, b, manifold);
    else boxPlane(worldShapes, a, b, manifold);
  } else if (kind[i] !== CAPSULE) {
    boxBox(worldShapes, a, b, manifold);
  } else if (kind[j] !== CAPSULE) {
    capsuleBox(worldShapes, a, b, manifold);
  } else {
    capsuleCapsule(worldShapes, a, b, manifold);
    averageParallel(manifold, PARALLEL_TOLERANCE * (worldShapes[a + 6] + worldShapes[b + 6]));
  }
}

/** Moves the first of two equally near witness points to their middle. */
function averageParallel({ count, separation, point }: Manifold, level: number): void {
  if (count < 2 || !(separation[1] - separation[0] <= level)) return;
  for (let k = 0; k < 3; k++) point[k] = (point[k] + point[3 + k]) / 2;
}

/** Stores the witness point and normal of a row, in the order of its shapes. */
function writeWitness(clearance: Clearance, { swapped, firstRow }: ClearancePair, feature: number): void {
  const { manifold, point, normal } = clearance;
  const o = 3 * (firstRow + feature);
  for (let k = 0; k < 3; k++) {
    const n = manifold.normal[3 * feature + k];
    const p = manifold.point[3 * feature + k];
    point[o + k] = swapped ? p + manifold.separation[feature] * n : p;
    normal[o + k] = swapped ? -n : n;
  }
}

/**
 * Writes the gradients of the distances last written by `writeClearances`, at the same pose: rows x dof, row by row, with respect to v dt (m
 * per rad or m). Only the columns of each row are written: give an array that is zero elsewhere; it stays valid.
 *
 * d = n . (x - y) is stationary in n, x and y, so its gradient is n . (J_x - J_y) at points fixed to their bones; x and y lie along n, so
 * that one point serves both. Needs `updateMotionSubspaceV` first.
 */
export function writeClearanceGradients(
  clearance: Clearance,
  state: FigureState,
  jacobian: MutableNumbers,
): void {
  const { pairs, within, point, normal, figure, jacobian: first, otherJacobian: second } = clearance;
  const { dof } = figure;
  for (const { bone, otherBone, firstRow, features, columns, movedBones } of pairs) {
    for (let row = firstRow; row < firstRow + features; row++) {
      const o = dof * row;
      if (within[row] === 0) {
        for (let c = 0; c < columns.length; c++) jacobian[o + columns[c]] = 0;
        continue;
      }
      const nx = normal[3 * row];
      const ny = normal[3 * row + 1];
      const nz = normal[3 * row + 2];
      for (let k = 0; k < 3; k++) at[k] = point[3 * row + k];
      pointJacobianV(state, bone, at, first);
      if (otherBone >= 0) pointJacobianV(state, otherBone, at, second);
      for (let c = 0; c < columns.length; c++) {
        const i = columns[c];
        let sum = 0;
        if (movedBones[c] & 1) sum = nx * first[i] + ny * first[dof + i] + nz * first[2 * dof + i];
        if (movedBones[c] & 2) sum -= nx * second[i] + ny * second[dof + i] + nz * second[2 * dof + i];
        jacobian[o + i] = sum;
      }
    }
  }
}
