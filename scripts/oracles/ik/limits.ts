import { type Bone, coordinateStarts, type SwingLimit } from './types.js';

/** One convex set over consecutive coordinates, and the nearest point of it. */
export interface LimitSet {
  readonly bone: string;
  readonly coordinate: number;
  readonly size: number;
  nearest(x: readonly number[]): number[];
  /** Outward unit normal of the boundary at the point of it nearest to x. */
  normal(x: readonly number[]): number[];
}

/** The limits of a figure as sets that share no coordinate. */
export function limitSets(bones: readonly Bone[]): LimitSet[] {
  const starts = coordinateStarts(bones);
  return bones.flatMap(({ name, limit }, k): LimitSet[] => {
    if (limit === undefined) return [];
    const first = starts[k];
    switch (limit.type) {
      case 'interval':
        return interval(name, first, limit.min, limit.max);
      case 'box':
        return limit.min.flatMap((min, n) => interval(name, first + n, min, limit.max[n]));
      case 'angle':
        return [ball(name, first, 3, limit.max)];
      case 'swing-twist':
        return [
          ...(limit.swing === undefined ? [] : [swing(name, first, limit.swing)]),
          ...(limit.twist === undefined ? [] : interval(name, first + 2, limit.twist.min, limit.twist.max)),
        ];
      default:
        return [swing(name, first, limit)];
    }
  });
}

function interval(bone: string, coordinate: number, min: number | null, max: number | null): LimitSet[] {
  if (min === null && max === null) return [];
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return [
    {
      bone,
      coordinate,
      size: 1,
      nearest: ([x]) => [Math.min(Math.max(x, low), high)],
      normal: ([x]) => [Math.abs(x - low) < Math.abs(x - high) ? -1 : 1],
    },
  ];
}

function ball(bone: string, coordinate: number, size: number, radius: number): LimitSet {
  return {
    bone,
    coordinate,
    size,
    nearest: (x) => {
      const n = Math.hypot(...x);
      return n <= radius ? [...x] : x.map((c) => (c / n) * radius);
    },
    normal: (x) => x.map((c) => c / Math.hypot(...x)),
  };
}

function swing(bone: string, coordinate: number, limit: SwingLimit): LimitSet {
  if (limit.type === 'cone') return ball(bone, coordinate, 2, limit.halfAngle);
  const radii = ([x, y]: readonly number[]): readonly [number, number] =>
    limit.type === 'ellipse'
      ? limit.halfAngles
      : [x < 0 ? -limit.s[0] : limit.s[1], y < 0 ? -limit.t[0] : limit.t[1]];
  return {
    bone,
    coordinate,
    size: 2,
    nearest: (x) => nearestOnEllipse(...radii(x), x),
    normal: (x) => {
      const [a, b] = radii(x);
      const n = [x[0] / (a * a), x[1] / (b * b)];
      return n.map((c) => c / Math.hypot(...n));
    },
  };
}

/**
 * The nearest point of (x/a)^2 + (y/b)^2 <= 1, by halving an interval: (a^2 x/(a^2 + t), b^2 y/(b^2 + t)) with t >= 0 where it
 * meets the boundary; the left side falls as t grows.
 */
function nearestOnEllipse(a: number, b: number, [x, y]: readonly number[]): number[] {
  const at = (t: number): [number, number] => [(a * x) / (a * a + t), (b * y) / (b * b + t)];
  const outside = (t: number): boolean => {
    const [u, w] = at(t);
    return u * u + w * w > 1;
  };
  if (!outside(0)) return [x, y];
  let low = 0;
  let high = Math.max(a, b) * Math.hypot(x, y);
  for (let n = 0; n < 2000; n++) {
    // Where t may be anything from 1e-17 to 1e8, the geometric middle is the middle.
    const middle = low > 0 ? Math.sqrt(low * high) : Math.max(high * 1e-3, Number.MIN_VALUE);
    if (!(middle > low && middle < high)) break;
    if (outside(middle)) low = middle;
    else high = middle;
  }
  const [u, w] = at(high);
  return [a * u, b * w];
}

/** How far q lies outside its limits: the largest distance to a set; rad or m. */
export function limitExcess(sets: readonly LimitSet[], q: ArrayLike<number>): number {
  let largest = 0;
  for (const set of sets) {
    const x = coordinatesOf(set, q);
    const p = set.nearest(x);
    largest = Math.max(largest, Math.hypot(...p.map((c, k) => c - x[k])));
  }
  return largest;
}

/** The allowed pose nearest to q. */
export function projected(sets: readonly LimitSet[], q: ArrayLike<number>): number[] {
  const out = Array.from(q);
  for (const set of sets) {
    set.nearest(coordinatesOf(set, q)).forEach((c, k) => {
      out[set.coordinate + k] = c;
    });
  }
  return out;
}

export function coordinatesOf({ coordinate, size }: LimitSet, q: ArrayLike<number>): number[] {
  return Array.from({ length: size }, (_, k) => q[coordinate + k]);
}
