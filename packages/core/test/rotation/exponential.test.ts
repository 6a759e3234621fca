import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from '../../src/rotation/index.js';
import { expectNear, rotationVectors } from './support.js';

describe('the rotation of a rotation vector', () => {
  it('the matrix is that of the quaternion, which has unit length whatever v is (section 3)', () => {
    fc.assert(
      fc.property(rotationVectors(20), (v) => {
        const q = rotation.quatFromRotationVector(v);
        expect(quat.norm(q)).toBeCloseTo(1, 14);
        expectNear(rotation.matrixFromRotationVector(v), quat.toMatrix(q), 1e-14);
      }),
    );
  });

  it('-v is the inverse, and turns about one axis add', () => {
    fc.assert(
      fc.property(rotationVectors(1, 1), fc.double({ min: -3, max: 3, noNaN: true }), (n, a) => {
        const at = (angle: number): number[] => rotation.matrixFromRotationVector(n.map((c) => c * angle));
        expect(at(-a).map((e) => e + 0)).toEqual(mat3.transpose(at(a)).map((e) => e + 0));
        expectNear(mat3.multiply(at(a), at(1.3)), at(a + 1.3), 3e-15);
      }),
    );
  });

  it('is right-handed: a quarter turn about Z takes X to Y', () => {
    const r = rotation.matrixFromRotationVector([0, 0, Math.PI / 2]);
    expectNear(mat3.multiplyVector(r, [1, 0, 0]), [0, 1, 0], 1e-15);
  });

  it('the whole shell |v| = 2 pi is no rotation, with q = -1', () => {
    const v = [0.6 * 2 * Math.PI, 0, 0.8 * 2 * Math.PI];
    expectNear(rotation.matrixFromRotationVector(v), mat3.identity(), 1e-15);
    expectNear(rotation.quatFromRotationVector(v), [0, 0, 0, -1], 1e-15);
  });

  it('out may be the input', () => {
    const v = [0.1, 0.2, 0.3];
    const q = rotation.quatFromRotationVector(v);
    const long = [...v, 0];
    expect(rotation.quatFromRotationVector(long, long)).toEqual(q);
  });
});
