import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { arcAngle, writeChord } from './circular-arc.js';
import type { PointTree } from './point-tree.js';

/** Share of its length that a chain may be off a line and still count as straight. */
const STRAIGHT = 1e-6;

/**
 * Where one goal hangs on one chain from a fixed root: straight at a target beyond it; the longest bone at it and the others back
 * where it is too near. Nothing comes nearer. What hangs on the chain rides along. Whether one of these holds.
 */
export function layOut(tree: PointTree, target: Vec3): boolean {
  const { chain, points, lengths } = tree;
  if (chain === undefined) return false;
  const base = 3 * chain[0];
  const u = [0, 1, 2].map((c) => target[c] - points[base + c]);
  const distance = vec3.norm(u);
  const own = chain.slice(1).map((p) => lengths[p]);
  const total = own.reduce((sum, length) => sum + length, 0);
  const longest = Math.max(...own);
  const folded = distance < 2 * longest - total;
  if (distance < total && !folded) return false;
  if (!(distance > 1e-12 * total)) writeDirection(tree, chain, u);
  vec3.normalize(u, u);
  const out = own.indexOf(longest);
  let along = 0;
  keepPoints(tree);
  own.forEach((length, n) => {
    along += folded && n !== out ? -length : length;
    for (let c = 0; c < 3; c++) points[3 * chain[n + 1] + c] = points[base + c] + along * u[c];
  });
  ride(tree, chain);
  return true;
}

/**
 * Bends every straight chain whose end is wanted on its own line, nearer than it is long, to the arc that ends there: on that line
 * the passes would stay. A chain runs from a root, a goal or a fork to the next; its end is wanted where `wanted` has it.
 *
 * @returns whether any was bent.
 */
export function unbend(tree: PointTree, rootFree: boolean, side: Vec3 | undefined): boolean {
  const { points, wanted, lengths, parents, segments } = tree;
  let any = false;
  for (const chain of segments) {
    const from = rootFree && parents[chain[0]] < 0 ? wanted : points;
    const base = 3 * chain[0];
    const end = 3 * chain[chain.length - 1];
    const u = [0, 1, 2].map((c) => wanted[end + c] - from[base + c]);
    const distance = vec3.norm(u);
    const own = chain.slice(1).map((p) => lengths[p]);
    const total = own.reduce((sum, length) => sum + length, 0);
    if (!(distance < total * (1 - STRAIGHT))) continue;
    if (!(distance > 1e-12 * total)) writeDirection(tree, chain, u);
    vec3.normalize(u, u);
    if (!isStraight(tree, chain, u, total)) continue;
    keepPoints(tree);
    bend(tree, chain, own, u, distance, side);
    ride(tree, chain);
    any = true;
  }
  return any;
}

/** From the base of a chain to its end, or to its first point, where these are apart; else +x. */
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

/** Each bone turned against the one before by the same angle, the least whose chord is the distance. */
function bend(
  { points }: PointTree,
  chain: readonly number[],
  lengths: readonly number[],
  u: readonly number[],
  distance: number,
  side: Vec3 | undefined,
): void {
  const across = side === undefined ? vec3.perpendicular(u) : vec3.addScaled(side, u, -vec3.dot(side, u));
  // A side along the line tells nothing.
  const v = vec3.norm(across) > 1e-9 * vec3.norm(side ?? u) ? vec3.normalize(across) : vec3.perpendicular(u);
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

function keepPoints({ before, points }: PointTree): void {
  before.set(points);
}

/** What hangs on a chain that was moved goes along, every bone parallel to where it was in `before`. */
function ride({ parents, points, before, placed }: PointTree, chain: readonly number[]): void {
  placed.fill(0);
  for (const p of chain) placed[p] = 1;
  for (let p = 0; p < parents.length; p++) {
    const parent = parents[p];
    if (placed[p] === 1 || parent < 0) continue;
    for (let c = 0; c < 3; c++) {
      points[3 * p + c] = points[3 * parent + c] + (before[3 * p + c] - before[3 * parent + c]);
    }
  }
}
