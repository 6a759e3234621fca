import { Euler, Matrix4 } from 'three';
import { describe, test } from 'vitest';
import { createFigure, createState, forwardKinematics } from '../../../src/figure/index.js';
import { createRandom, EULER_ORDERS, expectClose, rowsOf, within } from '../support.js';
import { describeJointAxioms } from './support.js';

describe.each(EULER_ORDERS)('euler joint %s', (order) => {
  describeJointAxioms(() => ({ type: 'euler', order }), 3);
});

describe('euler joint', () => {
  test.each(['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'] as const)(
    'order %s means what three.js means by it: intrinsic, first letter first',
    (order) => {
      const random = createRandom(50);
      const state = createState(createFigure({ bones: [{ name: 'a', joint: { type: 'euler', order } }] }));
      for (let n = 0; n < 100; n++) {
        const angles = [within(random, 3), within(random, 3), within(random, 3)];
        forwardKinematics(state, angles);
        // three names its angles by axis, whatever the order.
        const [x, y, z] = ['X', 'Y', 'Z'].map((letter) => angles[order.indexOf(letter)]);
        const expected = new Matrix4().makeRotationFromEuler(new Euler(x, y, z, order));
        expectClose(state.worldFromBone.slice(0, 9), rowsOf(expected).slice(0, 9), 1e-15);
      }
    },
  );
});
