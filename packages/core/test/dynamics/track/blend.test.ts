import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blendPoses } from '../../../src/dynamics/index.js';
import { clampToLimits, createFigure, limitViolation } from '../../../src/figure/index.js';
import { angleBetweenRotationVectors, composeRotationVectors } from '../../../src/rotation/index.js';
import { createRandom, direction, expectSameBits, rotationVector } from '../../figure/support.js';
import { randomFigure, randomPose } from '../../support/random-figure.js';
import { human } from './support.js';

const ball = createFigure({ bones: [{ name: 'ball', joint: { type: 'ball' } }] });
const hinge = createFigure({ bones: [{ name: 'hinge', joint: { type: 'hinge', axis: [0, 0, 1] } }] });

describe('blendPoses', () => {
  test('gives either pose at weights 0 and 1, to the bit, and stays within the limits in between', () => {
    const weight = fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0, 1, 5e-324, 1 - 2 ** -53),
    );
    fc.assert(
      fc.property(fc.integer(), fc.array(weight, { minLength: 12, maxLength: 12 }), (seed, weights) => {
        const random = createRandom(seed);
        const figure = randomFigure(random, 12);
        const [a, b] = [randomPose(figure, random), randomPose(figure, random)];
        clampToLimits(figure, a);
        clampToLimits(figure, b);
        const out = blendPoses(figure, a, b, weights);
        expect(limitViolation(figure, out)).toBe(0);
        for (const { index, coordinate, dof } of figure.bones) {
          if (weights[index] !== 0 && weights[index] !== 1) continue;
          const whole = weights[index] === 0 ? a : b;
          expectSameBits(
            out.subarray(coordinate, coordinate + dof),
            whole.subarray(coordinate, coordinate + dof),
          );
        }
        expectSameBits(blendPoses(figure, a, b, 0), a);
        expectSameBits(blendPoses(figure, a, b, 1), b);
        // In place too.
        expectSameBits(blendPoses(figure, a, b, weights, Float64Array.from(a)), out);
        expectSameBits(blendPoses(figure, a, b, weights, a), out);
      }),
      { numRuns: 200 },
    );
  });

  test('rotates a rotation vector along the shortest path at constant speed, also through pi', () => {
    const random = createRandom(71);
    for (let n = 0; n < 200; n++) {
      const from = rotationVector(random, Math.PI);
      const angle = 3 * random();
      const to = composeRotationVectors(
        from as [number, number, number],
        direction(random).map((x) => angle * x) as [number, number, number],
      );
      const weight = random();
      const out = blendPoses(ball, from, to, weight, [0, 0, 0]) as [number, number, number];
      const a = from as [number, number, number];
      const b = to as unknown as [number, number, number];
      // 1e-7: an angle between rotations near each other is known to half the digits at the worst.
      expect(angleBetweenRotationVectors(a, out)).toBeCloseTo(weight * angle, 7);
      expect(angleBetweenRotationVectors(out, b)).toBeCloseTo((1 - weight) * angle, 7);
      expect(Math.hypot(...out)).toBeLessThanOrEqual(Math.PI + 1e-12);
    }
  });

  test('rotates an unlimited hinge along the shorter arc', () => {
    expect(blendPoses(hinge, [3], [-3], 0.5)[0]).toBeCloseTo(Math.PI, 12);
    expect(blendPoses(hinge, [0.1], [0.1 + 4 * Math.PI], 0.5)[0]).toBeCloseTo(0.1, 12);
  });

  test('refuses invalid poses and weights', () => {
    const [a, b] = [new Float64Array(human.dof), new Float64Array(human.dof)];
    expect(() => blendPoses(human, a.subarray(1), b, 0.5)).toThrow(/from/);
    expect(() =>
      blendPoses(
        human,
        a,
        b.map(() => Number.NaN),
        0.5,
      ),
    ).toThrow(/to\[0\]/);
    for (const weight of [-0.1, 1.1, Number.NaN]) {
      expect(() => blendPoses(human, a, b, weight)).toThrow(
        expect.objectContaining({ code: 'out-of-range', path: 'weights[0]' }),
      );
    }
    expect(() => blendPoses(human, a, b, [1])).toThrow(expect.objectContaining({ code: 'wrong-size' }));
  });
});
