/*
 * Closest point of a segment p(t) = c + t h, t in [-1, 1], to the box |x_k| <= b_k. The squared distance is a convex piecewise quadratic function
 * of t; half its derivative, g(t) = sum_k h_k (p_k - clamp(p_k)), is nondecreasing and piecewise linear, with breakpoints where the segment
 * crosses the plane of a face. So a bisection over the breakpoints finds the root exactly.
 */

/** The parameter t of a closest point; one of them where it is not unique. */
export function closestSegmentParameter(
  cx: number,
  cy: number,
  cz: number,
  hx: number,
  hy: number,
  hz: number,
  bx: number,
  by: number,
  bz: number,
): number {
  let low = -1;
  let atLow = derivative(-1, cx, cy, cz, hx, hy, hz, bx, by, bz);
  if (atLow >= 0) return -1;
  let high = 1;
  let atHigh = derivative(1, cx, cy, cz, hx, hy, hz, bx, by, bz);
  if (atHigh <= 0) return 1;
  // Between neighbouring breakpoints g is linear.
  for (let breakpoint = 0; breakpoint < 6; breakpoint++) {
    const axis = breakpoint >> 1;
    const h = axis === 0 ? hx : axis === 1 ? hy : hz;
    if (h === 0) continue;
    const c = axis === 0 ? cx : axis === 1 ? cy : cz;
    const b = axis === 0 ? bx : axis === 1 ? by : bz;
    const t = ((breakpoint & 1 ? b : -b) - c) / h;
    if (!(t > low && t < high)) continue;
    const g = derivative(t, cx, cy, cz, hx, hy, hz, bx, by, bz);
    if (g > 0) {
      high = t;
      atHigh = g;
    } else {
      low = t;
      atLow = g;
    }
  }
  return low - ((high - low) * atLow) / (atHigh - atLow);
}

/** g(t), half the derivative of the squared distance. */
function derivative(
  t: number,
  cx: number,
  cy: number,
  cz: number,
  hx: number,
  hy: number,
  hz: number,
  bx: number,
  by: number,
  bz: number,
): number {
  return hx * excess(cx + t * hx, bx) + hy * excess(cy + t * hy, by) + hz * excess(cz + t * hz, bz);
}

/** Signed distance of x outside the interval [-b, b], 0 inside. */
export function excess(x: number, b: number): number {
  return x > b ? x - b : x < -b ? x + b : 0;
}
