import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeWithData } from '../../../../../scripts/test-support/shared-data.js';
import * as quat from '../../../src/math/geometry/quat.js';
import { squadCurve } from '../../../src/motion/alternatives/index.js';
import { rotationSpline, slerpCurve } from '../../../src/motion/index.js';
import { evaluateRotation } from '../../../src/motion/representation/rotation-curve.js';

interface Reference {
  readonly slerp_shortest: { a: number[]; b: number[]; t: number[]; shortest: number[][] }[];
  readonly squad: {
    cases: Record<'q_prev' | 'q0' | 'q1' | 'q_next', number[]>[] & { t: number[]; squad: number[][] }[];
  };
  readonly rotation_spline_C2: {
    times: number[];
    keys: number[][];
    t: number[];
    quat: number[][];
    angular_rate: number[][];
    angular_acceleration: number[][];
  };
}

/** Largest difference of a component; of quaternions either sign. */
function difference(got: ArrayLike<number>, wanted: readonly number[]): number {
  const sign = wanted.length === 4 && quat.dot(got, wanted) < 0 ? -1 : 1;
  return Math.max(...wanted.map((x, k) => Math.abs(sign * got[k] - x)));
}

describeWithData(
  'rotation curves of the reference data',
  'reference/rotation/rotation_reference.json',
  (path) => {
    const read = (): Reference => JSON.parse(readFileSync(path, 'utf8')) as Reference;

    it('slerp, the shorter arc, to 1e-14', () => {
      for (const { a, b, t, shortest } of read().slerp_shortest) {
        const curve = slerpCurve({ times: [0, 1], quaternions: [...a, ...b] });
        t.forEach((time, i) => {
          expect(difference(evaluateRotation(curve, time).quaternion, shortest[i])).toBeLessThan(1e-14);
        });
      }
    });

    it('squad to 1e-14', () => {
      for (const { q_prev, q0, q1, q_next, t, squad } of read().squad.cases) {
        const curve = squadCurve({ times: [0, 1, 2, 3], quaternions: [...q_prev, ...q0, ...q1, ...q_next] });
        t.forEach((time, i) => {
          expect(difference(evaluateRotation(curve, 1 + time).quaternion, squad[i])).toBeLessThan(1e-14);
        });
      }
    });

    it('the C2 spline of SciPy, which stopped early, to 1e-12, 1e-11 and 1e-10', () => {
      const { times, keys, t, quat: wanted, ...rates } = read().rotation_spline_C2;
      const curve = rotationSpline({ times, quaternions: keys.flat() });
      t.forEach((time, i) => {
        const state = evaluateRotation(curve, time);
        expect(difference(state.quaternion, wanted[i])).toBeLessThan(1e-12);
        expect(difference(state.angularVelocity, rates.angular_rate[i])).toBeLessThan(1e-11);
        expect(difference(state.angularAcceleration, rates.angular_acceleration[i])).toBeLessThan(1e-10);
      });
    });
  },
);
