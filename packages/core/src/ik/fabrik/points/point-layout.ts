import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { arcAngle, writeChord } from './circular-arc.js';
import type { PointTree } from './point-tree.js';

/** Largest distance from a line, over the chain's length, that counts as straight. */
const STRAIGHT = 1e-6;

/**
 * Solves one goal on one chain from a fixed root in closed form: straight towards a target beyond its length; for a target that is too near,
 * the longest bone towards it and the others back. Both are nearest points. Subtrees are translated along.
 * @returns whether one of these cases applied.
 */
export function straighten(tree: PointTree, target: Vec3): boolean {
  const { chain, points, lengths } = tree;
  if (chain === undefined) return false;
  const base = 3 * chain[0];
  const u = [0, 1, 2].map((c) => target[c] - points[base + c]);
  const distance = vec3.norm(u);
  const chainLengths = chain.slice(1).map((p) => lengths[p]);
  const total = chainLengths.reduce((sum, length) => sum + length, 0);
  const longest = Math.max(...chainLengths);
  const folded = distance < 2 * longest - total;
  if (distance < total && !folded) return false;
  if (!(distance > 1e-12 * total)) writeDirection(tree, chain, u);
  vec3.normalize(u, u);
  const longestIndex = chainLengths.indexOf(longest);
  let distanceAlong = 0;
  savePoints(tree);
  chainLengths.forEach((length, n) => {
    distanceAlong += folded && n !== longestIndex ? -length : length;
    for (let c = 0; c < 3; c++) points[3 * chain[n + 1] + c] = points[base + c] + distanceAlong * u[c];
  });
  translateSubtrees(tree, chain);
  return true;
}

/**
 * Bends every straight chain whose desired end lies on its own line, nearer than its length, to a circular arc with that end: the passes
 * would stay on the line. A chain runs from a root, goal or fork to the next; its desired end is in `desired`.
 *
 * @returns whether any was bent.
 */
export function bendStraightChains(
  tree: PointTree,
  rootFree: boolean,
  bendDirection: Vec3 | undefined,
): boolean {
  const { points, desired, lengths, parents, segments } = tree;
  let found = false;
  for (const chain of segments) {
    const from = rootFree && parents[chain[0]] < 0 ? desired : points;
    const base = 3 * chain[0];
    const end = 3 * chain[chain.length - 1];
    const u = [0, 1, 2].map((c) => desired[end + c] - from[base + c]);
    const distance = vec3.norm(u);
    const chainLengths = chain.slice(1).map((p) => lengths[p]);
    const total = chainLengths.reduce((sum, length) => sum + length, 0);
    if (!(distance < total * (1 - STRAIGHT))) continue;
    if (!(distance > 1e-12 * total)) writeDirection(tree, chain, u);
    vec3.normalize(u, u);
    if (!isStraight(tree, chain, u, total)) continue;
    savePoints(tree);
    bendToArc(tree, chain, chainLengths, u, distance, bendDirection);
    translateSubtrees(tree, chain);
    found = true;
  }
  return found;
}

/** Direction from the base of a chain to its end, or else to its first point; +x if both coincide with the base. */
function writeDirection({ points }: PointTree, chain: readonly number[], u: number[]): void {
  for (const p of [chain[chain.length - 1], chain[1]]) {
    for (let c = 0; c < 3; c++) u[c] = points[3 * p + c] - points[3 * chain[0] + c];
    if (vec3.norm(u) > 0) return;
  }
  u[0] = 1;
}

function isStraight({ points }: PointTree, chain: readonly number[], u: Vec3, total: number): boolean {
  const base = 3 * chain[0];
  return chain.every((p) => {
    const d = [0, 1, 2].map((c) => points[3 * p + c] - points[base + c]);
    return vec3.norm(vec3.addScaled(d, u, -vec3.dot(d, u))) <= STRAIGHT * total;
  });
}

/** Bends a chain to the circular arc of the smallest angle whose chord is the distance. */
function bendToArc(
  { points }: PointTree,
  chain: readonly number[],
  lengths: readonly number[],
  u: readonly number[],
  distance: number,
  bendDirection: Vec3 | undefined,
): void {
  const normal =
    bendDirection === undefined
      ? vec3.perpendicular(u)
      : vec3.addScaled(bendDirection, u, -vec3.dot(bendDirection, u));
  // A bend direction along the line determines nothing.
  const v =
    vec3.norm(normal) > 1e-9 * vec3.norm(bendDirection ?? u) ? vec3.normalize(normal) : vec3.perpendicular(u);
  const angle = arcAngle(lengths, distance);
  const chord = [0, 0];
  writeChord(lengths, angle, lengths.length, chord);
  const tilt = Math.atan2(chord[1], chord[0]);
  const base = 3 * chain[0];
  for (let n = 0; n < lengths.length; n++) {
    writeChord(lengths, angle, n + 1, chord);
    const a = chord[0] * Math.cos(tilt) + chord[1] * Math.sin(tilt);
    const b = chord[1] * Math.cos(tilt) - chord[0] * Math.sin(tilt);
    for (let c = 0; c < 3; c++) points[3 * chain[n + 1] + c] = points[base + c] + a * u[c] + b * v[c];
  }
}

function savePoints({ before, points }: PointTree): void {
  before.set(points);
}

/** Translates the subtrees of a moved chain; every bone stays parallel to its direction in `before`. */
function translateSubtrees({ parents, points, before, moved }: PointTree, chain: readonly number[]): void {
  moved.fill(0);
  for (const p of chain) moved[p] = 1;
  for (let p = 0; p < parents.length; p++) {
    const parent = parents[p];
    if (moved[p] === 1 || parent < 0) continue;
    for (let c = 0; c < 3; c++) {
      points[3 * p + c] = points[3 * parent + c] + (before[3 * p + c] - before[3 * parent + c]);
    }
  }
}
