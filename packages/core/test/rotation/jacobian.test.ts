import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rotation from '../../src/rotation/index.js';
import { allPartials, expectNear, rotationVectors, vectors } from './support.js';

/** Rearranges three columns into rows. */
const columnsToRows = (c: number[]): number[] => [c[0], c[3], c[6], c[1], c[4], c[7], c[2], c[5], c[8]];

describe('Jacobians of the rotation vector', () => {
  it('J^-1 J = I on both sides, below 2 pi', () => {
    fc.assert(
      fc.property(rotationVectors(6), (v) => {
        const allowed = 1e-14 / Math.max(0.01, Math.abs(Math.sin(Math.hypot(...v) / 2)));
        const left = mat3.multiply(rotation.leftJacobianInverse(v), rotation.leftJacobian(v));
        const right = mat3.multiply(rotation.rightJacobian(v), rotation.rightJacobianInverse(v));
        if (Math.hypot(...v) > 1e-3) expectNear(left, mat3.identity(), allowed);
        expectNear(right, mat3.identity(), Math.max(allowed, 1e-15));
      }),
    );
  });

  it('J_l = R J_r', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        const product = mat3.multiply(rotation.matrixFromRotationVector(v), rotation.rightJacobian(v));
        expectNear(rotation.leftJacobian(v), product, 1e-14);
      }),
    );
  });

  it('det J = 2 (1 - cos theta)/theta^2, so it is singular at 2 pi and not before (section 3.2.2)', () => {
    for (const theta of [0.5, 2, 3, Math.PI, 4, 5, 6]) {
      const det = mat3.determinant(rotation.leftJacobian([0.6 * theta, 0, 0.8 * theta]));
      expect(det).toBeCloseTo((4 * Math.sin(theta / 2) ** 2) / theta ** 2, 14);
    }
    expect(mat3.determinant(rotation.leftJacobian([2 * Math.PI, 0, 0]))).toBeLessThan(1e-30);
  });

  it.each([
    ['J_l y', rotation.leftJacobian, rotation.leftJacobianProductDerivative, 8],
    ['J_r y', rotation.rightJacobian, rotation.rightJacobianProductDerivative, 8],
    ['J_l^-1 y', rotation.leftJacobianInverse, rotation.leftJacobianInverseProductDerivative, 4.5],
    ['J_r^-1 y', rotation.rightJacobianInverse, rotation.rightJacobianInverseProductDerivative, 4.5],
  ] as const)('the derivative of %s agrees with differences', (_, matrix, derivative, max) => {
    fc.assert(
      fc.property(rotationVectors(max), vectors(2), (v, y) => {
        const columns = allPartials((x) => mat3.multiplyVector(matrix(x), y), v);
        expectNear(derivative(v, y), columnsToRows(columns), 1e-10);
      }),
    );
  });
});
