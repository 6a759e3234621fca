import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { lockStages } from '../../src/goals/lock-schedule.js';
import type { GoalBones } from '../../src/goals/locked-bones.js';

const human = createHumanFigure();
const all = human.bones.map(() => true);
const at = (name: string) => human.bones.findIndex((bone) => bone.name === name);
const goal = (name: string, usesRotation = false): GoalBones => ({
  bone: at(name),
  usesRotation,
  targetBone: -1,
});
const locked = new Set([at('hips')]);
const freed = (stages: readonly ReadonlySet<number>[]) =>
  stages.map((locked) => human.bones.filter(({ index }) => !locked.has(index)).map(({ name }) => name));

describe('lockStages', () => {
  test('free the limb, then its ancestors, then all joints that are not locked', () => {
    const [limb, trunk, last] = freed(lockStages(human, all, [goal('leftHand')], locked));
    expect(limb).toEqual(['leftShoulder', 'leftUpperArm', 'leftLowerArm']);
    expect(trunk).toEqual(['spine', 'chest', 'upperChest', 'leftShoulder', 'leftUpperArm', 'leftLowerArm']);
    expect(last).toHaveLength(human.bones.length - 1);
  });

  test('go up one branching bone for all goals together', () => {
    const [first] = freed(lockStages(human, all, [goal('leftHand'), goal('head', true)], locked));
    expect(first).toEqual(['neck', 'head', 'leftShoulder', 'leftUpperArm', 'leftLowerArm']);
  });

  test('skip stages without a joint for some goal', () => {
    // The chest and its ancestors affect the origin of the shoulder, its own joint does not.
    const stages = freed(lockStages(human, all, [goal('leftShoulder'), goal('leftHand')], locked));
    expect(stages[0]).toContain('upperChest');
    expect(stages).toHaveLength(2);
  });

  test('a goal on a branching bone starts with its ancestors', () => {
    expect(freed(lockStages(human, all, [goal('upperChest')], locked))[0]).toEqual(['spine', 'chest']);
  });

  test('control bones are not branches', () => {
    const drawn = human.bones.map(({ name }) => !/^(neck|head|right)/.test(name));
    const [first] = freed(lockStages(human, drawn, [goal('leftHand')], locked));
    expect(first).toContain('spine');
  });

  test('the last one is the locked set, for any goals', () => {
    const stages = lockStages(human, all, [goal('leftUpperLeg')], locked);
    expect(stages).toEqual([locked]);
  });
});
