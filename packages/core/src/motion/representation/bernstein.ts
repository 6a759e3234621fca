/**
 * Polynomials in Bernstein form: subdivision, degree elevation, derivatives, products, bounds. Points have `size`
 * numbers each.
 */
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/**
 * De Casteljau subdivision at u: points of [0, u] to `left`, of [u, 1] to `right`; one of them may alias `points`. The ends are
 * unchanged to the last bit, and both halves share the middle point.
 */
export function subdividePoints(
  points: Numbers,
  size: number,
  u: number,
  left: MutableNumbers,
  right: MutableNumbers,
): void {
  const count = points.length / size;
  const work = Float64Array.from(points);
  for (let r = 0; r < count; r++) {
    for (let c = 0; c < size; c++) {
      left[r * size + c] = work[c];
      right[(count - 1 - r) * size + c] = work[(count - 1 - r) * size + c];
    }
    for (let k = 0; k < (count - 1 - r) * size; k++) work[k] = (1 - u) * work[k] + u * work[k + size];
  }
}

/** Control points of the restriction to [from, to] within [0, 1]. */
export function slicePoints(points: Numbers, size: number, from: number, to: number): Float64Array {
  const interval = Float64Array.from(points);
  const rest = new Float64Array(interval.length);
  if (to < 1) subdividePoints(interval, size, to, interval, rest);
  if (from > 0) subdividePoints(interval, size, from / to, rest, interval);
  return interval;
}

/** Degree elevation by one: Q_k = (k P_{k-1} + (d + 1 - k) P_k)/(d + 1). */
export function elevatePoints(points: Numbers, size: number): Float64Array {
  const degree = points.length / size;
  const raised = new Float64Array(points.length + size);
  for (let k = 0; k <= degree; k++) {
    for (let c = 0; c < size; c++) {
      const o = k * size + c;
      if (k === 0) raised[o] = points[o];
      else if (k === degree) raised[o] = points[o - size];
      else raised[o] = (k * points[o - size] + (degree - k) * points[o]) / degree;
    }
  }
  return raised;
}

/** Control points of the derivative of a piece of duration `span`: d (P_{k+1} - P_k)/span. Zero for degree 0. */
export function derivePoints(points: Numbers, size: number, span: number): Float64Array {
  const degree = points.length / size - 1;
  if (degree === 0) return new Float64Array(size);
  const scale = degree / span;
  return Float64Array.from({ length: degree * size }, (_, o) => scale * (points[o + size] - points[o]));
}

/** Control points of |p|^2, of twice the degree: sum over i + j = k of C(d,i) C(d,j)/C(2d,k) P_i . P_j. */
export function squarePoints(points: Numbers, size: number): Float64Array {
  const degree = points.length / size - 1;
  const square = new Float64Array(2 * degree + 1);
  for (let i = 0; i <= degree; i++) {
    for (let j = 0; j <= degree; j++) {
      let dot = 0;
      for (let c = 0; c < size; c++) dot += points[i * size + c] * points[j * size + c];
      square[i + j] += choose(degree, i) * choose(degree, j) * dot;
    }
  }
  for (let k = 0; k < square.length; k++) square[k] /= choose(2 * degree, k);
  return square;
}

/** Coefficients of the product of two polynomials: sum over i + j = k of C(d,i) C(e,j)/C(d + e,k) a_i b_j. */
export function multiplyPoints(a: Numbers, b: Numbers): Float64Array {
  const d = a.length - 1;
  const e = b.length - 1;
  const product = new Float64Array(d + e + 1);
  for (let i = 0; i <= d; i++) {
    for (let j = 0; j <= e; j++)
      product[i + j] += (choose(d, i) * choose(e, j) * a[i] * b[j]) / choose(d + e, i + j);
  }
  return product;
}

function choose(n: number, k: number): number {
  let c = 1;
  for (let i = 1; i <= k; i++) c = (c * (n - k + i)) / i;
  return Math.round(c);
}

/** Maximum subdivision depth: to rounding. An interval undecided at this depth counts as not below. */
const MAX_HALVINGS = 40;

/**
 * First parameter in [0, 1] found where the polynomial with these Bernstein coefficients is below `bound`; undefined if none.
 * Exact, without sampling: the convex hull of the coefficients bounds the polynomial, and intervals are subdivided until the hull
 * or an end decides.
 */
export function firstBelow(coefficients: Numbers, bound: number): number | undefined {
  const stack = [{ points: Float64Array.from(coefficients), from: 0, width: 1, depth: 0 }];
  for (let interval = stack.pop(); interval !== undefined; interval = stack.pop()) {
    const { points, from, width, depth } = interval;
    if (points[0] < bound) return from;
    if (points[points.length - 1] < bound) return from + width;
    if (depth === MAX_HALVINGS || points.every((p) => p >= bound)) continue;
    const right = new Float64Array(points.length);
    subdividePoints(points, 1, 0.5, points, right);
    const half = 0.5 * width;
    stack.push({ points: right, from: from + half, width: half, depth: depth + 1 });
    stack.push({ points, from, width: half, depth: depth + 1 });
  }
  return undefined;
}
