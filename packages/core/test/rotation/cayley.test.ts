import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rotation from './all-forms.js';
import { expectNear, expectRotation, motion, rotationVectors, vectors, worldVelocityOf } from './support.js';

describe("Cayley's parameters", () => {
  it('are tan(theta/2) n, and the rotation vector comes back below pi', () => {
    fc.assert(
      fc.property(rotationVectors(3.1), (v) => {
        const theta = Math.hypot(...v);
        const g = rotation.cayleyFromRotationVector(v);
        const scale = theta > 0 ? Math.tan(theta / 2) / theta : 0.5;
        expectNear(
          g,
          v.map((c) => scale * c),
          1e-13,
        );
        expectNear(rotation.rotationVectorFromCayley(g), v, 2e-15);
        expectNear(rotation.cayleyFromMatrix(rotation.matrixFromRotationVector(v)), g, 1e-13);
      }),
    );
  });

  it("give R = (I - [g])^-1 (I + [g]), Cayley's own form", () => {
    fc.assert(
      fc.property(vectors(20), (g) => {
        const r = rotation.matrixFromCayley(g);
        expectRotation(r, 2e-15);
        const cross = mat3.skew(g);
        const form = mat3.multiply(
          mat3.inverse(mat3.subtract(mat3.identity(), cross)),
          mat3.add(mat3.identity(), cross),
        );
        expectNear(r, form, 1e-11);
      }),
    );
  });

  it('compose rationally, as a group: R(b a) = R(b) R(a), unit 0, inverse -g', () => {
    fc.assert(
      fc.property(rotationVectors(1.4), rotationVectors(1.4), rotationVectors(1.4), (u, v, w) => {
        const [a, b, c] = [u, v, w].map((x) => rotation.cayleyFromRotationVector(x.map((k) => k / 1.5)));
        const ba = rotation.composeCayley(b, a);
        const product = mat3.multiply(rotation.matrixFromCayley(b), rotation.matrixFromCayley(a));
        expectNear(rotation.matrixFromCayley(ba), product, 1e-14);
        expectNear(
          rotation.composeCayley(c, ba),
          rotation.composeCayley(rotation.composeCayley(c, b), a),
          1e-11,
        );
        expectNear(rotation.composeCayley(a, [0, 0, 0]), a, 0);
        expectNear(rotation.composeCayley(a, [-a[0], -a[1], -a[2]]), [0, 0, 0], 1e-15);
      }),
    );
  });

  it('have the rate that turns the matrix with the given velocity', () => {
    fc.assert(
      fc.property(vectors(2), vectors(1), (g, w) => {
        for (const frame of ['world', 'body'] as const) {
          const rate = rotation.cayleyRateFromAngularVelocity(g, w, frame);
          const path = motion(g, rate, [0, 0, 0]);
          const world = worldVelocityOf((t) => rotation.matrixFromCayley(path(t)), 0, 3e-4);
          const r = rotation.matrixFromCayley(g);
          expectNear(world, frame === 'world' ? w : mat3.multiplyVector(r, w), 1e-10);
        }
      }),
    );
  });

  it('throw at a rotation by pi, and are large just below', () => {
    expect(() => rotation.cayleyFromQuat([0, 1, 0, 0])).toThrow(DomainError);
    expect(() => rotation.cayleyFromRotationVector([Math.PI, 0, 0])).toThrow(/rotation by pi/);
    expect(() => rotation.composeCayley([1, 0, 0], [1, 0, 0])).toThrow(DomainError);
    expect(rotation.cayleyFromRotationVector([Math.PI - 1e-8, 0, 0])[0]).toBeGreaterThan(1e8);
  });
});

it('of NaN are NaN, no rotation by pi', () => {
  const nan = [Number.NaN, Number.NaN, Number.NaN];
  expect(rotation.cayleyFromQuat([...nan, Number.NaN])).toEqual(nan);
  expect(rotation.composeCayley([0, 0, 0], nan)).toEqual(nan);
});
