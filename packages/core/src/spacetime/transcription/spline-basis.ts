/** Clamped B-splines over a span of time: the basis functions and their derivatives. */

/** Values, first, second and third derivatives. */
export const ORDERS = 4;

/** B-spline basis of one degree over given breaks, clamped at both ends. */
export interface SplineBasis {
  readonly degree: number;
  readonly intervals: number;
  /** Number of control points. */
  readonly count: number;
  /** Start and end, s. */
  readonly start: number;
  readonly end: number;
  /** Interval boundaries, ascending: `intervals` + 1 of them, s. */
  readonly breaks: Float64Array;
  /** Knot multiplicity at each break: with m knots the spline is `degree` - m times continuously differentiable. `degree` + 1 at the ends. */
  readonly multiplicity: Int32Array;
  /** `count` + `degree` + 1 of them, s. */
  readonly knots: Float64Array;
  /** First control point of each interval; `degree` more follow. */
  readonly firstOf: Int32Array;
  /** Greville abscissae: the mean of the inner knots of each control point, s. */
  readonly centers: Float64Array;
}

/** Uniform knots, maximal smoothness. */
export function createSplineBasis(
  degree: number,
  intervals: number,
  start: number,
  end: number,
): SplineBasis {
  const step = (end - start) / intervals;
  const breaks = Float64Array.from({ length: intervals + 1 }, (_, k) =>
    k === intervals ? end : start + k * step,
  );
  return createKnottedBasis(degree, breaks, new Int32Array(intervals + 1).fill(1));
}

/**
 * Given breaks.
 *
 * @param multiplicity - Knots at each break, 1 to `degree`; the entries of both ends are ignored.
 */
export function createKnottedBasis(
  degree: number,
  breaks: Float64Array,
  multiplicity: Int32Array,
): SplineBasis {
  const intervals = breaks.length - 1;
  const at = Int32Array.from(multiplicity);
  at[0] = degree + 1;
  at[intervals] = degree + 1;
  const knots = Float64Array.from(
    Array.from(breaks).flatMap((time, k) => new Array<number>(at[k]).fill(time)),
  );
  const count = knots.length - degree - 1;
  const firstOf = new Int32Array(intervals);
  for (let k = 1; k < intervals; k++) firstOf[k] = firstOf[k - 1] + at[k];
  const centers = Float64Array.from({ length: count }, (_, i) => {
    if (degree === 0) return 0.5 * (knots[i] + knots[i + 1]);
    let sum = 0;
    for (let k = 1; k <= degree; k++) sum += knots[i + k];
    return sum / degree;
  });
  const [start, end] = [breaks[0], breaks[intervals]];
  return { degree, intervals, count, start, end, breaks, multiplicity: at, knots, firstOf, centers };
}

/** Index of the interval that contains `time`; the last one at the end of the span. */
function intervalAt({ breaks, intervals }: SplineBasis, time: number): number {
  let low = 0;
  let high = intervals;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (breaks[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Nonzero basis functions at `time` and their derivatives: of control point `first` + j, derivative r, at out[r (degree + 1) + j]. Cox-de
 * Boor recursion, derivatives by differences of lower degrees (Piegl and Tiller, *The NURBS Book*, A2.3).
 *
 * @param out - {@link ORDERS} times (degree + 1) numbers.
 * @returns `first`.
 */
export function writeBasis(basis: SplineBasis, time: number, out: Float64Array): number {
  const { degree: p, knots } = basis;
  const first = basis.firstOf[intervalAt(basis, time)];
  const span = first + p;
  const width = p + 1;
  const lower: number[][] = [[1]];
  for (let d = 1; d <= p; d++) {
    const before = lower[d - 1];
    const row = new Array<number>(d + 1).fill(0);
    for (let j = 0; j < d; j++) {
      const right = knots[span + j + 1];
      const left = knots[span + j + 1 - d];
      const scaled = before[j] / (right - left);
      row[j] += (right - time) * scaled;
      row[j + 1] += (time - left) * scaled;
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
        const scaled = (d * values[j]) / (knots[span + j + 1] - knots[span + j + 1 - d]);
        next[j] -= scaled;
        next[j + 1] += scaled;
      }
      values = next;
    }
    for (let j = 0; j < width; j++) out[r * width + j] = values[j];
  }
  return first;
}
