import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as affine from '../../src/math/geometry/affine.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';

/** The matrix from the office basis to the door basis, as printed in the lecture notes on constraints in a scene graph. */
const PRINTED = [0, 0, 1, 9, 0, 1, 0, 4, -1, 0, 0, 28, 0, 0, 0, 1];

describe('worked example of the lecture notes, office to door', () => {
  const doorFromOffice = affine.fromRowMajor4(PRINTED);

  it('forwards: (-2, -4, -10) in the office basis is (-1, 0, 30) in the door basis', () => {
    expect(affine.transformPoint(doorFromOffice, [-2, -4, -10])).toEqual([-1, 0, 30]);
  });

  it('backwards: (-1, 0, 30) at the door is (-2, -4, -10) in the office, by the rigid and by the general inverse', () => {
    for (const officeFromDoor of [rigid.inverse(doorFromOffice), affine.inverse(doorFromOffice)]) {
      expect(affine.transformPoint(officeFromDoor, [-1, 0, 30])).toEqual([-2, -4, -10]);
    }
    expect(rigid.inverseTransformPoint(doorFromOffice, [-1, 0, 30])).toEqual([-2, -4, -10]);
  });

  it('is a rotation by pi/2 about Y and a translation, as quaternion and position', () => {
    const q = rigid.toQuat(doorFromOffice);
    expect(q[1]).toBeCloseTo(Math.SQRT1_2, 15);
    expect(q[3]).toBeCloseTo(Math.SQRT1_2, 15);
    expect(rigid.toPosition(doorFromOffice)).toEqual([9, 4, 28]);
    const again = rigid.fromQuatPosition(q, rigid.toPosition(doorFromOffice));
    rigid.transformPoint(again, [-2, -4, -10]).forEach((c, i) => {
      expect(c).toBeCloseTo([-1, 0, 30][i], 13);
    });
  });
});

describe('affine transforms', () => {
  const component = fc.double({ min: -2, max: 2, noNaN: true });
  const general = fc.array(component, { minLength: 12, maxLength: 12 }).filter((m) => {
    const det =
      m[0] * (m[4] * m[8] - m[5] * m[7]) -
      m[1] * (m[3] * m[8] - m[5] * m[6]) +
      m[2] * (m[3] * m[7] - m[4] * m[6]);
    return Math.abs(det) > 0.1;
  });

  it('have an inverse, scale and shear included', () => {
    fc.assert(
      fc.property(general, (m) => {
        const product = affine.compose(affine.inverse(m), m);
        const identity = affine.identity();
        product.forEach((c, i) => {
          expect(c).toBeCloseTo(identity[i], 9);
        });
      }),
    );
  });

  it('refuse to invert a scale of zero, and any matrix of dependent columns', () => {
    const flat = affine.fromTranslationRotationScale([1, 2, 3], [0, 0, 0, 1], [1, 0, 1]);
    expect(() => affine.inverse(flat)).toThrow(DomainError);
    try {
      affine.inverse(flat);
    } catch (error) {
      expect(error).toMatchObject({ code: 'singular' });
    }
  });

  it('invert small and uneven scales that are not zero', () => {
    const m = affine.fromTranslationRotationScale([1, 2, 3], [0.5, 0.5, 0.5, 0.5], [1e-4, 1e3, 1e-9]);
    const x = affine.transformPoint(affine.inverse(m), affine.transformPoint(m, [1, 2, 3]));
    expect(x[0]).toBeCloseTo(1, 9);
    expect(x[1]).toBeCloseTo(2, 9);
    expect(x[2]).toBeCloseTo(3, 5);
  });

  it('scale, then rotate, then translate, as in glTF', () => {
    const m = affine.fromTranslationRotationScale([10, 0, 0], [0, 0, Math.SQRT1_2, Math.SQRT1_2], [2, 3, 4]);
    affine.transformPoint(m, [1, 1, 1]).forEach((c, i) => {
      expect(c).toBeCloseTo([7, 2, 4][i], 14);
    });
  });

  it('convert to 4x4 column-major matrices and back, in place too', () => {
    const m = affine.fromRowMajor4(PRINTED);
    const columns = affine.toColumnMajor4(m);
    expect(columns).toEqual([0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 9, 4, 28, 1]);
    expect(affine.fromColumnMajor4(columns)).toEqual(m);
    const inPlace = [...columns];
    affine.fromColumnMajor4(inPlace, inPlace);
    expect(inPlace.slice(0, 12)).toEqual(m);
    affine.toColumnMajor4(inPlace, inPlace);
    expect(inPlace).toEqual(columns);
  });

  it('refuse a projective last row', () => {
    expect(() => affine.fromRowMajor4([...PRINTED.slice(0, 12), 0, 0, 1, 0])).toThrow(/last row/);
    expect(() => affine.fromColumnMajor4(new Array(16).fill(0))).toThrow(DomainError);
  });
});
