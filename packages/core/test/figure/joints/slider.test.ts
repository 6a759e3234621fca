import { describe, expect, test } from 'vitest';
import { createFigure, createState, forwardKinematics } from '../../../src/figure/index.js';
import { direction } from '../support.js';
import { describeJointAxioms } from './support.js';

describe('slider joint', () => {
  describeJointAxioms(
    (random) => ({ type: 'slider', axis: direction(random) as [number, number, number] }),
    1,
  );

  test('slides along its axis in rest axes, whatever the length the axis was given with', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          // A quarter turn about z: rest x is world y.
          rest: { position: [1, 2, 3], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] },
          joint: { type: 'slider', axis: [5, 0, 0] },
        },
      ],
    });
    const state = createState(figure);
    forwardKinematics(state, [0.25]);
    expect(Array.from(state.worldFromBone.slice(9))).toEqual([expect.closeTo(1, 15), 2.25, 3]);
  });
});
