import { polynomialValue } from '../polynomial.js';

/** A range of y, ends included; either may be infinite. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * The y within `within` for which min <= phi(y) <= max: the limit of a joint that follows as a limit of the one that leads.
 * One range, since limits are convex; undefined where there is no such y; `several` where they are ranges apart.
 *
 * Where phi is straight the ends are (min - c0) / c1 and (max - c0) / c1, with no search.
 */
export function coupledInterval(
  c: readonly number[],
  { min, max }: Range,
  within: Range,
): Range | undefined | 'several' {
  const degree = degreeOf(c);
  if (degree === 0) return c[0] >= min && c[0] <= max ? within : undefined;
  if (degree === 1) {
    const ends = [(min - c[0]) / c[1], (max - c[0]) / c[1]].sort((a, b) => a - b);
    const range = { min: Math.max(within.min, ends[0]), max: Math.min(within.max, ends[1]) };
    return range.min <= range.max ? range : undefined;
  }
  // Between two neighbouring crossings phi stays inside or outside: a point in between tells.
  const crossings = [min, max]
    .filter(Number.isFinite)
    .flatMap((level) => realRoots([c[0] - level, ...c.slice(1, degree + 1)], within))
    .sort((a, b) => a - b);
  const ends = [within.min, ...crossings, within.max];
  const inside = (y: number) => {
    const value = polynomialValue(c, y);
    return value >= min && value <= max;
  };
  const ranges: { min: number; max: number }[] = [];
  for (let k = 1; k < ends.length; k++) {
    if (!(ends[k - 1] < ends[k]) || !inside(between(ends[k - 1], ends[k]))) continue;
    const last = ranges.at(-1);
    if (last?.max === ends[k - 1]) last.max = ends[k];
    else ranges.push({ min: ends[k - 1], max: ends[k] });
  }
  if (ranges.length > 1) return 'several';
  if (ranges.length === 1) return ranges[0];
  // No room between crossings: the set may still be one point, as where within is one.
  const point = ends.find((y) => Number.isFinite(y) && inside(y));
  return point === undefined ? undefined : { min: point, max: point };
}

/** Index of the last coefficient that is not zero; 0 for a constant. */
function degreeOf(c: readonly number[]): number {
  let degree = c.length - 1;
  while (degree > 0 && c[degree] === 0) degree--;
  return degree;
}

/** A number between two, which may be infinite. */
function between(a: number, b: number): number {
  if (a === Number.NEGATIVE_INFINITY) return b === Number.POSITIVE_INFINITY ? 0 : b - 1 - Math.abs(b);
  return b === Number.POSITIVE_INFINITY ? a + 1 + Math.abs(a) : a + (b - a) / 2;
}

/**
 * The real roots of a polynomial within a range, ascending. Between two neighbouring roots of its derivative it rises
 * or falls, and has one root or none, which bisection finds to the last bit.
 */
function realRoots(c: readonly number[], { min, max }: Range): number[] {
  const degree = degreeOf(c);
  if (degree === 0) return [];
  // Cauchy: no root is further out than 1 + max |c_k / c_n|.
  const bound = 1 + Math.max(...c.slice(0, degree).map((x) => Math.abs(x / c[degree])));
  const range = { min: Math.max(min, -bound), max: Math.min(max, bound) };
  if (!(range.min <= range.max)) return [];
  const turns = realRoots(
    c.slice(1, degree + 1).map((x, k) => (k + 1) * x),
    range,
  );
  const ends = [range.min, ...turns, range.max];
  const roots: number[] = [];
  for (let k = 1; k < ends.length; k++) {
    const root = rootBetween(c, ends[k - 1], ends[k]);
    if (root !== undefined && root !== roots.at(-1)) roots.push(root);
  }
  return roots;
}

/** The root between two points between which the polynomial rises or falls; undefined where its sign stays. */
function rootBetween(c: readonly number[], a: number, b: number): number | undefined {
  const atA = polynomialValue(c, a);
  if (atA === 0) return a;
  const atB = polynomialValue(c, b);
  if (atB === 0) return b;
  if (atA > 0 === atB > 0) return undefined;
  let low = a;
  let high = b;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    if (polynomialValue(c, middle) > 0 === atA > 0) low = middle;
    else high = middle;
  }
}
