import fc from 'fast-check';
import { createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotion, createMotionSampler, linearCurve, sampleQuaternions } from 'poise/motion';
import { expect, test } from 'vitest';
import { randomFigure, testRandom } from '../support/random-figure.js';

/** Samples a clip at its start, where it has the given pose. */
function quaternionsAt(figure: Figure, pose: Float64Array): Float64Array {
  const values = [...pose, ...pose];
  const motion = createMotion(figure, {
    tracks: [{ coordinate: 0, curve: linearCurve({ times: [0, 1], values }) }],
  });
  return sampleQuaternions(createMotionSampler(figure, motion), 0, new Float64Array(4 * figure.bones.length));
}

function expectLocalRotations(figure: Figure, pose: Float64Array): void {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const out = quaternionsAt(figure, pose);
  for (let b = 0; b < figure.bones.length; b++) {
    const q = out.subarray(4 * b, 4 * b + 4);
    expect(Math.abs(quat.norm(q) - 1)).toBeLessThan(1e-15);
    quat.toMatrix(q).forEach((x, k) => {
      expect(Math.abs(x - state.parentFromBone[12 * b + k])).toBeLessThan(3e-15);
    });
  }
}

test('are the rotations of forward kinematics, for every joint type, with and without a rest rotation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
      const random = testRandom(seed);
      const figure = randomFigure(random, 25, false);
      expectLocalRotations(
        figure,
        Float64Array.from({ length: figure.dof }, () => 3 * (2 * random() - 1)),
      );
    }),
    { numRuns: 40 },
  );
});

test('include mimic joints', () => {
  const figure = createFigure({
    bones: [
      { name: 'a', parent: null, joint: { type: 'hinge', axis: [0, 0, 1] } },
      {
        name: 'b',
        parent: 'a',
        rest: { rotation: [0.6, 0, 0, 0.8] },
        joint: { type: 'hinge', axis: [0, 1, 0] },
        mimic: { bone: 'a', polynomial: [0.1, 0.5, 0.25] },
      },
      {
        name: 'c',
        parent: 'b',
        joint: { type: 'slider', axis: [0, 1, 0] },
        rest: { rotation: [0, 0, 0.6, 0.8] },
      },
    ],
  });
  for (const bend of [-1, 0, 0.3, 2]) expectLocalRotations(figure, Float64Array.of(bend, 0.2));
});
