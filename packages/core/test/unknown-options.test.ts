import { describe, expect, test } from 'vitest';
import {
  createPose,
  createState,
  poseBoneFromLocalTransform,
  poseFromLocalTransforms,
} from '../src/figure/index.js';
import { createHumanFigure, findHumanoid } from '../src/humanoid/index.js';

const figure = createHumanFigure();
const state = createState(figure);
/** A misspelt option, as a caller without types would give it. */
const misspelt = { colour: 1 } as Record<string, never>;

/** Every function with options: each must refuse a name that it does not know. */
const calls: Record<string, () => unknown> = {
  createHumanFigure: () => createHumanFigure(misspelt),
  findHumanoid: () => findHumanoid(figure, misspelt),
  poseFromLocalTransforms: () =>
    poseFromLocalTransforms(state, state.parentFromBone, createPose(figure), misspelt),
  poseBoneFromLocalTransform: () =>
    poseBoneFromLocalTransform(state, 0, state.parentFromBone.subarray(0, 12), createPose(figure), misspelt),
};

describe('an unknown option is refused, with its path and the options there are', () => {
  test.each(Object.keys(calls))('%s', (name) => {
    expect(calls[name]).toThrow(
      expect.objectContaining({
        code: 'unknown-name',
        path: expect.stringMatching(/\.colour$/),
        remedy: expect.stringMatching(/^The fields are|^Did you mean/),
      }),
    );
  });
});
