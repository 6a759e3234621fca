import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import {
  eulerCurve,
  normalizedHermiteCurve,
  sphericalBezierCurve,
  squadCurve,
} from '../../../src/motion/alternatives/index.js';
import { hermiteCurve } from '../../../src/motion/curves/index.js';
import {
  cumulativeBSplineCurve,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
} from '../../../src/motion/index.js';
import { evaluateRotation, type RotationCurve } from '../../../src/motion/representation/rotation-curve.js';

type Vectors = readonly (readonly number[])[];
interface Case {
  readonly times: number[];
  readonly quaternions: Vectors;
  readonly handles: Vectors;
  readonly points: Vectors;
  readonly knots: number[];
  readonly tangents: Vectors;
  readonly arriving: Vectors;
  readonly vectors: Vectors;
  readonly rates: Vectors;
  readonly at: readonly number[];
  readonly late: readonly number[];
  /** Quaternion, angular velocity, angular acceleration (body axes) at each moment. */
  readonly samples: Readonly<Record<string, readonly Vectors[]>>;
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../fixtures/motion/rotation-curves.json', import.meta.url), 'utf8'),
) as { cases: Case[] };

const keys = ({ times, quaternions }: Case) => ({ times, quaternions: quaternions.flat() });
const vectors = ({ times, vectors: values, rates }: Case) =>
  hermiteCurve({ times, values: values.flat(), tangents: rates.flat() });
const make: Readonly<Record<string, (c: Case) => RotationCurve>> = {
  slerp: (c) => slerpCurve(keys(c), { shortest: false }),
  'shortest slerp': (c) => slerpCurve(keys(c)),
  squad: (c) => squadCurve(keys(c)),
  'spherical Bezier': ({ times, handles }) => sphericalBezierCurve({ times, quaternions: handles.flat() }),
  'C2 rotation spline': (c) => rotationSpline(keys(c)),
  'normalized Hermite': (c) =>
    normalizedHermiteCurve({ ...keys(c), tangents: c.tangents.flat(), arriving: c.arriving.flat() }),
  'rotation vector': (c) => rotationVectorCurve(vectors(c)),
  'Euler ZXY': (c) => eulerCurve(vectors(c), 'ZXY'),
  'Euler YXY': (c) => eulerCurve(vectors(c), 'YXY'),
  'cumulative B-spline': ({ points, knots }) => cumulativeBSplineCurve({ quaternions: points.flat(), knots }),
};

describe('rotation curves agree with curves and differences of 50 digits', () => {
  for (const [n, c] of cases.entries()) {
    for (const [kind, samples] of Object.entries(c.samples)) {
      it(`${kind}, ${c.times.length} keys (set ${n})`, () => {
        const curve = make[kind](c);
        expect(curve.kind).toBe(kind);
        const worst = [0, 0, 0];
        const largest = [1, 1, 1];
        (kind === 'cumulative B-spline' ? c.late : c.at).forEach((t, i) => {
          const { quaternion, angularVelocity, angularAcceleration } = evaluateRotation(curve, t);
          // Signs of quaternions are free where a curve aligns them.
          const [q, w, a] = samples[i];
          const sign = Math.sign(quat.dot(quaternion, q));
          [
            [q.map((x) => sign * x), quaternion],
            [w, angularVelocity],
            [a, angularAcceleration],
          ].forEach(([wanted, got], k) => {
            for (let j = 0; j < wanted.length; j++) {
              worst[k] = Math.max(worst[k], Math.abs(got[j] - wanted[j]));
              largest[k] = Math.max(largest[k], Math.abs(wanted[j]));
            }
          });
        });
        const [value, velocity, acceleration] = worst.map((x, k) => x / largest[k]);
        expect(value).toBeLessThan(2e-15);
        expect(velocity).toBeLessThan(1e-13);
        expect(acceleration).toBeLessThan(1e-12);
      });
    }
  }
});
