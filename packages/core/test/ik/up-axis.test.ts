/** Goals and landmarks take up from the figure: nothing changes when the whole world is rotated. */
import { describe, expect, test } from 'vitest';
import { createPose, createState, forwardKinematics, type Quadruple } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { aimBoneAt, bodyLandmarks, createIk, type Goal, solveIk } from '../../src/ik/index.js';
import { createRandom, expectClose } from '../figure/support.js';
import { randomQuat } from '../support/random-figure.js';
import { inRotatedWorld, rotated, Z_UP_FROM_Y_UP } from '../support/rotated-world.js';

describe.each<Quadruple[]>([[Z_UP_FROM_Y_UP], [randomQuat(createRandom(5)) as Quadruple]])(
  'in a world rotated by %j',
  (turn) => {
    const human = createHumanFigure();
    const rotatedHuman = inRotatedWorld(human, turn);

    test('goals without a direction of up', () => {
      const feet = [
        [0.1, 0, 0.1],
        [-0.1, 0, 0.1],
        [0, 0, -0.1],
      ];
      const goals = (world: Quadruple): Goal[] => [
        { type: 'center-of-mass', support: feet.map((point) => rotated(point, world)) },
        { type: 'position', bone: 'leftHand', target: rotated([0.6, 1.1, 0.4], world) },
        {
          type: 'points-at',
          bone: 'head',
          axis: [0, 0, 1],
          target: rotated([1, 1.5, 2], world),
          up: { axis: [0, 1, 0] },
        },
      ];
      const [ours, theirs] = [createPose(human), createPose(rotatedHuman)];
      const results = [
        solveIk(createIk(human, goals([0, 0, 0, 1])), ours),
        solveIk(createIk(rotatedHuman, goals(turn)), theirs),
      ];
      expect(results.map(({ status }) => status)).toEqual(['converged', 'converged']);
      expectClose(theirs, ours, 1e-6);
    });

    test('aimBoneAt with an up axis', () => {
      const [ours, theirs] = [createPose(human), createPose(rotatedHuman)];
      for (const [figure, pose, world] of [
        [human, ours, [0, 0, 0, 1]],
        [rotatedHuman, theirs, turn],
      ] as const) {
        const state = createState(figure);
        forwardKinematics(state, pose);
        aimBoneAt(state, pose, 'head', [0, 0, 1], rotated([0.4, 1.7, 1], world), { up: { axis: [0, 1, 0] } });
      }
      expect(Math.hypot(...ours)).toBeGreaterThan(0.1);
      expectClose(theirs, ours, 1e-9);
    });

    test('landmarks of the body', () => {
      const forward = rotated([0, 0, 1], turn);
      const [ours, theirs] = [bodyLandmarks(human), bodyLandmarks(rotatedHuman, { forward })];
      expect(theirs.map(({ name }) => name)).toEqual(ours.map(({ name }) => name));
      theirs.forEach(({ point, name }, k) => {
        expectClose(point ?? [], ours[k].point ?? [], 1e-12, name);
      });
    });
  },
);

test('landmarks of a figure that faces along its up are refused', () => {
  const lying = inRotatedWorld(createHumanFigure(), Z_UP_FROM_Y_UP);
  expect(() => bodyLandmarks(lying, { forward: [0, 0, 1] })).toThrow(
    expect.objectContaining({ code: 'out-of-range', path: 'options.forward' }),
  );
});
