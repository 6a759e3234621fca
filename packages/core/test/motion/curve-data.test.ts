import { expect, it } from 'vitest';
import { cubicSpline, kochanekBartelsCurve } from '../../src/motion/curves/index.js';
import { createCurve, curveToData, evaluateCurve } from '../../src/motion/representation/curve.js';

it('a curve round-trips through JSON to the last bit, with its extrapolation', () => {
  const curve = cubicSpline({ times: [0, 1 / 3, 2], values: [0, 0.1, 1, -2, 0, 7] }, { outside: 'mirror' });
  const again = createCurve(JSON.parse(JSON.stringify(curveToData(curve))));
  expect(again).toEqual(curve);
  for (const t of [-1, 0.2, 1.9, 5]) expect(evaluateCurve(again, t)).toEqual(evaluateCurve(curve, t));
});

it('a typed array turned into an object by JSON is refused', () => {
  const curve = cubicSpline({ times: [0, 1, 2], values: [0, 1, 0] });
  const broken = JSON.parse(JSON.stringify(curve));
  expect(() => createCurve(broken)).toThrow(/knots: has no length.*plain array/);
});

it('a closed Kochanek-Bartels curve has no corner where it closes, for any shapes at its ends', () => {
  const keys = { times: [0, 1, 2, 3], values: [0, 1, -1, 0] };
  const curve = kochanekBartelsCurve(keys, { tension: [0, 0, 0, 1], bias: [0.3, 0, 0, -0.5], closed: true });
  expect(evaluateCurve(curve, 3).first[0]).toBeCloseTo(evaluateCurve(curve, 0).first[0], 13);
});
