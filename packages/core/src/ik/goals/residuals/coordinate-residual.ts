import type { PartMath } from '../types/goal-type.js';

/** Some coordinates in a row, all angles or all translations, and the values they are to have. */
export interface CoordinatesData {
  /** The first of them. */
  readonly coordinate: number;
  readonly wanted: (k: number) => number;
  readonly check?: (path: string) => void;
}

/** r_k = q_k - wanted_k, rad or m. */
export const coordinatesMath: PartMath<CoordinatesData> = {
  residual(_state, { data: { coordinate, wanted }, rows }, out, o, pose) {
    let square = 0;
    for (let k = 0; k < rows; k++) {
      const r = pose[coordinate + k] - wanted(k);
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  jacobian(_state, { data: { coordinate }, rows, scale, firstRow }, _residual, out) {
    const { values, width, columnOf, columnScale } = out;
    for (let k = 0; k < rows; k++) {
      const column = columnOf[coordinate + k];
      if (column >= 0) values[(firstRow + k) * width + column] += scale * columnScale[column];
    }
  },
  hessian(_state, { data: { coordinate }, rows, scale }, _residual, { width, columnOf, columnScale }, out) {
    for (let k = 0; k < rows; k++) {
      const column = columnOf[coordinate + k];
      if (column >= 0) out[column * (width + 1)] += (scale * columnScale[column]) ** 2;
    }
  },
  check: ({ check }, path) => check?.(path),
  general: (data, random) => ({ coordinate: data.coordinate, wanted: () => 3 + random() }),
};
