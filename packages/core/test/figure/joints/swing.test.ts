import { describe, expect, test } from 'vitest';
import { createFigure, createState, forwardKinematics, type JointData } from '../../../src/figure/index.js';
import { createRandom, direction, expectClose, oneJoint, swingFrame, within } from '../support.js';
import { columnsAt, describeJointAxioms } from './support.js';

const randomSwing = (random: () => number): JointData => ({
  type: 'swing',
  axis: direction(random) as [number, number, number],
  side: direction(random) as [number, number, number],
});

describe('swing joint', () => {
  describeJointAxioms(randomSwing, 2);

  test('the axis tilts by |r| in the direction r points: a rotates about s towards -t', () => {
    const random = createRandom(30);
    for (let n = 0; n < 100; n++) {
      const joint = randomSwing(random) as Extract<JointData, { type: 'swing' }>;
      const { a, s, t } = swingFrame(joint);
      const state = createState(createFigure({ bones: [{ name: 'a', joint }] }));
      const [rs, rt] = direction(random, 2).map((x) => x * 3 * random());
      const angle = Math.hypot(rs, rt);
      forwardKinematics(state, [rs, rt]);
      const r = state.worldFromBone;
      const image = [0, 3, 6].map((k) => r[k] * a.x + r[k + 1] * a.y + r[k + 2] * a.z);
      // exp([v]) a = cos a + sin (v x a)/|v|, with s x a = -t and t x a = s.
      const k = angle === 0 ? 0 : Math.sin(angle) / angle;
      const expected = a
        .clone()
        .multiplyScalar(Math.cos(angle))
        .addScaledVector(t, -k * rs)
        .addScaledVector(s, k * rt);
      expectClose(image, expected.toArray(), 2e-15);
    }
  });

  test('no spin about the axis along a straight swing, but -(1 - cos theta) phi` on a circle (erratum 10)', () => {
    const random = createRandom(31);
    for (let n = 0; n < 50; n++) {
      const joint = randomSwing(random) as Extract<JointData, { type: 'swing' }>;
      const figure = createFigure({ bones: [{ name: 'a', joint }] });
      const state = createState(figure);
      const { a } = swingFrame(joint);
      const theta = 3 * random();
      const phi = within(random, Math.PI);
      const q = Float64Array.of(theta * Math.cos(phi), theta * Math.sin(phi));
      const columns = columnsAt(state, q, 'q');
      const r = state.worldFromBone;
      const swung = [0, 3, 6].map((k) => r[k] * a.x + r[k + 1] * a.y + r[k + 2] * a.z);
      const spin = (rates: number[]) =>
        [0, 1, 2].reduce((sum, k) => sum + swung[k] * (columns[k] * rates[0] + columns[6 + k] * rates[1]), 0);
      expect(spin([Math.cos(phi), Math.sin(phi)])).toBeCloseTo(0, 14);
      const circling = spin([-theta * Math.sin(phi), theta * Math.cos(phi)]);
      expect(circling).toBeCloseTo(-(1 - Math.cos(theta)), 13);
    }
  });

  test('the default reference axis is the coordinate axis least aligned with the axis', () => {
    const joint = { type: 'swing', axis: [0.9, 0.1, 0.4] } as const;
    const figure = oneJoint(joint, createRandom(32));
    const { side = [] } = figure.bones[1].joint as Extract<JointData, { type: 'swing' }>;
    expectClose(side, swingFrame(joint).s.toArray(), 1e-15);
    expect(side[1]).toBeGreaterThan(0.9);
  });
});
