import type { MutableNumbers, Numbers } from '../../math/types.js';
import type { LimitShape } from './limit.js';

/** Slightly less than one: a projected point must not round to the outside. */
const INSIDE = 1 - 4 * Number.EPSILON;

/** Newton steps are monotone and quadratic; this many are never needed (10 have been seen for 1000:1 ellipses). */
const MAX_STEPS = 60;

/** (x/a)^2 + (y/b)^2 <= 1, the paper's section 5. g = (x/a)^2 + (y/b)^2 - 1. */
export const ellipseShape: LimitShape = {
  value(parameters, q, i) {
    return ellipseValue(parameters[0], parameters[1], q[i], q[i + 1]);
  },
  gradient(parameters, q, i, _size, out, o) {
    out[o] = (2 * q[i]) / (parameters[0] * parameters[0]);
    out[o + 1] = (2 * q[i + 1]) / (parameters[1] * parameters[1]);
  },
  hessian(parameters, _q, _i, _size, out, o) {
    out[o] = 2 / (parameters[0] * parameters[0]);
    out[o + 1] = 0;
    out[o + 2] = 0;
    out[o + 3] = 2 / (parameters[1] * parameters[1]);
  },
  project(parameters, q, i) {
    return projectOnEllipse(parameters[0], parameters[1], q, i);
  },
};

/**
 * Four quarter ellipses: x uses the radius of its own sign, and so does y. The quarters meet at right angles to the
 * axes, so the set is convex and its boundary has a tangent everywhere.
 */
export const quadEllipseShape: LimitShape = {
  value(parameters, q, i) {
    return ellipseValue(radiusS(parameters, q[i]), radiusT(parameters, q[i + 1]), q[i], q[i + 1]);
  },
  gradient(parameters, q, i, size, out, o) {
    ellipseShape.gradient(quarter(parameters, q, i), q, i, size, out, o);
  },
  hessian(parameters, q, i, size, out, o) {
    ellipseShape.hessian(quarter(parameters, q, i), q, i, size, out, o);
  },
  project(parameters, q, i) {
    return projectOnEllipse(radiusS(parameters, q[i]), radiusT(parameters, q[i + 1]), q, i);
  },
};

function radiusS(parameters: Numbers, x: number): number {
  return x < 0 ? -parameters[0] : parameters[1];
}

function radiusT(parameters: Numbers, y: number): number {
  return y < 0 ? -parameters[2] : parameters[3];
}

function quarter(parameters: Numbers, q: Numbers, i: number): Numbers {
  return [radiusS(parameters, q[i]), radiusT(parameters, q[i + 1])];
}

function ellipseValue(a: number, b: number, x: number, y: number): number {
  const u = x / a;
  const w = y / b;
  return u * u + w * w - 1;
}

/**
 * Nearest point of the ellipse to (q[i], q[i+1]), in place; points inside stay.
 *
 * The nearest point is (a^2 x / (a^2 + t), b^2 y / (b^2 + t)) with t >= 0 the root of
 *   F(t) = (a x / (a^2 + t))^2 + (b y / (b^2 + t))^2 - 1.
 * F is convex and decreasing there, so Newton's method from the left never passes the root: it climbs to it and ends
 * when a step no longer changes t. The start is the better of the two roots that each term alone would have.
 */
function projectOnEllipse(a: number, b: number, q: MutableNumbers, i: number): boolean {
  const x = q[i];
  const y = q[i + 1];
  if (ellipseValue(a, b, x, y) <= 0) return false;
  const ax = a * Math.abs(x);
  const by = b * Math.abs(y);
  const aa = a * a;
  const bb = b * b;
  let t = Math.max(0, ax - aa, by - bb);
  for (let step = 0; step < MAX_STEPS; step++) {
    const u = ax / (aa + t);
    const w = by / (bb + t);
    const value = u * u + w * w - 1;
    const slope = -2 * ((u * u) / (aa + t) + (w * w) / (bb + t));
    const next = t - value / slope;
    if (!(next > t)) break;
    t = next;
  }
  let px = (aa * x) / (aa + t);
  let py = (bb * y) / (bb + t);
  // Rounding may leave the point outside by an ulp or so: draw it in.
  const excess = ellipseValue(a, b, px, py);
  if (excess > 0) {
    const scale = INSIDE / Math.sqrt(1 + excess);
    px *= scale;
    py *= scale;
  }
  q[i] = px;
  q[i + 1] = py;
  return true;
}
