import type { Figure } from '../../figure/model/figure.js';
import type { FigureState } from '../../figure/model/state.js';
import type { ColumnMap, JacobianTarget } from '../goals/types/goal-type.js';

/**
 * Joints that follow others (q = phi(y)), kept from the goals: these write rows and second derivatives over all columns,
 * the problem's first, then one for each follower of a free leader, against its own coordinate. Put together here:
 *
 *   J = J_all Phi,   H = Phi^T H_all Phi + sum over followers of g_f phi_f'' in the leader's place
 *
 * Phi the unit matrix with phi_f' in the rows of the followers, g_f the gradient of f by q_f (docs/decisions/0013).
 */
export interface Followers {
  readonly all: JacobianTarget;
  /** H_all, lower triangle. */
  readonly hessian: Float64Array;
  /** Of each follower's column: its coupling in the figure, and its leader's column. */
  readonly couplings: Int32Array;
  readonly leaders: Int32Array;
  /** phi' and phi'' against the scaled coordinate of the leader, filled by {@link gatherRows}. */
  readonly slopes: Float64Array;
  readonly curvatures: Float64Array;
}

/** The followers of a problem's free coordinates; undefined where there are none. */
export function createFollowers(
  { mimicJoints, dof }: Figure,
  rows: number,
  { width, columnOf, columnScale }: ColumnMap,
): Followers | undefined {
  const free = Array.from(mimicJoints.keys()).filter((k) => columnOf[mimicJoints[k].coordinate] >= 0);
  if (free.length === 0) return undefined;
  const all = width + free.length;
  const allColumns = new Int32Array(dof + mimicJoints.length).fill(-1);
  allColumns.set(columnOf);
  free.forEach((k, n) => {
    allColumns[dof + k] = width + n;
  });
  return {
    all: {
      values: new Float64Array(rows * all),
      width: all,
      columnOf: allColumns,
      columnScale: Float64Array.from({ length: all }, (_, k) => (k < width ? columnScale[k] : 1)),
    },
    hessian: new Float64Array(all * all),
    couplings: Int32Array.from(free),
    leaders: Int32Array.from(free, (k) => columnOf[mimicJoints[k].coordinate]),
    slopes: new Float64Array(free.length),
    curvatures: new Float64Array(free.length),
  };
}

/** J = J_all Phi, at the pose that `state` was last given. */
export function gatherRows(
  { all, couplings, leaders, slopes, curvatures }: Followers,
  state: FigureState,
  rows: number,
  { values, width, columnScale }: JacobianTarget,
): void {
  for (let n = 0; n < leaders.length; n++) {
    const scale = columnScale[leaders[n]];
    slopes[n] = scale * state.slopes[couplings[n]];
    curvatures[n] = scale * scale * state.curvatures[couplings[n]];
  }
  for (let r = 0; r < rows; r++) {
    const from = r * all.width;
    const to = r * width;
    for (let k = 0; k < width; k++) values[to + k] = all.values[from + k];
    for (let n = 0; n < leaders.length; n++) {
      values[to + leaders[n]] += slopes[n] * all.values[from + width + n];
    }
  }
}

/**
 * H = Phi^T H_all Phi + curvature, to the lower triangle of `out`, width x width. Called after {@link gatherRows}.
 *
 * @param residual - The normalized residual r: g = J_all^T r.
 */
export function gatherHessian(
  { all, hessian, leaders, slopes, curvatures }: Followers,
  rows: number,
  residual: Float64Array,
  width: number,
  out: Float64Array,
): void {
  for (let row = 0; row < width; row++) {
    for (let k = 0; k <= row; k++) out[row * width + k] = hessian[row * all.width + k];
  }
  for (let n = 0; n < leaders.length; n++) {
    const leader = leaders[n];
    const row = (width + n) * all.width;
    // With the pose's own columns, and with the followers before: each pair stands once in H_all, twice in H where both
    // come to one column.
    for (let k = 0; k < width + n; k++) {
      const other = k < width ? k : leaders[k - width];
      const factor = k < width ? slopes[n] : slopes[n] * slopes[k - width];
      const at = leader >= other ? leader * width + other : other * width + leader;
      out[at] += (leader === other ? 2 : 1) * factor * hessian[row + k];
    }
    let gradient = 0;
    for (let r = 0; r < rows; r++) gradient += residual[r] * all.values[r * all.width + width + n];
    out[leader * (width + 1)] += slopes[n] * slopes[n] * hessian[row + width + n] + curvatures[n] * gradient;
  }
}
