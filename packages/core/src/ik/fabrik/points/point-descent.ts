import * as vec3 from '../../../math/geometry/vec3.js';
import type { PointTree } from './point-tree.js';

/*
 * Coordinate descent over bone directions. A bone rotates freely about its first point and moves its subtree. With u_p its unit direction
 * and l_p its length, the end of a goal is x_g = root + sum of l_p u_p over the bones above it, so
 *   f = 1/2 sum of w_g |x_g - t_g|^2
 * is, as a function of one u_p, a constant minus l_p u_p . T_p with T_p = sum of w_g (t_g - x_g + l_p u_p) over the goals below: minimal at
 * u_p = T_p / |T_p|. A loop of length L from a to b contributes 1/2 (|x_a - x_b| - L)^2, majorized by |x_a - x_b - e|^2 / 2 with e of
 * length L along the loop's current direction.
 */

const displacement = /* @__PURE__ */ new Float64Array(3);
const bone = /* @__PURE__ */ new Float64Array(3);

/** f of goals and loops at the current points. */
export function objectiveOf({ points, ends, targets, weightOfGoal, links }: PointTree): number {
  let f = 0;
  for (let g = 0; g < weightOfGoal.length; g++) {
    const o = 3 * ends[g];
    const t = 3 * g;
    const square =
      (points[o] - targets[t]) ** 2 +
      (points[o + 1] - targets[t + 1]) ** 2 +
      (points[o + 2] - targets[t + 2]) ** 2;
    f += 0.5 * weightOfGoal[g] * square;
  }
  for (let n = 0; n < links.length; n++) {
    const { a, b, length } = links[n];
    f += 0.5 * (distanceBetween(points, a, b) - length) ** 2;
  }
  return f;
}

/** One round of coordinate descent: minimizes f over each bone direction, ends first, and each free root. f never increases. */
export function descendPoints(tree: PointTree, rootFree: boolean): void {
  const { parents, lengths, isActive } = tree;
  for (let p = parents.length - 1; p >= 0; p--) {
    if (isActive[p] === 0) continue;
    const root = parents[p] < 0;
    if (root && !rootFree) continue;
    const weight = sumDisplacements(tree, p);
    if (root) {
      if (!(weight > 0)) continue;
      for (let c = 0; c < 3; c++) displacement[c] /= weight;
      translateSubtree(tree, p, displacement[0], displacement[1], displacement[2]);
      continue;
    }
    const length = lengths[p];
    writeBone(tree, p);
    for (let c = 0; c < 3; c++) displacement[c] += weight * bone[c];
    const size = vec3.length(displacement[0], displacement[1], displacement[2]);
    // f does not depend on the direction.
    if (!(size > 1e-15 * weight * length)) continue;
    const s = length / size;
    translateSubtree(
      tree,
      p,
      s * displacement[0] - bone[0],
      s * displacement[1] - bone[1],
      s * displacement[2] - bone[2],
    );
  }
}

/**
 * |grad f| over the angles of the bones (rad) and the positions of free roots (length scales), f in squares of that scale and of the largest
 * weight.
 */
export function stationarityOf(tree: PointTree, rootFree: boolean, lengthScale: number): number {
  const { parents, lengths, isActive, weightOfGoal, links } = tree;
  let largest = links.length > 0 ? 1 : 0;
  for (let g = 0; g < weightOfGoal.length; g++) largest = Math.max(largest, weightOfGoal[g]);
  let sum = 0;
  for (let p = 0; p < parents.length; p++) {
    if (isActive[p] === 0) continue;
    const root = parents[p] < 0;
    if (root && !rootFree) continue;
    sumDisplacements(tree, p);
    if (root) sum += (lengthScale * vec3.length(displacement[0], displacement[1], displacement[2])) ** 2;
    else if (lengths[p] > 0) {
      writeBone(tree, p);
      const radial =
        (displacement[0] * bone[0] + displacement[1] * bone[1] + displacement[2] * bone[2]) / lengths[p] ** 2;
      for (let c = 0; c < 3; c++) sum += (lengths[p] * (displacement[c] - radial * bone[c])) ** 2;
    }
  }
  return Math.sqrt(sum) / (largest * lengthScale ** 2);
}

/** Weighted sum of the displacements from the ends below point p to their targets, to `displacement`. @returns the sum of weights. */
function sumDisplacements(
  { points, ends, targets, weightOfGoal, links, below }: PointTree,
  p: number,
): number {
  displacement.fill(0);
  let weight = 0;
  const row = p * ends.length;
  for (let g = 0; g < weightOfGoal.length; g++) {
    if (below[row + g] === 0) continue;
    const w = weightOfGoal[g];
    weight += w;
    for (let c = 0; c < 3; c++) displacement[c] += w * (targets[3 * g + c] - points[3 * ends[g] + c]);
  }
  for (let n = 0; n < links.length; n++) {
    const first = row + weightOfGoal.length + 2 * n;
    // Both ends move with p, or neither.
    if (below[first] === below[first + 1]) continue;
    const { a, b, length } = links[n];
    const distance = distanceBetween(points, a, b);
    if (!(distance > 0)) continue;
    const factor = (below[first] === 1 ? 1 : -1) * (length / distance - 1);
    weight += 1;
    for (let c = 0; c < 3; c++) displacement[c] += factor * (points[3 * a + c] - points[3 * b + c]);
  }
  return weight;
}

/** Writes the vector from the parent of point p to it, to `bone`. */
function writeBone({ points, parents }: PointTree, p: number): void {
  for (let c = 0; c < 3; c++) bone[c] = points[3 * p + c] - points[3 * parents[p] + c];
}

/** Translates point p and its subtree. */
function translateSubtree(
  { points, last, parents, moved }: PointTree,
  p: number,
  x: number,
  y: number,
  z: number,
): void {
  moved.fill(0, p, last[p] + 1);
  moved[p] = 1;
  for (let q = p; q <= last[p]; q++) {
    if (q > p) moved[q] = parents[q] >= p ? moved[parents[q]] : 0;
    if (moved[q] === 0) continue;
    points[3 * q] += x;
    points[3 * q + 1] += y;
    points[3 * q + 2] += z;
  }
}

function distanceBetween(points: Float64Array, a: number, b: number): number {
  const i = 3 * a;
  const j = 3 * b;
  return vec3.length(points[i] - points[j], points[i + 1] - points[j + 1], points[i + 2] - points[j + 2]);
}
