import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rotation from '../../src/rotation/index.js';
import { expectNear, rotationVectors, size } from './support.js';

const R = rotation.matrixFromRotationVector;

describe('combining rotation vectors (section 3.2.1)', () => {
  it('compose(b, a) is R(b) R(a): first a, then b', () => {
    fc.assert(
      fc.property(rotationVectors(7), rotationVectors(7), (a, b) => {
        expectNear(R(rotation.composeRotationVectors(b, a)), mat3.multiply(R(b), R(a)), 1e-14);
      }),
    );
  });

  it('is a group: associative, zero is its unit, -v the inverse of v', () => {
    fc.assert(
      fc.property(rotationVectors(6), rotationVectors(6), rotationVectors(6), (a, b, c) => {
        const left = rotation.composeRotationVectors(rotation.composeRotationVectors(c, b), a);
        const right = rotation.composeRotationVectors(c, rotation.composeRotationVectors(b, a));
        expectNear(R(left), R(right), 3e-14);
        expectNear(R(rotation.composeRotationVectors(a, [0, 0, 0])), R(a), 1e-14);
        expect(size(rotation.composeRotationVectors(rotation.invertRotationVector(a), a))).toBeLessThan(
          1e-15,
        );
      }),
    );
  });

  it('follows the reference from frame to frame', () => {
    const relativeRotation = [0, 0, 3];
    const composed = rotation.composeRotationVectors([0, 0, 0.5], relativeRotation, relativeRotation);
    expectNear(composed, [0, 0, 3.5], 1e-15);
    expectNear(
      rotation.composeRotationVectors([0, 0, 0.5], relativeRotation),
      [0, 0, 3.5 - 2 * Math.PI],
      1e-15,
    );
  });

  it('a difference in world axes goes before, in body axes after: R_to = exp(d) R_from = R_from exp(d)', () => {
    fc.assert(
      fc.property(rotationVectors(6), rotationVectors(6), (from, to) => {
        const world = rotation.differenceOfRotationVectors(from, to, 'world');
        const body = rotation.differenceOfRotationVectors(from, to, 'body');
        expectNear(mat3.multiply(R(world), R(from)), R(to), 1e-14);
        expectNear(mat3.multiply(R(from), R(body)), R(to), 1e-14);
        expect(size(world)).toBeCloseTo(rotation.angleBetweenRotationVectors(from, to), 12);
      }),
    );
  });

  it('is neither addition nor commutative', () => {
    const a = [1, 0, 0];
    const b = [0, 1, 0];
    const ab = rotation.composeRotationVectors(b, a);
    expect(rotation.angleBetweenRotationVectors(ab, [1, 1, 0])).toBeGreaterThan(0.4);
    expect(rotation.angleBetweenRotationVectors(ab, rotation.composeRotationVectors(a, b))).toBeGreaterThan(
      0.8,
    );
  });
});
