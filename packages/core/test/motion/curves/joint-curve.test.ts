import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MotionError } from '../../../src/errors.js';
import { createFigure } from '../../../src/figure/index.js';
import { quat } from '../../../src/math/index.js';
import {
  type Curve,
  catmullRomCurve,
  catmullRomJointCurve,
  createMotion,
  createMotionSampler,
  evaluateCurve,
  motionToData,
  samplePose,
} from '../../../src/motion/index.js';
import { quatFromRotationVector, rotationVectorFromQuat } from '../../../src/rotation/index.js';

const body = createFigure({ bones: [{ name: 'body', joint: { type: 'free' } }] });
const times = Float64Array.from({ length: 7 }, (_, k) => 0.1 * k + 0.01 * k * k);
const coordinate = fc.double({ min: -5, max: 5, noNaN: true });
const values = fc
  .array(coordinate, { minLength: 6 * times.length, maxLength: 6 * times.length })
  .map((numbers) => Float64Array.from(numbers));

/** The rotations walk, so that they leave 270 degrees behind. */
const walks = values.map((numbers) => {
  const out = numbers.slice();
  for (let k = 6; k < out.length; k++) if (k % 6 >= 3) out[k] = out[k - 6] + 0.2 * numbers[k];
  return out;
});

/** The same curve with its points, without its keys. */
function withPoints({ size, degree, knots, controls, outside }: Curve): Curve {
  return { size, degree, knots, controls, outside };
}

describe('the Catmull-Rom curve of joint coordinates', () => {
  test('without a rotation is that of plain numbers, up to rounding', () => {
    fc.assert(
      fc.property(values, (numbers) => {
        const plain = catmullRomCurve({ times, values: numbers });
        const { controls, knots } = catmullRomJointCurve(times, numbers.slice(), 6, -1).curve;
        expect(knots).toEqual(plain.knots);
        expect(controls.length).toBe(plain.controls.length);
        for (const [k, x] of Array.from(plain.controls).entries())
          expect(Math.abs(controls[k] - x)).toBeLessThan(1e-14);
      }),
    );
  });

  test('moves as the Bezier points that it makes, rotations beyond 270 degrees too', () => {
    let changes = 0;
    fc.assert(
      fc.property(walks, fc.double({ min: 0, max: 1, noNaN: true }), (numbers, u) => {
        const { curve, chartChanges } = catmullRomJointCurve(times, numbers, 6, 3);
        changes += chartChanges.length;
        const motion = createMotion(body, { tracks: [{ bone: 'body', curve }] });
        const time = u * times[times.length - 1];
        const [played, pose, rates, second] = [0, 1, 2, 3].map(() => new Float64Array(6));
        const sampler = createMotionSampler(body, motion);
        samplePose(sampler, time, played, rates, second);
        samplePose(sampler, time, pose);
        const point = evaluateCurve(withPoints(curve), time);
        expect(pose).toEqual(point.value);
        expect({ value: played, first: rates, second }).toEqual(point);
        expect(evaluateCurve(curve, time)).toEqual(point);
        for (const copy of [
          createMotion(body, { tracks: [{ bone: 'body', curve: withPoints(curve) }] }),
          createMotion(body, JSON.parse(JSON.stringify(motionToData(motion)))),
          structuredClone(motion),
        ]) {
          expect(copy).toEqual(motion);
          expect(samplePose(createMotionSampler(body, copy), time, new Float64Array(6))).toEqual(pose);
        }
      }),
    );
    expect(changes).toBeGreaterThan(10);
  });

  test('of a body that leans and turns by quarters goes the short way, as it does from any other heading', () => {
    const angle = (degrees: number) => (Math.PI / 180) * degrees;
    const lean = fc.double({ min: -40, max: 40, noNaN: true });
    const heading = fc.double({ min: -360, max: 360, noNaN: true });
    const sign = fc.constantFrom(1, -1);
    fc.assert(
      fc.property(
        fc.array(lean, { minLength: 8, maxLength: 8 }),
        heading,
        sign,
        (leans, start, direction) => {
          const orientations = leans.map((each, k) =>
            quat.multiply(
              quat.fromAxisAngle([0, 1, 0], angle(start + 90 * direction * k)),
              quat.fromAxisAngle([1, 0, 0], angle(each)),
            ),
          );
          const vectors = Float64Array.from(orientations.flatMap((q) => rotationVectorFromQuat(q)));
          const at = Float64Array.from(orientations, (_, k) => k);
          const { curve } = catmullRomJointCurve(at, vectors, 3, 0);
          const orientationAt = (time: number) => quatFromRotationVector(evaluateCurve(curve, time).value);
          for (let k = 0; k + 1 < orientations.length; k++) {
            let way = 0;
            for (let n = 0; n < 12; n++)
              way += quat.angleBetween(orientationAt(k + n / 12), orientationAt(k + (n + 1) / 12));
            // Catmull-Rom sways; the long way is 270 degrees.
            expect(way).toBeLessThan(1.7 * quat.angleBetween(orientations[k], orientations[k + 1]));
            expect(quat.angleBetween(orientationAt(k), orientations[k])).toBeLessThan(1e-7);
          }
        },
      ),
    );
  });

  test('is in a motion as it is: neither keys nor times are copied, and points are made once', () => {
    const numbers = new Float64Array(6 * times.length).fill(-0);
    const { curve } = catmullRomJointCurve(times, numbers, 6, 3);
    const { tracks } = createMotion(body, { tracks: [{ bone: 'body', curve }] });
    expect(tracks[0].curve).toBe(curve);
    expect(curve.knots).toBe(times);
    expect(curve.controls).toBe(curve.controls);
    expect(Object.isFrozen(curve)).toBe(true);
    expect(Array.from(curve.controls).some((x) => Object.is(x, -0))).toBe(false);
  });

  test('refuses keys that give no curve', () => {
    const refused = (at: Float64Array, numbers: Float64Array): string => {
      try {
        catmullRomJointCurve(at, numbers, 1, -1);
      } catch (error) {
        if (error instanceof MotionError) return `${error.code} ${error.path}`;
        throw error;
      }
      return 'taken';
    };
    const of = (...numbers: number[]) => Float64Array.from(numbers);
    expect(refused(of(0, 1), of(3, 4))).toBe('taken');
    expect(refused(of(0), of(3))).toBe('wrong-size times');
    expect(refused(of(0, 0), of(3, 4))).toBe('not-increasing times[1]');
    expect(refused(of(0, NaN), of(3, 4))).toBe('not-finite times[1]');
    expect(refused(of(0, 1), of(3))).toBe('wrong-size values');
    expect(refused(of(0, 1), of(3, Infinity))).toBe('not-finite values[1]');
    // Finite keys with points that are not.
    expect(refused(of(0, 1e-20, 1), of(0, 1e300, 0))).toMatch(/^not-finite controls/);
    expect(refused(of(0, 1, 2), of(-1e308, 0, 1e308))).toMatch(/^not-finite controls/);
    expect(refused(of(0, 1, 2), of(-1e300, 0, 1e300))).toBe('taken');
  });
});
