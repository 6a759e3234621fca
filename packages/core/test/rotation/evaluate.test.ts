import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as rotation from '../../src/rotation/index.js';
import { expectNear, rotationVectors } from './support.js';

describe('cached evaluation (Appendix C)', () => {
  it('gives what evaluating at the vector gives, bit for bit', () => {
    const cache = rotation.createRotationCache();
    const y = [0.4, -1.1, 0.7];
    fc.assert(
      fc.property(rotationVectors(7), (v) => {
        rotation.evaluateRotationVector(v, cache);
        expect(rotation.quatFromRotationVector(cache)).toEqual(rotation.quatFromRotationVector(v));
        expect(rotation.matrixFromRotationVector(cache)).toEqual(rotation.matrixFromRotationVector(v));
        expect(rotation.matrixSecondPartials(cache)).toEqual(rotation.matrixSecondPartials(v));
        expect(rotation.leftJacobian(cache)).toEqual(rotation.leftJacobian(v));
        expect(rotation.rateFromAngularVelocity(cache, y, 'body')).toEqual(
          rotation.rateFromAngularVelocity(v, y, 'body'),
        );
      }),
    );
  });

  it('has the coefficients of the definitions, where these do not cancel', () => {
    const e = rotation.evaluateRotationVector([1.2, -0.8, 1.5], rotation.createRotationCache());
    const { theta } = e;
    const x = theta / 2;
    const s = Math.sin(theta);
    const c = Math.cos(theta);
    expectNear([e.s0, e.c], [Math.sin(x) / theta, Math.cos(x)], 1e-15);
    expectNear([e.A, e.B, e.C], [s / theta, (1 - c) / theta ** 2, (1 - s / theta) / theta ** 2], 1e-15);
    expectNear([e.D], [(1 - x / Math.tan(x)) / theta ** 2], 1e-15);
    expectNear([e.E, e.F], [(2 * e.B - e.A) / theta ** 2, (3 * e.C - e.B) / theta ** 2], 1e-15);
  });

  it.each([0.05, 0.9, 2, 2.5, 2.7, 3.1, 3.2, 4, 4.3, 5])(
    'each next coefficient is the derivative of the one before over theta (theta = %d)',
    (theta) => {
      const at = (t: number) => ({
        ...rotation.evaluateRotationVector([0, t, 0], rotation.createRotationCache()),
      });
      const e = at(theta);
      const slope = (
        key: 's0' | 's1' | 's2' | 'A' | 'B' | 'C' | 'D' | 'E' | 'F',
        h = 1e-3 * theta,
      ): number => {
        const d =
          8 * (at(theta + h)[key] - at(theta - h)[key]) - (at(theta + 2 * h)[key] - at(theta - 2 * h)[key]);
        return d / (12 * h) / theta;
      };
      // Differences divided by h theta: rounding of about 1e-16/(1e-3 theta^2).
      const tolerance = 2e-13 / (theta * theta) + 1e-12;
      expectNear([slope('s0'), slope('s1'), slope('s2')], [e.s1, e.s2, e.s3], tolerance);
      expectNear([slope('A'), slope('B'), slope('C')], [e.A1, -e.E, -e.F], tolerance);
      // D has a pole at 2 pi, which wants a smaller step.
      expectNear([slope('D', 3e-4 * theta)], [e.D1], tolerance * 10);
      expectNear([slope('E'), slope('F')], [e.E1, e.F1], tolerance);
    },
  );

  it('knows theta where its square underflows', () => {
    const cache = rotation.createRotationCache();
    for (const tiny of [1e-160, 1e-300, 5e-324]) {
      const e = rotation.evaluateRotationVector([tiny, 0, 0], cache);
      expect(e.theta).toBe(tiny);
      expect(e.thetaSquared).toBe(tiny * tiny);
      expect([e.s0, e.c, e.A, e.B]).toEqual([0.5, 1, 1, 0.5]);
    }
  });

  it('gives NaN for nonfinite vectors, and recovers at the next evaluation', () => {
    const cache = rotation.createRotationCache();
    rotation.evaluateRotationVector([Number.NaN, 0, 0], cache);
    expect(cache.A).toBeNaN();
    rotation.evaluateRotationVector([0, 0, 0], cache);
    expect(Array.from(cache.quat)).toEqual([0, 0, 0, 1]);
  });
});
