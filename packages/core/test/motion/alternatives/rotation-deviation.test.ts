import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import * as vec3 from '../../../src/math/geometry/vec3.js';
import {
  eulerCurve,
  normalizedHermiteCurve,
  sphericalBezierCurve,
  squadCurve,
} from '../../../src/motion/alternatives/index.js';
import {
  changeFrame,
  changeKeyFrame,
  compareRotations,
  frameDependence,
  sampleRotation,
} from '../../../src/motion/alternatives/rotation-deviation.js';
import { bezierCurve, hermiteCurve } from '../../../src/motion/curves/index.js';
import {
  cumulativeBSplineCurve,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
} from '../../../src/motion/index.js';
import { evaluateCurve } from '../../../src/motion/representation/curve.js';
import { evaluateRotation, type RotationCurve } from '../../../src/motion/representation/rotation-curve.js';
import type { RotationKeys } from '../../../src/motion/representation/rotation-keys.js';
import { eulerFromQuat } from '../../../src/rotation/alternatives/euler.js';
import { quatFromRotationVector } from '../../../src/rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../../src/rotation/rotation-vector/log.js';

const DEGREE = Math.PI / 180;
const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];

/** Bezier points of the keys with tangents (K_{i+1} - K_{i-1}) / 2, one-sided at the ends. */
function bezierPoints(keys: readonly (readonly number[])[]): number[][] {
  const last = keys.length - 1;
  const tangent = (i: number) => {
    const [before, after] = [keys[Math.max(0, i - 1)], keys[Math.min(last, i + 1)]];
    return vec3.scale(vec3.subtract(after, before), i === 0 || i === last ? 1 : 0.5);
  };
  return keys.flatMap((key, i) => [
    ...(i > 0 ? [vec3.addScaled(key, tangent(i), -1 / 3)] : []),
    [...key],
    ...(i < last ? [vec3.addScaled(key, tangent(i), 1 / 3)] : []),
  ]);
}

describe('Figure 2 of the paper, on stated data', () => {
  const times = [0, 1, 2, 3, 4];
  // Of the numbers stated every digit counts.
  it.each([
    [0.5, 0.0608, 5e-5],
    [1, 0.4701, 5e-5],
    [2, 3.241, 5e-4],
    [3, 8.314, 5e-4],
  ])(
    'keys scaled by %d: rotation-vector and spherical Bezier curves are %d degrees apart',
    (scale, degrees, digit) => {
      const points = bezierPoints(KEYS.map((key) => vec3.scale(key, scale)));
      const euclidean = rotationVectorCurve(bezierCurve({ times, points: points.flat() }), {
        anyChart: true,
      });
      const quaternions = points.flatMap((v) => quatFromRotationVector(v));
      const spherical = sphericalBezierCurve({ times, quaternions });
      const { largest } = compareRotations(euclidean, spherical, 4001);
      expect(Math.abs(largest / DEGREE - degrees)).toBeLessThan(digit);
    },
  );

  it('the rotation vectors are 0.008206 rad apart', () => {
    const points = bezierPoints(KEYS);
    const euclidean = bezierCurve({ times, points: points.flat() });
    const spherical = sphericalBezierCurve({
      times,
      quaternions: points.flatMap((v) => quatFromRotationVector(v)),
    });
    let largest = 0;
    for (let n = 0; n <= 4000; n++) {
      const { value } = evaluateCurve(euclidean, n / 1000);
      const other = rotationVectorFromQuat(evaluateRotation(spherical, n / 1000).quaternion, value);
      largest = Math.max(largest, vec3.distance(value, other));
    }
    expect(Math.abs(largest - 0.008206)).toBeLessThan(5e-7);
  });
});

const angle = fc.double({ min: -2, max: 2, noNaN: true });
const rotation = fc.tuple(angle, angle, angle).map((v) => quatFromRotationVector(v));

const vectors = ({ times, quaternions }: RotationKeys): number[] =>
  Array.from(times, (_, i) => rotationVectorFromQuat(Array.from(quaternions).slice(4 * i, 4 * i + 4))).flat();
const zeros = (n: number) => new Float64Array(n);

describe('a change of frame', () => {
  const invariant: Record<string, (keys: RotationKeys) => RotationCurve> = {
    slerp: (keys) => slerpCurve(keys),
    squad: squadCurve,
    'C2 rotation spline': rotationSpline,
    'spherical Bezier': ({ quaternions }) =>
      sphericalBezierCurve({ times: [0, 1], quaternions: Array.from(quaternions).slice(0, 16) }),
    'cumulative B-spline': ({ quaternions }) =>
      cumulativeBSplineCurve({ quaternions, knots: Array.from({ length: 9 }, (_, k) => k) }),
  };
  const keys = fc
    .array(rotation, { minLength: 5, maxLength: 5 })
    .map((list) => ({ times: [0, 1, 1.7, 3, 4], quaternions: list.flat() }))
    // Half a turn between keys has two short ways, and rounding chooses.
    .filter(({ quaternions: q }) =>
      [0, 4, 8, 12].every((o) => Math.abs(quat.dot(q.slice(o, o + 4), q.slice(o + 4, o + 8))) > 0.2),
    );

  for (const [kind, make] of Object.entries(invariant)) {
    it(`changes nothing for ${kind}`, () => {
      fc.assert(
        fc.property(keys, rotation, rotation, (list, world, body) => {
          expect(frameDependence(make, list, { world, body }, 41).largest).toBeLessThan(1e-11);
        }),
        { numRuns: 50 },
      );
    });
  }

  it('changes curves of rotation vectors, Euler angles, and normalized quaternions a little', () => {
    const list: RotationKeys = {
      times: [0, 1, 2],
      quaternions: [
        [0, 0, 0],
        [1, 0.5, -0.3],
        [0.4, -0.8, 1.1],
      ].flatMap((v) => quatFromRotationVector(v)),
    };
    const world = quatFromRotationVector([0.3, 0.8, 0.5]);
    const curve = (values: readonly number[]) =>
      hermiteCurve({ times: list.times, values, tangents: zeros(values.length) });
    const variant: Record<string, (keys: RotationKeys) => RotationCurve> = {
      'rotation vectors': (k) => rotationVectorCurve(curve(vectors(k))),
      'Euler angles': (k) =>
        eulerCurve(
          curve([0, 4, 8].flatMap((o) => eulerFromQuat(Array.from(k.quaternions).slice(o, o + 4), 'YXZ'))),
          'YXZ',
        ),
    };
    for (const make of Object.values(variant)) {
      expect(frameDependence(make, list, { world }).largest).toBeGreaterThan(0.01);
    }
    // Left and right products are linear in the four numbers.
    const linear = frameDependence((k) => normalizedHermiteCurve({ ...k, tangents: zeros(12) }), list, {
      world,
    });
    expect(linear.largest).toBeLessThan(1e-14);
  });

  it('of curve and of keys are the same at the keys, and rates follow', () => {
    fc.assert(
      fc.property(keys, rotation, rotation, (list, world, body) => {
        const rotated = changeFrame(slerpCurve(list), { world, body });
        const { quaternions } = changeKeyFrame(list, { world, body });
        list.times.forEach((t, i) => {
          const q = Array.from(quaternions).slice(4 * i, 4 * i + 4);
          expect(quat.angleBetween(evaluateRotation(rotated, t).quaternion, q)).toBeLessThan(1e-13);
        });
        const step = 1e-5;
        const at = (t: number) => evaluateRotation(rotated, t);
        const [before, now, after] = [0.5 - step, 0.5, 0.5 + step].map(at);
        const rotation = quat.multiply(quat.conjugate(before.quaternion), after.quaternion);
        const w = vec3.scale(rotationVectorFromQuat(rotation), 0.5 / step);
        expect(vec3.distance(w, now.angularVelocity)).toBeLessThan(1e-6);
      }),
      { numRuns: 30 },
    );
  });
});

describe('samples', () => {
  it('run from start to end, in the given axes', () => {
    const curve = slerpCurve({ times: [1, 3], quaternions: [0, 0, 0, 1, 1, 0, 0, 0] });
    const { times, angularVelocities } = sampleRotation(curve, 5, 'world');
    expect(Array.from(times)).toEqual([1, 1.5, 2, 2.5, 3]);
    expect(angularVelocities[0]).toBeCloseTo(Math.PI / 2, 14);
  });

  it('need two times, and curves a common range', () => {
    const curve = slerpCurve({ times: [1, 3], quaternions: [0, 0, 0, 1, 1, 0, 0, 0] });
    const later = slerpCurve({ times: [3, 4], quaternions: [0, 0, 0, 1, 1, 0, 0, 0] });
    expect(() => sampleRotation(curve, 1)).toThrow(/count: is 1/);
    expect(() => compareRotations(curve, later)).toThrow(/no common range/);
    expect(() => changeFrame(curve, { world: [1, 1, 0, 0] })).toThrow(/frame\.world.*length 1\.41/);
  });
});
