import { describe, expect, test } from 'vitest';
import { createFigure, createState, type JointData } from '../../../src/figure/index.js';
import { createRandom, direction, within } from '../support.js';
import { columnsAt, describeJointAxioms } from './support.js';

const randomSocket = (random: () => number): JointData => ({
  type: 'ball-and-socket',
  axis: direction(random) as [number, number, number],
  side: direction(random) as [number, number, number],
});

describe('ball-and-socket joint', () => {
  describeJointAxioms(randomSocket, 3);

  test('the determinant of its columns is sin(swing)/swing: it locks at pi and nowhere before (erratum 7)', () => {
    const random = createRandom(40);
    for (let n = 0; n < 100; n++) {
      const state = createState(createFigure({ bones: [{ name: 'a', joint: randomSocket(random) }] }));
      const swing = 3.1 * random();
      const phi = within(random, Math.PI);
      const q = Float64Array.of(swing * Math.cos(phi), swing * Math.sin(phi), within(random, 3));
      const c = columnsAt(state, q, 'q');
      const determinant =
        c[0] * (c[7] * c[14] - c[8] * c[13]) -
        c[6] * (c[1] * c[14] - c[2] * c[13]) +
        c[12] * (c[1] * c[8] - c[2] * c[7]);
      // (s, t, a) is a right-handed frame turned by a cycle: s x t = a.
      expect(determinant).toBeCloseTo(Math.sin(swing) / swing, 13);
    }
  });
});
