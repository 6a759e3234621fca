import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACCURACY_BANDS, directionsAt, seededRandom } from '../../../../scripts/oracles/accuracy-bands.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from './all-forms.js';
import { difference, expectNear, rotationVectors, size } from './support.js';

describe('rotation vector from a quaternion or a matrix', () => {
  const random = seededRandom(5);
  for (const { name, angle } of ACCURACY_BANDS.filter((band) => band.angle <= Math.PI)) {
    it(`gives back v to 1e-15 relative, band ${name}`, () => {
      for (const v of directionsAt(angle, 60, random)) {
        const q = rotation.quatFromRotationVector(v);
        const r = rotation.matrixFromRotationVector(v);
        const near = rotation.rotationVectorFromQuat(q, v);
        // At pi v and -v are the same rotation; the reference decides.
        expect(difference(near, v)).toBeLessThanOrEqual(1e-15 * angle);
        expect(difference(rotation.rotationVectorFromMatrix(r, v), v)).toBeLessThanOrEqual(1.5e-15 * angle);
      }
    });
  }

  it('is as accurate at pi - 1e-8 as elsewhere, where acos of the trace is 1e-2 wrong in the angle from pi', () => {
    const v = [Math.PI - 1e-8, 0, 0];
    const r = rotation.matrixFromRotationVector(v);
    expect(difference(rotation.rotationVectorFromMatrix(r), v)).toBeLessThan(1e-15);
    const byTrace = Math.acos((r[0] + r[4] + r[8] - 1) / 2);
    expect(Math.abs(byTrace - v[0]) / 1e-8).toBeGreaterThan(1e-2);
    // And at 1e-8 acos of the trace loses everything.
    const small = rotation.matrixFromRotationVector([0, 1e-9, 0]);
    expect(Math.acos((small[0] + small[4] + small[8] - 1) / 2)).toBe(0);
    expect(rotation.rotationVectorFromMatrix(small)[1]).toBe(1e-9);
  });

  it('is the shortest, and the same for q and -q and for any length of q', () => {
    fc.assert(
      fc.property(rotationVectors(9), fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (v, length) => {
        const q = rotation.quatFromRotationVector(v);
        const shortest = rotation.rotationVectorFromQuat(q);
        expect(size(shortest)).toBeLessThanOrEqual(Math.PI + 1e-15);
        expectNear(rotation.matrixFromRotationVector(shortest), rotation.matrixFromRotationVector(v), 1e-14);
        if (Math.abs(q[3]) > 1e-9) {
          expectNear(rotation.rotationVectorFromQuat(quat.negate(q)), shortest, 1e-15);
        }
        const scaled = q.map((c) => length * c);
        expectNear(rotation.rotationVectorFromQuat(scaled), shortest, 1e-15);
      }),
    );
  });

  it('with a reference is the nearest of all equivalent vectors', () => {
    fc.assert(
      fc.property(rotationVectors(3.1, 1e-3), rotationVectors(20), (v, reference) => {
        const chosen = rotation.rotationVectorFromQuat(rotation.quatFromRotationVector(v), reference);
        const theta = size(v);
        let best = Number.POSITIVE_INFINITY;
        for (let k = -6; k <= 6; k++) {
          const candidate = v.map((c) => c * (1 + (2 * Math.PI * k) / theta));
          best = Math.min(best, difference(candidate, reference));
        }
        expect(difference(chosen, reference)).toBeLessThanOrEqual(best + 1e-12);
        expectNear(rotation.matrixFromRotationVector(chosen), rotation.matrixFromRotationVector(v), 1e-12);
      }),
    );
  });

  it('of the identity is zero, or the multiple of 2 pi nearest to the reference', () => {
    expect(rotation.rotationVectorFromQuat([0, 0, 0, 1])).toEqual([0, 0, 0]);
    expect(rotation.rotationVectorFromQuat([0, 0, 0, -1]).map((c) => c + 0)).toEqual([0, 0, 0]);
    expectNear(rotation.rotationVectorFromQuat([0, 0, 0, 1], [0, 6, 0]), [0, 2 * Math.PI, 0], 1e-15);
    expect(rotation.rotationVectorFromQuat([0, 0, 0, 1], [0, 3, 0])).toEqual([0, 0, 0]);
  });

  it('keeps the digits of the smallest quaternions', () => {
    expect(rotation.rotationVectorFromQuat([5e-301, 0, 0, 1])).toEqual([1e-300, 0, 0]);
    expect(rotation.rotationVectorFromQuat([0, 0, 5e-324, 1])[2]).toBe(1e-323);
  });

  it('propagates NaN', () => {
    expect(rotation.rotationVectorFromQuat([Number.NaN, 0, 0, 1]).some(Number.isNaN)).toBe(true);
  });
});

describe('the log of a matrix that is no rotation', () => {
  const r = rotation.matrixFromRotationVector([0.3, -1.2, 0.4]);

  it.each([
    ['twice a rotation', r.map((x) => 2 * x)],
    ['a mirrored rotation', r.map((x, k) => (k < 3 ? -x : x))],
    ['minus a rotation', r.map((x) => -x)],
    ['a shear', [1, 0.5, 0, 0, 1, 0, 0, 0, 1]],
    ['a stretch without change of volume', [2, 0, 0, 0, 0.5, 0, 0, 0, 1]],
    ['zero', [0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ])('is refused: %s', (_, m) => {
    expect(() => rotation.rotationVectorFromMatrix(m)).toThrow(
      expect.objectContaining({ code: 'not-unit', remedy: expect.stringContaining('mat3.rotationFactor') }),
    );
  });

  it('is the polar log by mat3.rotationFactor, and a few digits are enough', () => {
    const v = rotation.rotationVectorFromMatrix(mat3.rotationFactor(r.map((x) => 2 * x)));
    expectNear(v, [0.3, -1.2, 0.4], 1e-14);
    const printed = r.map((x) => Number(x.toFixed(3)));
    expectNear(rotation.rotationVectorFromMatrix(printed), [0.3, -1.2, 0.4], 2e-3);
    expect(rotation.rotationVectorFromMatrix(r.map(() => Number.NaN))).toEqual([
      Number.NaN,
      Number.NaN,
      Number.NaN,
    ]);
  });
});
