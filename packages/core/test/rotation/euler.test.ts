import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from './all-forms.js';
import {
  allPartials,
  difference,
  expectNear,
  motion,
  rotationVectors,
  vectors,
  worldVelocityOf,
} from './support.js';

const FRAMES = ['intrinsic', 'extrinsic'] as const;
const CONVENTIONS = rotation.EULER_ORDERS.flatMap((order) => FRAMES.map((frame) => ({ order, frame })));
const isProper = (order: rotation.EulerOrder): boolean => order[0] === order[2];

/** Rotation about a coordinate axis by a road of its own: the axis-angle formula. */
const about = (letter: string, angle: number): number[] =>
  rotation.matrixFromAxisAngle(
    [letter === 'X' ? 1 : 0, letter === 'Y' ? 1 : 0, letter === 'Z' ? 1 : 0],
    angle,
  );

describe.each(CONVENTIONS)('Euler angles $order, $frame', ({ order, frame }) => {
  it('are the product of three elementary rotations in that order', () => {
    fc.assert(
      fc.property(vectors(3.2), (angles) => {
        const [a, b, c] = [0, 1, 2].map((n) => about(order[n], angles[n]));
        const product =
          frame === 'intrinsic'
            ? mat3.multiply(mat3.multiply(a, b), c)
            : mat3.multiply(mat3.multiply(c, b), a);
        expectNear(rotation.matrixFromEuler(angles, order, frame), product, 2e-15);
        expectNear(quat.toMatrix(rotation.quatFromEuler(angles, order, frame)), product, 3e-15);
      }),
    );
  });

  it('have the partials that differences give', () => {
    fc.assert(
      fc.property(vectors(3.2), (angles) => {
        const differences = allPartials((x) => rotation.matrixFromEuler(x, order, frame), angles);
        expectNear(rotation.eulerMatrixPartials(angles, order, frame), differences, 1e-11);
      }),
      { numRuns: 30 },
    );
  });

  it('reproduce every matrix and quaternion that they are read from, gimbal lock included', () => {
    const lockedMiddle = isProper(order)
      ? fc.constantFrom(0, Math.PI)
      : fc.constantFrom(Math.PI / 2, -Math.PI / 2);
    const nearLock = fc
      .tuple(vectors(3.2), lockedMiddle, fc.constantFrom(0, 1e-300, 1e-12, -1e-8, 1e-5))
      .map(([a, middle, off]) => rotation.matrixFromEuler([a[0], middle + off, a[2]], order, frame));
    const any = rotationVectors(7).map((v) => rotation.matrixFromRotationVector(v));
    fc.assert(
      fc.property(fc.oneof(any, nearLock), (m) => {
        const angles = rotation.eulerFromMatrix(m, order, frame);
        expectNear(rotation.matrixFromEuler(angles, order, frame), m, 4e-15);
        const middle = angles[1];
        expect(isProper(order) ? middle >= 0 && middle <= Math.PI : Math.abs(middle) <= Math.PI / 2).toBe(
          true,
        );
        const again = rotation.eulerFromQuat(quat.fromMatrix(m), order, frame);
        expectNear(rotation.matrixFromEuler(again, order, frame), m, 6e-15);
      }),
    );
  });

  it('give back the angles they were made of, away from lock', () => {
    const half = Math.PI / 2;
    const middle = isProper(order)
      ? fc.double({ min: 0.2, max: Math.PI - 0.2, noNaN: true })
      : fc.double({ min: 0.2 - half, max: half - 0.2, noNaN: true });
    fc.assert(
      fc.property(vectors(3.1), middle, (a, b) => {
        const angles = [a[0], b, a[2]];
        const back = rotation.eulerFromMatrix(rotation.matrixFromEuler(angles, order, frame), order, frame);
        expectNear(back, angles, 3e-14);
      }),
    );
  });

  it('are zero, exactly, for no rotation (plus zero, no pi)', () => {
    expect(rotation.eulerFromMatrix(mat3.identity(), order, frame).map((a) => a + 0)).toEqual([0, 0, 0]);
  });

  it('are a group by way of their matrices: associative, zero the unit, reversed and negated the inverse', () => {
    const R = (angles: number[]): number[] => rotation.matrixFromEuler(angles, order, frame);
    const compose = (b: number[], a: number[]): number[] =>
      rotation.eulerFromMatrix(mat3.multiply(R(b), R(a)), order, frame);
    const invert = (a: number[]): number[] => rotation.eulerFromMatrix(mat3.transpose(R(a)), order, frame);
    const reversed = [...order].reverse().join('') as rotation.EulerOrder;
    fc.assert(
      fc.property(vectors(3.2), vectors(3.2), vectors(3.2), (a, b, c) => {
        expectNear(R(compose(b, a)), mat3.multiply(R(b), R(a)), 1e-14);
        expectNear(R(compose(compose(c, b), a)), R(compose(c, compose(b, a))), 2e-14);
        expectNear(R(compose(a, [0, 0, 0])), R(a), 1e-14);
        expectNear(R(compose([0, 0, 0], a)), R(a), 1e-14);
        expectNear(R(compose(invert(a), a)), mat3.identity(), 1e-14);
        expectNear(R(compose(a, invert(a))), mat3.identity(), 1e-14);
        // The inverse in closed form: the opposite turns, last first.
        const undone = rotation.matrixFromEuler([-a[2], -a[1], -a[0]], reversed, frame);
        expectNear(R(invert(a)), undone, 1e-14);
        // The product is the rotation's, whatever convention it is formed in.
        const other = { order: 'ZXZ', frame: 'extrinsic' } as const;
        const convert = (x: number[]): number[] => rotation.convertEuler(x, { order, frame }, other);
        const there = mat3.multiply(
          rotation.matrixFromEuler(convert(b), other.order, other.frame),
          rotation.matrixFromEuler(convert(a), other.order, other.frame),
        );
        expectNear(R(compose(b, a)), there, 2e-14);
      }),
      { numRuns: 30 },
    );
    // The angles themselves do not add.
    const [a, b] = [
      [0.5, 0.8, -0.4],
      [-0.7, 0.3, 0.9],
    ];
    expect(difference(R(compose(b, a)), R(a.map((x, i) => x + b[i])))).toBeGreaterThan(0.1);
  });

  it('have the angular velocity of the moving matrix, and rates back from it', () => {
    fc.assert(
      fc.property(vectors(3), vectors(1), (angles, rate) => {
        const path = motion(angles, rate, [0, 0, 0]);
        const world = worldVelocityOf((t) => rotation.matrixFromEuler(path(t), order, frame), 0);
        const jacobian = rotation.eulerJacobian(angles, order, frame, 'world');
        expectNear(mat3.multiplyVector(jacobian, rate), world, 1e-11);
        const body = mat3.multiplyVector(rotation.eulerJacobian(angles, order, frame, 'body'), rate);
        const m = rotation.matrixFromEuler(angles, order, frame);
        expectNear(mat3.multiplyVector(m, body), world, 1e-11);
        const { determinant } = rotation.eulerGimbalMeasure(angles, order);
        if (determinant > 1e-3) {
          const w = mat3.multiplyVector(jacobian, rate);
          const back = rotation.eulerRateFromAngularVelocity(angles, order, frame, w, 'world');
          expectNear(back, rate, 1e-14 / determinant);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('measure gimbal lock by |det| and the smallest singular value of that Jacobian', () => {
    fc.assert(
      fc.property(vectors(3.2), (angles) => {
        const measure = rotation.eulerGimbalMeasure(angles, order);
        const j = rotation.eulerJacobian(angles, order, frame, 'body');
        expect(measure.determinant).toBeCloseTo(Math.abs(mat3.determinant(j)), 14);
        // J^T J has eigenvalues 1 and 1 +- |first . last|.
        const firstDotLast = j[0] * j[2] + j[3] * j[5] + j[6] * j[8];
        expect(measure.smallestSingularValue ** 2).toBeCloseTo(1 - Math.abs(firstDotLast), 14);
      }),
      { numRuns: 30 },
    );
  });

  it('in gimbal lock have measure zero, and no rate', () => {
    const locked = [0.3, isProper(order) ? 0 : Math.PI / 2, -0.8];
    const { determinant, smallestSingularValue } = rotation.eulerGimbalMeasure(locked, order);
    expect([determinant, smallestSingularValue]).toEqual([0, 0]);
    expect(() => rotation.eulerRateFromAngularVelocity(locked, order, frame, [1, 1, 1], 'world')).toThrow(
      DomainError,
    );
  });
});

describe('Euler angles between conventions', () => {
  it('convert between any two of the 24', () => {
    for (const from of CONVENTIONS) {
      for (const to of CONVENTIONS) {
        const angles = [0.4, 0.9, -2.1];
        const converted = rotation.convertEuler(angles, from, to);
        expectNear(
          rotation.matrixFromEuler(converted, to.order, to.frame),
          rotation.matrixFromEuler(angles, from.order, from.frame),
          3e-15,
        );
      }
    }
  });

  it('extrinsic abc is intrinsic cba with the angles reversed', () => {
    expectNear(
      rotation.matrixFromEuler([0.1, 0.2, 0.3], 'XYZ', 'extrinsic'),
      rotation.matrixFromEuler([0.3, 0.2, 0.1], 'ZYX', 'intrinsic'),
      1e-16,
    );
  });

  it("the paper's Figure 1: YXY is locked at (0, 0, 0), where no rate turns the box about Z", () => {
    expect(rotation.eulerGimbalMeasure([0, 0, 0], 'YXY').determinant).toBe(0);
    const j = rotation.eulerJacobian([0, 0, 0], 'YXY', 'intrinsic', 'world');
    expect(j.slice(6)).toEqual([0, 0, 0]);
  });

  it('throw for an unknown order or frame, listing the valid ones', () => {
    for (const order of ['XXY', 'xyz', 'XY', '', 'toString']) {
      const call = () => rotation.matrixFromEuler([0, 0, 0], order as 'XYZ');
      expect(call).toThrow(DomainError);
      expect(call).toThrow(/XYZ, XZY/);
    }
    expect(() => rotation.eulerFromMatrix(mat3.identity(), 'XYZ', 'static' as 'intrinsic')).toThrow(
      /extrinsic/,
    );
  });
});

describe('Euler angles of a quaternion of any length', () => {
  it('are those of the unit quaternion', () => {
    fc.assert(
      fc.property(rotationVectors(3.1), fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (v, scale) => {
        const q = rotation.quatFromRotationVector(v);
        const scaled = q.map((x) => scale * x);
        for (const { order, frame } of CONVENTIONS) {
          const m = rotation.matrixFromEuler(rotation.eulerFromQuat(scaled, order, frame), order, frame);
          expectNear(m, quat.toMatrix(q), 1e-14);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('zero is refused, NaN gives NaN', () => {
    expect(() => rotation.eulerFromQuat([0, 0, 0, 0], 'XYZ')).toThrow(DomainError);
    const nan = [Number.NaN, Number.NaN, Number.NaN];
    expect(rotation.eulerFromQuat([...nan, 1], 'XYZ')).toEqual(nan);
  });
});
