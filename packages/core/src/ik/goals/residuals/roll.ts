import { GoalError } from '../../../errors.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Vec3 } from '../../../math/linear/types.js';
import { requireDirection, unitVector } from '../types/checks.js';
import type { UpAxis } from '../types/goal.js';
import { type PartDraft, type PartMath, partOf } from '../types/goal-type.js';
import { turnMatrixToWorld, turnRowsToWorld } from './observed-point.js';
import { addTurningRows } from './point-jacobian.js';
import { addChainStiffness, COUPLE_BY_TURNING } from './tree-hessian.js';

interface UpData {
  /** Unit axis that points, bone frame. */
  readonly axis: Vec3;
  /** Unit axis that is to be up, across it. */
  readonly up: Vec3;
  /** axis x up. */
  readonly side: Vec3;
  /** World direction; the caller's own array. */
  readonly direction: Vec3;
}

const Y_AXIS: Vec3 = [0, 1, 0];
/** How much of the up direction must stand across the axis for the roll to count as known. */
const ALONG = 1e-9;
/** Sine of the angle below which two axes count as one. */
const PARALLEL = 1e-6;

const world = /* @__PURE__ */ new Float64Array(3);
/** Up direction across the axis, by components along `up` and `side`, and their length. */
const roll = /* @__PURE__ */ new Float64Array(3);
/** e, then s. */
const slope = /* @__PURE__ */ new Float64Array(6);
const row = /* @__PURE__ */ new Float64Array(3);
const force = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);
const nowhere = /* @__PURE__ */ new Float64Array(3);

/**
 * The roll about the pointing axis d. With a and b the components of the up direction p, seen from the bone, along the up axis u
 * and along s = d x u, l = |(a, b)| and the roll phi = atan2(b, a): r = 2 l sin(phi / 2), f = l (l - a). Where up lies along d there
 * is no roll to ask for, and r fades towards it.
 *
 *   dr/dp = cos(phi/2) s - sin(phi/2) e,  e = d(a - l)/dp = u - (a u + b s)/l,   f'' = e e^T + s s^T + (l - a)/l t t^T,  t = (a s - b u)/l
 *
 * A direction has no place: it is seen to move by x_i = -(a_i x w), w the direction in the world.
 */
const upMath: PartMath<UpData> = {
  residual(state, { bone, data }, out, o) {
    writeRoll(state, bone, data);
    if (!(roll[2] > ALONG)) {
      out[o] = 0;
      return 0;
    }
    out[o] = 2 * roll[2] * Math.sin(0.5 * Math.atan2(roll[1], roll[0]));
    return Math.abs(out[o]);
  },
  jacobian(state, { bone, data, scale, firstRow }, _residual, out) {
    writeRoll(state, bone, data);
    writeSlope(data);
    const half = roll[2] > ALONG ? 0.5 * Math.atan2(roll[1], roll[0]) : 0;
    const c = Math.cos(half);
    const s = Math.sin(half);
    for (let k = 0; k < 3; k++) slope[k] = c * slope[3 + k] - s * slope[k];
    turnRowsToWorld(state, bone, slope, 1);
    // slope (w x a_i)
    crossTo(slope, 0, world, row, 0);
    addTurningRows(state, bone, row, 1, scale, firstRow, out);
  },
  /**
   * With m = df/dp and M = d2f/dp2 in world axes, f_i = a_i.n, n = m x w, and f_ij = a_i.(w x (M (a_j x w) + m x a_j)), i before j:
   * what `seen-point.ts` has for a point, without its place.
   */
  hessian(state, { bone, data, scale }, _residual, columns, out) {
    writeRoll(state, bone, data);
    writeSlope(data);
    const [a, b, l] = roll;
    const square = scale * scale;
    const bend = l > ALONG ? (l - a) / l : 0;
    for (let i = 0; i < 3; i++) {
      const ti = l > ALONG ? (a * data.side[i] - b * data.up[i]) / l : 0;
      force[i] = square * ((a - l) * slope[i] + b * slope[3 + i]);
      for (let j = 0; j < 3; j++) {
        const tj = l > ALONG ? (a * data.side[j] - b * data.up[j]) / l : 0;
        const along = slope[i] * slope[j] + slope[3 + i] * slope[3 + j];
        curvature[3 * i + j] = square * (along + bend * ti * tj);
      }
    }
    turnRowsToWorld(state, bone, force, 1);
    turnMatrixToWorld(state, bone, curvature);
    for (let j = 0; j < 3; j++) {
      // Column j: z = M (e_j x w) + m x e_j, then w x z.
      crossUnit(j, world, column);
      for (let i = 0; i < 3; i++) {
        const o = 3 * i;
        response[i] = curvature[o] * column[0] + curvature[o + 1] * column[1] + curvature[o + 2] * column[2];
      }
      crossUnit(j, force, column);
      for (let i = 0; i < 3; i++) response[i] -= column[i];
      crossTo(world, 0, response, column, 0);
      for (let i = 0; i < 3; i++) stiffness[COUPLE_BY_TURNING + 6 * i + j] = column[i];
    }
    crossTo(force, 0, world, couple, 3);
    addChainStiffness(state, columns, bone, -1, nowhere, stiffness, couple, out);
  },
  check: ({ direction }, path) => requireDirection(direction, 3, `${path}.up.direction`),
  general: (data, random) => ({ ...data, direction: [random(), random(), random()] }),
};

const column = /* @__PURE__ */ new Float64Array(3);
const response = /* @__PURE__ */ new Float64Array(3);

/** The part that keeps `up` up while `axis` points. @throws GoalError for an up axis along the pointing axis. */
export function upPart(bone: number, axis: Vec3, up: UpAxis, tolerance: number, path: string): PartDraft {
  const given = unitVector(up.axis, `${path}.axis`);
  const along = vec3.dot(axis, given);
  const across = [0, 1, 2].map((k) => given[k] - along * axis[k]);
  const length = Math.hypot(...across);
  if (!(length > PARALLEL)) {
    throw new GoalError('out-of-range', 'lies along the axis that points.', {
      path: `${path}.axis`,
      remedy: 'Give an axis across it.',
    });
  }
  const unit: Vec3 = across.map((x) => x / length);
  const direction = up.direction ?? Y_AXIS;
  requireDirection(direction, 3, `${path}.direction`);
  return partOf({
    math: upMath,
    data: { axis, up: unit, side: vec3.cross(axis, unit), direction },
    rows: 1,
    unit: 'angle',
    name: 'up',
    bone,
    targetBone: -1,
    tolerance,
  });
}

/** The unit up direction to `world`, and its components across the axis to `roll`. */
function writeRoll({ worldFromBone: m }: FigureState, bone: number, { up, side, direction }: UpData): void {
  const length = vec3.length(direction[0], direction[1], direction[2]);
  for (let k = 0; k < 3; k++) world[k] = direction[k] / length;
  const w = 12 * bone;
  let a = 0;
  let b = 0;
  for (let k = 0; k < 3; k++) {
    const p = m[w + k] * world[0] + m[w + 3 + k] * world[1] + m[w + 6 + k] * world[2];
    a += p * up[k];
    b += p * side[k];
  }
  roll[0] = a;
  roll[1] = b;
  roll[2] = Math.sqrt(a * a + b * b);
}

function writeSlope({ up, side }: UpData): void {
  const [a, b, l] = roll;
  const inverse = l > ALONG ? 1 / l : 0;
  for (let k = 0; k < 3; k++) {
    slope[k] = l > ALONG ? up[k] - (a * up[k] + b * side[k]) * inverse : 0;
    slope[3 + k] = side[k];
  }
}

/** out[o...] = u[p...] x v. */
function crossTo(u: MutableNumbers, p: number, v: MutableNumbers, out: MutableNumbers, o: number): void {
  const x = u[p + 1] * v[2] - u[p + 2] * v[1];
  const y = u[p + 2] * v[0] - u[p] * v[2];
  out[o + 2] = u[p] * v[1] - u[p + 1] * v[0];
  out[o] = x;
  out[o + 1] = y;
}

/** out = e_j x v. */
function crossUnit(j: number, v: MutableNumbers, out: MutableNumbers): void {
  out[0] = j === 1 ? v[2] : j === 2 ? -v[1] : 0;
  out[1] = j === 2 ? v[0] : j === 0 ? -v[2] : 0;
  out[2] = j === 0 ? v[1] : j === 1 ? -v[0] : 0;
}
