import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as rotation from './all-forms.js';
import { alongBy, difference, expectNear, rotationVectors, size, vectors } from './support.js';

describe('regularization', () => {
  it('keeps the rotation and brings every vector within pi, however many shells out', () => {
    fc.assert(
      fc.property(rotationVectors(60), (v) => {
        const inside = rotation.regularize(v);
        expect(size(inside)).toBeLessThanOrEqual(Math.PI * (1 + 1e-14));
        expectNear(
          rotation.matrixFromRotationVector(inside),
          rotation.matrixFromRotationVector(v),
          2e-14 * 10,
        );
      }),
    );
  });

  it('leaves vectors below pi alone, bit for bit', () => {
    fc.assert(
      fc.property(rotationVectors(3.14), (v) => {
        expect(rotation.regularize(v)).toEqual(v);
      }),
    );
  });

  it('maps a tangent by the derivative of the map: differences agree, and the angular velocity stays', () => {
    fc.assert(
      fc.property(
        rotationVectors(15, 1),
        vectors(1),
        fc.integer({ min: -2, max: 3 }),
        (v, m, revolutions) => {
          const mapped = rotation.reparameterizeTangent(v, m, revolutions);
          const differences = alongBy((x) => rotation.reparameterize(x, revolutions), v, m, 1e-3);
          expectNear(mapped, differences, 1e-10);
          const moved = rotation.reparameterize(v, revolutions);
          expectNear(
            rotation.angularVelocityFromRate(moved, mapped, 'body'),
            rotation.angularVelocityFromRate(v, m, 'body'),
            1e-12,
          );
        },
      ),
    );
  });

  it('moves a group by one common number of turns, tangents too, so the curve through it keeps its motion', () => {
    const vectorsOf = [0, 0, 3.0, 0, 0.1, 4.0, 0.1, 0, 5.0];
    const tangents = [0.2, 0, 1, 0, 0.3, 1, 0.1, 0.1, 1];
    const before = [...vectorsOf];
    const revolutions = rotation.regularizeGroup(vectorsOf, tangents);
    expect(revolutions).toBe(1);
    for (let i = 0; i < 9; i += 3) {
      const v = before.slice(i, i + 3);
      expectNear(vectorsOf.slice(i, i + 3), rotation.reparameterize(v, 1), 1e-15);
    }
    expectNear(
      tangents.slice(3, 6),
      rotation.reparameterizeTangent(before.slice(3, 6), [0, 0.3, 1], 1),
      1e-15,
    );
    expect(rotation.regularizeGroup([0.1, 0, 0, 0.2, 0, 0])).toBe(0);
  });

  it('refuses to move the zero vector, which has no axis, and then changes nothing', () => {
    expect(() => rotation.reparameterize([0, 0, 0], 1)).toThrow(/no axis/);
    expect(() => rotation.reparameterizeTangent([0, 0, 0], [1, 0, 0], 1)).toThrow(/no axis/);
    const group = [0, 0, 0, 0, 0, 12, 0, 0, 12];
    expect(() => rotation.regularizeGroup(group)).toThrow(/\[0\]/);
    expect(group).toEqual([0, 0, 0, 0, 0, 12, 0, 0, 12]);
    expect(rotation.reparameterize([0, 0, 0], 0)).toEqual([0, 0, 0]);
  });
});

describe('unwrapping', () => {
  it('gives back a smooth curve from its wrapped samples', () => {
    const smooth: number[] = [];
    const wrapped: number[] = [];
    for (let n = 0; n <= 200; n++) {
      const t = n / 100;
      const v = [0.4 + 0.5 * Math.sin(3 * t), 0.3 + 6 * t, -0.2 * t];
      smooth.push(...v);
      wrapped.push(...rotation.rotationVectorFromQuat(rotation.quatFromRotationVector(v)));
    }
    let jump = 0;
    for (let i = 3; i < wrapped.length; i += 3) {
      jump = Math.max(jump, difference(wrapped.slice(i, i + 3), wrapped.slice(i - 3, i)));
    }
    expect(jump).toBeGreaterThan(5);
    expectNear(rotation.unwrapRotationVectors(wrapped), smooth, 1e-12);
  });

  it('works in place', () => {
    const sequence = [0, 3, 0, 0, -3.1, 0];
    rotation.unwrapRotationVectors(sequence, sequence);
    expectNear(sequence, [0, 3, 0, 0, 2 * Math.PI - 3.1, 0], 1e-15);
  });
});

describe('coordinates that are not finite', () => {
  it('stay as they are: whoever reads them from outside refuses them', () => {
    expect(rotation.regularize([Number.NaN, 0, 0])).toEqual([Number.NaN, 0, 0]);
    expect(rotation.regularize([0, Number.POSITIVE_INFINITY, 0])).toEqual([0, Number.POSITIVE_INFINITY, 0]);
  });
});
