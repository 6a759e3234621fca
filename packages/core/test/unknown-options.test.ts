import { describe, expect, test } from 'vitest';
import {
  blendMotions,
  cleanMotion,
  createTransition,
  detectContacts,
  editMotion,
  loopMotion,
  makePhysical,
  retimeMotion,
} from '../src/editing/index.js';
import {
  createPose,
  createState,
  poseBoneFromLocalTransform,
  poseFromLocalTransforms,
} from '../src/figure/index.js';
import { createHumanFigure, findHumanoid } from '../src/humanoid/index.js';
import { createIk, createIkWith } from '../src/ik/index.js';
import type { Motion } from '../src/motion/motion.js';
import { createClearance } from '../src/spacetime/clearance/index.js';
import { createSpacetimeProblem, createSpacetimeSolver, solveSpacetime } from '../src/spacetime/index.js';

const figure = createHumanFigure();
const state = createState(figure);
/** A misspelt option, as a caller without types would give it. */
const misspelt = { colour: 1 } as unknown as Record<string, never>;

/** For functions that refuse their options before they read the clip. */
const motion = {} as Motion;
const problem = createSpacetimeProblem(figure, { duration: 1, terms: [{ type: 'smoothness' }] });

/** Every function with options: each must refuse a name that it does not know. */
const calls: Record<string, () => unknown> = {
  createHumanFigure: () => createHumanFigure(misspelt),
  findHumanoid: () => findHumanoid(figure, misspelt),
  poseFromLocalTransforms: () =>
    poseFromLocalTransforms(state, state.parentFromBone, createPose(figure), misspelt),
  poseBoneFromLocalTransform: () =>
    poseBoneFromLocalTransform(state, 0, state.parentFromBone.subarray(0, 12), createPose(figure), misspelt),
  createIk: () => createIk(figure, [], misspelt),
  createIkWith: () => createIkWith(figure, [], { goalTypes: {}, ...misspelt }),
  createSpacetimeProblem: () =>
    createSpacetimeProblem(figure, { duration: 1, terms: [{ type: 'smoothness' }], ...misspelt }),
  createSpacetimeSolver: () => createSpacetimeSolver(problem, misspelt),
  solveSpacetime: () => solveSpacetime(problem, misspelt),
  createClearance: () => createClearance(figure, [], misspelt),
  blendMotions: () => blendMotions(figure, motion, motion, 0.5, misspelt),
  cleanMotion: () => cleanMotion(figure, motion, misspelt),
  'cleanMotion: detect': () => cleanMotion(figure, motion, { detect: misspelt }),
  createTransition: () => createTransition(figure, motion, motion, misspelt),
  detectContacts: () => detectContacts(figure, motion, [], misspelt),
  editMotion: () => editMotion(figure, motion, [], misspelt),
  loopMotion: () => loopMotion(figure, motion, misspelt),
  makePhysical: () => makePhysical(figure, { times: [], poses: [] }, misspelt),
  retimeMotion: () => retimeMotion(figure, motion, { duration: { min: 1, max: 2 }, ...misspelt }),
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
