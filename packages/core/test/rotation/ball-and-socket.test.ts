import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from '../../src/rotation/index.js';
import { allPartials, expectNear, motion, rotationVectors, vectors, worldVelocityOf } from './support.js';

const pairs = rotationVectors(3, 0.1).map((axis) => rotation.createSwingAxes(axis));

/** (r_s, r_t, twist) with |swing| up to max. */
const coordinates = (max: number) =>
  fc
    .tuple(
      fc.double({ min: 0, max, noNaN: true }),
      fc.double({ min: 0, max: 6.3, noNaN: true }),
      fc.double({ min: -3, max: 3, noNaN: true }),
    )
    .map(([theta, azimuth, twist]) => [theta * Math.cos(azimuth), theta * Math.sin(azimuth), twist]);

describe('ball-and-socket joint', () => {
  it('has the matrix of its swing-twist quaternion', () => {
    fc.assert(
      fc.property(coordinates(3.1), pairs, (c, axes) => {
        const q = rotation.quatFromSwingTwist(c, c[2], axes);
        expectNear(rotation.matrixFromBallAndSocket(c, axes), quat.toMatrix(q), 2e-15);
      }),
    );
  });

  it('has the first and second partials that differences give', () => {
    fc.assert(
      fc.property(coordinates(3.1), pairs, (c, axes) => {
        const first = allPartials((x) => rotation.matrixFromBallAndSocket(x, axes), c);
        expectNear(rotation.ballAndSocketMatrixPartials(c, axes), first, 1e-11);
        const second = allPartials((x) => rotation.ballAndSocketMatrixPartials(x, axes), c);
        expectNear(rotation.ballAndSocketMatrixSecondPartials(c, axes), second, 1e-11);
      }),
    );
  });

  it('has the angular velocity of the moving matrix, in both frames', () => {
    fc.assert(
      fc.property(coordinates(3.1), pairs, vectors(1), (c, axes, rate) => {
        const path = motion(c, rate, [0, 0, 0]);
        const world = worldVelocityOf((t) => rotation.matrixFromBallAndSocket(path(t), axes), 0);
        const byWorld = mat3.multiplyVector(rotation.ballAndSocketJacobian(c, axes, 'world'), rate);
        expectNear(byWorld, world, 1e-11);
        const byBody = mat3.multiplyVector(rotation.ballAndSocketJacobian(c, axes, 'body'), rate);
        const r = rotation.matrixFromBallAndSocket(c, axes);
        expectNear(byBody, mat3.transposeMultiplyVector(r, byWorld), 1e-14);
      }),
    );
  });

  it('has the determinant sin(theta)/theta in both frames, whatever the twist', () => {
    fc.assert(
      fc.property(coordinates(3.14), pairs, (c, axes) => {
        const expected = rotation.ballAndSocketDeterminant(c);
        for (const frame of ['world', 'body'] as const) {
          const det = mat3.determinant(rotation.ballAndSocketJacobian(c, axes, frame));
          expect(det).toBeCloseTo(expected, 13);
        }
      }),
    );
  });

  it('gives its rates back from the angular velocity, in both frames, while the swing stays below pi', () => {
    fc.assert(
      fc.property(coordinates(2.9), pairs, vectors(1), (c, axes, rate) => {
        for (const frame of ['world', 'body'] as const) {
          const w = mat3.multiplyVector(rotation.ballAndSocketJacobian(c, axes, frame), rate);
          expectNear(rotation.ballAndSocketRateFromAngularVelocity(c, axes, w, frame), rate, 2e-13);
        }
      }),
    );
  });
});
