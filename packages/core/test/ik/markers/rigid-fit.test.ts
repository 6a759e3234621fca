import { Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { rigidFit } from '../../../src/ik/markers/rigid-fit.js';
import { createRandom, rotationVector, within } from '../../figure/support.js';

describe('rigidFit', () => {
  it('recovers the rotation and translation of exact points, any angle, as three.js applies them', () => {
    for (let n = 0; n < 30; n++) {
      const random = createRandom(n);
      const v = rotationVector(random, Math.PI);
      const angle = Math.hypot(...v);
      const rotation = new Quaternion().setFromAxisAngle(new Vector3(...v).divideScalar(angle), angle);
      const move = new Vector3(within(random, 3), within(random, 3), within(random, 3));
      const matrix = new Matrix4().compose(move, rotation, new Vector3(1, 1, 1));
      const a = Float64Array.from({ length: 15 }, () => within(random, 1));
      const b = Float64Array.from(
        [0, 1, 2, 3, 4].flatMap((m) =>
          new Vector3()
            .fromArray(a, 3 * m)
            .applyMatrix4(matrix)
            .toArray(),
        ),
      );
      const out = new Float64Array(12);
      expect(rigidFit(a, b, [1, 2, 0.5, 1, 3], out)).toBe(true);
      const e = matrix.elements;
      const expected = [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]];
      expected.forEach((x, k) => {
        expect(Math.abs(out[k] - x)).toBeLessThan(1e-12);
      });
    }
  });

  it('is a proper rotation for mirrored, coplanar, collinear and single points, and a minimum under small rotations', () => {
    const random = createRandom(40);
    for (const kind of ['mirrored', 'flat', 'line', 'one', 'any'] as const) {
      const count = kind === 'one' ? 1 : 6;
      const a = Float64Array.from({ length: 3 * count }, (_, k) => {
        if (kind === 'flat' && k % 3 === 2) return 0;
        if (kind === 'line' && k % 3 > 0) return 0;
        return within(random, 1);
      });
      const b = a.map((x, k) => (kind === 'mirrored' && k % 3 === 0 ? -x : x) + 0.05 * within(random, 1));
      const weights = Array.from({ length: count }, () => 0.5 + random());
      const r = new Float64Array(12);
      expect(rigidFit(a, b, weights, r)).toBe(true);
      const determinant =
        r[0] * (r[4] * r[8] - r[5] * r[7]) -
        r[1] * (r[3] * r[8] - r[5] * r[6]) +
        r[2] * (r[3] * r[7] - r[4] * r[6]);
      expect(determinant).toBeCloseTo(1, 12);
      const cost = (rotation: Quaternion): number => {
        const q = rotation
          .clone()
          .multiply(
            new Quaternion().setFromRotationMatrix(
              new Matrix4().set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1),
            ),
          );
        const total = weights.reduce((sum, w) => sum + w, 0);
        const mean = (p: Float64Array): Vector3 =>
          weights.reduce(
            (sum, w, m) => sum.addScaledVector(new Vector3().fromArray(p, 3 * m), w / total),
            new Vector3(),
          );
        const [ma, mb] = [mean(a), mean(b)];
        return weights.reduce((sum, w, m) => {
          const x = new Vector3()
            .fromArray(a, 3 * m)
            .sub(ma)
            .applyQuaternion(q);
          return sum + w * x.distanceToSquared(new Vector3().fromArray(b, 3 * m).sub(mb));
        }, 0);
      };
      const best = cost(new Quaternion());
      for (let k = 0; k < 6; k++) {
        const axis = new Vector3(within(random, 1), within(random, 1), within(random, 1)).normalize();
        expect(cost(new Quaternion().setFromAxisAngle(axis, 0.02))).toBeGreaterThan(best - 1e-12);
      }
    }
  });

  it('without a positive weight changes nothing', () => {
    const out = new Float64Array(12).fill(7);
    expect(rigidFit([1, 2, 3], [1, 2, 3], [0], out)).toBe(false);
    expect(out.every((x) => x === 7)).toBe(true);
  });
});
