import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  joinCurves,
  raiseDegree,
  reverseCurve,
  sliceCurve,
  splitCurve,
  toBezier,
  toBSpline,
  toHermite,
} from '../../../src/motion/convert/index.js';
import {
  bezierCurve,
  bSplineCurve,
  cubicSpline,
  hermiteCurve,
  linearCurve,
  minimumJerkCurve,
} from '../../../src/motion/curves/index.js';
import { simplifyCurve } from '../../../src/motion/fit/index.js';
import {
  createCurve,
  curveEnd,
  curveStart,
  evaluateCurve,
} from '../../../src/motion/representation/curve.js';
import { anyContinuousCurve, anyCurve, curveDifference, difference, knotsOf } from '../support.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('a jump', () => {
  it('is not found within the rounding of the points, however near 0 both values are', () => {
    const given = cubicSpline({ times: [0, 1, 3], values: [1, 2, 3, -1, 0.5, 4] });
    for (let k = 1; k < 20; k++) {
      // Moved so that the join is at 0: what is left there is rounding.
      const zero = evaluateCurve(given, 0.15 * k).value;
      const [before, after] = splitCurve(given, 0.15 * k).map((piece, side) => ({
        ...piece,
        controls: Float64Array.from(piece.controls, (x, o) => x - zero[o % 2] + side * 1e-16),
      }));
      const curve = joinCurves([before, after], { jumps: 'keep' });
      expect(() => toHermite(curve)).not.toThrow();
      expect(() => simplifyCurve(curve, { tolerance: 100 })).not.toThrow();
    }
    const at = (gap: number) =>
      createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [-1, gap, -gap, 1] });
    expect(toHermite(at(1e-17)).values.length).toBe(3);
    expect(() => toHermite(at(1e-14))).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });
});

describe('conversions are exact', () => {
  it('a curve of degree 1 to 3 is the Hermite curve of its keys and tangents', () => {
    fc.assert(
      fc.property(anyContinuousCurve(2, [1, 2, 3]), (curve) => {
        expect(curveDifference(curve, hermiteCurve(toHermite(curve)))).toBeLessThan(1e-13);
      }),
    );
  });

  it('Hermite keyframes round-trip', () => {
    const keys = {
      times: [0, 0.5, 2],
      values: [1, 2, -1, 0.3, 4, 4],
      tangents: [1, 0, -3, 2, 0.1, 5],
      arriving: [1, 0, 2, 2, 0.1, 5],
    };
    const back = toHermite(hermiteCurve(keys));
    for (const name of ['times', 'values', 'tangents', 'arriving'] as const) {
      for (const [i, number] of keys[name].entries()) expect(back[name][i]).toBeCloseTo(number, 13);
    }
  });

  it('a curve of degree 1 to 3 is the Bezier curve of its points, and cubic points are not touched', () => {
    fc.assert(
      fc.property(anyContinuousCurve(2, [1, 2, 3]), (curve) => {
        const back = bezierCurve(toBezier(curve));
        expect(curveDifference(curve, back)).toBeLessThan(1e-13);
        if (curve.degree === 3) expect(back.controls).toEqual(curve.controls);
      }),
    );
  });

  it('degree elevation keeps the curve, and its ends to the last bit', () => {
    fc.assert(
      fc.property(anyCurve(), fc.integer({ min: 5, max: 7 }), (curve, degree) => {
        const raised = raiseDegree(curve, degree);
        expect(raised.degree).toBe(degree);
        expect(curveDifference(curve, raised)).toBeLessThan(1e-13);
        expect(raised.controls[0]).toBe(curve.controls[0]);
        expect(raised.controls[raised.controls.length - 1]).toBe(curve.controls[curve.controls.length - 1]);
      }),
    );
  });
});

describe('toBSpline', () => {
  const spline = fc
    .record({
      degree: fc.integer({ min: 1, max: 5 }),
      spans: fc.array(fc.double({ min: 0.3, max: 1.5, noNaN: true }), { minLength: 1, maxLength: 6 }),
    })
    .chain(({ degree, spans }) => {
      const joins = knotsOf(-1, spans);
      const knots = [
        ...Array(degree).fill(joins[0]),
        ...joins,
        ...Array(degree).fill(joins[joins.length - 1]),
      ];
      const count = 2 * (knots.length - degree - 1);
      return fc
        .array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: count, maxLength: count })
        .map((points) => ({ size: 2, degree, knots, points }));
    });

  it('recovers the control points of a B-spline', () => {
    fc.assert(
      fc.property(spline, (data) => {
        const back = toBSpline(bSplineCurve(data));
        expect(Array.from(back.knots)).toEqual(data.knots);
        for (let i = 0; i < data.points.length; i++)
          expect(Math.abs(back.points[i] - data.points[i])).toBeLessThan(1e-10);
      }),
    );
  });

  it('converts C2 splines to equal B-splines', () => {
    const keys = { times: [0, 0.4, 1, 1.1, 2.5, 3], values: [0, 1, 3, -2, 0.5, 4, 4, 4, -1, 0, 2, 2] };
    for (const curve of [
      cubicSpline(keys),
      cubicSpline(keys, { ends: 'clamped', startVelocity: [1, 2] }),
      minimumJerkCurve(keys),
      linearCurve(keys),
    ]) {
      expect(curveDifference(curve, bSplineCurve(toBSpline(curve)))).toBeLessThan(1e-13);
    }
  });

  it('converts any continuous curve with repeated knots', () => {
    fc.assert(
      fc.property(anyContinuousCurve(), (curve) => {
        expect(curveDifference(curve, bSplineCurve(toBSpline(curve, { repeatKnots: true })))).toBeLessThan(
          1e-13,
        );
      }),
    );
  });

  it('refuses a less smooth curve with the knot, the derivative and a remedy', () => {
    const cornered = hermiteCurve({
      times: [0, 1, 2],
      values: [0, 1, 0],
      tangents: [0, 1, 0],
      arriving: [0, 2, 0],
    });
    const smooth = hermiteCurve({ times: [0, 1, 2], values: [0, 1, 3], tangents: [0, 1, 0] });
    expect(() => toBSpline(cornered)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        path: 'curve.knots[1]',
        message: expect.stringContaining('its velocity jumps by 1'),
      }),
    );
    expect(() => toBSpline(smooth)).toThrow(/acceleration jumps by .* at 1 s.*repeatKnots/);
    const torn = createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [0, 1, 2, 3] });
    expect(() => toBSpline(torn, { repeatKnots: true })).toThrow(/its value jumps by 1 at 1 s.*Split/);
  });
});

describe('slicing, reversing and joining', () => {
  it('a slice is the curve, and pieces that are not cut are the same to the last bit', () => {
    fc.assert(
      fc.property(anyCurve(), share, share, (curve, a, b) => {
        const start = curveStart(curve);
        const span = curveEnd(curve) - start;
        const from = start + Math.min(a, b) * span;
        const to = start + Math.max(a, b) * span;
        fc.pre(to - from > 1e-3);
        const slice = sliceCurve(curve, from, to);
        expect([curveStart(slice), curveEnd(slice)]).toEqual([from, to]);
        expect(difference(slice, (time) => evaluateCurve(curve, time))).toBeLessThan(1e-13);
        const values = difference(slice, (time) => ({
          ...evaluateCurve(slice, time),
          value: evaluateCurve(curve, time).value,
        }));
        expect(values).toBeLessThan(4e-15);
      }),
    );
    const curve = hermiteCurve({ times: [0, 1, 2, 3], values: [0, 1, 5, 2], tangents: [1, 2, 3, 4] });
    const slice = sliceCurve(curve, 0.5, 2.5);
    expect(Array.from(slice.controls).slice(4, 8)).toEqual(Array.from(curve.controls).slice(4, 8));
    expect(Array.from(sliceCurve(curve, 1, 2).controls)).toEqual(Array.from(curve.controls).slice(4, 8));
    expect(sliceCurve(curve, 0, 3)).toEqual(curve);
  });

  it('split and join is the identity', () => {
    fc.assert(
      fc.property(anyContinuousCurve(), fc.double({ min: 0.05, max: 0.95, noNaN: true }), (curve, u) => {
        const at = curveStart(curve) + u * (curveEnd(curve) - curveStart(curve));
        const joined = joinCurves(splitCurve(curve, at));
        expect(
          difference(joined, (time) => ({
            ...evaluateCurve(joined, time),
            value: evaluateCurve(curve, time).value,
          })),
        ).toBeLessThan(4e-15);
      }),
    );
  });

  it('a reversed curve runs backwards, and reversal is an involution', () => {
    fc.assert(
      fc.property(anyContinuousCurve(), (curve) => {
        const back = reverseCurve(curve);
        const both = curveStart(curve) + curveEnd(curve);
        expect(
          difference(curve, (time) => {
            const { value, first, second } = evaluateCurve(back, both - time);
            return { value, first: Array.from(first, (x) => -x), second };
          }),
        ).toBeLessThan(1e-12);
        const again = reverseCurve(back);
        expect(again.controls).toEqual(curve.controls);
        for (let i = 0; i < curve.knots.length; i++) expect(again.knots[i]).toBeCloseTo(curve.knots[i], 14);
      }),
    );
    const one = createCurve(
      { size: 1, degree: 1, knots: [0, 1], controls: [0, 1] },
      { outside: { before: 'loop', after: 'linear' } },
    );
    expect(reverseCurve(one).outside).toEqual({ before: 'linear', after: 'loop' });
  });

  it('joining elevates degrees, shifts times, and shifts values where asked', () => {
    const line = linearCurve({ times: [0, 1], values: [0, 2] });
    const bend = hermiteCurve({ times: [5, 7], values: [1, 4], tangents: [0, 0] });
    const walk = joinCurves([line, bend, line], { jumps: 'shift' });
    expect(Array.from(walk.knots)).toEqual([0, 1, 3, 4]);
    expect(walk.degree).toBe(3);
    expect([0.5, 1, 2, 3, 4].map((t) => evaluateCurve(walk, t).value[0])).toEqual([1, 2, 3.5, 5, 7]);
    const torn = joinCurves([line, bend], { jumps: 'keep' });
    expect(evaluateCurve(torn, 1).value[0]).toBe(1);
  });

  it('invalid input is refused by code', () => {
    const line = linearCurve({ times: [0, 1], values: [0, 2] });
    const quintic = minimumJerkCurve({ times: [0, 1], values: [0, 1] });
    const torn = createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [0, 1, 2, 3] });
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    expect(() => toHermite(quintic)).toThrow(code('unsupported', 'curve'));
    expect(() => toBezier(torn)).toThrow(code('unsupported', 'curve.knots[1]'));
    expect(() => raiseDegree(quintic, 3)).toThrow(code('out-of-range', 'degree'));
    expect(() => raiseDegree(line, 8)).toThrow(code('out-of-range', 'degree'));
    expect(() => sliceCurve(line, -0.1, 1)).toThrow(code('out-of-range', 'from'));
    expect(() => sliceCurve(line, 0, 1.5)).toThrow(code('out-of-range', 'to'));
    expect(() => sliceCurve(line, 0.5, 0.5)).toThrow(code('not-increasing', 'to'));
    expect(() => sliceCurve(line, Number.NaN, 0.5)).toThrow(code('not-finite', 'from[0]'));
    expect(() => joinCurves([])).toThrow(code('wrong-size', 'curves'));
    expect(() => joinCurves([line, line])).toThrow(code('out-of-range', 'curves[1], coordinate 0'));
    expect(() => joinCurves([line, linearCurve({ times: [0, 1], values: [0, 2, 3, 4] })])).toThrow(
      code('wrong-size', 'curves[1]'),
    );
    expect(() => joinCurves([line], { jumps: 'leap' as 'keep' })).toThrow(code('unsupported', 'jumps'));
  });
});
