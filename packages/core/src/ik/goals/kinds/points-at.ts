import { worldPoint } from '../../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import {
  addObservedPointHessian,
  addObservedPointRows,
  rotateRows,
  rotateRowsToWorld,
} from '../residuals/observed-point.js';
import { writeOrthonormalBasis } from '../residuals/orthonormal-basis.js';
import { targetPoint } from '../residuals/point-jacobian.js';
import { rollComponent, rollHessian } from '../residuals/roll.js';
import {
  BONE_POINT,
  checkWorldPoint,
  copyAs,
  resolveTarget,
  toleranceOf,
  UP_AXIS,
  unitVector,
} from '../types/checks.js';
import { type BonePoint, isCarried, type PointsAtGoal } from '../types/goal.js';
import {
  type CompiledComponent,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type JacobianTarget,
  type ResidualFunction,
} from '../types/goal-type.js';

/** Data of a points-at component. */
interface PointsAtData {
  /** The unit axis d and an orthonormal basis e1, e2 of the tangent plane of the residual, in columns. Bone frame. */
  readonly basis: Float64Array;
  readonly origin?: Vec3;
  readonly target: Vec3 | BonePoint;
  /** Of the clearance: r is the distance of the target less this, in length scales. */
  readonly least?: number;
}

/** The least distance of the target that lower priorities keep, in length scales: 5 mm for a human. Nearer by, it turns about the bone without bound. */
const MIN_DISTANCE = 0.01;
/** Sine of the angle below which the target is exactly ahead or exactly behind. */
const ALIGNED = 1e-7;
/** Distance relative to the positions' magnitudes that is rounding. */
const NOISE = 16 * Number.EPSILON;

const origin = /* @__PURE__ */ new Float64Array(3);
const target = /* @__PURE__ */ new Float64Array(3);
/** Direction u of the target on that basis (along d, e1, e2), then its distance. */
const sight = /* @__PURE__ */ new Float64Array(4);
const response = /* @__PURE__ */ new Float64Array(6);
/** u, tau, n in world axes: towards the target; tangent to the sphere, away from d; normal to both. */
const axes = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);

/**
 * The angle from an axis d of the bone to the direction u of the target, both in the bone frame, as a tangent vector:
 * r = F [e1.u, e2.u], F = theta / sin theta, cos theta = c = d.u (the logarithm of the unit sphere at d; |r| = theta).
 * This is option 2 of the lecture notes on constraints in a scene graph, section 2.2.
 *
 *   dr/du = F [e1, e2]^T + F' [e1, e2]^T u d^T,  F' = dF/dc = (c F - 1) / sin^2 theta   (-1/3 ahead)
 *   du = (I - u u^T) / distance  R^T (v_target - v_carried)
 *
 * v_carried is the velocity of a point at the target's position that the bone carries: l + a x (target - origin of the joint).
 */
export const pointsAtResidual: ResidualFunction<PointsAtData> = {
  evaluate(state, component, out, o) {
    const hasDirection = writeSight(state, component);
    const { data, rowScale } = component;
    if (data.least !== undefined) {
      out[o] = sight[3] - (rowScale > 0 ? data.least / rowScale : 0);
      return Math.abs(out[o]);
    }
    const sine = vec3.length(sight[1], sight[2], 0);
    // A target at the origin of the sight has no direction: the angle is pi, without a derivative.
    const angle = hasDirection ? Math.atan2(sine, sight[0]) : Math.PI;
    if (sine < ALIGNED && (sight[0] < 0 || angle === Math.PI)) {
      // Straight behind, every tangent direction is equivalent; the Jacobian selects one.
      out[o] = angle;
      out[o + 1] = 0;
      return angle;
    }
    const factor = sine < ALIGNED ? 1 : angle / sine;
    out[o] = factor * sight[1];
    out[o + 1] = factor * sight[2];
    return angle;
  },
  jacobian(state, component, _residual, out) {
    const { bone, targetBone, data, rowScale, firstRow } = component;
    if (!writeSight(state, component)) return;
    if (data.least !== undefined) {
      for (let r = 0; r < 3; r++) force[r] = (target[r] - origin[r]) / sight[3];
      addObservedPointRows(state, targetBone, bone, target, force, 1, rowScale, firstRow, out);
      return;
    }
    const behind = writeResponse(state, component);
    addObservedPointRows(state, targetBone, bone, target, response, 2, rowScale, firstRow, out);
    if (behind) keepSteepestDirection(out, firstRow);
  },
  check: ({ target: worldTarget }, path) => checkWorldPoint(worldTarget, `${path}.target`),
  generic: (data, random) =>
    isCarried(data.target) ? data : { ...data, target: [random(), random(), random()] },
};

/**
 * In the bone frame, f = 1/2 theta^2 is a function of the target's position alone, of degree 0 in the distance l. With u towards
 * the target, tau normal to u, away from d, and n normal to both (for the unit sphere: Pennec, *Hessian of the Riemannian squared
 * distance*), its gradient and Hessian by that position are
 *
 *   m = theta/l tau,   M = (tau tau^T + theta cot(theta) n n^T - theta (tau u^T + u tau^T)) / l^2
 *
 * Straight behind, where f has a ridge (theta cot(theta) is minus infinity), the term of n is left out, so that M stays finite.
 */
const pointsAtHessian: GoalHessian<PointsAtData> = {
  residualFunction: pointsAtResidual,
  add(state, component, _residual, columns, out) {
    const { bone, targetBone } = component;
    if (!writeSight(state, component)) return;
    writeCurvature(state, component);
    addObservedPointHessian(state, columns, targetBone, bone, target, force, curvature, out);
  },
  addConstraint(state, component, multipliers, columns, out) {
    const { bone, targetBone } = component;
    if (!writeSight(state, component)) return;
    writeConstraintCurvature(state, component, multipliers);
    addObservedPointHessian(state, columns, targetBone, bone, target, force, curvature, out);
  },
};

/** The Hessians of points-at goals; with those of postures, of look-at goals. */
export const pointsAtHessians: readonly GoalHessian[] = [pointsAtHessian, rollHessian];

export const pointsAtGoal: GoalType<PointsAtGoal> = {
  fields: { bone: true, axis: true, origin: true, target: BONE_POINT, up: UP_AXIS, tolerance: true },
  components: (figure, goal, path) =>
    pointsAtComponents(figure, boneIndex(figure, goal.bone, `${path}.bone`), goal, path),
};

/** The components of a bone that points: `aim`, and `up` where there is an up axis. */
export function pointsAtComponents(
  figure: Figure,
  bone: number,
  goal: Pick<PointsAtGoal, 'axis' | 'origin' | 'target' | 'up' | 'tolerance'>,
  path: string,
): GoalComponent[] {
  const { target: worldTarget, targetBone } = resolveTarget(figure, goal.target, `${path}.target`);
  const axis = unitVector(goal.axis, `${path}.axis`);
  const basis = new Float64Array(9);
  writeOrthonormalBasis(axis, basis);
  const tolerance = toleranceOf(goal.tolerance, path);
  const data: PointsAtData = { basis, target: worldTarget, ...copyAs('origin', goal.origin, path) };
  const common = { residualFunction: pointsAtResidual, bone, targetBone };
  const clearance = componentOf<PointsAtData>({
    ...common,
    data: { ...data, least: MIN_DISTANCE },
    rows: 1,
    unit: 'length',
    tolerance: Number.POSITIVE_INFINITY,
  });
  const aim = componentOf({ ...common, data, rows: 2, unit: 'angle', tolerance, clearance });
  // null is treated as undefined.
  if (goal.up === undefined || goal.up === null) return [aim];
  return [{ ...aim, name: 'aim' }, rollComponent(figure, bone, axis, goal.up, tolerance, `${path}.up`)];
}

/**
 * Writes the target's direction and distance in the bone frame, both 0 where it coincides with the origin of the sight.
 *
 * @returns whether there is a direction.
 */
function writeSight(
  state: FigureState,
  { bone, targetBone, data }: CompiledComponent<PointsAtData>,
): boolean {
  const { basis } = data;
  worldPoint(state, bone, data.origin, origin);
  targetPoint(state, targetBone, data.target, target);
  const x = target[0] - origin[0];
  const y = target[1] - origin[1];
  const z = target[2] - origin[2];
  const length = vec3.length(x, y, z);
  const distance = length > NOISE * (largestOf(target) + largestOf(origin)) ? length : 0;
  const inverse = distance > 0 ? 1 / distance : 0;
  const m = state.worldFromBone;
  const w = 12 * bone;
  const ux = (m[w] * x + m[w + 3] * y + m[w + 6] * z) * inverse;
  const uy = (m[w + 1] * x + m[w + 4] * y + m[w + 7] * z) * inverse;
  const uz = (m[w + 2] * x + m[w + 5] * y + m[w + 8] * z) * inverse;
  for (let k = 0; k < 3; k++) sight[k] = basis[k] * ux + basis[3 + k] * uy + basis[6 + k] * uz;
  sight[3] = distance;
  return distance > 0;
}

function largestOf(v: Numbers): number {
  return Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
}

/**
 * Writes the derivative of the residual with respect to the world vector from origin to target: dr/du (I - u u^T) R^T / distance, 2x3.
 * Straight behind, where r has no derivative, that of the angle from the ridge along e1 and e2.
 *
 * @returns whether the target is straight behind.
 */
function writeResponse(state: FigureState, { bone, data }: CompiledComponent<PointsAtData>): boolean {
  const c = sight[0];
  const sine = vec3.length(sight[1], sight[2], 0);
  const behind = sine < ALIGNED && c < 0;
  const factor = sine < ALIGNED ? 1 : Math.atan2(sine, c) / sine;
  const slope = sine < 1e-4 && c > 0 ? -1 / 3 : (c * factor - 1) / (sine * sine);
  for (let r = 0; r < 2; r++) {
    // Row r of dr/du on the basis (d, e1, e2).
    const own = behind ? -1 : factor;
    const d = behind ? 0 : slope * sight[1 + r];
    const e1 = r === 0 ? own : 0;
    const e2 = r === 0 ? 0 : own;
    const u = d * c + e1 * sight[1] + e2 * sight[2];
    response[3 * r] = d - u * c;
    response[3 * r + 1] = e1 - u * sight[1];
    response[3 * r + 2] = e2 - u * sight[2];
  }
  rotateRows(data.basis, 0, response, 2);
  for (let k = 0; k < 6; k++) response[k] /= sight[3];
  rotateRowsToWorld(state, bone, response, 2);
  return behind;
}

/**
 * Straight behind, r = (pi, 0) is the same for any tangent direction. The rows become those of the direction in which some joint
 * rotates the sight fastest, the first such joint on a tie: so a lone hinge gets a derivative along its own direction.
 */
function keepSteepestDirection({ values, width }: JacobianTarget, firstRow: number): void {
  const row0 = firstRow * width;
  const row1 = row0 + width;
  let largest = 0;
  let t0 = 1;
  let t1 = 0;
  for (let k = 0; k < width; k++) {
    const size = vec3.length(values[row0 + k], values[row1 + k], 0);
    if (size <= largest * (1 + 1e-9)) continue;
    largest = size;
    t0 = values[row0 + k] / size;
    t1 = values[row1 + k] / size;
  }
  for (let k = 0; k < width; k++) {
    values[row0 + k] = t0 * values[row0 + k] + t1 * values[row1 + k];
    values[row1 + k] = 0;
  }
}

/** m to `force` and M to `curvature`, with the row scale squared, in world axes. */
function writeCurvature(state: FigureState, { bone, data, rowScale }: CompiledComponent<PointsAtData>): void {
  const c = sight[0];
  const sine = vec3.length(sight[1], sight[2], 0);
  const behind = sine < ALIGNED && c < 0;
  const theta = Math.atan2(sine, c);
  let normalTerm = theta * c;
  // m, the tangent direction towards the target; e1 where there is none, as in the residual.
  let m1 = 1;
  let m2 = 0;
  if (behind) normalTerm = 0;
  else if (sine === 0) normalTerm = 1;
  else {
    normalTerm /= sine;
    m1 = sight[1] / sine;
    m2 = sight[2] / sine;
  }
  // u = c d + s m, tau = -s d + c m, n = d x m.
  axes[0] = c;
  axes[1] = sight[1];
  axes[2] = sight[2];
  axes[3] = -sine;
  axes[4] = c * m1;
  axes[5] = c * m2;
  axes[6] = 0;
  axes[7] = -m2;
  axes[8] = m1;
  rotateRows(data.basis, 0, axes, 3);
  rotateRowsToWorld(state, bone, axes, 3);
  const slope = rowScale / sight[3];
  const factor = slope * slope;
  for (let r = 0; r < 3; r++) {
    const u = axes[r];
    const tau = axes[3 + r];
    const normal = axes[6 + r];
    force[r] = rowScale * slope * theta * tau;
    for (let k = 0; k < 3; k++) {
      const along = tau * axes[3 + k] - theta * (tau * axes[k] + u * axes[3 + k]);
      curvature[3 * r + k] = factor * (along + normalTerm * normal * axes[6 + k]);
    }
  }
}

/**
 * Gradient m and second derivative of y.r by the target's position, with the row scale squared, in world axes: where the goal is met, u = d,
 * m = y / l and -(u m^T + m u^T) / l; of the clearance m = y u and (y - m u^T) / l.
 */
function writeConstraintCurvature(
  state: FigureState,
  { bone, data, rowScale, firstRow }: CompiledComponent<PointsAtData>,
  multipliers: Numbers,
): void {
  const square = rowScale * rowScale;
  const scale = square / sight[3];
  if (data.least !== undefined) {
    for (let r = 0; r < 3; r++) {
      axes[r] = (target[r] - origin[r]) / sight[3];
      force[r] = square * multipliers[firstRow] * axes[r];
      for (let k = 0; k <= r; k++) {
        const one = r === k ? scale * multipliers[firstRow] : 0;
        curvature[3 * r + k] = curvature[3 * k + r] = one - (force[r] * axes[k]) / sight[3];
      }
    }
    return;
  }
  axes.fill(0);
  axes[0] = 1;
  axes[4] = scale * multipliers[firstRow];
  axes[5] = scale * multipliers[firstRow + 1];
  rotateRows(data.basis, 0, axes, 3);
  rotateRowsToWorld(state, bone, axes, 3);
  for (let r = 0; r < 3; r++) {
    force[r] = axes[3 + r];
    for (let k = 0; k < 3; k++) {
      curvature[3 * r + k] = -(axes[r] * axes[3 + k] + axes[3 + r] * axes[k]) / sight[3];
    }
  }
}
