import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rotation from '../../src/rotation/index.js';
import {
  expectNear,
  motion,
  partialByDifferences,
  rotationVectors,
  vectors,
  worldVelocityOf,
} from './support.js';

const FRAMES = ['world', 'body'] as const;

describe('rates and angular velocity', () => {
  it.each(FRAMES)('go both ways (%s axes)', (frame) => {
    fc.assert(
      fc.property(rotationVectors(5.5), vectors(3), (v, w) => {
        const rate = rotation.rateFromAngularVelocity(v, w, frame);
        expectNear(rotation.angularVelocityFromRate(v, rate, frame), w, 1e-13);
      }),
    );
  });

  it('the angular velocity is vee(R^T R) of the moving matrix, in world axes, and R^T times that in body axes', () => {
    fc.assert(
      fc.property(rotationVectors(8), vectors(1), vectors(1), (v, rate, second) => {
        const path = motion(v, rate, second);
        const r = (t: number) => rotation.matrixFromRotationVector(path(t));
        const world = worldVelocityOf(r, 0);
        expectNear(rotation.angularVelocityFromRate(v, rate, 'world'), world, 1e-11);
        const body = mat3.transposeMultiplyVector(r(0), world);
        expectNear(rotation.angularVelocityFromRate(v, rate, 'body'), body, 1e-11);
      }),
    );
  });

  it.each(FRAMES)(
    'the angular acceleration is the time derivative of the angular velocity (%s axes)',
    (frame) => {
      fc.assert(
        fc.property(rotationVectors(8), vectors(1), vectors(1), (v, rate, second) => {
          const path = motion(v, rate, second);
          const velocity = (t: number): number[] => {
            const now = rate.map((c, i) => c + second[i] * t);
            return rotation.angularVelocityFromRate(path(t), now, frame);
          };
          const expected = partialByDifferences((t) => velocity(t[0]), [0], 0);
          expectNear(rotation.angularAccelerationFromRates(v, rate, second, frame), expected, 1e-11);
        }),
      );
    },
  );

  it.each(FRAMES)('v" from the angular acceleration and back (%s axes)', (frame) => {
    fc.assert(
      fc.property(rotationVectors(5.5), vectors(1), vectors(1), (v, rate, second) => {
        const acceleration = rotation.angularAccelerationFromRates(v, rate, second, frame);
        expectNear(rotation.secondRateFromAngularAcceleration(v, rate, acceleration, frame), second, 1e-12);
      }),
    );
  });

  it('throw for a missing frame', () => {
    const none = undefined as unknown as 'world';
    expect(() => rotation.rateFromAngularVelocity([0, 0, 0], [0, 0, 0], none)).toThrow(DomainError);
    expect(() => rotation.angularVelocityFromRate([0, 0, 0], [0, 0, 0], 'local' as 'body')).toThrow(/world/);
  });

  it('allow out to be an input', () => {
    const v = [0.3, 0.2, -0.9];
    const w = [1, 2, 3];
    const expected = rotation.rateFromAngularVelocity(v, w, 'body');
    expect(rotation.rateFromAngularVelocity(v, w, 'body', w)).toEqual(expected);
    expect(w).toEqual(expected);
  });
});
