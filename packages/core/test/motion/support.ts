import fc from 'fast-check';
import {
  type Curve,
  createCurve,
  createCurvePoint,
  evaluateCurve,
  writePiece,
} from '../../src/motion/representation/curve.js';

/** Any curve: corners and jumps as they come. */
export function anyCurve(size = 2, degrees: readonly number[] = [1, 2, 3, 5]): fc.Arbitrary<Curve> {
  return fc
    .record({
      degree: fc.constantFrom(...degrees),
      start: fc.double({ min: -3, max: 3, noNaN: true }),
      spans: fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), { minLength: 1, maxLength: 5 }),
    })
    .chain(({ degree, start, spans }) => {
      const count = spans.length * (degree + 1) * size;
      return fc
        .array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: count, maxLength: count })
        .map((controls) => createCurve({ size, degree, knots: knotsOf(start, spans), controls }));
    });
}

/** A curve whose pieces meet. */
export function anyContinuousCurve(size = 2, degrees: readonly number[] = [1, 2, 3, 5]): fc.Arbitrary<Curve> {
  return anyCurve(size, degrees).map((curve) => {
    const controls = Float64Array.from(curve.controls);
    const stride = (curve.degree + 1) * size;
    for (let o = stride; o < controls.length; o += stride) controls.copyWithin(o, o - size, o);
    return { ...curve, controls };
  });
}

export function knotsOf(start: number, spans: readonly number[]): number[] {
  const knots = [start];
  for (const span of spans) knots.push(knots[knots.length - 1] + span);
  return knots;
}

/**
 * Largest difference of value and derivatives at moments inside the pieces of `a`, each against the most that it can be with Bezier points as
 * large as those of `a`: (2 degree/span)^k times the largest. What rounding of the points does is a few 1e-16 of that.
 */
export function difference(
  a: Curve,
  b: (time: number) => { value: ArrayLike<number>; first: ArrayLike<number>; second: ArrayLike<number> },
): number {
  const point = createCurvePoint(a.size);
  const largest = Array.from(a.controls).reduce((m, x) => Math.max(m, Math.abs(x)), 1);
  let worst = 0;
  for (let s = 0; s + 1 < a.knots.length; s++) {
    const span = a.knots[s + 1] - a.knots[s];
    const rate = (2 * a.degree) / Math.min(1, span);
    for (const u of [0.01, 0.2, 0.5, 0.77, 0.99]) {
      const time = a.knots[s] + u * span;
      writePiece(a, s, time, point.value, point.first, point.second, 0);
      const other = b(time);
      for (const [k, name] of (['value', 'first', 'second'] as const).entries()) {
        for (let c = 0; c < a.size; c++) {
          const off = Math.abs(point[name][c] - other[name][c]);
          worst = Math.max(worst, off / (largest * rate ** k));
        }
      }
    }
  }
  return worst;
}

/** {@link difference} of two curves. */
export function curveDifference(a: Curve, b: Curve): number {
  return difference(a, (time) => evaluateCurve(b, time));
}
