import type { Numbers } from '../../math/linear/types.js';

/** A closed interval; either bound may be infinite. */
export interface Interval {
  readonly min: number;
  readonly max: number;
}

/** c[0] + c[1] y + c[2] y^2 + ..., by Horner's rule. */
function polynomialValue(c: Numbers, y: number): number {
  let value = 0;
  for (let k = c.length - 1; k >= 0; k--) value = value * y + c[k];
  return value;
}

/**
 * The preimage of [min, max] under the polynomial phi, intersected with `within`: disjoint intervals of y, ascending. It converts
 * the limit of a mimic joint to its source. For a linear phi the bounds are (min - c0) / c1 and (max - c0) / c1.
 */
export function polynomialPreimage(
  c: readonly number[],
  { min, max }: Interval,
  within: Interval,
): Interval[] {
  // Between neighbouring crossings phi is inside or outside throughout: one sample decides.
  const crossings = [min, max]
    .filter(Number.isFinite)
    .flatMap((level) => realRoots([c[0] - level, ...c.slice(1)], within))
    .sort((a, b) => a - b);
  const ends = [within.min, ...crossings, within.max];
  const inside = (y: number) => {
    const value = polynomialValue(c, y);
    return value >= min && value <= max;
  };
  const ranges: { min: number; max: number }[] = [];
  for (let k = 1; k < ends.length; k++) {
    const [low, high] = [ends[k - 1], ends[k]];
    if (!(low < high) || !inside(between(low, high))) continue;
    const last = ranges.at(-1);
    if (last?.max === low) last.max = high;
    else ranges.push({ min: low, max: high });
  }
  if (ranges.length > 0) return ranges;
  // No interval of positive length: the preimage may still be a point, e.g. where `within` is one.
  const point = ends.find((y) => Number.isFinite(y) && inside(y));
  return point === undefined ? [] : [{ min: point, max: point }];
}

/** A number between two bounds, which may be infinite. */
function between(a: number, b: number): number {
  if (a === -Infinity) return b === Infinity ? 0 : b - 1 - Math.abs(b);
  return b === Infinity ? a + 1 + Math.abs(a) : a + (b - a) / 2;
}

/**
 * The real roots of a polynomial in an interval, ascending. Between neighbouring roots of its derivative it is monotonic and has
 * at most one root, found by bisection to the last bit.
 */
function realRoots(c: readonly number[], { min, max }: Interval): number[] {
  let degree = c.length - 1;
  while (degree > 0 && c[degree] === 0) degree--;
  if (degree === 0) return [];
  if (degree === 1) return [-c[0] / c[1] + 0].filter((y) => y >= min && y <= max);
  // Cauchy's bound: every root is within 1 + max |c_k / c_n|; capped against overflow.
  const bound = Math.min(1 + Math.max(...c.slice(0, degree).map((x) => Math.abs(x / c[degree]))), 1e300);
  const range = { min: Math.max(min, -bound), max: Math.min(max, bound) };
  const derivative = c.slice(1, degree + 1).map((x, k) => (k + 1) * x);
  const ends = [range.min, ...realRoots(derivative, range), range.max];
  return ends.slice(1).flatMap((end, k) => rootBetween(c, ends[k], end));
}

/** The root in an interval where the polynomial is monotonic; none without a change of sign. */
function rootBetween(c: readonly number[], from: number, to: number): number[] {
  const sign = (y: number) => Math.sign(polynomialValue(c, y));
  const before = sign(from);
  const after = sign(to);
  if (!(from <= to && before * after <= 0)) return [];
  if (before * after === 0) return [before === 0 ? from : to];
  let low = from;
  let high = to;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return [high];
    if (sign(middle) === before) low = middle;
    else high = middle;
  }
}
