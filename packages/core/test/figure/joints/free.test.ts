import { describe, expect, test } from 'vitest';
import {
  createFigure,
  createState,
  forwardKinematics,
  velocityFromRates,
} from '../../../src/figure/index.js';
import { describeJointAxioms } from './support.js';

describe('free joint', () => {
  describeJointAxioms(() => ({ type: 'free' }), 6);

  test('the first three coordinates are the position in rest axes, and their velocity is their rate', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          rest: { position: [1, 2, 3], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] },
          joint: { type: 'free' },
        },
      ],
    });
    const state = createState(figure);
    forwardKinematics(state, [0.5, 0, 0, 2, 1, 0.5]);
    expect(Array.from(state.worldFromBone.slice(9))).toEqual([expect.closeTo(1, 15), 2.5, 3]);
    const velocity = [0, 0, 0, 0, 0, 0];
    velocityFromRates(state, [0.5, 0, 0, 2, 1, 0.5], [1, 2, 3, 0, 0, 0], velocity);
    expect(velocity).toEqual([1, 2, 3, 0, 0, 0]);
  });
});
