import { describe, expect, test } from 'vitest';
import {
  basisBetween,
  boneIndex,
  createFigure,
  createState,
  forwardKinematics,
  lowestCommonAncestor,
  WORLD_FRAME,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import { createRandom, expectClose, expectSameBits, randomFigureData, randomPose } from './support.js';

describe('basisBetween', () => {
  test('is the inverse of worldFromTarget times worldFromSource, for every pair of frames and the world', () => {
    const random = createRandom(300);
    for (let n = 0; n < 5; n++) {
      const figure = createFigure(randomFigureData(random, 25));
      const state = createState(figure);
      forwardKinematics(state, randomPose(figure, random));
      const worldFrom = (bone: number) =>
        bone === WORLD_FRAME ? rigid.identity() : state.worldFromBone.slice(12 * bone, 12 * bone + 12);
      for (let target = WORLD_FRAME; target < 25; target++) {
        for (let source = WORLD_FRAME; source < 25; source++) {
          const expected = rigid.relative(worldFrom(target), worldFrom(source));
          expectClose(basisBetween(state, target, source), expected, 1e-13);
        }
      }
    }
  });

  test('the shared chain cancels exactly: moving the hips by 1e6 m changes no bit between the calves (lecture notes, section 2.2)', () => {
    const random = createRandom(301);
    const figure = createHumanFigure();
    const state = createState(figure);
    const [left, right] = [boneIndex(figure, 'leftLowerLeg'), boneIndex(figure, 'rightLowerLeg')];
    for (let n = 0; n < 20; n++) {
      const pose = randomPose(figure, random, 2);
      forwardKinematics(state, pose);
      const near = basisBetween(state, left, right);
      pose.set([1e6, -3e6, 2e6, 1, 2, 0.5], 0);
      forwardKinematics(state, pose);
      const far = basisBetween(state, left, right);
      expectSameBits(far, near);
      // Through the world frame the same basis loses ten digits.
      const throughWorld = rigid.relative(
        state.worldFromBone.slice(12 * left, 12 * left + 12),
        state.worldFromBone.slice(12 * right, 12 * right + 12),
      );
      expect(Math.max(...throughWorld.map((x, k) => Math.abs(x - near[k])))).toBeGreaterThan(1e-12);
    }
  });

  test('there and back is the identity, and bases compose through a third frame', () => {
    const random = createRandom(302);
    const figure = createFigure(randomFigureData(random, 25));
    const state = createState(figure);
    forwardKinematics(state, randomPose(figure, random));
    for (let a = 0; a < 25; a += 3) {
      for (let b = 0; b < 25; b += 2) {
        const aFromB = basisBetween(state, a, b);
        expectClose(rigid.compose(aFromB, basisBetween(state, b, a)), rigid.identity(), 1e-14);
        expectClose(rigid.compose(aFromB, basisBetween(state, b, 7)), basisBetween(state, a, 7), 1e-13);
      }
      expectSameBits(basisBetween(state, a, a), rigid.identity());
    }
  });

  test('calf points at ankle: the right ankle in the left calf frame, by the steps of the lecture notes', () => {
    const figure = createHumanFigure({ height: 1.8 });
    const state = createState(figure);
    const pose = randomPose(figure, createRandom(303), 0.7);
    forwardKinematics(state, pose);
    const calf = boneIndex(figure, 'leftLowerLeg');
    const foot = boneIndex(figure, 'rightFoot');
    const ankleInWorld = rigid.toPosition(state.worldFromBone.slice(12 * foot, 12 * foot + 12));
    const ankleInCalf = rigid.inverseTransformPoint(
      state.worldFromBone.slice(12 * calf, 12 * calf + 12),
      ankleInWorld,
    );
    expectClose(rigid.toPosition(basisBetween(state, calf, foot)), ankleInCalf, 1e-15);
  });

  test('writes to out, which may be a plain array', () => {
    const figure = createHumanFigure();
    const state = createState(figure);
    forwardKinematics(state, new Float64Array(figure.dof));
    const out = Array.from({ length: 12 }, () => 0);
    expect(basisBetween(state, WORLD_FRAME, 0, out)).toBe(out);
    expectSameBits(out, state.worldFromBone.slice(0, 12));
  });

  test('refuses an index that is not a bone', () => {
    const state = createState(createHumanFigure());
    for (const bad of [-2, 22, 0.5, Number.NaN]) {
      expect(() => basisBetween(state, bad, 0)).toThrow(
        expect.objectContaining({ name: 'FigureError', code: 'unknown-name', path: 'target' }),
      );
      expect(() => lowestCommonAncestor(state.figure, 0, bad)).toThrow(
        expect.objectContaining({ code: 'unknown-name', path: 'b' }),
      );
    }
  });
});

describe('lowestCommonAncestor', () => {
  test('is the hips for both knees, the bone itself for its descendant, the world for two roots', () => {
    const figure = createHumanFigure();
    const index = (name: string) => boneIndex(figure, name);
    const common = (a: string, b: string) => lowestCommonAncestor(figure, index(a), index(b));
    expect(common('leftLowerLeg', 'rightLowerLeg')).toBe(index('hips'));
    expect(common('leftHand', 'rightToes')).toBe(index('hips'));
    expect(common('leftHand', 'head')).toBe(index('upperChest'));
    expect(common('leftHand', 'leftShoulder')).toBe(index('leftShoulder'));
    expect(lowestCommonAncestor(figure, 3, WORLD_FRAME)).toBe(WORLD_FRAME);
    const two = createFigure({ bones: [{ name: 'a' }, { name: 'b' }, { name: 'c', parent: 'b' }] });
    expect(lowestCommonAncestor(two, 0, 2)).toBe(WORLD_FRAME);
  });

  test('agrees with the ancestor lists on random forests', () => {
    const figure = createFigure(randomFigureData(createRandom(304), 40));
    const ancestors = (b: number): number[] => (b < 0 ? [WORLD_FRAME] : [b, ...ancestors(figure.parents[b])]);
    for (let a = 0; a < 40; a++) {
      for (let b = 0; b < 40; b++) {
        const ofB = new Set(ancestors(b));
        expect(lowestCommonAncestor(figure, a, b)).toBe(ancestors(a).find((x) => ofB.has(x)));
      }
    }
  });
});
