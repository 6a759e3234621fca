import type { GoalHessian, ResidualFunction } from '../types/goal-type.js';

/** Consecutive coordinates, all angles or all translations, with their target values. */
export interface CoordinateData {
  /** The first of them. */
  readonly coordinate: number;
  readonly target: (k: number) => number;
  readonly check?: (path: string) => void;
}

/** r_k = q_k - target_k, rad or m. */
export const coordinateResidual: ResidualFunction<CoordinateData> = {
  evaluate(_state, { data: { coordinate, target }, rows }, out, o, pose) {
    let square = 0;
    for (let k = 0; k < rows; k++) {
      const r = pose[coordinate + k] - target(k);
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  jacobian(_state, { data: { coordinate }, rows, rowScale, firstRow }, _residual, out) {
    const { values, width, columnOf, columnScale } = out;
    for (let k = 0; k < rows; k++) {
      const column = columnOf[coordinate + k];
      if (column >= 0) values[(firstRow + k) * width + column] += rowScale * columnScale[column];
    }
  },
  check: ({ check }, path) => check?.(path),
  generic: (data, random) => ({ coordinate: data.coordinate, target: () => 3 + random() }),
};

export const coordinateHessian: GoalHessian<CoordinateData> = {
  residualFunction: coordinateResidual,
  add(_state, { data: { coordinate }, rows, rowScale }, _residual, { width, columnOf, columnScale }, out) {
    for (let k = 0; k < rows; k++) {
      const column = columnOf[coordinate + k];
      if (column >= 0) out[column * (width + 1)] += (rowScale * columnScale[column]) ** 2;
    }
  },
};
