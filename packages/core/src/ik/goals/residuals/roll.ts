import { GoalError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { requireDirection, unitVector } from '../types/checks.js';
import type { UpAxis } from '../types/goal.js';
import {
  type ColumnMap,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type ResidualFunction,
} from '../types/goal-type.js';
import { rotateMatrix, rotateRows } from './observed-point.js';
import { addRotationRows } from './point-jacobian.js';
import { addChainStiffness, COUPLE_BY_ROTATION, writeTransposedBlock } from './tree-hessian.js';

interface RollData {
  /** Unit axis that points, bone frame. */
  readonly axis: Vec3;
  /** Unit axis that is to be up, normal to `axis`. */
  readonly up: Vec3;
  /** axis x up. */
  readonly third: Vec3;
  /** World direction; the caller's own array. */
  readonly direction: Vec3;
}

/** Least component of the up direction normal to the axis at which the roll is defined. */
const MIN_NORMAL = 1e-9;
/** Sine of the angle below which two axes are parallel. */
const PARALLEL = 1e-6;

const world = /* @__PURE__ */ new Float64Array(3);
/** Components of the up direction along `up` and `third`, and their norm. */
const roll = /* @__PURE__ */ new Float64Array(3);
/** e, then s. */
const gradients = /* @__PURE__ */ new Float64Array(6);
const row = /* @__PURE__ */ new Float64Array(3);
const force = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);
const couple = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);
const ORIGIN = /* @__PURE__ */ new Float64Array(3);
/** [w] and [m]. */
const cross = /* @__PURE__ */ new Float64Array(9);
const forceCross = /* @__PURE__ */ new Float64Array(9);

/**
 * The roll about the pointing axis d. With a and b the components of the up direction p in the bone frame along the up axis u and
 * along s = d x u, l = |(a, b)| and the roll phi = atan2(b, a): r = 2 l sin(phi / 2), f = l (l - a). Where p lies along d the roll is
 * undefined, and r goes to 0 there.
 *
 *   dr/dp = cos(phi/2) s - sin(phi/2) e,  e = d(a - l)/dp = u - (a u + b s)/l,   f'' = e e^T + s s^T + (l - a)/l t t^T,  t = (a s - b u)/l
 *
 * A direction depends on rotations only: relative to the bone it moves by x_i = -(a_i x w), w the direction in the world.
 */
const rollResidual: ResidualFunction<RollData> = {
  evaluate(state, { bone, data }, out, o) {
    writeRoll(state, bone, data);
    if (!(roll[2] > MIN_NORMAL)) {
      out[o] = 0;
      return 0;
    }
    out[o] = 2 * roll[2] * Math.sin(0.5 * Math.atan2(roll[1], roll[0]));
    return Math.abs(out[o]);
  },
  jacobian(state, { bone, data, rowScale, firstRow }, _residual, out) {
    writeRoll(state, bone, data);
    writeGradients(data);
    const half = roll[2] > MIN_NORMAL ? 0.5 * Math.atan2(roll[1], roll[0]) : 0;
    const c = Math.cos(half);
    const s = Math.sin(half);
    for (let k = 0; k < 3; k++) gradients[k] = c * gradients[3 + k] - s * gradients[k];
    rotateRows(state.worldFromBone, 12 * bone, gradients, 1);
    // Gradient times (w x a_i).
    vec3.cross(gradients, world, row);
    addRotationRows(state, bone, row, 1, rowScale, firstRow, out);
  },
  check: ({ direction }, path) => requireDirection(direction, 3, `${path}.up.direction`),
  generic: (data, random) => ({ ...data, direction: [random(), random(), random()] }),
};

/**
 * With m = df/dp and M = d2f/dp2 in world axes, f_i = a_i.n, n = m x w, and f_ij = a_i.(w x (M (a_j x w) + m x a_j)), i before j:
 * the Hessian of `observed-point.ts` without the position.
 */
export const rollHessian: GoalHessian<RollData> = {
  residualFunction: rollResidual,
  add(state, component, _residual, columns, out) {
    const { bone, data, rowScale } = component;
    writeRoll(state, bone, data);
    writeGradients(data);
    const [a, b, l] = roll;
    const square = rowScale * rowScale;
    const ratio = l > MIN_NORMAL ? (l - a) / l : 0;
    for (let i = 0; i < 3; i++) {
      const ti = l > MIN_NORMAL ? (a * data.third[i] - b * data.up[i]) / l : 0;
      force[i] = square * ((a - l) * gradients[i] + b * gradients[3 + i]);
      for (let j = 0; j < 3; j++) {
        const tj = l > MIN_NORMAL ? (a * data.third[j] - b * data.up[j]) / l : 0;
        const along = gradients[i] * gradients[j] + gradients[3 + i] * gradients[3 + j];
        curvature[3 * i + j] = square * (along + ratio * ti * tj);
      }
    }
    addDirectionHessian(state, bone, columns, out);
  },
  /** Where the goal is met dr/dp = s and r'' = 0. */
  addConstraint(state, { bone, data, rowScale, firstRow }, multipliers, columns, out) {
    writeRoll(state, bone, data);
    for (let k = 0; k < 3; k++) force[k] = rowScale * rowScale * multipliers[firstRow] * data.third[k];
    curvature.fill(0);
    addDirectionHessian(state, bone, columns, out);
  },
};

/**
 * Adds the second derivative by the rotations of a bone of a function with gradient `force` and Hessian `curvature` by p, bone frame:
 * K = [w] (M [w]^T + [m]), in place.
 */
function addDirectionHessian(state: FigureState, bone: number, columns: ColumnMap, out: Float64Array): void {
  rotateRows(state.worldFromBone, 12 * bone, force, 1);
  rotateMatrix(state.worldFromBone, 12 * bone, curvature);
  mat3.skew(world, cross);
  rotateRows(cross, 0, curvature, 3);
  mat3.skew(force, forceCross);
  for (let k = 0; k < 9; k++) curvature[k] += forceCross[k];
  mat3.transpose(curvature, curvature);
  rotateRows(cross, 0, curvature, 3);
  writeTransposedBlock(stiffness, COUPLE_BY_ROTATION, curvature);
  vec3.cross(force, world, force);
  for (let k = 0; k < 3; k++) couple[3 + k] = force[k];
  addChainStiffness(state, columns, bone, -1, ORIGIN, stiffness, couple, out);
}

/** The component that keeps `up` up while `axis` points. @throws GoalError for an up axis along the pointing axis. */
export function rollComponent(
  figure: Figure,
  bone: number,
  axis: Vec3,
  up: UpAxis,
  tolerance: number,
  path: string,
): GoalComponent {
  const given = unitVector(up.axis, `${path}.axis`);
  const along = vec3.dot(axis, given);
  const normal = [0, 1, 2].map((k) => given[k] - along * axis[k]);
  const length = Math.hypot(...normal);
  if (!(length > PARALLEL)) {
    throw new GoalError('out-of-range', 'lies along the axis that points.', {
      path: `${path}.axis`,
      remedy: 'Give an axis that is not parallel to it.',
    });
  }
  const unit: Vec3 = normal.map((x) => x / length);
  const direction = up.direction ?? figure.up;
  requireDirection(direction, 3, `${path}.direction`);
  return componentOf({
    residualFunction: rollResidual,
    data: { axis, up: unit, third: vec3.cross(axis, unit), direction },
    rows: 1,
    unit: 'angle',
    name: 'up',
    bone,
    targetBone: -1,
    tolerance,
  });
}

/** The unit up direction to `world`, and its components normal to the axis to `roll`. */
function writeRoll(
  { worldFromBone: m }: FigureState,
  bone: number,
  { up, third, direction }: RollData,
): void {
  const length = vec3.length(direction[0], direction[1], direction[2]);
  for (let k = 0; k < 3; k++) world[k] = direction[k] / length;
  const w = 12 * bone;
  let a = 0;
  let b = 0;
  for (let k = 0; k < 3; k++) {
    const p = m[w + k] * world[0] + m[w + 3 + k] * world[1] + m[w + 6 + k] * world[2];
    a += p * up[k];
    b += p * third[k];
  }
  roll[0] = a;
  roll[1] = b;
  roll[2] = Math.sqrt(a * a + b * b);
}

function writeGradients({ up, third }: RollData): void {
  const [a, b, l] = roll;
  const inverse = l > MIN_NORMAL ? 1 / l : 0;
  for (let k = 0; k < 3; k++) {
    gradients[k] = l > MIN_NORMAL ? up[k] - (a * up[k] + b * third[k]) * inverse : 0;
    gradients[3 + k] = third[k];
  }
}
