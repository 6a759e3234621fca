import { describe, expect, test } from 'vitest';
import { createFigure, createState, forwardKinematics } from '../../../src/figure/index.js';
import { direction } from '../support.js';
import { describeJointAxioms } from './support.js';

describe('hinge joint', () => {
  describeJointAxioms(
    (random) => ({ type: 'hinge', axis: direction(random) as [number, number, number] }),
    1,
  );

  test('turns right-handed about its axis: y goes to z about +x', () => {
    const state = createState(
      createFigure({ bones: [{ name: 'a', joint: { type: 'hinge', axis: [2, 0, 0] } }] }),
    );
    forwardKinematics(state, [Math.PI / 2]);
    const r = state.worldFromBone;
    // Column 1 is the image of y.
    expect([r[1], r[4]]).toEqual([0, expect.closeTo(0, 15)]);
    expect(r[7]).toBe(1);
  });

  test('small angles keep full relative precision: the entries off the diagonal are the angle itself', () => {
    const state = createState(
      createFigure({ bones: [{ name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } }] }),
    );
    forwardKinematics(state, [1e-200]);
    expect(state.worldFromBone[3]).toBe(1e-200);
    expect(state.worldFromBone[0]).toBe(1);
  });
});
