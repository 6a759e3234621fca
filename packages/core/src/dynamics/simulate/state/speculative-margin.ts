/** How far bones may come within a step: where contacts are looked for. */
import type { Actor } from './actor.js';

/** Looked ahead beyond the distance that a bone covers, m, and by what part of the fastest bone's: what moves may stir what hangs on it. */
const MARGIN = 0.01;
const STIRS = 0.25;

/**
 * The speed that no point of a bone's shapes exceeds, m/s.
 *
 * @param extent - How far they reach from its origin, m.
 * @param seenFrom - Bone whose velocity is taken off, -1 for none.
 */
export function speedOf(motion: Float64Array, b: number, extent: number, seenFrom: number): number {
  const o = 6 * b;
  const x = motion[o];
  const y = motion[o + 1];
  const z = motion[o + 2];
  let u = motion[o + 3];
  let v = motion[o + 4];
  let w = motion[o + 5];
  if (seenFrom >= 0) {
    u -= motion[6 * seenFrom + 3];
    v -= motion[6 * seenFrom + 4];
    w -= motion[6 * seenFrom + 5];
  }
  return Math.sqrt(u * u + v * v + w * w) + extent * Math.sqrt(x * x + y * y + z * z);
}

/**
 * Writes how far each bone may come within h seconds: among others, and against its own figure, which moves along. By its velocity, what it is pushed
 * with (`boneDirection`) and what was found when this part of the step was tried before.
 */
export function reachOut({ work }: Actor, h: number, falls: number): void {
  const { boneVelocity, boneDirection, extent, heaviest, among, own, expected, expectedOwn } = work;
  let fast = 0;
  let fastOwn = 0;
  for (let b = 0; b < extent.length; b++) {
    const pushed = speedOf(boneDirection, b, extent[b], -1);
    among[b] = Math.max(expected[b], pushed + speedOf(boneVelocity, b, extent[b], -1));
    own[b] = Math.max(expectedOwn[b], pushed + speedOf(boneVelocity, b, extent[b], heaviest));
    fast = Math.max(fast, among[b]);
    fastOwn = Math.max(fastOwn, own[b]);
  }
  work.reach = 0;
  for (let b = 0; b < extent.length; b++) {
    among[b] = h * (among[b] + STIRS * fast) + MARGIN + falls;
    own[b] = h * (own[b] + STIRS * fastOwn) + MARGIN;
    work.reach = Math.max(work.reach, among[b]);
  }
}

/**
 * Looks whether bones come farther by the velocities found (`boneDirection`) than contacts were looked for, as where a blow whips what hangs on a bone; they
 * are then expected to be as fast.
 */
export function outrun({ work }: Actor, h: number): boolean {
  const { boneDirection, extent, heaviest, among, own, expected, expectedOwn } = work;
  let any = false;
  for (let b = 0; b < extent.length; b++) {
    const speed = speedOf(boneDirection, b, extent[b], -1);
    const speedOwn = speedOf(boneDirection, b, extent[b], heaviest);
    if (h * speed <= among[b] && h * speedOwn <= own[b]) continue;
    expected[b] = speed;
    expectedOwn[b] = speedOwn;
    any = true;
  }
  return any;
}
