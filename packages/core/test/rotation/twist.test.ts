import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import * as rotation from './all-forms.js';
import { expectNear, partialByDifferences, rotationVectors } from './support.js';

const axes = rotationVectors(1, 0.5).map((a) => vec3.normalize(a));
const angles = fc.double({ min: -7, max: 7, noNaN: true });

describe('one-DOF twist', () => {
  it('is the rotation about its axis: quaternion, matrix and Rodrigues formula agree', () => {
    fc.assert(
      fc.property(axes, angles, (axis, angle) => {
        const r = rotation.matrixFromTwist(axis, angle);
        expectNear(r, quat.toMatrix(rotation.quatFromTwist(axis, angle)), 2e-15);
        expectNear(r, rotation.matrixFromAxisAngle(axis, angle), 3e-15);
        expectNear(quat.rotate(rotation.quatFromTwist(axis, angle), axis), axis, 1e-15);
      }),
    );
  });

  it('is a group about its axis: a then b is a + b in either order, 0 its unit, -a the inverse of a', () => {
    fc.assert(
      fc.property(axes, angles, angles, angles, (axis, a, b, c) => {
        const R = (angle: number): number[] => rotation.matrixFromTwist(axis, angle);
        const Q = (angle: number): number[] => rotation.quatFromTwist(axis, angle);
        expectNear(mat3.multiply(R(b), R(a)), R(a + b), 1e-14);
        expectNear(mat3.multiply(R(a), R(b)), R(a + b), 1e-14);
        expectNear(quat.multiply(Q(b), Q(a)), Q(a + b), 1e-14);
        expectNear(mat3.multiply(R(c), mat3.multiply(R(b), R(a))), R(c + b + a), 2e-14);
        expectNear(R(0), mat3.identity(), 0);
        expectNear(Q(0), [0, 0, 0, 1], 0);
        expectNear(mat3.multiply(R(-a), R(a)), mat3.identity(), 1e-15);
        // The decomposed sum is equal up to multiples of 2 pi.
        const sum = rotation.twistAngleFromQuat(quat.multiply(Q(b), Q(a)), axis);
        expect(Math.abs(Math.sin(0.5 * (sum - a - b)))).toBeLessThan(1e-14);
      }),
    );
  });

  it('has the partials that differences give', () => {
    fc.assert(
      fc.property(axes, angles, (axis, angle) => {
        const q = partialByDifferences((a) => rotation.quatFromTwist(axis, a[0]), [angle], 0);
        expectNear(rotation.twistQuatPartial(axis, angle), q, 1e-11);
        const first = partialByDifferences((a) => rotation.matrixFromTwist(axis, a[0]), [angle], 0);
        expectNear(rotation.twistMatrixPartial(axis, angle), first, 1e-11);
        const second = partialByDifferences((a) => rotation.twistMatrixPartial(axis, a[0]), [angle], 0);
        expectNear(rotation.twistMatrixSecondPartial(axis, angle), second, 1e-11);
      }),
    );
  });

  it('gives its angle back, within [-pi, pi], for q and -q', () => {
    fc.assert(
      fc.property(axes, fc.double({ min: -3.1, max: 3.1, noNaN: true }), (axis, angle) => {
        const q = rotation.quatFromTwist(axis, angle);
        expect(rotation.twistAngleFromQuat(q, axis)).toBeCloseTo(angle, 13);
        expect(rotation.twistAngleFromQuat(quat.negate(q), axis)).toBeCloseTo(angle, 13);
      }),
    );
  });

  it('is 0, not NaN, at a swing of pi', () => {
    expect(rotation.twistAngleFromQuat([1, 0, 0, 0], [0, 1, 0])).toBe(0);
  });
});
