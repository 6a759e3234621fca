import type { Vec3 } from '../../math/types.js';
import * as vec3 from '../../math/vec3.js';
import type { PointTree } from './point-tree.js';

/** Share of its length that a chain may be off a line and still count as straight. */
const STRAIGHT = 1e-6;

/**
 * Where one chain from a fixed root has one goal at its end: straight at a target beyond it; the longest bone at it and the others back
 * where it is too near; and where chain and target are on one line, where the passes would stay, bent to the arc that ends
 * there. What came of it, or undefined where none of these holds.
 */
export function layOut(tree: PointTree, target: Vec3, side: Vec3 | undefined): 'out-of-reach' | undefined {
  const { chain, points, lengths, links } = tree;
  if (chain === undefined || links.length > 0) return undefined;
  const base = 3 * chain[0];
  const u = [0, 1, 2].map((c) => target[c] - points[base + c]);
  const distance = vec3.norm(u);
  const own = chain.slice(1).map((p) => lengths[p]);
  const total = own.reduce((sum, length) => sum + length, 0);
  const longest = Math.max(...own);
  if (!(distance > 1e-12 * total)) {
    const end = 3 * chain[chain.length - 1];
    for (let c = 0; c < 3; c++) u[c] = points[end + c] - points[base + c];
    if (!(vec3.norm(u) > 0)) for (let c = 0; c < 3; c++) u[c] = points[3 * chain[1] + c] - points[base + c];
    if (!(vec3.norm(u) > 0)) u[0] = 1;
  }
  vec3.normalize(u, u);
  const folded = distance < 2 * longest - total;
  if (distance >= total || folded) {
    const out = own.indexOf(longest);
    let along = 0;
    own.forEach((length, n) => {
      along += folded && n !== out ? -length : length;
      for (let c = 0; c < 3; c++) points[3 * chain[n + 1] + c] = points[base + c] + along * u[c];
    });
    return 'out-of-reach';
  }
  for (const p of chain) {
    const d = [0, 1, 2].map((c) => points[3 * p + c] - points[base + c]);
    if (vec3.norm(vec3.addScaled(d, u, -vec3.dot(d, u))) > STRAIGHT * total) return undefined;
  }
  bend(tree, chain, own, u, distance, side);
  return undefined;
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
  const at = (t: number): number[][] => {
    let x = 0;
    let y = 0;
    return lengths.map((length, n) => {
      x += length * Math.cos(n * t);
      y += length * Math.sin(n * t);
      return [x, y];
    });
  };
  const chordOf = (t: number): number => Math.hypot(...at(t)[lengths.length - 1]);
  let low = 0;
  let high = 0;
  const stride = Math.PI / (4 * lengths.length);
  while (high < Math.PI && chordOf(high) > distance) {
    low = high;
    high += stride;
  }
  if (chordOf(high) > distance) {
    // No arc comes so near: any bend that leaves the line will do for the passes to go on from.
    low = high = stride;
  }
  for (let n = 0; n < 60 && high > low; n++) {
    const middle = 0.5 * (low + high);
    if (chordOf(middle) > distance) low = middle;
    else high = middle;
  }
  const arc = at(high);
  const [ex, ey] = arc[arc.length - 1];
  const tilt = Math.atan2(ey, ex);
  const base = 3 * chain[0];
  arc.forEach(([x, y], n) => {
    const a = x * Math.cos(tilt) + y * Math.sin(tilt);
    const b = y * Math.cos(tilt) - x * Math.sin(tilt);
    for (let c = 0; c < 3; c++) points[3 * chain[n + 1] + c] = points[base + c] + a * u[c] + b * v[c];
  });
}
