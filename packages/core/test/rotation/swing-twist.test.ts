import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import * as rotation from '../../src/rotation/index.js';
import { expectNear, rotationVectors, size } from './support.js';

const pairs = rotationVectors(3, 0.1).map((axis) => rotation.createSwingAxes(axis));

describe('swing and twist', () => {
  it('compose as R_swing R_twist, twist first', () => {
    fc.assert(
      fc.property(rotationVectors(3.1), pairs, (c, axes) => {
        const axis = vec3.cross(axes.s, axes.t);
        const product = mat3.multiply(
          rotation.matrixFromSwing(c, axes),
          rotation.matrixFromTwist(axis, c[2]),
        );
        expectNear(quat.toMatrix(rotation.quatFromSwingTwist(c, c[2], axes)), product, 2e-15);
      }),
    );
  });

  it('decompose what was composed, for q and -q and any length, up to a swing of pi - 1e-6', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: Math.PI - 1e-6, noNaN: true }),
        fc.double({ min: 0, max: 6.3, noNaN: true }),
        fc.double({ min: -3.1, max: 3.1, noNaN: true }),
        pairs,
        (theta, azimuth, twist, axes) => {
          const swing = [theta * Math.cos(azimuth), theta * Math.sin(azimuth)];
          const q = rotation.quatFromSwingTwist(swing, twist, axes);
          // The twist is conditioned by 1/cos(theta/2).
          const allowed = 4e-15 / Math.cos(theta / 2);
          for (const form of [q, quat.negate(q), q.map((c) => 37 * c)]) {
            const back = rotation.decomposeSwingTwist(form, axes);
            expect(back.degenerate).toBe(false);
            expectNear(back.swing, swing, allowed * 4);
            expectNear([back.twist], [twist], allowed);
          }
        },
      ),
    );
  });

  it('decompose every rotation into a swing and a twist that compose to it, never NaN', () => {
    fc.assert(
      fc.property(rotationVectors(9), pairs, (v, axes) => {
        const q = rotation.quatFromRotationVector(v);
        const { swing, twist, degenerate } = rotation.decomposeSwingTwist(q, axes);
        expect([...swing, twist].every(Number.isFinite)).toBe(true);
        expect(size(swing)).toBeLessThanOrEqual(Math.PI + 1e-15);
        expect(Math.abs(twist)).toBeLessThanOrEqual(Math.PI + 1e-15);
        const again = quat.toMatrix(rotation.quatFromSwingTwist(swing, twist, axes));
        expectNear(again, quat.toMatrix(q), degenerate ? 1e-9 : 1e-14);
      }),
    );
  });

  it('set degenerate at a swing of pi, where the twist is undetermined, and still reproduce the rotation', () => {
    const axes = rotation.createSwingAxes([0, 1, 0], [1, 0, 0]);
    for (const twist of [0, 0.7, -2]) {
      const q = rotation.quatFromSwingTwist([Math.PI * 0.6, Math.PI * 0.8], twist, axes);
      const decomposition = rotation.decomposeSwingTwist(q, axes);
      expect(decomposition.degenerate).toBe(true);
      expect(decomposition.twist).toBe(0);
      expectNear(
        quat.toMatrix(rotation.quatFromSwingTwist(decomposition.swing, 0, axes)),
        quat.toMatrix(q),
        1e-15,
      );
    }
    expect(rotation.decomposeSwingTwist([1, 0, 0, 0], axes)).toEqual({
      swing: [Math.PI, 0],
      twist: 0,
      degenerate: true,
    });
  });

  it('fill an out that is given', () => {
    const out: rotation.SwingTwist = { swing: [9, 9], twist: 9, degenerate: true };
    const axes = rotation.createSwingAxes([0, 1, 0]);
    expect(rotation.decomposeSwingTwist([0, 0, 0, 1], axes, out)).toBe(out);
    expect(out).toEqual({ swing: [0, 0], twist: 0, degenerate: false });
  });
});
