/** Clamped uniform B-splines over a span of time: the basis functions and their derivatives. */

/** Values, first, second and third derivatives. */
export const ORDERS = 4;

/** The B-splines of one degree over equal intervals, all control points at the ends drawn to the ends of the span. */
export interface SplineBasis {
  readonly degree: number;
  readonly intervals: number;
  /** Number of control points, `intervals` + `degree`. */
  readonly count: number;
  /** Where the span begins and ends, s. */
  readonly start: number;
  readonly end: number;
  /** `count` + `degree` + 1 of them, s. */
  readonly knots: Float64Array;
  /** Where each control point acts most, the mean of its inner knots (Greville), s. */
  readonly centers: Float64Array;
}

export function createSplineBasis(
  degree: number,
  intervals: number,
  start: number,
  end: number,
): SplineBasis {
  const count = intervals + degree;
  const step = (end - start) / intervals;
  const knots = Float64Array.from({ length: count + degree + 1 }, (_, i) => {
    const k = i - degree;
    return k <= 0 ? start : k >= intervals ? end : start + k * step;
  });
  const centers = Float64Array.from({ length: count }, (_, i) => {
    if (degree === 0) return 0.5 * (knots[i] + knots[i + 1]);
    let sum = 0;
    for (let k = 1; k <= degree; k++) sum += knots[i + k];
    return sum / degree;
  });
  return { degree, intervals, count, start, end, knots, centers };
}

/** The knot interval that holds `time`; the last one at the end of the span. */
function intervalAt({ intervals, start, end }: SplineBasis, time: number): number {
  const k = Math.floor(((time - start) / (end - start)) * intervals);
  return Math.max(0, Math.min(intervals - 1, k));
}

/**
 * The basis functions that are not zero at `time` and their derivatives: of control point `first` + j, derivative r, to
 * out[r (degree + 1) + j]. Cox and de Boor's recursion, the derivatives by differences of lower degrees (Piegl and Tiller, *The
 * NURBS Book*, A2.3).
 *
 * @param out - {@link ORDERS} times (degree + 1) numbers.
 * @returns `first`.
 */
export function writeBasis(basis: SplineBasis, time: number, out: Float64Array): number {
  const { degree: p, knots } = basis;
  const first = intervalAt(basis, time);
  const span = first + p;
  const width = p + 1;
  const lower: number[][] = [[1]];
  for (let d = 1; d <= p; d++) {
    const before = lower[d - 1];
    const row = new Array<number>(d + 1).fill(0);
    for (let j = 0; j < d; j++) {
      const right = knots[span + j + 1];
      const left = knots[span + j + 1 - d];
      const share = before[j] / (right - left);
      row[j] += (right - time) * share;
      row[j + 1] += (time - left) * share;
    }
    lower.push(row);
  }
  out.fill(0, 0, ORDERS * width);
  for (let j = 0; j < width; j++) out[j] = lower[p][j];
  for (let r = 1; r < ORDERS && r <= p; r++) {
    let values = lower[p - r];
    for (let d = p - r + 1; d <= p; d++) {
      const next = new Array<number>(d + 1).fill(0);
      for (let j = 0; j < d; j++) {
        const share = (d * values[j]) / (knots[span + j + 1] - knots[span + j + 1 - d]);
        next[j] -= share;
        next[j + 1] += share;
      }
      values = next;
    }
    for (let j = 0; j < width; j++) out[r * width + j] = values[j];
  }
  return first;
}
