import fc from 'fast-check';
import { describe, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rotation from '../../src/rotation/index.js';
import { allPartials, expectNear, rotationVectors } from './support.js';

/** Rearranges partials listed parameter by parameter (n entries each) to entry by entry. */
function byEntry(list: number[], n: number): number[] {
  const parameters = list.length / n;
  return Array.from(
    { length: list.length },
    (_, e) => list[(e % parameters) * n + Math.floor(e / parameters)],
  );
}

describe('partials of the rotation vector by differences', () => {
  it('dq', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        const differences = byEntry(
          allPartials((x) => rotation.quatFromRotationVector(x), v),
          4,
        );
        expectNear(rotation.quatPartials(v), differences, 1e-11);
      }),
    );
  });

  it('d2q, the differences of dq', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        // out[9 i + 3 j + k] is dq_i/dv_j by v_k: entry 3 i + j of dq.
        const differences = byEntry(
          allPartials((x) => rotation.quatPartials(x), v),
          12,
        );
        expectNear(rotation.quatSecondPartials(v), differences, 1e-11);
      }),
    );
  });

  it('dR', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        expectNear(
          rotation.matrixPartials(v),
          allPartials((x) => rotation.matrixFromRotationVector(x), v),
          1e-11,
        );
      }),
    );
  });

  it('d2R, the differences of dR', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        const differences = allPartials((x) => rotation.matrixPartials(x), v);
        const second = rotation.matrixSecondPartials(v);
        // Second partials are symmetric, so [k][j] and [j][k] hold the same.
        expectNear(second, differences, 1e-11);
      }),
    );
  });
});

describe('partials of the rotation vector by other formulas', () => {
  it('dR/dv_j = [J_l e_j] R', () => {
    fc.assert(
      fc.property(rotationVectors(8), (v) => {
        const r = rotation.matrixFromRotationVector(v);
        const j = rotation.leftJacobian(v);
        const products = [0, 1, 2].flatMap((k) => mat3.multiply(mat3.skew([j[k], j[3 + k], j[6 + k]]), r));
        expectNear(rotation.matrixPartials(v), products, 1e-14);
      }),
    );
  });

  it('d2R/dv_j dv_k = ([d J_l e_j/dv_k] + [J_l e_j][J_l e_k]) R', () => {
    fc.assert(
      fc.property(rotationVectors(6), (v) => {
        const r = rotation.matrixFromRotationVector(v);
        const jacobian = rotation.leftJacobian(v);
        const column = (m: ArrayLike<number>, k: number): number[] => [m[k], m[3 + k], m[6 + k]];
        const unit = (k: number): number[] => [0, 1, 2].map((i) => (i === k ? 1 : 0));
        const expected: number[] = [];
        for (let j = 0; j < 3; j++) {
          const slope = rotation.leftJacobianProductDerivative(v, unit(j));
          for (let k = 0; k < 3; k++) {
            const product = mat3.multiply(mat3.skew(column(jacobian, j)), mat3.skew(column(jacobian, k)));
            expected.push(...mat3.multiply(mat3.add(mat3.skew(column(slope, k)), product), r));
          }
        }
        expectNear(rotation.matrixSecondPartials(v), expected, 1e-13);
      }),
    );
  });
});
