import { stepDifferentialControl } from 'poise/ik';
import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { createArm, driftOf, largestRotation, stepArm } from '../parameterizations/model/arm.js';
import {
  deadCoordinates,
  drag,
  REGIONS,
  smallestRegion,
  targetsOf,
} from '../parameterizations/model/drag.js';
import { figures } from '../parameterizations/model/figures.js';
import { parameterizations } from '../parameterizations/model/parameterizations.js';
import { createMotion } from '../parameterizations/model/path.js';

const [ball, arm] = figures;
const parameterizationOf = (key: string) => {
  const parameterization = parameterizations.find((each) => each.key === key);
  if (parameterization === undefined) throw new Error(`no parameterization ${key}`);
  return parameterization;
};

/** Log of a unit quaternion near the identity, its vector part doubled. */
const rotationOf = (q: readonly number[]): number[] => q.slice(0, 3).map((x) => 2 * Math.sign(q[3]) * x);

describe('the parameterizations', () => {
  it.each(parameterizations.filter(({ rotation }) => rotation !== undefined))(
    '$name: B is the derivative of the rotation by the parameters, and their steps follow it',
    ({ rotation: parameterization }) => {
      if (parameterization === undefined) return;
      const q = quat.normalize([0.3, -0.5, 0.4, 0.7]);
      const p = new Float64Array(parameterization.parameters);
      parameterization.fromQuaternion(q, p, 0);
      const map = new Float64Array(3 * parameterization.rates);
      parameterization.writeVelocityMap(p, 0, map);
      const at = (rate: number, h: number): number[] => {
        const moved = p.slice();
        const x = new Float64Array(parameterization.rates);
        x[rate] = 1;
        parameterization.integrate(moved, 0, x, 0, h);
        const rotated = [0, 0, 0, 0];
        parameterization.writeQuaternion(moved, 0, rotated);
        return rotationOf(quat.multiply(quat.conjugate(q), rotated));
      };
      for (let k = 0; k < parameterization.rates; k++) {
        const [plus, minus] = [at(k, 1e-5), at(k, -1e-5)];
        for (let e = 0; e < 3; e++) {
          expect(map[e * parameterization.rates + k]).toBeCloseTo((plus[e] - minus[e]) / 2e-5, 8);
        }
      }
    },
  );
});

describe('one dragging task under differential control', () => {
  const motion = createMotion(ball, 1997);
  const targets = targetsOf(ball, motion);
  const region = REGIONS[0];

  it('asks a region of the Euler angles and of the rotation vector without regularization, and of no other parameterization', () => {
    for (const parameterization of parameterizations) {
      const min = smallestRegion(ball, parameterization, motion, targets);
      if (parameterization.key === 'euler' || parameterization.key === 'vector')
        expect(min).toBeGreaterThan(REGIONS[2]);
      else expect(min).toBe(region);
    }
  });

  it('is the same motion by angular velocities, written as quaternions, as by the joint velocities of Poise', () => {
    const arms = ['rate', 'joint'].map((key) =>
      createArm(arm, parameterizationOf(key), createMotion(arm, 3)(0)),
    );
    const own = targetsOf(arm, createMotion(arm, 3));
    for (let frame = 0; frame < 300; frame++) {
      for (const each of arms) stepArm(each, own[frame], 1 / 60);
      // The quaternion's step is of first order, made unit again: a turn of the angle t comes out as 2 atan(t / 2).
      expect(largestRotation(arms[0].pose, arms[1].pose)).toBeLessThan(2e-3);
    }
    expect(driftOf(arms[0])).toBeLessThan(1e-15);
  });

  it('holds the unit constraint by feedback, and lets autonormalized quaternions grow', () => {
    expect(drag(ball, parameterizationOf('unit'), motion, region, targets).drift).toBeLessThan(0.01);
    expect(drag(ball, parameterizationOf('autonormalized'), motion, region, targets).drift).toBeGreaterThan(
      0.05,
    );
  });

  it('counts one dead coordinate a joint for autonormalized quaternions alone', () => {
    const dead = parameterizations.map((parameterization) => deadCoordinates(arm, parameterization));
    expect(dead).toEqual(parameterizations.map(({ key }) => (key === 'autonormalized' ? 3 : 0)));
  });

  it('continues in the chart where it is, and starts anew from a pose that the caller sets', () => {
    const vector = createArm(ball, parameterizationOf('vector'), motion(0), region);
    const { parameterized } = vector.control.workspace.unknowns;
    if (parameterized === undefined) throw new Error('no parameterization');
    for (let frame = 0; frame < 560; frame++) stepArm(vector, targets[frame], 1 / 60);
    // Beyond pi, where the pose itself never is.
    expect(Math.hypot(...parameterized.parameters)).toBeGreaterThan(Math.PI);
    expect(Math.hypot(...vector.pose)).toBeLessThanOrEqual(Math.PI + 1e-15);
    vector.pose.set([0.1, 0.2, 0.3]);
    stepDifferentialControl(vector.control, vector.pose, 0);
    expect(Array.from(parameterized.parameters, (x) => x.toFixed(12))).toEqual(
      [0.1, 0.2, 0.3].map((x) => x.toFixed(12)),
    );
  });
});
