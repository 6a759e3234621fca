/** How deep placed shapes are in each other, by formulas of its own. */
import { cross, dot, length, plus, product, rotate, type V } from '../../rigid/vectors.js';
import type { Form } from '../scene.js';

/** A shape in world axes: a segment with a radius, or a box by its centre, axes and half sizes. */
export type Placed =
  | {
      readonly type: 'round';
      readonly from: V;
      readonly to: V;
      readonly radius: number;
      readonly low: V;
      readonly high: V;
    }
  | {
      readonly type: 'box';
      readonly center: V;
      readonly axes: readonly V[];
      readonly half: V;
      readonly low: V;
      readonly high: V;
    };

export function place(form: Form, position: V, rotation: V): Placed {
  const at = (x: V): number[] => plus(position, rotate(rotation, x));
  if (form.type === 'box') {
    const orientation = product(rotation, form.rotation);
    const axes = UNITS.map((unit) => rotate(orientation, unit));
    const reach = [0, 1, 2].map((k) =>
      axes.reduce((sum, axis, n) => sum + Math.abs(axis[k]) * form.half[n], 0),
    );
    const center = at(form.center);
    return {
      type: 'box',
      center,
      axes,
      half: form.half,
      low: plus(center, reach, -1),
      high: plus(center, reach),
    };
  }
  const [from, to] =
    form.type === 'sphere' ? [at(form.center), at(form.center)] : [at(form.from), at(form.to)];
  const { radius } = form;
  return {
    type: 'round',
    from,
    to,
    radius,
    low: [0, 1, 2].map((k) => Math.min(from[k], to[k]) - radius),
    high: [0, 1, 2].map((k) => Math.max(from[k], to[k]) + radius),
  };
}

/** Depth below the floor y = 0. */
export const floorDepth = ({ low }: Placed): number => -low[1];

export function apartByBounds(a: Placed, b: Placed): boolean {
  return [0, 1, 2].some((k) => a.low[k] > b.high[k] || b.low[k] > a.high[k]);
}

/** Depth of two shapes: how far one must move for them to come apart; 0 where they are. */
export function depthOf(a: Placed, b: Placed): number {
  if (apartByBounds(a, b)) return 0;
  if (a.type === 'round' && b.type === 'round') {
    return Math.max(0, a.radius + b.radius - segmentDistance(a.from, a.to, b.from, b.to));
  }
  if (a.type === 'box' && b.type === 'box') return boxDepth(a, b);
  const [round, box] = a.type === 'round' ? [a, b] : [b, a];
  if (round.type !== 'round' || box.type !== 'box') return 0;
  return Math.max(
    0,
    round.radius - leastAlong((x) => boxDistance(plus(round.from, plus(round.to, round.from, -1), x), box)),
  );
}

const UNITS: readonly V[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Of two segments p + s d and q + t e, 0 <= s, t <= 1: the distance is convex in s once t is the nearest for it. */
function segmentDistance(p: V, p1: V, q: V, q1: V): number {
  const [d, e] = [plus(p1, p, -1), plus(q1, q, -1)];
  const square = dot(e, e);
  return leastAlong((s) => {
    const x = plus(p, d, s);
    const t = square > 0 ? Math.min(1, Math.max(0, dot(plus(x, q, -1), e) / square)) : 0;
    return length(plus(x, plus(q, e, t), -1));
  });
}

/** Signed distance of a point to a box; inside, less the distance to the nearest face. */
function boxDistance(x: V, { center, axes, half }: Placed & { readonly type: 'box' }): number {
  const from = plus(x, center, -1);
  const out = axes.map((axis, k) => Math.abs(dot(from, axis)) - half[k]);
  const outer = Math.hypot(...out.map((d) => Math.max(0, d)));
  return outer > 0 ? outer : Math.max(...out);
}

/** The least of the 15 separating axes' overlaps. */
function boxDepth(a: Placed & { readonly type: 'box' }, b: Placed & { readonly type: 'box' }): number {
  const between = plus(a.center, b.center, -1);
  const edges = a.axes.flatMap((x) => b.axes.map((y) => cross(x, y)));
  let min = Number.POSITIVE_INFINITY;
  for (const axis of [...a.axes, ...b.axes, ...edges]) {
    const size = length(axis);
    if (size < 1e-6) continue;
    let overlap = -Math.abs(dot(between, axis));
    for (let n = 0; n < 3; n++) {
      overlap += a.half[n] * Math.abs(dot(a.axes[n], axis)) + b.half[n] * Math.abs(dot(b.axes[n], axis));
    }
    if (overlap <= 0) return 0;
    min = Math.min(min, overlap / size);
  }
  return min;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Least value of a convex function on [0, 1], by golden sections. */
function leastAlong(at: (x: number) => number): number {
  let [low, high] = [0, 1];
  let [a, b] = [1 - GOLDEN, GOLDEN];
  let [fa, fb] = [at(a), at(b)];
  for (let n = 0; n < 40; n++) {
    if (fa < fb) {
      [high, b, fb] = [b, a, fa];
      a = high - GOLDEN * (high - low);
      fa = at(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + GOLDEN * (high - low);
      fb = at(b);
    }
  }
  return Math.min(at(0), at(1), fa, fb);
}
