import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as affine from '../../src/math/geometry/affine.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';

const component = fc.double({ min: -1, max: 1, noNaN: true });
const transforms = fc
  .tuple(
    fc.tuple(component, component, component, component).filter((q) => Math.hypot(...q) > 1e-2),
    fc.tuple(component, component, component),
  )
  .map(([q, p]) => rigid.fromQuatPosition(quat.normalize(q), p));
const points = fc.array(component, { minLength: 3, maxLength: 3 });

/** Expects entries to agree. */
function near(a: ArrayLike<number>, b: ArrayLike<number>, tolerance = 4e-15): void {
  expect(Math.hypot(...Array.from(a, (x, i) => x - b[i]))).toBeLessThanOrEqual(tolerance);
}

describe('rigid transforms', () => {
  it('are a group', () => {
    fc.assert(
      fc.property(transforms, transforms, transforms, (a, b, c) => {
        near(rigid.compose(rigid.compose(a, b), c), rigid.compose(a, rigid.compose(b, c)), 1e-14);
        near(rigid.compose(a, rigid.identity()), a, 0);
        near(rigid.compose(rigid.inverse(a), a), rigid.identity());
        near(rigid.compose(a, rigid.inverse(a)), rigid.identity());
      }),
    );
  });

  it('invert by transpose and negation as the general inverse does, and (A B)^-1 = B^-1 A^-1', () => {
    fc.assert(
      fc.property(transforms, transforms, (a, b) => {
        near(rigid.inverse(a), affine.inverse(a), 1e-14);
        near(rigid.inverse(rigid.compose(a, b)), rigid.compose(rigid.inverse(b), rigid.inverse(a)), 1e-14);
      }),
    );
  });

  it('act on points and directions, forward and back', () => {
    fc.assert(
      fc.property(transforms, transforms, points, (a, b, x) => {
        const once = rigid.transformPoint(rigid.compose(a, b), x);
        near(once, rigid.transformPoint(a, rigid.transformPoint(b, x)));
        near(rigid.inverseTransformPoint(a, rigid.transformPoint(a, x)), x);
        near(rigid.inverseTransformVector(a, rigid.transformVector(a, x)), x);
        near(rigid.transformPoint(rigid.inverse(a), x), rigid.inverseTransformPoint(a, x));
      }),
    );
  });

  it('relative(a, b) cancels a common parent transform', () => {
    fc.assert(
      fc.property(transforms, transforms, transforms, (hip, left, right) => {
        const direct = rigid.relative(left, right);
        near(rigid.relative(rigid.compose(hip, left), rigid.compose(hip, right)), direct, 1e-14);
      }),
    );
  });

  it('convert to quaternion and position and back', () => {
    fc.assert(
      fc.property(transforms, (a) => {
        near(rigid.fromQuatPosition(rigid.toQuat(a), rigid.toPosition(a)), a);
      }),
    );
  });

  it('compose inside packed arrays, in place too', () => {
    const a = rigid.fromQuatPosition([0.5, 0.5, 0.5, 0.5], [1, 2, 3]);
    const b = rigid.fromQuatPosition([0, 0.6, 0, 0.8], [-1, 0, 4]);
    const packed = new Float64Array(40);
    packed.set(a, 2);
    packed.set(b, 20);
    rigid.composeAt(packed, 2, packed, 20, packed, 20);
    expect(Array.from(packed.subarray(20, 32))).toEqual(rigid.compose(a, b));
    expect(Array.from(packed.subarray(2, 14))).toEqual(a);
  });

  it('let out be an input', () => {
    const a = rigid.fromQuatPosition([0.5, 0.5, 0.5, 0.5], [1, 2, 3]);
    const b = rigid.fromQuatPosition([0, 0.6, 0, 0.8], [-1, 0, 4]);
    const product = rigid.compose(a, b);
    expect(rigid.compose(a, b, [...a])).toEqual(product);
    const into = [...b];
    expect(rigid.compose(a, into, into)).toEqual(product);
    const inverted = [...a];
    expect(rigid.inverse(inverted, inverted)).toEqual(rigid.inverse(a));
    const x = [1, 2, 3];
    expect(rigid.transformPoint(a, x, x)).toEqual(rigid.transformPoint(a, [1, 2, 3]));
  });
});
