import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import * as rotation from './all-forms.js';
import { difference, expectNear, rotationVectors, size, vectors } from './support.js';

const { means, screws } = JSON.parse(
  readFileSync(new URL('../fixtures/rotation/mean-and-screw.json', import.meta.url), 'utf8'),
) as {
  readonly means: readonly {
    readonly rotationVectors: readonly number[][];
    readonly weights: readonly number[];
    readonly mean: readonly number[];
  }[];
  readonly screws: readonly { readonly screw: readonly number[]; readonly rigid: readonly number[] }[];
};

const quats = (list: readonly (readonly number[])[]): number[] =>
  list.flatMap((v) => rotation.quatFromRotationVector(v));

describe('the mean of rotations', () => {
  it('is that of 50-digit arithmetic, 2e-15', () => {
    for (const { rotationVectors: list, weights, mean } of means) {
      expect(difference(quat.toMatrix(rotation.meanQuat(quats(list), weights)), mean)).toBeLessThan(2e-15);
    }
  });

  it('of two is the point of the slerp that the weights divide it at, up to pi apart', () => {
    fc.assert(
      fc.property(rotationVectors(3), rotationVectors(3.1), weight(), weight(), (a, d, wa, wb) => {
        const from = rotation.quatFromRotationVector(a);
        const to = quat.multiply(from, rotation.quatFromRotationVector(d));
        const part = rotation.quatFromRotationVector(d.map((x) => (wb / (wa + wb)) * x));
        const m = rotation.meanQuat([...from, ...to], [wa, wb]);
        expect(quat.angleBetween(m, quat.multiply(from, part))).toBeLessThan(2e-14);
        expect(m[3]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('about one axis is the rotation by the mean angle', () => {
    fc.assert(
      fc.property(
        rotationVectors(1, 1),
        fc.array(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { minLength: 1 }),
        (axis, angles) => {
          const m = rotation.meanQuat(quats(angles.map((angle) => axis.map((x) => angle * x))));
          const angle = angles.reduce((sum, x) => sum + x, 0) / angles.length;
          expectNear(
            rotation.rotationVectorFromQuat(m),
            axis.map((x) => angle * x),
            1e-14,
          );
        },
      ),
    );
  });

  it('moves with the rotations, from either side, and knows neither signs nor lengths nor the order', () => {
    fc.assert(
      fc.property(
        fc.array(rotationVectors(1), { minLength: 2, maxLength: 6 }),
        rotationVectors(3),
        (list, v) => {
          const by = rotation.quatFromRotationVector(v);
          const given = list.map((x) => rotation.quatFromRotationVector(x));
          const m = rotation.meanQuat(given.flat());
          const left = rotation.meanQuat(given.flatMap((q) => quat.multiply(by, q).map((x) => -3 * x)));
          const right = rotation.meanQuat(given.reverse().flatMap((q) => quat.multiply(q, by)));
          expect(quat.angleBetween(left, quat.multiply(by, m))).toBeLessThan(1e-14);
          expect(quat.angleBetween(right, quat.multiply(m, by))).toBeLessThan(1e-14);
        },
      ),
    );
  });

  it('refuses what has none', () => {
    const code = (wanted: string) => expect.objectContaining({ code: wanted });
    expect(() => rotation.meanQuat([])).toThrow(code('wrong-size'));
    expect(() => rotation.meanQuat([0, 0, 0, 1, 0])).toThrow(code('wrong-size'));
    expect(() => rotation.meanQuat([0, 0, 0, 1], [1, 1])).toThrow(code('wrong-size'));
    expect(() => rotation.meanQuat([0, 0, 0, 1, 1, 0, 0, 0], [1, -1])).toThrow(code('out-of-range'));
    expect(() => rotation.meanQuat([0, 0, 0, 1], [0])).toThrow(code('out-of-range'));
    expect(() => rotation.meanQuat([0, 0, 0, 0])).toThrow(code('out-of-range'));
  });
});

describe('exponential and logarithm of rigid transforms', () => {
  it('are those of the 50-digit series of the 4x4 exponential, 1e-15 of the size', () => {
    for (const { screw, rigid: expected } of screws) {
      const scale = Math.max(1, size(screw.slice(3)));
      expect(difference(rotation.rigidFromScrew(screw), expected) / scale).toBeLessThan(1e-15);
      expect(difference(rotation.screwFromRigid(expected), screw) / scale).toBeLessThan(4e-15);
    }
  });

  it('give back the screw, up to pi', () => {
    fc.assert(
      fc.property(rotationVectors(3.1), vectors(10), (v, u) => {
        expectNear(rotation.screwFromRigid(rotation.rigidFromScrew([...v, ...u])), [...v, ...u], 1e-13);
      }),
    );
  });

  it('is the turn about a line and the slide along it', () => {
    fc.assert(
      fc.property(
        rotationVectors(1, 1),
        vectors(5),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (n, point, angle) => {
          const pitch = 0.7;
          const v = n.map((x) => angle * x);
          // The velocity of the point at the origin: slide along n, and -v x point.
          const cross = mat3.multiplyVector(mat3.skew(v), point);
          const u = n.map((x, k) => pitch * angle * x - cross[k]);
          const m = rotation.rigidFromScrew([...v, ...u]);
          const expected = point.map((x, k) => x + pitch * angle * n[k]);
          expectNear(rigid.transformPoint(m, point), expected, 1e-14);
          expectNear(m.slice(0, 9), rotation.matrixFromRotationVector(v), 0);
        },
      ),
    );
  });

  it('works in place', () => {
    const screw = [0.3, -0.2, 0.5, 1, 2, 3, 0, 0, 0, 0, 0, 0];
    const m = rotation.rigidFromScrew([0.3, -0.2, 0.5, 1, 2, 3]);
    expect(rotation.rigidFromScrew(screw, screw)).toEqual(m);
    expect(rotation.screwFromRigid(screw, screw).slice(0, 6)).toEqual(rotation.screwFromRigid(m));
  });

  it('refuses a rotation vector for a screw, a matrix for a transform, and what is not finite', () => {
    expect(() => rotation.rigidFromScrew([0.3, -0.2, 0.5])).toThrow(
      'screw: has 3 numbers where 6 numbers belong.',
    );
    expect(() => rotation.screwFromRigid([1, 0, 0, 0, 1, 0, 0, 0, 1])).toThrow(
      'm: has 9 numbers where 12 numbers belong.',
    );
    expect(() => rotation.rigidFromScrew([0, 0, 0, 1, Number.NaN, 3])).toThrow('screw[4]: is NaN.');
    expect(() => rotation.screwFromRigid([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, Infinity])).toThrow(
      'm[11]: is Infinity.',
    );
  });
});

function weight(): fc.Arbitrary<number> {
  return fc.double({ min: 0.01, max: 100, noNaN: true });
}
