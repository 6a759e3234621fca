import { limitShapes } from '../../../figure/limits/shapes.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { Bodies } from '../bodies/bodies.js';

const s = /* @__PURE__ */ new Float64Array(3);
const t = /* @__PURE__ */ new Float64Array(3);
const limb = /* @__PURE__ */ new Float64Array(3);
const from = /* @__PURE__ */ new Float64Array(3);
const to = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
const normal = /* @__PURE__ */ new Float64Array(3);
const swing = /* @__PURE__ */ new Float64Array(2);
const allowed = /* @__PURE__ */ new Float64Array(2);

/** Distance from a limit (rad) that is rounding. */
const ROUNDING = 1e-9;

/** Sine of an angle below which two directions count as parallel. */
const PARALLEL = 1e-12;

/**
 * Writes the swing of body k that rotates the direction x to y exactly, where the limit allows one. It keeps the component of x along its
 * axis n, which is normal to the axis a of the limb: so n is along a x (y - x) or, where y - x is along a, x x a. Where x is off a, the
 * best of all rotations without its twist may be near another maximum of `fitJoint`.
 *
 * @param b - w y x^T, y in rest axes of the joint, x in body axes.
 */
export function writeExactSwing(
  { figure, state, bones, batches }: Bodies,
  k: number,
  b: Numbers,
  pose: Float64Array,
): void {
  const { joint, index } = figure.bones[bones[k]];
  if (joint.type !== 'swing' || !readDirections(b)) return;
  const { parameters, coordinates } = batches[k];
  for (let c = 0; c < 3; c++) {
    s[c] = parameters[c];
    t[c] = parameters[3 + c];
  }
  vec3.cross(s, t, limb);
  const chord = vec3.norm(vec3.subtract(to, from, axis));
  vec3.cross(limb, axis, axis);
  if (chord > 0) {
    if (!(vec3.norm(axis) > PARALLEL * chord)) vec3.cross(from, limb, axis);
    if (!(vec3.norm(axis) > PARALLEL * chord)) return;
    vec3.scale(axis, 1 / vec3.norm(axis), axis);
  }
  // The angle about n between the components of x and y normal to it; 0 for x = y, whose axis is zero.
  const cosine = vec3.dot(from, to) - vec3.dot(axis, from) * vec3.dot(axis, to);
  const angle = Math.atan2(vec3.dot(axis, vec3.cross(from, to, normal)), cosine);
  swing[0] = angle * vec3.dot(axis, s);
  swing[1] = angle * vec3.dot(axis, t);
  const limits = state.limitsOfBone[index];
  for (let n = 0; n < limits.length; n++) {
    allowed.set(swing);
    limitShapes[limits[n].kind].project(limits[n].parameters, allowed, 0, 2);
    if (Math.abs(allowed[0] - swing[0]) + Math.abs(allowed[1] - swing[1]) > ROUNDING) return;
    swing.set(allowed);
  }
  pose[coordinates[0]] = swing[0];
  pose[coordinates[0] + 1] = swing[1];
}

/** The unit directions x and y of w y x^T, or both reversed. @returns false for a zero matrix. */
function readDirections(b: Numbers): boolean {
  let square = 0;
  for (let r = 0; r < 9; r += 3) {
    const rowSquare = b[r] * b[r] + b[r + 1] * b[r + 1] + b[r + 2] * b[r + 2];
    if (!(rowSquare > square)) continue;
    square = rowSquare;
    for (let c = 0; c < 3; c++) from[c] = b[r + c];
  }
  if (!(square > 0)) return false;
  vec3.scale(from, 1 / Math.sqrt(square), from);
  for (let r = 0; r < 3; r++) to[r] = b[3 * r] * from[0] + b[3 * r + 1] * from[1] + b[3 * r + 2] * from[2];
  vec3.scale(to, 1 / vec3.norm(to), to);
  return true;
}
