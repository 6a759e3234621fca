import { limitShapes } from '../../../figure/limits/shapes.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import { writeRotationMatrix } from '../../../rotation/rotation-vector/kernels.js';
import type { Bodies } from './bodies.js';
import { addPair, clearPairs } from './fit-rotation.js';
import { multiplyAt } from './matrices.js';

/** Share of the vectors' own size below which they tell nothing of a turn about the axis: they lie along it. */
const ALONG = 1e-12;

const worldAxis = /* @__PURE__ */ new Float64Array(3);
const turn = /* @__PURE__ */ new Float64Array(9);
const hingeAxis = /* @__PURE__ */ new Float64Array(3);
const hingeOrigin = /* @__PURE__ */ new Float64Array(3);
const local = /* @__PURE__ */ new Float64Array(3);
const inRest = /* @__PURE__ */ new Float64Array(3);
const pair = /* @__PURE__ */ new Float64Array(9);
const angleOf = /* @__PURE__ */ new Float64Array(1);

/**
 * The turn about a unit axis a that takes vectors nearest to others, B = sum w y x^T: the maximum of
 * sum w y . R(angle) x = S sin(angle) + C cos(angle) + constant, S = a . sum w x x y, C = tr B - a . B a.
 * NaN where the vectors do not tell.
 *
 * @param frame - Where B is in world axes: the frame whose axes `axis` is given in.
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
  return Math.hypot(sine, cosine) > ALONG * size ? Math.atan2(sine, cosine) : Number.NaN;
}

/** out = rest exp(angle [axis]), the rotation. */
export function writeHinge(rest: Numbers, axis: Numbers, angle: number, out: MutableNumbers): void {
  writeRotationMatrix(angle * axis[0], angle * axis[1], angle * axis[2], turn, 0);
  multiplyAt(rest, 0, turn, 0, out);
}

/**
 * The turn of a bone about its own direction d (unit, its own axes) that lets a hinge below bring its point to a place: a hinge keeps
 * the part of its point along its axis a, so with v the place seen from the bone, m the hinge's origin and c = a . point
 *   (R_d(-roll) v - m) . a = c.
 * Of the two answers the one whose hinge angle is within its limits, then the smaller. NaN where the place does not tell
 * (a straight limb); the nearest there is where no turn serves.
 *
 * @param frame - The bone's rotation so far.
 * @param place - From the bone's origin, or `fromHinge` from that of the hinge; world axes.
 */
export function rollForHinge(
  bodies: Bodies,
  hinge: number,
  frame: Numbers,
  place: Numbers,
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
  let kept = 0;
  let mAlong = 0;
  let aAlong = 0;
  let vAlong = 0;
  let size = 0;
  for (let r = 0; r < 3; r++) {
    const row = at + 3 * r;
    a[r] = m[row] * axis[0] + m[row + 1] * axis[1] + m[row + 2] * axis[2];
    hingeOrigin[r] = fromHinge ? 0 : m[at + 9 + r];
    local[r] = frame[r] * place[0] + frame[3 + r] * place[1] + frame[6 + r] * place[2];
    kept += axis[r] * levers[o + r];
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
  const ratio = Math.max(-1, Math.min(1, (kept + mAlong - aAlong * vAlong) / amplitude));
  const middle = Math.atan2(q, p);
  const half = Math.acos(ratio);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let side = -1; side <= 1; side += 2) {
    const turned = middle + side * half;
    const roll = turned - 2 * Math.PI * Math.round(turned / (2 * Math.PI));
    const cost = hingeExcess(bodies, hinge, d, roll, levers, o) * OVER + Math.abs(roll);
    if (!(cost < least)) continue;
    least = cost;
    best = roll;
  }
  return best;
}

/** Sine of the bend of a limb below which it is straight, and tells nothing of its roll. */
const STRAIGHT = 1e-9;

/** A turn, rad, that an excess of one rad over the hinge's limit counts as much as: more than any roll. */
const OVER = 1e6;

/** How far the angle that the hinge would take is outside its limits, rad. */
function hingeExcess(
  bodies: Bodies,
  hinge: number,
  d: Numbers,
  roll: number,
  levers: Numbers,
  o: number,
): number {
  const part = bodies.limits[hinge][0];
  const axis = bodies.hingeAxes[hinge];
  if (part === undefined || axis === undefined) return 0;
  // The place seen from the hinge at rest: M^T (R_d(-roll) v - m).
  writeRotationMatrix(-roll * d[0], -roll * d[1], -roll * d[2], turn, 0);
  const m = bodies.parentFromRest;
  const at = 12 * hinge;
  for (let c = 0; c < 3; c++) inRest[c] = 0;
  for (let r = 0; r < 3; r++) {
    const x =
      turn[3 * r] * local[0] + turn[3 * r + 1] * local[1] + turn[3 * r + 2] * local[2] - hingeOrigin[r];
    for (let c = 0; c < 3; c++) inRest[c] += m[at + 3 * r + c] * x;
  }
  clearPairs(pair);
  addPair(pair, 1, levers[o], levers[o + 1], levers[o + 2], inRest[0], inRest[1], inRest[2]);
  const turned = hingeAngle(pair, axis, undefined);
  const angle = Number.isNaN(turned) ? 0 : turned;
  // Whole turns may bring it inside.
  const middle = Number.isFinite(part.parameters[0] + part.parameters[1])
    ? 0.5 * (part.parameters[0] + part.parameters[1])
    : angle;
  angleOf[0] = angle + 2 * Math.PI * Math.round((middle - angle) / (2 * Math.PI));
  const before = angleOf[0];
  limitShapes[part.kind].project(part.parameters, angleOf, 0, 1);
  return Math.abs(angleOf[0] - before);
}
