import { describe, test } from 'vitest';
import {
  createState,
  forwardKinematics,
  ratesFromVelocity,
  velocityFromRates,
} from '../../../src/figure/index.js';
import { createRandom, derivative, expectClose, oneJoint, rotationVector, within } from '../support.js';
import { columnsAt, describeJointAxioms } from './support.js';

describe('ball joint', () => {
  describeJointAxioms(() => ({ type: 'ball' }), 3);

  test('v is the angular velocity of the bone relative to its parent in the bone frame: the axis of R^T R`', () => {
    const random = createRandom(20);
    for (let n = 0; n < 100; n++) {
      const state = createState(oneJoint({ type: 'ball' }, random));
      const v = rotationVector(random, 3);
      const rates = [within(random, 1), within(random, 1), within(random, 1)];
      const velocity = [0, 0, 0];
      velocityFromRates(state, v, rates, velocity);
      const local = (x: number) => {
        forwardKinematics(
          state,
          v.map((vi, i) => vi + x * rates[i]),
        );
        return state.parentFromBone.slice(12, 21);
      };
      const r = local(0);
      const d = derivative(local);
      const entry = (i: number, j: number) => r[i] * d[j] + r[i + 3] * d[j + 3] + r[i + 6] * d[j + 6];
      const expected = [entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)];
      expectClose(
        velocity,
        expected.map((x) => x / 2),
        1e-12,
      );
    }
  });

  test('between pi and 2 pi N and N^-1 stay inverse, as well as their conditioning allows', () => {
    const random = createRandom(21);
    for (let n = 0; n < 100; n++) {
      const state = createState(oneJoint({ type: 'ball' }, random));
      const angle = Math.PI * (1 + 0.9 * random());
      const v = rotationVector(random, 1).map((x, _, all) => (x / Math.hypot(...all)) * angle);
      const velocity = [within(random, 1), within(random, 1), within(random, 1)];
      const rates = [0, 0, 0];
      const back = [0, 0, 0];
      ratesFromVelocity(state, v, velocity, rates);
      velocityFromRates(state, v, rates, back);
      // |J_r^-1| = x / |sin x|, x half the angle.
      const x = angle / 2;
      expectClose(back, velocity, (1e-15 * x) / Math.abs(Math.sin(x)) + 1e-15);
    }
  });

  test('columns with respect to v are the axes of the bone', () => {
    const random = createRandom(22);
    const state = createState(oneJoint({ type: 'ball' }, random));
    const columns = columnsAt(state, Float64Array.from(rotationVector(random, 3)), 'v');
    const r = state.worldFromBone.slice(12, 21);
    for (let i = 0; i < 3; i++) {
      expectClose(columns.slice(6 * i, 6 * i + 6), [r[i], r[i + 3], r[i + 6], 0, 0, 0], 0);
    }
  });
});
