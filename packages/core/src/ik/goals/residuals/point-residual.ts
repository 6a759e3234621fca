import { worldPoint } from '../../../figure/kinematics/points.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../../math/linear/types.js';
import type { GoalHessian, ResidualFunction } from '../types/goal-type.js';
import {
  addObservedPointHessian,
  addObservedPointRows,
  rotateMatrix,
  rotateRowsToWorld,
  toObserverFrame,
  writeForce,
} from './observed-point.js';

/** A residual of at most three rows that is a function of one point p in the observer's frame. */
export interface PointFunction<D> {
  /** Writes r(p), m, to out[o ...]; returns its norm. */
  value(p: Numbers, data: D, out: MutableNumbers, o: number): number;
  /** dr/dp, rows x 3; r(p) is at residual[o ...]. */
  gradient(p: Numbers, data: D, residual: Numbers, o: number, out: MutableNumbers): void;
  check?(data: D, path: string): void;
  generic?(data: D, random: () => number): D;
}

/** Data of every such component: the point of its bone. */
export interface CarriedPoint {
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
}

const world = /* @__PURE__ */ new Float64Array(3);
const observed = /* @__PURE__ */ new Float64Array(3);
const gradient = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);

/** Adds sum of r_k d2r_k/dp2 to a 3x3 matrix; r(p) is at residual[o ...]. */
type PointCurvature<D> = (p: Numbers, data: D, residual: Numbers, o: number, out: MutableNumbers) => void;

/** The bone's point in the world to `world`, and in the frame of the observer to `observed`. */
function observe(state: FigureState, bone: number, observer: number, data: CarriedPoint): void {
  worldPoint(state, bone, data.point, world);
  toObserverFrame(state, observer, world, observed);
}

/** The residual function of a component that depends on its bone's point in the frame of `targetBone` or the world. */
export function pointResidual<D extends CarriedPoint>(f: PointFunction<D>): ResidualFunction<D> {
  return {
    evaluate(state, { bone, targetBone, data }, out, o) {
      observe(state, bone, targetBone, data);
      return f.value(observed, data, out, o);
    },
    jacobian(state, { bone, targetBone, data, rows, rowScale, firstRow }, residual, out) {
      observe(state, bone, targetBone, data);
      f.gradient(observed, data, residual, firstRow, gradient);
      rotateRowsToWorld(state, targetBone, gradient, rows);
      addObservedPointRows(state, bone, targetBone, world, gradient, rows, rowScale, firstRow, out);
    },
    ...(f.check === undefined ? {} : { check: f.check }),
    ...(f.generic === undefined ? {} : { generic: f.generic }),
  };
}

/** @param addCurvature - Undefined for a residual that is linear in p. */
export function pointHessian<D extends CarriedPoint>(
  residualFunction: ResidualFunction<D>,
  f: PointFunction<D>,
  addCurvature?: PointCurvature<D>,
): GoalHessian<D> {
  return {
    residualFunction,
    add(state, { bone, targetBone, data, rows, rowScale, firstRow }, residual, columns, out) {
      observe(state, bone, targetBone, data);
      f.gradient(observed, data, residual, firstRow, gradient);
      curvature.fill(0);
      addCurvature?.(observed, data, residual, firstRow, curvature);
      const square = rowScale * rowScale;
      writeForce(gradient, rows, residual, firstRow, square, force);
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) {
          let sum = curvature[3 * i + j];
          for (let r = 0; r < rows; r++) sum += gradient[3 * r + i] * gradient[3 * r + j];
          curvature[3 * i + j] = square * sum;
        }
      }
      rotateRowsToWorld(state, targetBone, force, 1);
      if (targetBone >= 0) rotateMatrix(state.worldFromBone, 12 * targetBone, curvature);
      addObservedPointHessian(state, columns, bone, targetBone, world, force, curvature, out);
    },
  };
}
