import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bSplineCurve,
  cubicSpline,
  hermiteCurve,
  kochanekBartelsCurve,
  linearCurve,
  minimumJerkCurve,
} from '../../../src/motion/curves/index.js';
import { type Curve, evaluateCurve } from '../../../src/motion/representation/curve.js';

type Vectors = readonly (readonly number[])[];
interface Case {
  readonly times: number[];
  readonly ends: Readonly<Record<'v0' | 'a0' | 'v1' | 'a1', number[]>>;
  readonly tangents: Vectors;
  readonly arriving: Vectors;
  readonly shape: Readonly<Record<'T' | 'C' | 'B', number[]>>;
  readonly at: readonly number[];
  readonly kinds: Readonly<Record<string, { values: Vectors; samples: readonly Vectors[] }>>;
}
interface BSplineCase {
  readonly degree: number;
  readonly knots: number[];
  readonly points: Vectors;
  readonly at: readonly number[];
  readonly samples: readonly Vectors[];
}
const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/motion/curves.json', import.meta.url), 'utf8'),
) as { keyed: Case[]; bSplines: BSplineCase[] };

const make: Readonly<Record<string, (c: Case, values: number[]) => Curve>> = {
  linear: ({ times }, values) => linearCurve({ times, values }),
  natural: ({ times }, values) => cubicSpline({ times, values }),
  clamped: ({ times, ends }, values) =>
    cubicSpline({ times, values }, { ends: 'clamped', startVelocity: ends.v0, endVelocity: ends.v1 }),
  periodic: ({ times }, values) => cubicSpline({ times, values }, { ends: 'periodic' }),
  'minimum-jerk': ({ times, ends }, values) =>
    minimumJerkCurve(
      { times, values },
      {
        startVelocity: ends.v0,
        startAcceleration: ends.a0,
        endVelocity: ends.v1,
        endAcceleration: ends.a1,
      },
    ),
  hermite: ({ times, tangents, arriving }, values) =>
    hermiteCurve({ times, values, tangents: tangents.flat(), arriving: arriving.flat() }),
  'kochanek-bartels': ({ times, shape }, values) =>
    kochanekBartelsCurve({ times, values }, { tension: shape.T, continuity: shape.C, bias: shape.B }),
};

/** Largest difference to the samples, against the largest number among those of the same derivative. */
function differences(curve: Curve, at: readonly number[], samples: readonly Vectors[]): number[] {
  const worst = [0, 0, 0];
  const largest = [1, 1, 1];
  at.forEach((t, n) => {
    const point = evaluateCurve(curve, t);
    [point.value, point.first, point.second].forEach((got, k) => {
      samples[n][k].forEach((wanted, c) => {
        worst[k] = Math.max(worst[k], Math.abs(got[c] - wanted));
        largest[k] = Math.max(largest[k], Math.abs(wanted));
      });
    });
  });
  return worst.map((w, k) => w / largest[k]);
}

describe('curves agree with polynomials solved at 60 digits, in value, rate and second rate', () => {
  for (const [n, c] of fixture.keyed.entries()) {
    for (const [kind, { values, samples }] of Object.entries(c.kinds)) {
      it(`${kind} through ${values.length} keys (set ${n})`, () => {
        const off = differences(make[kind](c, values.flat()), c.at, samples);
        expect(Math.max(...off)).toBeLessThan(1e-13);
      });
    }
  }
});

describe('B-splines agree with the recurrence of Cox and de Boor at 60 digits', () => {
  for (const [n, { degree, knots, points, at, samples }] of fixture.bSplines.entries()) {
    it(`degree ${degree}, ${points.length} points (spline ${n})`, () => {
      const curve = bSplineCurve({ size: 2, degree, knots, points: points.flat() });
      expect(Math.max(...differences(curve, at, samples))).toBeLessThan(1e-13);
    });
  }
});
