import { limitShapes } from '../../../figure/limits/shapes.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import { writeRotationMatrix } from '../../../rotation/rotation-vector/kernels.js';
import type { Bodies } from './bodies.js';
import { addPair, clearPairs } from './fit-rotation.js';
import { multiplyAt } from './matrices.js';

/** Amplitude relative to the vectors below which they are parallel to the axis and determine no angle. */
const PARALLEL = 1e-12;

const worldAxis = /* @__PURE__ */ new Float64Array(3);
const rotation = /* @__PURE__ */ new Float64Array(9);
const hingeAxis = /* @__PURE__ */ new Float64Array(3);
const hingeOrigin = /* @__PURE__ */ new Float64Array(3);
const local = /* @__PURE__ */ new Float64Array(3);
const inRest = /* @__PURE__ */ new Float64Array(3);
const pair = /* @__PURE__ */ new Float64Array(9);
const angleOf = /* @__PURE__ */ new Float64Array(1);

/**
 * The angle about a unit axis a that best rotates vectors to others, B = sum w y x^T: the maximum of
 * sum w y . R(angle) x = S sin(angle) + C cos(angle) + constant, S = a . sum w x x y, C = tr B - a . B a.
 * NaN where the vectors determine no angle.
 *
 * @param frame - For B in world axes: the frame of `axis`.
 */
export function hingeAngle(b: Numbers, axis: Numbers, frame: Numbers | undefined): number {
  const a = worldAxis;
  for (let r = 0; r < 3; r++) {
    a[r] =
      frame === undefined
        ? axis[r]
        : frame[3 * r] * axis[0] + frame[3 * r + 1] * axis[1] + frame[3 * r + 2] * axis[2];
  }
  const sine = a[0] * (b[7] - b[5]) + a[1] * (b[2] - b[6]) + a[2] * (b[3] - b[1]);
  let cosine = b[0] + b[4] + b[8];
  let size = 0;
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      cosine -= a[r] * b[3 * r + c] * a[c];
      size += Math.abs(b[3 * r + c]);
    }
  }
  return Math.hypot(sine, cosine) > PARALLEL * size ? Math.atan2(sine, cosine) : Number.NaN;
}

/** out = rest exp(angle [axis]), the rotation. */
export function writeHinge(rest: Numbers, axis: Numbers, angle: number, out: MutableNumbers): void {
  writeRotationMatrix(angle * axis[0], angle * axis[1], angle * axis[2], rotation, 0);
  multiplyAt(rest, 0, rotation, 0, out);
}

/**
 * Roll of a bone about its direction d (unit, bone axes) for which a hinge below reaches a target with its point. A hinge preserves the
 * coordinate of its point along its axis a, so with v the target in the bone frame, m the hinge's origin and c = a . point
 *   (R_d(-roll) v - m) . a = c.
 * Of the two solutions the one whose hinge angle is within its limits, then the smaller; the nearest roll where there is none. NaN for a
 * straight limb, which determines no roll.
 *
 * @param frame - Current rotation of the bone.
 * @param position - Target from the bone's origin, or with `fromHinge` from the hinge's; world axes.
 */
export function rollForHinge(
  bodies: Bodies,
  hinge: number,
  frame: Numbers,
  position: Numbers,
  fromHinge: boolean,
  d: Numbers,
  levers: Numbers,
  o: number,
): number {
  const axis = bodies.hingeAxes[hinge];
  if (axis === undefined) return Number.NaN;
  const m = bodies.parentFromRest;
  const at = 12 * hinge;
  const a = hingeAxis;
  let pointAlong = 0;
  let mAlong = 0;
  let aAlong = 0;
  let vAlong = 0;
  let size = 0;
  for (let r = 0; r < 3; r++) {
    const row = at + 3 * r;
    a[r] = m[row] * axis[0] + m[row + 1] * axis[1] + m[row + 2] * axis[2];
    hingeOrigin[r] = fromHinge ? 0 : m[at + 9 + r];
    local[r] = frame[r] * position[0] + frame[3 + r] * position[1] + frame[6 + r] * position[2];
    pointAlong += axis[r] * levers[o + r];
    mAlong += a[r] * hingeOrigin[r];
    aAlong += a[r] * d[r];
    vAlong += local[r] * d[r];
    size += local[r] * local[r];
  }
  // v . R_d(roll) a = P cos + Q sin + (v . d)(a . d)
  const p = a[0] * local[0] + a[1] * local[1] + a[2] * local[2] - aAlong * vAlong;
  const q =
    local[0] * (d[1] * a[2] - d[2] * a[1]) +
    local[1] * (d[2] * a[0] - d[0] * a[2]) +
    local[2] * (d[0] * a[1] - d[1] * a[0]);
  const amplitude = Math.hypot(p, q);
  if (!(amplitude > STRAIGHT * Math.sqrt(size))) return Number.NaN;
  const ratio = Math.max(-1, Math.min(1, (pointAlong + mAlong - aAlong * vAlong) / amplitude));
  const middle = Math.atan2(q, p);
  const half = Math.acos(ratio);
  let best = 0;
  let lowestCost = Number.POSITIVE_INFINITY;
  for (let sign = -1; sign <= 1; sign += 2) {
    const angleToTarget = middle + sign * half;
    const roll = angleToTarget - 2 * Math.PI * Math.round(angleToTarget / (2 * Math.PI));
    const cost = hingeViolation(bodies, hinge, d, roll, levers, o) * LIMIT_PENALTY + Math.abs(roll);
    if (!(cost < lowestCost)) continue;
    lowestCost = cost;
    best = roll;
  }
  return best;
}

/** Sine of a limb's bend angle below which it is straight and determines no roll. */
const STRAIGHT = 1e-9;

/** Cost of a limit violation of one radian, rad of roll: more than any roll. */
const LIMIT_PENALTY = 1e6;

/** Limit violation of the hinge angle, rad. */
function hingeViolation(
  bodies: Bodies,
  hinge: number,
  d: Numbers,
  roll: number,
  levers: Numbers,
  o: number,
): number {
  const limit = bodies.limits[hinge][0];
  const axis = bodies.hingeAxes[hinge];
  if (limit === undefined || axis === undefined) return 0;
  // The target in the hinge's rest frame: M^T (R_d(-roll) v - m).
  writeRotationMatrix(-roll * d[0], -roll * d[1], -roll * d[2], rotation, 0);
  const m = bodies.parentFromRest;
  const at = 12 * hinge;
  for (let c = 0; c < 3; c++) inRest[c] = 0;
  for (let r = 0; r < 3; r++) {
    const x =
      rotation[3 * r] * local[0] +
      rotation[3 * r + 1] * local[1] +
      rotation[3 * r + 2] * local[2] -
      hingeOrigin[r];
    for (let c = 0; c < 3; c++) inRest[c] += m[at + 3 * r + c] * x;
  }
  clearPairs(pair);
  addPair(pair, 1, levers[o], levers[o + 1], levers[o + 2], inRest[0], inRest[1], inRest[2]);
  const angleToTarget = hingeAngle(pair, axis, undefined);
  const angle = Number.isNaN(angleToTarget) ? 0 : angleToTarget;
  // Adds the multiple of 2 pi nearest to the middle of the limit.
  const middle = Number.isFinite(limit.parameters[0] + limit.parameters[1])
    ? 0.5 * (limit.parameters[0] + limit.parameters[1])
    : angle;
  angleOf[0] = angle + 2 * Math.PI * Math.round((middle - angle) / (2 * Math.PI));
  const unclamped = angleOf[0];
  limitShapes[limit.kind].project(limit.parameters, angleOf, 0, 1);
  return Math.abs(angleOf[0] - unclamped);
}
