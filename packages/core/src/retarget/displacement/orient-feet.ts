/** Orientations of the feet: level while heel and ball are down. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { matrixFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { spansOf, speedFrames } from '../contact/detect.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt, writeFrame } from '../kernel/rotations.js';
import type { FootPath } from './foot-paths.js';
import { smoothDisplacement } from './smooth.js';

/** Rounds in which the ends of feet are kept above the ground. */
const MAX_ROUNDS = 8;
/** Depth below the ground that is left, m. */
const TOLERANCE = 1e-4;
/** A foot that is rolled further does not stand, rad. */
const MAX_ROLL = 1;

const vector = /* @__PURE__ */ unset3();
const level = /* @__PURE__ */ new Float64Array(9);
const scratch = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);

/** Orients a foot level, heading where it does on the mean, over each span in which heel and ball are down; blended in and out. */
export function orientFeet(path: FootPath, up: ArrayLike<number>, step: number): void {
  const { leg, rotations, heel, ball } = path;
  const count = heel.length;
  const flat = new Uint8Array(count);
  for (let f = 0; f < count; f++) flat[f] = heel[f] & ball[f];
  const fixed = Uint8Array.from(flat);
  const displacement = new Float64Array(3 * count);
  const upward = Float64Array.from(up);
  for (const [first, last] of spansOf(flat)) {
    const heading = new Float64Array(3);
    for (let f = first; f <= last; f++) {
      rotateAt(rotations, 9 * f, leg.footForward, 0, vector, 0);
      vec3.add(heading, vector, heading);
    }
    writeFrame(upward, heading, level, 0);
    multiplyTransposedAt(level, 0, leg.footAxes, 0, product, 0);
    for (let f = first; f <= last; f++) writeDisplacement(product, rotations, f, displacement);
  }
  const carried = Float64Array.from(rotations);
  const sole = vec3.subtract(leg.ball, leg.heel);
  const highest = highestEnds(path, step);
  for (let round = 0; ; round++) {
    smoothDisplacement(displacement, 3, fixed, step);
    for (let f = 0; f < count; f++) {
      for (let k = 0; k < 3; k++) vector[k] = displacement[3 * f + k];
      matrixFromRotationVector(vector, scratch);
      multiplyAt(scratch, 0, carried, 9 * f, rotations, 9 * f);
    }
    if (round === MAX_ROUNDS) break;
    // With the heel down the ball is not below it, and not higher than it lands from; and the other way round.
    let isLow = false;
    for (let f = 0; f < count; f++) {
      if (flat[f] === 1 || heel[f] === ball[f] || fixed[f] === 1) continue;
      rotateAt(rotations, 9 * f, sole, 0, vector, 0);
      const rise = vec3.dot(vector, up) * (heel[f] === 1 ? 1 : -1);
      if (rise > -TOLERANCE && rise < highest[f] + TOLERANCE) continue;
      const share = rise > 0 ? 1 - highest[f] / rise : 1;
      // Level along the sole: by the shortest rotation of its direction onto the ground.
      const direction = vec3.normalize(vector);
      const along = vec3.normalize(vec3.addScaled(direction, up, -vec3.dot(direction, up)));
      const axis = vec3.cross(direction, along);
      const sine = vec3.norm(axis);
      if (!(sine > 0)) continue;
      quat.toMatrix(
        quat.fromAxisAngle(vec3.scale(axis, 1 / sine), share * Math.atan2(sine, vec3.dot(direction, along))),
        scratch,
      );
      multiplyAt(scratch, 0, rotations, 9 * f, product, 0);
      writeDisplacement(product, carried, f, displacement);
      fixed[f] = 1;
      isLow = true;
    }
    if (!isLow) break;
  }
}

/**
 * Height of the end that is up, in the frame by which the speed of its landing is measured: from there it lands as fast as in the clip, however long the foot is.
 * No bound elsewhere.
 */
function highestEnds({ heel, ball, heelSpeeds, ballSpeeds }: FootPath, step: number): Float64Array {
  const highest = new Float64Array(heel.length).fill(Number.POSITIVE_INFINITY);
  const half = speedFrames(step);
  for (const [landing, other, speeds] of [
    [heel, ball, heelSpeeds],
    [ball, heel, ballSpeeds],
  ] as const) {
    for (const [first] of spansOf(landing)) {
      const f = first - half;
      if (f < 0 || landing[f] === 1 || other[f] === 0 || other[first] === 0) continue;
      highest[f] = 2 * half * step * speeds[first];
    }
  }
  return highest;
}

/** Rolls a foot about its direction so that it is level from side to side while heel or ball are down; blended in and out. */
export function levelRoll(
  { leg, rotations, heel, ball }: FootPath,
  up: ArrayLike<number>,
  step: number,
): void {
  const count = heel.length;
  const roll = new Float64Array(count);
  const isDown = new Uint8Array(count);
  for (let f = 0; f < count; f++) {
    if (heel[f] === 0 && ball[f] === 0) continue;
    isDown[f] = 1;
    // Height of the left of the foot at an angle about its direction: x cos + y sin.
    rotateAt(rotations, 9 * f, leg.footLeft, 0, vector, 0);
    const x = vec3.dot(vector, up);
    rotateAt(rotations, 9 * f, leg.footUp, 0, vector, 0);
    // Forward x left = up.
    roll[f] = -Math.atan2(x, vec3.dot(vector, up));
    if (Math.abs(roll[f]) > MAX_ROLL) roll[f] = 0;
  }
  smoothDisplacement(roll, 1, isDown, step);
  for (let f = 0; f < count; f++) {
    if (roll[f] === 0) continue;
    quat.toMatrix(quat.fromAxisAngle(leg.footForward, roll[f]), scratch);
    multiplyAt(rotations, 9 * f, scratch, 0, product, 0);
    copyAt(product, 0, rotations, 9 * f, 9);
  }
}

/** Rotation vector of R R_carried^T at a frame, world axes. */
function writeDisplacement(r: Float64Array, carried: Float64Array, f: number, out: Float64Array): void {
  multiplyTransposedAt(r, 0, carried, 9 * f, scratch, 0);
  rotationVectorFromMatrix(scratch, undefined, vector);
  for (let k = 0; k < 3; k++) out[3 * f + k] = vector[k];
}
