import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { directionsAt, seededRandom } from '../../../../scripts/oracles/accuracy-bands.js';
import { DoubleDouble } from '../../../../scripts/oracles/double-double.js';
import { type BallFigure, measureRotationAccuracy } from '../../../../scripts/oracles/rotation-accuracy.js';
import {
  frobeniusRelativeError,
  type RotationVectorOracle,
  rotationVectorOracle,
} from '../../../../scripts/oracles/rotation-vector.js';
import {
  createFigure,
  createState,
  forwardKinematics,
  updateMotionSubspaceQ,
} from '../../src/figure/index.js';
import * as rotation from '../../src/rotation/index.js';

interface Pair {
  readonly hi: number[];
  readonly lo: number[];
}

interface Sample {
  readonly band: string;
  readonly v: number[];
  readonly y: number[];
  readonly rate: number[];
  readonly secondRate: number[];
  readonly [quantity: string]: unknown;
}

const fixture = JSON.parse(
  readFileSync(new URL('../fixtures/rotation/rotation-vector.json', import.meta.url), 'utf8'),
) as { samples: Sample[] };

/** The fixture's hi + lo pairs as double-doubles. */
function exact(sample: Sample, key: string): DoubleDouble[] {
  const { hi, lo } = sample[key] as Pair;
  return hi.map((h, i) => new DoubleDouble(h, lo[i]));
}

/** Keeps the entries with k <= j of blocks [j][k] of the given length: the fixture holds symmetric halves only. */
function lowerBlocks<T>(all: ArrayLike<T>, outer: number, length: number): T[] {
  const kept: T[] = [];
  const per = 9 * length;
  for (let i = 0; i < outer; i++) {
    for (let j = 0; j < 3; j++) {
      for (let k = 0; k <= j; k++) {
        for (let e = 0; e < length; e++) kept.push(all[per * i + length * (3 * j + k) + e]);
      }
    }
  }
  return kept;
}

const angleOf = (v: readonly number[]): number => Math.hypot(v[0], v[1], v[2]);

/** 4 eps x/|sin x|, x = theta/2: the conditioning of J^-1 and the rates. */
const inverseBound = (theta: number): number =>
  4 * Number.EPSILON * (theta < 1e-8 ? 1 : theta / 2 / Math.abs(Math.sin(theta / 2)));

describe('rotation vector against mpmath (80 digits and more, kept to 20)', () => {
  for (const [n, sample] of fixture.samples.entries()) {
    const { v, y } = sample;
    const theta = angleOf(v);
    // "Up to pi" means the vectors made for pi, whose length may round past it.
    const forward = theta <= Math.PI + 1e-15 ? 7e-16 : 3e-15;
    const inverse = inverseBound(theta);
    const error = (got: ArrayLike<number>, key: string): number =>
      frobeniusRelativeError(got, exact(sample, key));

    it(`q, R, first and second partials and J within ${forward} (band ${sample.band}, sample ${n})`, () => {
      expect(error(rotation.quatFromRotationVector(v), 'q')).toBeLessThanOrEqual(forward);
      expect(error(rotation.quatPartials(v), 'dq')).toBeLessThanOrEqual(forward);
      expect(error(lowerBlocks(rotation.quatSecondPartials(v), 4, 1), 'd2q')).toBeLessThanOrEqual(forward);
      expect(error(rotation.matrixFromRotationVector(v), 'R')).toBeLessThanOrEqual(forward);
      expect(error(rotation.matrixPartials(v), 'dR')).toBeLessThanOrEqual(forward);
      expect(error(lowerBlocks(rotation.matrixSecondPartials(v), 1, 9), 'd2R')).toBeLessThanOrEqual(forward);
      expect(error(rotation.leftJacobian(v), 'Jl')).toBeLessThanOrEqual(forward);
    });

    it(`J^-1 and the rates within 4 eps x/|sin x| (band ${sample.band}, sample ${n})`, () => {
      expect(error(rotation.leftJacobianInverse(v), 'JlInv')).toBeLessThanOrEqual(inverse);
      expect(error(rotation.rateFromAngularVelocity(v, y, 'world'), 'rateWorld')).toBeLessThanOrEqual(
        inverse,
      );
      expect(error(rotation.rateFromAngularVelocity(v, y, 'body'), 'rateBody')).toBeLessThanOrEqual(inverse);
    });

    it(`derivatives of J y, J^-1 y and accelerations (band ${sample.band}, sample ${n})`, () => {
      const { rate, secondRate } = sample;
      // One differentiation more of a function whose own conditioning is x/|sin x|.
      const loose = 4 * inverse;
      expect(error(rotation.leftJacobianProductDerivative(v, y), 'dJlY')).toBeLessThanOrEqual(4e-15);
      expect(error(rotation.rightJacobianProductDerivative(v, y), 'dJrY')).toBeLessThanOrEqual(4e-15);
      expect(error(rotation.leftJacobianInverseProductDerivative(v, y), 'dJlInvY')).toBeLessThanOrEqual(
        loose,
      );
      expect(error(rotation.rightJacobianInverseProductDerivative(v, y), 'dJrInvY')).toBeLessThanOrEqual(
        loose,
      );
      const world = rotation.angularAccelerationFromRates(v, rate, secondRate, 'world');
      const body = rotation.angularAccelerationFromRates(v, rate, secondRate, 'body');
      expect(error(world, 'accelerationWorld')).toBeLessThanOrEqual(4e-15);
      expect(error(body, 'accelerationBody')).toBeLessThanOrEqual(4e-15);
      // And back: v'' from the exact angular acceleration, as far as J^-1 is conditioned.
      const back = rotation.secondRateFromAngularAcceleration(v, rate, world, 'world');
      const backBody = rotation.secondRateFromAngularAcceleration(v, rate, body, 'body');
      for (let i = 0; i < 3; i++) {
        expect(Math.abs(back[i] - secondRate[i])).toBeLessThanOrEqual(20 * inverse);
        expect(Math.abs(backBody[i] - secondRate[i])).toBeLessThanOrEqual(20 * inverse);
      }
    });

    it(`the double-double oracle agrees with mpmath to 1e-18 (band ${sample.band}, sample ${n})`, () => {
      const oracle = rotationVectorOracle(v, y);
      const gap = (key: keyof RotationVectorOracle, got: readonly DoubleDouble[] = oracle[key]): number => {
        const wanted = exact(sample, key);
        expect(got.length).toBe(wanted.length);
        let largest = 0;
        let max = 0;
        for (let i = 0; i < wanted.length; i++) {
          largest = Math.max(largest, Math.abs(wanted[i].hi));
          max = Math.max(max, Math.abs(got[i].subtract(wanted[i]).toNumber()));
        }
        return max / largest;
      };
      const allowed = 1e-18;
      expect(gap('d2q', lowerBlocks(oracle.d2q, 4, 1))).toBeLessThanOrEqual(allowed);
      expect(gap('d2R', lowerBlocks(oracle.d2R, 1, 9))).toBeLessThanOrEqual(allowed);
      for (const key of [
        'q',
        'dq',
        'R',
        'dR',
        'Jl',
        'JlInv',
        'dJlY',
        'dJrY',
        'dJlInvY',
        'dJrInvY',
      ] as const) {
        expect(gap(key)).toBeLessThanOrEqual(allowed);
      }
      for (const key of ['rateWorld', 'rateBody'] as const) expect(gap(key)).toBeLessThanOrEqual(allowed);
    });
  }
});

describe('rotation vector over many directions', () => {
  const state = createState(createFigure({ bones: [{ name: 'ball', joint: { type: 'ball' } }] }));
  const ball: BallFigure<typeof state> = { state, forwardKinematics, updateMotionSubspaceQ };
  const rows = measureRotationAccuracy(rotation, ball, 150, 20260000);
  for (const row of rows) {
    it(`meets the stated bounds in every direction, band ${row.band}`, () => {
      expect(Object.values(row.errors).every(Number.isFinite)).toBe(true);
      expect(row.withinBounds, JSON.stringify(row.errors)).toBe(true);
    });

    it(`R and J_r of a figure's own loops keep 1e-15 up to pi, band ${row.band}`, () => {
      expect(Object.values(row.figureErrors).every(Number.isFinite)).toBe(true);
      expect(row.figureWithinBound, JSON.stringify(row.figureErrors)).toBe(true);
    });
  }

  it('meets 7e-16 between the bands too, at angles spread over [0, pi]', () => {
    const random = seededRandom(97);
    for (let n = 0; n < 400; n++) {
      const [v] = directionsAt(Math.PI * random(), 4, random).slice(3);
      const y = [random(), random(), random()];
      const oracle = rotationVectorOracle(v, y);
      const errors = [
        frobeniusRelativeError(rotation.quatFromRotationVector(v), oracle.q),
        frobeniusRelativeError(rotation.quatPartials(v), oracle.dq),
        frobeniusRelativeError(rotation.quatSecondPartials(v), oracle.d2q),
        frobeniusRelativeError(rotation.matrixFromRotationVector(v), oracle.R),
        frobeniusRelativeError(rotation.matrixPartials(v), oracle.dR),
        frobeniusRelativeError(rotation.matrixSecondPartials(v), oracle.d2R),
        frobeniusRelativeError(rotation.leftJacobian(v), oracle.Jl),
      ];
      expect(Math.max(...errors), `v = ${v}`).toBeLessThanOrEqual(7e-16);
      const inverse = frobeniusRelativeError(rotation.leftJacobianInverse(v), oracle.JlInv);
      expect(inverse, `v = ${v}`).toBeLessThanOrEqual(inverseBound(angleOf(v)));
    }
  });
});
