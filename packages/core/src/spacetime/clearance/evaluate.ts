import type { Manifold } from '../../dynamics/collide/manifold/manifold.js';
import { boxBox } from '../../dynamics/collide/primitives/box-box.js';
import { roundBox } from '../../dynamics/collide/primitives/sphere-capsule-box.js';
import { boxPlane, roundPlane, roundRound } from '../../dynamics/collide/primitives/sphere-capsule-pairs.js';
import { PLACED, PLANE, ROUND } from '../../dynamics/collide/shapes/world-shapes.js';
import { boundsMeet } from '../../dynamics/collide/sweep-and-prune.js';
import { placeShapes } from '../../dynamics/collide/update-world-shapes.js';
import { pointJacobianV } from '../../figure/kinematics/jacobians.js';
import type { FigureState } from '../../figure/model/state.js';
import type { MutableNumbers } from '../../math/linear/types.js';
import type { Clearance, MeasuredPair } from './clearance.js';

/** Share of the radii below which the distances at both ends of what lies side by side are one: the middle is taken. */
const LEVEL = 1e-9;

const at = /* @__PURE__ */ new Float64Array(3);

/**
 * Writes the signed distances, m, one for each of `clearance.rows`, at the pose last given to `forwardKinematics`.
 *
 * Each is the greatest of n . (x - y) over all unit n, x the point of the first shape furthest against n, y that of the other furthest along it: one
 * formula apart and overlapping, and no shape's move changes it by more than the move is long. It has a kink where two pairs of points are
 * as near: parallel axes and faces, the axes of two capsules that cross (where it is least, minus both radii), and the
 * middle planes inside a box. There one of the pairs is taken: of parallel capsules the middle of where they lie side by side, of crossing ones the
 * common normal, of axes in one line the direction across nearest to +Y.
 *
 * @throws DomainError `not-finite` for frames that are not finite.
 */
export function writeClearances(clearance: Clearance, state: FigureState, out: MutableNumbers): void {
  const { collider, pairs, cutoff, within } = clearance;
  placeShapes(collider, state.worldFromBone);
  for (const pair of pairs) {
    const { a, b, firstRow, parts } = pair;
    const end = firstRow + parts;
    if (cutoff < Number.POSITIVE_INFINITY && !boundsMeet(collider.bounds, a, collider.bounds, b, cutoff)) {
      for (let row = firstRow; row < end; row++) {
        within[row] = 0;
        out[row] = cutoff;
      }
      continue;
    }
    measure(clearance, a, b);
    for (let part = 0; part < parts; part++) {
      const row = firstRow + part;
      const gap = clearance.manifold.gap[part];
      within[row] = gap < cutoff ? 1 : 0;
      out[row] = gap < cutoff ? gap : cutoff;
      if (gap < cutoff) writeWitness(clearance, pair, part);
    }
  }
}

/** Fills the manifold: the first candidate is that of the nearest points; against a plane there is one for each part. */
function measure({ collider: { kind, placed }, manifold }: Clearance, i: number, j: number): void {
  const a = PLACED * i;
  const b = PLACED * j;
  manifold.count = 0;
  if (kind[j] === PLANE) {
    if (kind[i] === ROUND) roundPlane(placed, a, b, manifold);
    else boxPlane(placed, a, b, manifold);
  } else if (kind[i] !== ROUND) {
    boxBox(placed, a, b, manifold);
  } else if (kind[j] !== ROUND) {
    roundBox(placed, a, b, manifold);
  } else {
    roundRound(placed, a, b, manifold);
    takeMiddle(manifold, LEVEL * (placed[a + 6] + placed[b + 6]));
  }
}

/** Of two places as near moves the first between them: the distance of two segments is the same all along there. */
function takeMiddle({ count, gap, point }: Manifold, level: number): void {
  if (count < 2 || !(gap[1] - gap[0] <= level)) return;
  for (let k = 0; k < 3; k++) point[k] = (point[k] + point[3 + k]) / 2;
}

/** Keeps where a row was measured, seen from the shapes as the row names them. */
function writeWitness(clearance: Clearance, { swapped, firstRow }: MeasuredPair, part: number): void {
  const { manifold, point, normal } = clearance;
  const o = 3 * (firstRow + part);
  for (let k = 0; k < 3; k++) {
    const n = manifold.normal[3 * part + k];
    const p = manifold.point[3 * part + k];
    point[o + k] = swapped ? p + manifold.gap[part] * n : p;
    normal[o + k] = swapped ? -n : n;
  }
}

/**
 * Writes the gradients of the distances last written by `writeClearances`, at the same pose: rows x dof, row by row, against nu dt (m per rad or m).
 * Only the columns that each row names are written: give an array that is zero elsewhere; it stays valid.
 *
 * d = n . (x - y) is stationary in everything but the motion of the shapes, so its gradient is n . (J_x - J_y) with the points held to their bones;
 * x and y lie along n, so that one point does for both. Needs `updateColumnsNu` first.
 */
export function writeClearanceGradients(
  clearance: Clearance,
  state: FigureState,
  jacobian: MutableNumbers,
): void {
  const { pairs, within, point, normal, figure, jacobian: first, otherJacobian: second } = clearance;
  const { dof } = figure;
  for (const { bone, otherBone, firstRow, parts, columns, sides } of pairs) {
    for (let row = firstRow; row < firstRow + parts; row++) {
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
        if (sides[c] & 1) sum = nx * first[i] + ny * first[dof + i] + nz * first[2 * dof + i];
        if (sides[c] & 2) sum -= nx * second[i] + ny * second[dof + i] + nz * second[2 * dof + i];
        jacobian[o + i] = sum;
      }
    }
  }
}
