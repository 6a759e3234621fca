import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { lockStages } from '../../src/goals/lock-schedule.js';
import type { Pull } from '../../src/goals/locked-bones.js';

const human = createHumanFigure();
const all = human.bones.map(() => true);
const at = (name: string) => human.bones.findIndex((bone) => bone.name === name);
const goal = (name: string, turns = false): Pull => ({ bone: at(name), turns, targetBone: -1 });
const held = new Set([at('hips')]);
const freed = (stages: readonly ReadonlySet<number>[]) =>
  stages.map((locked) => human.bones.filter(({ index }) => !locked.has(index)).map(({ name }) => name));

describe('lockStages', () => {
  test('free the limb, then what carries it, then all that is not held', () => {
    const [limb, trunk, last] = freed(lockStages(human, all, [goal('leftHand')], held));
    expect(limb).toEqual(['leftShoulder', 'leftUpperArm', 'leftLowerArm']);
    expect(trunk).toEqual(['spine', 'chest', 'upperChest', 'leftShoulder', 'leftUpperArm', 'leftLowerArm']);
    expect(last).toHaveLength(human.bones.length - 1);
  });

  test('go one fork up for all goals together', () => {
    const [first] = freed(lockStages(human, all, [goal('leftHand'), goal('head', true)], held));
    expect(first).toEqual(['neck', 'head', 'leftShoulder', 'leftUpperArm', 'leftLowerArm']);
  });

  test('leave out stages in which some goal has no joint', () => {
    // The origin of the shoulder is moved by the chest and what is below it, not by its own joint.
    const stages = freed(lockStages(human, all, [goal('leftShoulder'), goal('leftHand')], held));
    expect(stages[0]).toContain('upperChest');
    expect(stages).toHaveLength(2);
  });

  test('a goal on a bone that forks starts with the way up from it', () => {
    expect(freed(lockStages(human, all, [goal('upperChest')], held))[0]).toEqual(['spine', 'chest']);
  });

  test('controls that draw nothing make no fork', () => {
    const drawn = human.bones.map(({ name }) => !/^(neck|head|right)/.test(name));
    const [first] = freed(lockStages(human, drawn, [goal('leftHand')], held));
    expect(first).toContain('spine');
  });

  test('the last one is what is held, whatever the goals', () => {
    const stages = lockStages(human, all, [goal('leftUpperLeg')], held);
    expect(stages).toEqual([held]);
  });
});
