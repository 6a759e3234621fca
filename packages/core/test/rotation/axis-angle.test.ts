import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as rotation from './all-forms.js';
import { expectNear, expectRotation, rotationVectors, size } from './support.js';

describe("Rodrigues' formula", () => {
  it('is the matrix of the rotation vector angle axis/|axis|, for axes of any length', () => {
    fc.assert(
      fc.property(rotationVectors(50, 1e-3), fc.double({ min: -7, max: 7, noNaN: true }), (axis, angle) => {
        const m = rotation.matrixFromAxisAngle(axis, angle);
        expectRotation(m, 2e-15);
        const v = rotation.rotationVectorFromAxisAngle(axis, angle);
        expectNear(m, rotation.matrixFromRotationVector(v), 3e-15);
      }),
    );
  });

  it('keeps the second order of small angles, which 1 - cos loses', () => {
    const m = rotation.matrixFromAxisAngle([1, 1, 0], 2e-9);
    expect(Math.abs(m[1] / 1e-18 - 1)).toBeLessThan(1e-15);
    expect(1 - Math.cos(2e-9)).toBe(0);
  });

  it('axis and angle come back from the quaternion, angle in [0, pi]', () => {
    fc.assert(
      fc.property(rotationVectors(9), (v) => {
        const { axis, angle } = rotation.axisAngleFromQuat(rotation.quatFromRotationVector(v));
        expect(angle).toBeGreaterThanOrEqual(0);
        expect(angle).toBeLessThanOrEqual(Math.PI);
        expect(size(axis)).toBeCloseTo(1, 14);
        expectNear(rotation.matrixFromAxisAngle(axis, angle), rotation.matrixFromRotationVector(v), 1e-14);
      }),
    );
    expect(rotation.axisAngleFromQuat([0, 0, 0, -1])).toEqual({ axis: [1, 0, 0], angle: 0 });
  });

  it('refuses an axis without direction', () => {
    expect(() => rotation.matrixFromAxisAngle([0, 0, 0], 1)).toThrow(DomainError);
    expect(() => rotation.rotationVectorFromAxisAngle([Number.NaN, 0, 1], 1)).toThrow(DomainError);
  });
});
