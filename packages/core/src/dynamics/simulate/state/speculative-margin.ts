/** Speculative margins: distances that bones may move within a substep, within which contacts are detected. */
import type { Actor } from './actor.js';

/** Added to the distance a bone covers: a length, m, and a share of the fastest bone's distance, for impulses travel along the figure. */
const MARGIN = 0.01;
const SPEED_SHARE = 0.25;

/**
 * Upper bound of the speed of the points of a bone's shapes, m/s.
 *
 * @param extent - Largest distance of the shapes from its origin, m.
 * @param reference - Bone relative to whose origin the speed is taken; -1 for the world.
 */
export function maxPointSpeed(motion: Float64Array, b: number, extent: number, reference: number): number {
  const o = 6 * b;
  const x = motion[o];
  const y = motion[o + 1];
  const z = motion[o + 2];
  let u = motion[o + 3];
  let v = motion[o + 4];
  let w = motion[o + 5];
  if (reference >= 0) {
    u -= motion[6 * reference + 3];
    v -= motion[6 * reference + 4];
    w -= motion[6 * reference + 5];
  }
  return Math.sqrt(u * u + v * v + w * w) + extent * Math.sqrt(x * x + y * y + z * z);
}

/**
 * Writes the margins of an actor's bones for h seconds, against others and against its own figure, from their velocity, its change by external impulses
 * (`boneDirection`) and the speed found in an earlier trial of this substep.
 *
 * @param freeFall - Distance of free fall from rest in one step, h^2 g, m.
 */
export function writeMargins({ work }: Actor, h: number, freeFall: number): void {
  const { boneVelocity, boneDirection, extent, heaviestBone } = work;
  const { margin, ownMargin, expectedSpeed, expectedOwnSpeed } = work.margins;
  let max = 0;
  let maxOwn = 0;
  for (let b = 0; b < extent.length; b++) {
    const external = maxPointSpeed(boneDirection, b, extent[b], -1);
    margin[b] = Math.max(expectedSpeed[b], external + maxPointSpeed(boneVelocity, b, extent[b], -1));
    ownMargin[b] = Math.max(
      expectedOwnSpeed[b],
      external + maxPointSpeed(boneVelocity, b, extent[b], heaviestBone),
    );
    max = Math.max(max, margin[b]);
    maxOwn = Math.max(maxOwn, ownMargin[b]);
  }
  work.margins.maxMargin = 0;
  for (let b = 0; b < extent.length; b++) {
    margin[b] = h * (margin[b] + SPEED_SHARE * max) + MARGIN + freeFall;
    ownMargin[b] = h * (ownMargin[b] + SPEED_SHARE * maxOwn) + MARGIN;
    work.margins.maxMargin = Math.max(work.margins.maxMargin, margin[b]);
  }
}

/**
 * Whether any bone moves farther than its margin at the velocities found (`boneDirection`), as where an impact whips a limb. The next trial expects its speed.
 */
export function exceedsMargin({ work }: Actor, h: number): boolean {
  const { boneDirection, extent, heaviestBone } = work;
  const { margin, ownMargin, expectedSpeed, expectedOwnSpeed } = work.margins;
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
