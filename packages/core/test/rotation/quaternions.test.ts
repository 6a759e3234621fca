import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from './all-forms.js';
import { allPartials, expectNear, expectRotation, rotationVectors, size, vectors } from './support.js';

/** Any four numbers not too near zero. */
const anyQuats = fc
  .array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 4, maxLength: 4 })
  .filter((q) => Math.hypot(...q) > 0.5);

describe('quaternions with an explicit unit constraint', () => {
  it('the gradient and the Hessian are the differences of the value and of the gradient', () => {
    fc.assert(
      fc.property(anyQuats, (q) => {
        expectNear(
          rotation.unitConstraintGradient(q),
          allPartials((x) => [rotation.unitConstraint(x)], q),
          1e-11,
        );
        expectNear(rotation.unitConstraintHessian(), allPartials(rotation.unitConstraintGradient, q), 1e-11);
      }),
    );
    expect(rotation.unitConstraint([0.5, 0.5, -0.5, 0.5])).toBe(0);
  });

  it('the partials of the plain matrix formula are its differences', () => {
    fc.assert(
      fc.property(anyQuats, (q) => {
        const differences = allPartials((x) => quat.toMatrix(x), q);
        expectNear(rotation.quatMatrixPartials(q), differences, 1e-11);
      }),
    );
  });

  it('a step along q leaves the rotations: the constraint is needed', () => {
    const m = quat.toMatrix([0, 0, 0.8, 0.8]);
    expect(() => expectRotation(m, 1e-3)).toThrow();
  });
});

describe("Gleicher's autonormalized quaternions", () => {
  it('are rotations for every q but zero', () => {
    fc.assert(
      fc.property(anyQuats, (q) => {
        expectRotation(rotation.matrixFromAnyQuat(q), 2e-15);
        expectNear(rotation.matrixFromAnyQuat(q), rotation.matrixFromAnyQuat(q.map((c) => -7 * c)), 2e-15);
      }),
    );
    expect(() => rotation.matrixFromAnyQuat([0, 0, 0, 0])).toThrow(DomainError);
    expect(() => rotation.anyQuatMatrixPartials([0, 0, 0, 0])).toThrow(DomainError);
  });

  it('have the four partials that differences give, at any length', () => {
    fc.assert(
      fc.property(anyQuats, (q) => {
        const differences = allPartials((x) => rotation.matrixFromAnyQuat(x), q, 5e-4);
        expectNear(rotation.anyQuatMatrixPartials(q), differences, 1e-9);
      }),
    );
  });

  it('have a dead direction: the derivative along q is zero, which makes a mass matrix singular', () => {
    fc.assert(
      fc.property(anyQuats, (q) => {
        const d = rotation.anyQuatMatrixPartials(q);
        const along = Array.from({ length: 9 }, (_, e) => q.reduce((sum, c, n) => sum + c * d[9 * n + e], 0));
        expect(size(along)).toBeLessThan(1e-14 * size(q) * size(d));
        // 4x4 metric of dR: its determinant vanishes, while the 3x3 one of the rotation vector does not.
        const gram = Array.from({ length: 16 }, (_, p) => {
          const [m, n] = [Math.floor(p / 4), p % 4];
          let dot = 0;
          for (let e = 0; e < 9; e++) dot += d[9 * m + e] * d[9 * n + e];
          return dot;
        });
        const image = [0, 1, 2, 3].map((m) => q.reduce((sum, c, n) => sum + gram[4 * m + n] * c, 0));
        expect(size(image)).toBeLessThan(1e-13 * size(gram) * size(q));
      }),
    );
  });
});

describe("Baraff and Witkin's q' = 1/2 w q", () => {
  it("is the q' of the rotation vector with that angular velocity, in both frames", () => {
    fc.assert(
      fc.property(rotationVectors(5), vectors(2), (v, w) => {
        const q = rotation.quatFromRotationVector(v);
        const p = rotation.quatPartials(v);
        for (const frame of ['world', 'body'] as const) {
          const rate = rotation.rateFromAngularVelocity(v, w, frame);
          const chain = [0, 1, 2, 3].map(
            (i) => p[3 * i] * rate[0] + p[3 * i + 1] * rate[1] + p[3 * i + 2] * rate[2],
          );
          expectNear(rotation.quatRateFromAngularVelocity(q, w, frame), chain, 1e-13);
        }
      }),
    );
  });

  it('is the Hamilton product 1/2 w q for world axes and 1/2 q w for body axes', () => {
    const q = quat.normalize([0.3, -0.5, 0.2, 0.9]);
    const w = [1, -2, 0.5];
    const pure = [...w, 0];
    const half = (p: number[]): number[] => p.map((c) => c / 2);
    expectNear(rotation.quatRateFromAngularVelocity(q, w, 'world'), half(quat.multiply(pure, q)), 1e-16);
    expectNear(rotation.quatRateFromAngularVelocity(q, w, 'body'), half(quat.multiply(q, pure)), 1e-16);
  });

  it("keeps the length (q . q' = 0), and the angular velocity comes back", () => {
    fc.assert(
      fc.property(rotationVectors(6), vectors(3), (v, w) => {
        const q = rotation.quatFromRotationVector(v);
        for (const frame of ['world', 'body'] as const) {
          const rate = rotation.quatRateFromAngularVelocity(q, w, frame);
          expect(Math.abs(quat.dot(q, rate))).toBeLessThan(1e-15);
          expectNear(rotation.angularVelocityFromQuatRate(q, rate, frame), w, 4e-15);
          const drifting = rate.map((c, i) => c + 0.3 * q[i]);
          expectNear(rotation.angularVelocityFromQuatRate(q, drifting, frame), w, 4e-15);
        }
      }),
    );
  });

  it("turns R by three matrices in place of partials: sum of w_n [e_n] R, or R [e_n], is R'", () => {
    const q = quat.normalize([0.3, -0.5, 0.2, 0.9]);
    const r = quat.toMatrix(q);
    const w = [1, -2, 0.5];
    for (const frame of ['world', 'body'] as const) {
      const three = rotation.matrixRates(r, frame);
      const sum = r.map((_, e) => w[0] * three[e] + w[1] * three[9 + e] + w[2] * three[18 + e]);
      const cross = mat3.skew(w);
      expectNear(sum, frame === 'world' ? mat3.multiply(cross, r) : mat3.multiply(r, cross), 1e-15);
    }
  });
});
