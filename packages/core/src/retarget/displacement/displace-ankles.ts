/** Ankles displaced so that contacts are where they are held and feet above the ground. */
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { rotateAt } from '../kernel/rotations.js';
import { frontHeight, toeAxisHeight } from '../pose/leg.js';
import type { FootPath } from './foot-paths.js';
import { raiseAbove, smoothDisplacement } from './smooth.js';

const vector = /* @__PURE__ */ unset3();

/** Displaces the ankles so that contacts are held where they are pinned, and nothing of the foot is below the ground. */
export function displaceAnkles(path: FootPath, up: ArrayLike<number>, ground: number, step: number): void {
  const { leg, rotations, ankles, heel, ball, heelPins, ballPins } = path;
  const count = heel.length;
  const fixed = new Uint8Array(count);
  const displacement = new Float64Array(3 * count);
  for (let f = 0; f < count; f++) {
    if (heel[f] === 0 && ball[f] === 0) continue;
    const isHeel = heel[f] === 1;
    rotateAt(rotations, 9 * f, isHeel ? leg.heel : leg.ball, 0, vector, 0);
    const pins = isHeel ? heelPins : ballPins;
    for (let k = 0; k < 3; k++) displacement[3 * f + k] = pins[3 * f + k] - vector[k] - ankles[3 * f + k];
    fixed[f] = 1;
    if (isHeel) continue;
    // A foot whose heel is up stands on its front.
    const drop = vec3.dot(vector, up) - frontHeight(leg, rotations, 9 * f, up);
    for (let k = 0; k < 3; k++) displacement[3 * f + k] += drop * up[k];
  }
  smoothDisplacement(displacement, 3, fixed, step);
  for (let i = 0; i < ankles.length; i++) ankles[i] += displacement[i];
  liftAnkles(path, up, ground, step, fixed);
}

/**
 * Moves the ankles of feet in the air as the hips were moved, smoothly from and to contacts, which stay.
 *
 * @param change - Of the hips, three numbers a frame, world.
 */
export function followHips(
  path: FootPath,
  change: Float64Array,
  up: ArrayLike<number>,
  ground: number,
  step: number,
): void {
  const { ankles, heel, ball } = path;
  const isContact = Uint8Array.from(heel, (down, f) => down | ball[f]);
  const displacement = new Float64Array(change.length);
  for (let i = 0; i < change.length; i++) displacement[i] = -change[i];
  smoothDisplacement(displacement, 3, isContact, step);
  for (let i = 0; i < change.length; i++) ankles[i] += change[i] + displacement[i];
  liftAnkles(path, up, ground, step, isContact);
}

/** Lifts the ankles smoothly where heel, ball or tip would be below the ground: of each span below it the lowest frame is lifted first. */
function liftAnkles(
  path: FootPath,
  up: ArrayLike<number>,
  ground: number,
  step: number,
  isContact: Uint8Array,
): void {
  const { leg, rotations, ankles } = path;
  const count = isContact.length;
  const fixed = Uint8Array.from(isContact);
  const lift = new Float64Array(count);
  const needed = new Float64Array(count);
  for (let f = 0; f < count; f++) {
    let lowest = toeAxisHeight(leg, rotations, 9 * f, up);
    for (const point of leg.corners) {
      rotateAt(rotations, 9 * f, point, 0, vector, 0);
      lowest = Math.min(lowest, vec3.dot(vector, up));
    }
    const ankle = ankles[3 * f] * up[0] + ankles[3 * f + 1] * up[1] + ankles[3 * f + 2] * up[2];
    needed[f] = isContact[f] === 1 ? 0 : ground - lowest - ankle;
  }
  raiseAbove(lift, needed, fixed, step);
  for (let f = 0; f < count; f++) for (let k = 0; k < 3; k++) ankles[3 * f + k] += lift[f] * up[k];
}
