/** How far bones may come within a step: where contacts are looked for. */
import type { Actor } from './actor.js';

/** Looked ahead beyond the distance that a bone covers, m, and by what part of the fastest bone's: what moves may stir what hangs on it. */
const MARGIN = 0.01;
const SPEED_SHARE = 0.25;

/**
 * The speed that no point of a bone's shapes exceeds, m/s.
 *
 * @param extent - How far they reach from its origin, m.
 * @param seenFrom - Bone whose velocity is taken off, -1 for none.
 */
export function maxPointSpeed(motion: Float64Array, b: number, extent: number, seenFrom: number): number {
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
export function writeMargins({ work }: Actor, h: number, falls: number): void {
  const {
    boneVelocity,
    boneDirection,
    extent,
    heaviestBone,
    margin,
    ownMargin,
    expectedSpeed,
    expectedOwnSpeed,
  } = work;
  let fast = 0;
  let fastOwn = 0;
  for (let b = 0; b < extent.length; b++) {
    const pushed = maxPointSpeed(boneDirection, b, extent[b], -1);
    margin[b] = Math.max(expectedSpeed[b], pushed + maxPointSpeed(boneVelocity, b, extent[b], -1));
    ownMargin[b] = Math.max(
      expectedOwnSpeed[b],
      pushed + maxPointSpeed(boneVelocity, b, extent[b], heaviestBone),
    );
    fast = Math.max(fast, margin[b]);
    fastOwn = Math.max(fastOwn, ownMargin[b]);
  }
  work.maxMargin = 0;
  for (let b = 0; b < extent.length; b++) {
    margin[b] = h * (margin[b] + SPEED_SHARE * fast) + MARGIN + falls;
    ownMargin[b] = h * (ownMargin[b] + SPEED_SHARE * fastOwn) + MARGIN;
    work.maxMargin = Math.max(work.maxMargin, margin[b]);
  }
}

/**
 * Looks whether bones come farther by the velocities found (`boneDirection`) than contacts were looked for, as where a blow whips what hangs on a bone; they
 * are then expected to be as fast.
 */
export function exceedsMargin({ work }: Actor, h: number): boolean {
  const { boneDirection, extent, heaviestBone, margin, ownMargin, expectedSpeed, expectedOwnSpeed } = work;
  let any = false;
  for (let b = 0; b < extent.length; b++) {
    const speed = maxPointSpeed(boneDirection, b, extent[b], -1);
    const speedOwn = maxPointSpeed(boneDirection, b, extent[b], heaviestBone);
    if (h * speed <= margin[b] && h * speedOwn <= ownMargin[b]) continue;
    expectedSpeed[b] = speed;
    expectedOwnSpeed[b] = speedOwn;
    any = true;
  }
  return any;
}
