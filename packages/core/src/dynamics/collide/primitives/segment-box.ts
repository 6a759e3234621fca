/*
 * The point of a segment p(t) = c + t h, t in [-1, 1], that is nearest to the box |x_k| <= b_k. The squared distance is a convex piecewise
 * quadratic of t; half its slope, g(t) = sum_k h_k (p_k - clamp(p_k)), never falls and bends only where the segment crosses the plane of a face.
 */

/** t of a nearest point; where many are, one of them. */
export function nearestToBox(
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
  let atLow = slope(-1, cx, cy, cz, hx, hy, hz, bx, by, bz);
  if (atLow >= 0) return -1;
  let high = 1;
  let atHigh = slope(1, cx, cy, cz, hx, hy, hz, bx, by, bz);
  if (atHigh <= 0) return 1;
  // Narrowed down at each bend, g is straight on what is left.
  for (let bend = 0; bend < 6; bend++) {
    const axis = bend >> 1;
    const h = axis === 0 ? hx : axis === 1 ? hy : hz;
    if (h === 0) continue;
    const c = axis === 0 ? cx : axis === 1 ? cy : cz;
    const b = axis === 0 ? bx : axis === 1 ? by : bz;
    const t = ((bend & 1 ? b : -b) - c) / h;
    if (!(t > low && t < high)) continue;
    const g = slope(t, cx, cy, cz, hx, hy, hz, bx, by, bz);
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

function slope(
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

/** How far x is outside [-b, b], with its side as the sign. */
export function excess(x: number, b: number): number {
  return x > b ? x - b : x < -b ? x + b : 0;
}
