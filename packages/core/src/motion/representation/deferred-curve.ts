/** Curves whose Bezier points are made when they are first asked for: until then they keep what the points are made of, which is less. */
import type { Curve } from './curve.js';
import { outsideRange } from './time-range.js';

/** Writes point p of piece s, `size` numbers, from at + ((degree + 1) s + p) stride on: finite numbers, none of them -0. */
export type PointWriter = (out: Float64Array, at: number, stride: number) => void;

const writers = /* @__PURE__ */ new WeakMap<Curve, PointWriter>();

/** What writes the points of a curve of {@link deferredCurve}, which is frozen and needs no check. Undefined for any other. */
export function pointWriterOf(curve: Curve): PointWriter | undefined {
  return writers.get(curve);
}

/** @param knots - The curve's own from now on. */
export function deferredCurve(
  { size, degree, knots }: { readonly size: number; readonly degree: number; readonly knots: Float64Array },
  write: PointWriter,
): Curve {
  let controls: Float64Array | undefined;
  const curve: Curve = Object.freeze({
    size,
    degree,
    knots,
    // An own property, so that copies, clones and JSON have the points.
    get controls(): Float64Array {
      if (controls === undefined) {
        controls = new Float64Array((degree + 1) * size * (knots.length - 1));
        write(controls, 0, size);
      }
      return controls;
    },
    outside: Object.freeze(outsideRange()),
  });
  writers.set(curve, write);
  return curve;
}
