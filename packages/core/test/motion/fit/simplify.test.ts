import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import { squadCurve } from '../../../src/motion/alternatives/index.js';
import {
  bSplineCurve,
  hermiteCurve,
  linearCurve,
  minimumJerkCurve,
  uniformKnots,
} from '../../../src/motion/curves/index.js';
import { fitAdaptively } from '../../../src/motion/fit/adaptive-sampling.js';
import { fitRotations, simplifyCurve, simplifyRotation } from '../../../src/motion/fit/index.js';
import { revolutionsBetween, rotationProblem } from '../../../src/motion/fit/rotation-problem.js';
import {
  cumulativeBSplineCurve,
  orientationHermite,
  rotationSpline,
  rotationVectorCurve,
  slerpCurve,
} from '../../../src/motion/index.js';
import { createCurve, evaluateCurve } from '../../../src/motion/representation/curve.js';
import { evaluateRotation, type RotationCurve } from '../../../src/motion/representation/rotation-curve.js';
import type { RotationState } from '../../../src/motion/representation/rotation-state.js';
import { quatFromRotationVector } from '../../../src/rotation/rotation-vector/exponential.js';
import { anyContinuousCurve } from '../support.js';

/** The largest angle between two curves at so many even moments, and at random ones by every knot. */
function apart(a: RotationCurve, b: RotationCurve, count: number): number {
  const start = a.knots[0];
  const end = a.knots[a.knots.length - 1];
  let worst = 0;
  for (let n = 0; n <= count; n++) {
    const t = start + (n / count) * (end - start);
    worst = Math.max(
      worst,
      quat.angleBetween(evaluateRotation(a, t).quaternion, evaluateRotation(b, t).quaternion),
    );
  }
  return worst;
}

const vectors = [0, 0, 0, 1, -0.4, 1.3, 0.7, 0, 0.2, 0.9, -1.5, 2, -2, 0.4, 1];
const keys = {
  times: [0, 0.5, 1.5, 2, 3],
  quaternions: [0, 1, 2, 3, 4].flatMap((i) => quatFromRotationVector(vectors.slice(3 * i, 3 * i + 3))),
};

describe('fitAdaptively', () => {
  it('inserts more samples than a call takes arguments', () => {
    const knots = Array.from({ length: 9_001 }, (_, i) => i);
    let rounds = 0;
    const times = fitAdaptively(
      knots,
      () => 0,
      (at) => at,
      (at) => (rounds++ < 4 ? [0.5 * (at[0] + at[1])] : []),
    );
    // The fourth round halves every interval.
    expect(times.length).toBe(2 * (16 * 9_000 + 3) + 1);
    expect(times.every((t, i) => i === 0 || t > times[i - 1])).toBe(true);
  });
});

describe('simplifyCurve', () => {
  it('is within the tolerance everywhere', () => {
    fc.assert(
      fc.property(anyContinuousCurve(2, [1, 2, 3, 5]), fc.constantFrom(1, 1e-2, 1e-4), (curve, tolerance) => {
        const fit = simplifyCurve(curve, { tolerance: [tolerance, 3 * tolerance] });
        const start = curve.knots[0];
        const range = curve.knots[curve.knots.length - 1] - start;
        for (let n = 0; n <= 2000; n++) {
          const a = evaluateCurve(curve, start + (n / 2000) * range).value;
          const b = evaluateCurve(fit.curve, start + (n / 2000) * range).value;
          expect(Math.abs(a[0] - b[0])).toBeLessThanOrEqual(tolerance * (1 + 1e-12));
          expect(Math.abs(a[1] - b[1])).toBeLessThanOrEqual(3 * tolerance * (1 + 1e-12));
        }
      }),
      { numRuns: 10 },
    );
  });

  it('takes no more keyframes than a cubic has, and fewer within a larger bound', () => {
    const cubic = hermiteCurve({ times: [0, 1, 2.5, 3], values: [0, 4, 1, 2], tangents: [1, -2, 3, 0] });
    expect(Array.from(simplifyCurve(cubic, { tolerance: 1e-9 }).keys.times)).toEqual([0, 1, 2.5, 3]);
    expect(simplifyCurve(cubic, { tolerance: 10 }).keys.times.length).toBe(2);
    const spline = bSplineCurve({ size: 1, points: [0, 1, 0, 1, 0, 1, 0], knots: uniformKnots(7, 0, 4) });
    const counts = [1e-6, 1e-3, 0.1].map(
      (tolerance) => simplifyCurve(spline, { tolerance }).keys.times.length,
    );
    expect(counts[0]).toBe(5);
    expect(counts[2]).toBeLessThan(5);
    // A quintic takes more keys the closer the bound: as the fourth root of it.
    const quintic = minimumJerkCurve({ times: [0, 1], values: [0, 1] });
    const [rough, close] = [1e-3, 1e-6].map(
      (tolerance) => simplifyCurve(quintic, { tolerance }).keys.times.length - 1,
    );
    expect(close / rough).toBeLessThan(8);
    expect(close / rough).toBeGreaterThan(4);
  });

  it('keeps corners, and refuses a discontinuity', () => {
    const bent = linearCurve({ times: [0, 1.3, 2, 3], values: [0, 1, -1, 5] });
    const { keys: found, curve } = simplifyCurve(bent, { tolerance: 1e-6 });
    expect(Array.from(found.times)).toEqual([0, 1.3, 2, 3]);
    for (const t of [0.4, 1.3, 1.9, 2.7])
      expect(evaluateCurve(curve, t).value[0]).toBeCloseTo(evaluateCurve(bent, t).value[0], 6);
    const torn = createCurve({ size: 1, degree: 1, knots: [0, 1, 2], controls: [0, 1, 2, 3] });
    expect(() => simplifyCurve(torn, { tolerance: 1 })).toThrow(
      expect.objectContaining({ name: 'MotionError', code: 'unsupported', path: 'curve.knots[1]' }),
    );
  });
});

describe('simplifyRotation', () => {
  const kinds: Readonly<Record<string, RotationCurve>> = {
    'C2 spline': rotationSpline(keys),
    slerp: slerpCurve(keys),
    squad: squadCurve(keys),
    'cumulative B-spline': cumulativeBSplineCurve({
      quaternions: keys.quaternions,
      knots: [0, 0, 0, 0, 1, 2, 2, 2, 2],
    }),
  };
  for (const [kind, curve] of Object.entries(kinds)) {
    it(`converts ${kind} to rotation-vector keys that are within the tolerance everywhere`, () => {
      for (const tolerance of [0.05, 1e-3, 1e-4]) {
        const fit = simplifyRotation(curve, { tolerance });
        expect(apart(curve, fit.curve, 3000)).toBeLessThanOrEqual(tolerance);
        const again = rotationVectorCurve(orientationHermite(fit.keys), { anyChart: true });
        expect(apart(again, fit.curve, 100)).toBeLessThan(1e-15);
      }
    });
  }

  it('does not take rounding of times far from 0 s for a jump or corner', () => {
    const far = 1.7e9;
    const late = squadCurve({ ...keys, times: keys.times.map((t) => far + t) });
    const fit = simplifyRotation(late, { tolerance: 1e-3 });
    // A rounding of a moment there turns by less than 1e-6.
    expect(apart(late, fit.curve, 1000)).toBeLessThan(1e-3 + 1e-6);
    expect(fit.keys.times.length).toBe(
      simplifyRotation(squadCurve(keys), { tolerance: 1e-3 }).keys.times.length,
    );
    const torn = {
      ...late,
      evaluateInside: (t: number, out: RotationState) => {
        late.evaluateInside(t, out);
        if (t >= late.knots[2])
          quat.multiply(out.quaternion, quatFromRotationVector([1e-4, 0, 0]), out.quaternion);
        return out;
      },
    };
    expect(() => simplifyRotation(torn, { tolerance: 1e-3 })).toThrow(
      expect.objectContaining({ name: 'MotionError', code: 'unsupported', path: 'curve.knots[2]' }),
    );
  });

  it('recovers the keyframes of a curve of its own kind', () => {
    const own = orientationHermite({
      ...keys,
      angularVelocities: [1, 0, 0, 0, 2, 1, -1, 0, 3, 0, 0, 1, 2, 1, 0],
    });
    const fit = simplifyRotation(rotationVectorCurve(own, { anyChart: true }), { tolerance: 1e-6 });
    expect(Array.from(fit.keys.times)).toEqual(keys.times);
  });

  it('keeps the corners of slerp, and takes two keyframes for a rotation of many revolutions', () => {
    expect(Array.from(simplifyRotation(slerpCurve(keys), { tolerance: 0.01 }).keys.times)).toEqual(
      expect.arrayContaining(keys.times),
    );
    const spin = rotationVectorCurve(linearCurve({ times: [0, 8], values: [0, 0, 0, 30, 60, -60] }), {
      anyChart: true,
    });
    const fit = simplifyRotation(spin, { tolerance: 1e-9 });
    expect(Array.from(fit.keys.times)).toEqual([0, 8]);
    expect(Array.from(fit.keys.revolutions)).toEqual([14]);
    expect(apart(spin, fit.curve, 500)).toBeLessThan(1e-9);
  });
});

describe('fitRotations', () => {
  const any = fc.array(
    fc.tuple(
      fc.double({ min: 0.02, max: 0.3, noNaN: true }),
      ...[0, 1, 2].map(() => fc.double({ min: -0.5, max: 0.5, noNaN: true })),
    ),
    {
      minLength: 2,
      maxLength: 25,
    },
  );

  it('is within the tolerance at every sample, of a walk over all orientations', () => {
    fc.assert(
      fc.property(any, fc.constantFrom(0.2, 0.01, 1e-6), (steps, tolerance) => {
        let time = 0;
        let q: number[] = [0, 0, 0, 1];
        const times = steps.map(([step]) => (time += step));
        const quaternions = steps.flatMap(
          ([, ...rotation]) => (q = quat.multiply(q, quatFromRotationVector(rotation))),
        );
        const { curve, deviation, keys: found } = fitRotations({ times, quaternions }, { tolerance });
        expect(deviation).toBeLessThanOrEqual(tolerance * (1 + 1e-9) + 1e-14);
        for (const [i, t] of times.entries()) {
          const off = quat.angleBetween(
            evaluateRotation(curve, t).quaternion,
            quaternions.slice(4 * i, 4 * i + 4),
          );
          expect(off).toBeLessThanOrEqual(deviation + 1e-14);
        }
        expect(found.arriving).toEqual(found.angularVelocities);
      }),
      { numRuns: 25 },
    );
  });

  it('takes far fewer keyframes than samples for a smooth motion with noise', () => {
    const times = Array.from({ length: 121 }, (_, i) => i / 40);
    const curve = rotationSpline(keys);
    const noisy = times.flatMap((t, i) => {
      const noise = [0, 1, 2].map((k) => 0.002 * Math.sin(12.9898 * (3 * i + k + 1) ** 2));
      return quat.multiply(evaluateRotation(curve, t).quaternion, quatFromRotationVector(noise));
    });
    const { keys: found, deviation } = fitRotations({ times, quaternions: noisy }, { tolerance: 0.01 });
    expect(deviation).toBeLessThanOrEqual(0.01);
    expect(found.times.length).toBeLessThan(14);
  });

  it('linearizes the orientation between keyframes in their rotation and angular velocity', () => {
    // The equations of refit, by their effect: one Gauss-Newton round from keys that are off brings them back at second order.
    const times = Float64Array.from({ length: 31 }, (_, i) => i / 30);
    const drawn = rotationVectorCurve(
      orientationHermite({
        times: [0, 1],
        quaternions: [...quatFromRotationVector([0.3, 1, -2]), ...quatFromRotationVector([1, -0.5, -1])],
        angularVelocities: [1, 2, 0, -1, 0, 2],
      }),
      { anyChart: true },
    );
    const quaternions = Float64Array.from(
      Array.from(times).flatMap((t) => Array.from(evaluateRotation(drawn, t).quaternion)),
    );
    const problem = rotationProblem(times, quaternions, 1e-11, false, false);
    const ends = [0, 30].map((i) => {
      const { quaternion, angularVelocity } = evaluateRotation(drawn, times[i]);
      return {
        quaternion: quat.multiply(quaternion, quatFromRotationVector([0.02, -0.03, 0.01])),
        velocity: Array.from(angularVelocity, (w, k) => w + 0.1 * (k - 1)),
      };
    });
    const fitted = problem.refit([0, 30], ends, false, false);
    expect(fitted).toBeDefined();
    for (const [n, i] of [0, 30].entries()) {
      const { quaternion, angularVelocity } = evaluateRotation(drawn, times[i]);
      expect(quat.angleBetween(fitted?.[n].quaternion ?? [], quaternion)).toBeLessThan(1e-9);
      for (let k = 0; k < 3; k++) expect(fitted?.[n].velocity[k]).toBeCloseTo(angularVelocity[k], 8);
    }
  });

  it('counts revolutions between keyframes by the samples there', () => {
    const spin = Float64Array.from(
      Array.from({ length: 41 }, (_, i) => quatFromRotationVector([0, 0, 0.5 * i])).flat(),
    );
    const at = (i: number) => spin.slice(4 * i, 4 * i + 4);
    expect(revolutionsBetween(spin, 0, at(0), 40, at(40))).toBe(3);
    expect(revolutionsBetween(spin, 0, at(0), 10, at(10))).toBe(-1);
    expect(revolutionsBetween(spin, 0, at(0), 5, at(5))).toBe(0);
  });

  it('refuses invalid orientations and bounds', () => {
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    expect(() =>
      fitRotations({ times: [0, 1], quaternions: [0, 0, 0, 1, 0, 0, 0, 2] }, { tolerance: 1 }),
    ).toThrow(expect.objectContaining({ code: 'not-unit' }));
    expect(() => fitRotations(keys, { tolerance: -1 })).toThrow(code('out-of-range', 'tolerance[0]'));
    expect(() => fitRotations(keys, { tolerance: 1, corners: [0.5] })).toThrow(
      code('out-of-range', 'corners[0]'),
    );
  });
});
