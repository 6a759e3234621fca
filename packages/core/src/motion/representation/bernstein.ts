/** Polynomials in Bernstein form: what is cut, raised and bounded by its points. Points of `size` numbers, one after the other. */
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/**
 * Cuts a piece at u (de Casteljau): points of [0, u] to `left`, of [u, 1] to `right`; either may be the points themselves, not both. The ends
 * stay as they are to the last bit, and both halves share the middle.
 */
export function cutPoints(
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

/** The points of the part [from, to] of [0, 1]. */
export function partOfPoints(points: Numbers, size: number, from: number, to: number): Float64Array {
  const part = Float64Array.from(points);
  const other = new Float64Array(part.length);
  if (to < 1) cutPoints(part, size, to, part, other);
  if (from > 0) cutPoints(part, size, from / to, other, part);
  return part;
}

/** The points of the same piece one degree higher: Q_k = (k P_{k-1} + (d + 1 - k) P_k)/(d + 1). */
export function raisePoints(points: Numbers, size: number): Float64Array {
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

/** The points of the derivative of a piece that takes `span`: d (P_{k+1} - P_k)/span. A constant for degree 0. */
export function derivePoints(points: Numbers, size: number, span: number): Float64Array {
  const degree = points.length / size - 1;
  if (degree === 0) return new Float64Array(size);
  const scale = degree / span;
  return Float64Array.from({ length: degree * size }, (_, o) => scale * (points[o + size] - points[o]));
}

/** Points of |p|^2, of twice the degree: sum over i + j = k of C(d,i) C(d,j)/C(2d,k) P_i . P_j. */
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

/** How often a piece is halved to decide about it: to rounding, and past it what is left counts as kept. */
const MOST_HALVINGS = 40;

/**
 * Where in [0, 1] a number with these Bernstein coefficients falls below `least`; undefined where it nowhere does. No sampling: it
 * lies in the hull of its coefficients, and halves are looked at until hull or end decides.
 */
export function fallsBelow(coefficients: Numbers, least: number): number | undefined {
  const stack = [{ points: Float64Array.from(coefficients), from: 0, width: 1, depth: 0 }];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const { points, from, width, depth } = part;
    if (points[0] < least) return from;
    if (points[points.length - 1] < least) return from + width;
    if (depth === MOST_HALVINGS || points.every((p) => p >= least)) continue;
    const right = new Float64Array(points.length);
    cutPoints(points, 1, 0.5, points, right);
    const half = 0.5 * width;
    stack.push({ points: right, from: from + half, width: half, depth: depth + 1 });
    stack.push({ points, from, width: half, depth: depth + 1 });
  }
  return undefined;
}
