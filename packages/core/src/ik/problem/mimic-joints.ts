import type { Figure } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';
import type { ColumnMap, JacobianTarget } from '../goals/types/goal-type.js';

/**
 * The chain rule of mimic joints (q = phi(y)). Goals write their derivatives over extended columns: those of the problem, then
 * one for each mimic joint of a free source, with respect to its own coordinate. They are reduced to the problem's columns by
 *
 *   J = J_ext Phi,   H = Phi^T H_ext Phi + sum over mimic joints of g_m phi_m'' at the source's diagonal
 *
 * Phi the unit matrix with phi_m' in the rows of the mimic joints, g_m the derivative of f with respect to q_m (docs/decisions/0013).
 */
export interface MimicColumns {
  readonly extended: JacobianTarget;
  /** H_ext, lower triangle. */
  readonly hessian: Float64Array;
  /** For each extra column: index into `figure.mimicJoints`, and the column of the source. */
  readonly mimicIndices: Int32Array;
  readonly sourceColumns: Int32Array;
  /** phi' and phi'' with respect to the scaled coordinate of the source, filled by {@link applyMimicJacobian}. */
  readonly firstDerivatives: Float64Array;
  readonly secondDerivatives: Float64Array;
}

/** The extended columns of a problem with mimic joints; undefined where there are none. */
export function createMimicColumns(
  { mimicJoints, dof }: Figure,
  rows: number,
  { width, columnOf, columnScale }: ColumnMap,
): MimicColumns | undefined {
  const free = Array.from(mimicJoints.keys()).filter((k) => columnOf[mimicJoints[k].coordinate] >= 0);
  if (free.length === 0) return undefined;
  const extendedWidth = width + free.length;
  const extendedColumns = new Int32Array(dof + mimicJoints.length).fill(-1);
  extendedColumns.set(columnOf);
  free.forEach((k, n) => {
    extendedColumns[dof + k] = width + n;
  });
  return {
    extended: {
      values: new Float64Array(rows * extendedWidth),
      width: extendedWidth,
      columnOf: extendedColumns,
      columnScale: Float64Array.from({ length: extendedWidth }, (_, k) => (k < width ? columnScale[k] : 1)),
    },
    hessian: new Float64Array(extendedWidth * extendedWidth),
    mimicIndices: Int32Array.from(free),
    sourceColumns: Int32Array.from(free, (k) => columnOf[mimicJoints[k].coordinate]),
    firstDerivatives: new Float64Array(free.length),
    secondDerivatives: new Float64Array(free.length),
  };
}

/** J = J_ext Phi, at the pose that `state` was last given. */
export function applyMimicJacobian(
  { extended, mimicIndices, sourceColumns, firstDerivatives, secondDerivatives }: MimicColumns,
  state: FigureState,
  rows: number,
  { values, width, columnScale }: JacobianTarget,
): void {
  for (let n = 0; n < sourceColumns.length; n++) {
    const scale = columnScale[sourceColumns[n]];
    firstDerivatives[n] = scale * state.mimicDerivatives[mimicIndices[n]];
    secondDerivatives[n] = scale * scale * state.mimicSecondDerivatives[mimicIndices[n]];
  }
  for (let r = 0; r < rows; r++) {
    const from = r * extended.width;
    const to = r * width;
    for (let k = 0; k < width; k++) values[to + k] = extended.values[from + k];
    for (let n = 0; n < sourceColumns.length; n++) {
      values[to + sourceColumns[n]] += firstDerivatives[n] * extended.values[from + width + n];
    }
  }
}

/**
 * H = Phi^T H_ext Phi + curvature, to the lower triangle of `out`, width x width. Called after {@link applyMimicJacobian}.
 *
 * @param residual - The normalized residual r: g = J_ext^T r.
 */
export function applyMimicHessian(
  { extended, hessian, sourceColumns, firstDerivatives, secondDerivatives }: MimicColumns,
  rows: number,
  residual: Float64Array,
  width: number,
  out: Float64Array,
): void {
  for (let row = 0; row < width; row++) {
    for (let k = 0; k <= row; k++) out[row * width + k] = hessian[row * extended.width + k];
  }
  for (let n = 0; n < sourceColumns.length; n++) {
    const source = sourceColumns[n];
    const row = (width + n) * extended.width;
    // Products with the problem's columns and the mimic columns before: each pair is in H_ext once, and counts twice in H
    // where both reduce to one column.
    for (let k = 0; k < width + n; k++) {
      const other = k < width ? k : sourceColumns[k - width];
      const factor = k < width ? firstDerivatives[n] : firstDerivatives[n] * firstDerivatives[k - width];
      const at = source >= other ? source * width + other : other * width + source;
      out[at] += (source === other ? 2 : 1) * factor * hessian[row + k];
    }
    let gradient = 0;
    for (let r = 0; r < rows; r++) gradient += residual[r] * extended.values[r * extended.width + width + n];
    out[source * (width + 1)] +=
      firstDerivatives[n] * firstDerivatives[n] * hessian[row + width + n] + secondDerivatives[n] * gradient;
  }
}
