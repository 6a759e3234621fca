import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import { findJump } from '../../../src/motion/convert/pieces.js';
import {
  cubicSpline,
  hermiteCurve,
  linearCurve,
  minimumJerkCurve,
} from '../../../src/motion/curves/index.js';
import { createCurve, curveEnd, evaluateCurve } from '../../../src/motion/representation/curve.js';
import { evaluateRotation } from '../../../src/motion/representation/rotation-curve.js';
import {
  arcLengthTiming,
  bakeTiming,
  evaluateRetimed,
  retimeCurve,
  retimeRotation,
  speedLimitTiming,
} from '../../../src/motion/retime/index.js';
import { rotationVectorCurve } from '../../../src/motion/rotations/index.js';
import { anyContinuousCurve } from '../support.js';

describe('bakeTiming', () => {
  it('is the retimed curve, with its rates, and continuous', () => {
    fc.assert(
      fc.property(
        anyContinuousCurve(2, [1, 2, 3]),
        fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
        (curve, legs) => {
          // Two pieces of degree 2 that run from start to end.
          const sum = legs[0] + legs[1] + legs[2] + legs[3];
          const start = curve.knots[0];
          const range = curveEnd(curve) - start;
          const at = [0, 1, 2, 3].map(
            (k) => start + (range * legs.slice(0, k).reduce((a, b) => a + b, 0)) / sum,
          );
          const end = curveEnd(curve);
          const timing = createCurve({
            size: 1,
            degree: 2,
            knots: [-1, 0.5, 2],
            controls: [...at.slice(0, 3), at[2], at[3], end],
          });
          const baked = bakeTiming(curve, timing);
          const played = retimeCurve(curve, timing);
          expect(baked.degree).toBe(2 * curve.degree);
          expect(Array.from(baked.knots)).toEqual(Array.from(played.knots));
          expect(findJump(baked)).toBeUndefined();
          for (let s = 0; s + 1 < baked.knots.length; s++) {
            const h = baked.knots[s + 1] - baked.knots[s];
            for (const u of [0.02, 0.3, 0.5, 0.9, 0.98]) {
              const t = baked.knots[s] + u * h;
              const a = evaluateCurve(baked, t);
              const b = evaluateRetimed(played, t);
              const steep = 1 / Math.min(1, h, 0.1);
              for (let c = 0; c < 2; c++) {
                expect(Math.abs(a.value[c] - b.value[c])).toBeLessThan(1e-12 * steep);
                expect(Math.abs(a.first[c] - b.first[c])).toBeLessThan(1e-11 * steep ** 2);
                expect(Math.abs(a.second[c] - b.second[c])).toBeLessThan(1e-10 * steep ** 3);
              }
            }
          }
        },
      ),
    );
  });

  it('keeps speed limits, for a clip', () => {
    const path = cubicSpline({ times: [0, 0.5, 1.2, 2], values: [0, 1, -0.5, 0.3] });
    const timing = speedLimitTiming([{ motion: path, rate: 2, acceleration: 6 }], { atRest: 'both' });
    const baked = bakeTiming(path, timing);
    expect(baked.degree).toBe(6);
    let rate = 0;
    let acceleration = 0;
    for (let n = 0; n <= 20_000; n++) {
      const { first, second } = evaluateCurve(baked, (n / 20_000) * curveEnd(baked));
      rate = Math.max(rate, Math.abs(first[0]) / 2);
      acceleration = Math.max(acceleration, Math.abs(second[0]) / 6);
    }
    expect(rate).toBeLessThanOrEqual(1);
    expect(acceleration).toBeLessThanOrEqual(1 + 1e-8);
    expect(acceleration).toBeGreaterThan(0.999);
  });

  it('of rotation vectors is the retimed rotation', () => {
    const vectors = cubicSpline({ times: [0, 1, 2], values: [0, 0, 0, 1, -0.4, 1.3, 0.7, 0, 0.2] });
    const rotation = rotationVectorCurve(vectors);
    const timing = speedLimitTiming([{ motion: rotation, rate: 1, acceleration: 3 }], { resolution: 8 });
    const baked = rotationVectorCurve(bakeTiming(vectors, timing));
    const played = retimeRotation(rotation, timing);
    for (let n = 0; n < 50; n++) {
      const t = ((n + 0.5) / 50) * curveEnd(timing);
      const [a, b] = [evaluateRotation(baked, t), evaluateRotation(played, t)];
      expect(quat.angleBetween(a.quaternion, b.quaternion)).toBeLessThan(1e-14);
      expect(vec3.distance(a.angularVelocity, b.angularVelocity)).toBeLessThan(1e-12);
      expect(vec3.distance(a.angularAcceleration, b.angularAcceleration)).toBeLessThan(1e-9);
    }
  });

  it('takes constant speed along lines and skipped pieces, and extrapolates as the timing does', () => {
    const walk = linearCurve({ times: [0, 1, 3, 4], values: [0, 3, 3, 4] });
    const baked = bakeTiming(walk, arcLengthTiming(walk, { outside: 'offset' }));
    for (const t of [0, 0.5, 1.5, 3, 3.5, 4, 9]) expect(evaluateCurve(baked, t).value[0]).toBeCloseTo(t, 8);
    expect(evaluateCurve(bakeTiming(walk, walk, { outside: 'linear' }), 5).first[0]).toBe(1);
  });

  it('refuses a degree above 7 and anything but a timing', () => {
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    const line = linearCurve({ times: [0, 1], values: [0, 1] });
    const cubic = hermiteCurve({ times: [0, 1], values: [0, 1], tangents: [1, 1] });
    const jerk = minimumJerkCurve({ times: [0, 1], values: [0, 1] });
    expect(bakeTiming(line, jerk).degree).toBe(5);
    expect(() => bakeTiming(cubic, jerk)).toThrow(code('unsupported', 'timing'));
    expect(() => bakeTiming(line, linearCurve({ times: [0, 1], values: [0, 2] }))).toThrow(
      code('out-of-range', 'timing'),
    );
    expect(() => bakeTiming(line, linearCurve({ times: [0, 1], values: [1, 0] }))).toThrow(
      code('not-increasing', 'timing'),
    );
    expect(() => bakeTiming(line, retimeCurve(line, line) as never)).toThrow(code('unsupported', 'timing'));
  });
});
