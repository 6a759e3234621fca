import type { FigureState } from '../../../figure/model/state.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../../math/linear/types.js';
import type { PartMath } from '../types/goal-type.js';
import {
  addSeenPointHessian,
  addSeenPointRows,
  seenFrom,
  turnMatrixToWorld,
  turnRowsToWorld,
} from './observed-point.js';
import { worldPoint } from './point-jacobian.js';

/** A residual of at most three rows that is a function of one point p, seen from a frame. */
export interface PointFunction<D> {
  /** Writes r(p), m, to out[o ...]; returns its norm. */
  value(p: Numbers, data: D, out: MutableNumbers, o: number): number;
  /** dr/dp, rows x 3; r(p) stands at residual[o ...]. */
  slope(p: Numbers, data: D, residual: Numbers, o: number, out: MutableNumbers): void;
  /** Adds sum of r_k d2r_k/dp2 to a 3x3 matrix; none for a residual that is linear in p. */
  bend?(p: Numbers, data: D, residual: Numbers, o: number, out: MutableNumbers): void;
  check?(data: D, path: string): void;
  general?(data: D, random: () => number): D;
}

/** What every such part knows: the point of its bone. */
export interface CarriedPoint {
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
}

const world = /* @__PURE__ */ new Float64Array(3);
const seen = /* @__PURE__ */ new Float64Array(3);
const slope = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);

/** The mathematics of a part whose residual is a function of its bone's point, seen from `targetBone` or the world. */
export function pointFunctionMath<D extends CarriedPoint>(f: PointFunction<D>): PartMath<D> {
  const see = (state: FigureState, bone: number, observer: number, data: D): void => {
    worldPoint(state, bone, data.point, world);
    seenFrom(state, observer, world, seen);
  };
  return {
    residual(state, { bone, targetBone, data }, out, o) {
      see(state, bone, targetBone, data);
      return f.value(seen, data, out, o);
    },
    jacobian(state, { bone, targetBone, data, rows, scale, firstRow }, residual, out) {
      see(state, bone, targetBone, data);
      f.slope(seen, data, residual, firstRow, slope);
      turnRowsToWorld(state, targetBone, slope, rows);
      addSeenPointRows(state, bone, targetBone, world, slope, rows, scale, firstRow, out);
    },
    hessian(state, { bone, targetBone, data, rows, scale, firstRow }, residual, columns, out) {
      see(state, bone, targetBone, data);
      f.slope(seen, data, residual, firstRow, slope);
      curvature.fill(0);
      f.bend?.(seen, data, residual, firstRow, curvature);
      const square = scale * scale;
      for (let i = 0; i < 3; i++) {
        let m = 0;
        for (let r = 0; r < rows; r++) m += residual[firstRow + r] * slope[3 * r + i];
        force[i] = square * m;
        for (let j = 0; j < 3; j++) {
          let sum = curvature[3 * i + j];
          for (let r = 0; r < rows; r++) sum += slope[3 * r + i] * slope[3 * r + j];
          curvature[3 * i + j] = square * sum;
        }
      }
      turnRowsToWorld(state, targetBone, force, 1);
      turnMatrixToWorld(state, targetBone, curvature);
      addSeenPointHessian(state, columns, bone, targetBone, world, force, curvature, out);
    },
    ...(f.check === undefined ? {} : { check: f.check }),
    ...(f.general === undefined ? {} : { general: f.general }),
  };
}
