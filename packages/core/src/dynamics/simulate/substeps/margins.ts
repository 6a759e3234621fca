/** Speculative margins: how far bones may go within a substep, in which contacts are searched. */
import { maxPointSpeed } from '../../kinematics/jacobian.js';
import { MAX_LINEAR_ROTATION, squaredSpin } from '../constraints/center-contacts.js';
import type { Actor } from '../state/actor.js';

/** Added to the distance a bone covers: a length, m, and a share of the fastest bone's distance, for impulses travel along the figure. */
const MARGIN = 0.01;
const SPEED_SHARE = 0.25;

/**
 * Writes the margins of an actor's bones for h seconds, zero where the substep does not move it: against others and against its
 * own figure, from their velocity, its change by external impulses (`boneDirection`) and the speed found in an earlier trial of
 * this substep. Likewise which of them spin.
 *
 * @param freeFall - Distance of free fall from rest in one step, h^2 g, m.
 * @returns whether any spins.
 */
export function writeMargins({ work }: Actor, h: number, freeFall: number): boolean {
  const { boneVelocity, boneDirection, extent, heaviestBone } = work;
  const { margin, ownMargin, spins, expectedSpeed, expectedOwnSpeed, expectedSpin } = work.margins;
  if (!work.substep.active) {
    spins.fill(0);
    margin.fill(0);
    ownMargin.fill(0);
    return false;
  }
  let max = 0;
  let maxOwn = 0;
  let any = false;
  for (let b = 0; b < extent.length; b++) {
    const external = maxPointSpeed(boneDirection, b, extent[b], -1);
    margin[b] = Math.max(expectedSpeed[b], external + maxPointSpeed(boneVelocity, b, extent[b], -1));
    ownMargin[b] = Math.max(
      expectedOwnSpeed[b],
      external + maxPointSpeed(boneVelocity, b, extent[b], heaviestBone),
    );
    const square = Math.max(
      expectedSpin[b] ** 2,
      squaredSpin(boneVelocity, b),
      external > 0 ? squaredSpin(boneDirection, b) : 0,
    );
    spins[b] = h * h * square > MAX_LINEAR_ROTATION ** 2 ? 1 : 0;
    if (spins[b] === 1) any = true;
    max = Math.max(max, margin[b]);
    maxOwn = Math.max(maxOwn, ownMargin[b]);
  }
  work.margins.maxMargin = 0;
  for (let b = 0; b < extent.length; b++) {
    margin[b] = h * (margin[b] + SPEED_SHARE * max) + MARGIN + freeFall;
    ownMargin[b] = h * (ownMargin[b] + SPEED_SHARE * maxOwn) + MARGIN;
    work.margins.maxMargin = Math.max(work.margins.maxMargin, margin[b]);
  }
  return any;
}

/**
 * Whether any bone moves farther than its margin at the velocities found (`boneDirection`), for example where an impact accelerates a limb. Records its
 * speed for the margins of the next trial.
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
