import { polynomialValue } from './polynomial.js';

/** A range of y, ends included; either may be infinite. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * The ranges of y within `within` for which min <= phi(y) <= max, ascending: the limit of a joint that follows as one of the
 * joint that leads. Where phi is straight the ends are (min - c0) / c1 and (max - c0) / c1.
 */
export function coupledRanges(c: readonly number[], { min, max }: Range, within: Range): Range[] {
  // Between two neighbouring crossings phi stays inside or outside: a point in between tells.
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
  // No room between crossings: the set may still be one point, as where `within` is one.
  const point = ends.find((y) => Number.isFinite(y) && inside(y));
  return point === undefined ? [] : [{ min: point, max: point }];
}

/** A number between two, which may be infinite. */
function between(a: number, b: number): number {
  if (a === -Infinity) return b === Infinity ? 0 : b - 1 - Math.abs(b);
  return b === Infinity ? a + 1 + Math.abs(a) : a + (b - a) / 2;
}

/**
 * The real roots of a polynomial within a range, ascending. Between two neighbouring roots of its derivative it rises
 * or falls, and has one root or none, which bisection finds to the last bit.
 */
function realRoots(c: readonly number[], { min, max }: Range): number[] {
  let degree = c.length - 1;
  while (degree > 0 && c[degree] === 0) degree--;
  if (degree === 0) return [];
  if (degree === 1) return [-c[0] / c[1] + 0].filter((y) => y >= min && y <= max);
  // Cauchy: no root is further out than 1 + max |c_k / c_n|; nor is any number of sense beyond 1e300.
  const bound = Math.min(1 + Math.max(...c.slice(0, degree).map((x) => Math.abs(x / c[degree]))), 1e300);
  const range = { min: Math.max(min, -bound), max: Math.min(max, bound) };
  const slope = c.slice(1, degree + 1).map((x, k) => (k + 1) * x);
  const ends = [range.min, ...realRoots(slope, range), range.max];
  return ends.slice(1).flatMap((end, k) => rootBetween(c, ends[k], end));
}

/** The root between two points between which the polynomial rises or falls; none where its sign stays. */
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
