import { type BoneData, createFigure, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { affectingBones, type GoalBones, lockedBones, wholeBodyBones } from '../../src/goals/locked-bones.js';

const human = createHumanFigure();
const named = (figure: Figure, bones: Iterable<number>) => [...bones].map((b) => figure.bones[b].name).sort();
const at = (figure: Figure, name: string) => figure.bones.findIndex((bone) => bone.name === name);
const goalBones = (figure: Figure, name: string, more: Partial<GoalBones> = {}): GoalBones => ({
  bone: at(figure, name),
  usesRotation: false,
  targetBone: -1,
  ...more,
});
const tree = (
  bones: readonly (readonly [name: string, parent: string | null, type?: 'free' | 'ball' | 'fixed'])[],
) =>
  createFigure({
    bones: bones.map(
      ([name, parent, type = 'ball']): BoneData => ({
        name,
        parent,
        rest: { position: [0, 1, 0] },
        joint: { type },
      }),
    ),
  });

describe('wholeBodyBones', () => {
  test('of the built-in human is the free root', () => {
    expect(
      named(
        human,
        wholeBodyBones(
          human,
          human.bones.map(() => true),
        ),
      ),
    ).toEqual(['hips']);
  });

  test('continue below a root without geometry to the branching bone, ignoring control bones', () => {
    const rig = tree([
      ['scene', null, 'fixed'],
      ['root', 'scene', 'free'],
      ['middle', 'root'],
      ['hips', 'middle'],
      ['spine', 'hips'],
      ['leg', 'hips'],
      ['kneeIK', 'root'],
    ]);
    const drawn = rig.bones.map(({ name }) => ['hips', 'spine', 'leg'].includes(name));
    expect(named(rig, wholeBodyBones(rig, drawn))).toEqual(['hips', 'middle', 'root']);
  });

  test('exclude the first joint of an arm with all geometry in its subtree', () => {
    const arm = tree([
      ['base', null, 'free'],
      ['turn', 'base'],
      ['elbow', 'turn'],
      ['left finger', 'elbow'],
      ['right finger', 'elbow'],
    ]);
    expect(named(arm, wholeBodyBones(arm, [false, true, true, true, true]))).toEqual(['base']);
  });

  test('stop at a drawn root', () => {
    const rig = tree([
      ['root', null, 'free'],
      ['hips', 'root'],
      ['spine', 'hips'],
      ['leg', 'hips'],
    ]);
    expect(named(rig, wholeBodyBones(rig, [true, true, true, true]))).toEqual(['root']);
  });
});

describe('lockedBones', () => {
  const whole = wholeBodyBones(
    human,
    human.bones.map(() => true),
  );
  const locked = (goals: GoalBones[], pins: GoalBones[] = []) =>
    named(human, lockedBones(human, whole, goals, pins));

  test('lock the root for a hand goal', () => {
    expect(locked([goalBones(human, 'leftHand')])).toEqual(['hips']);
  });

  test('unlock the root for a goal that no other bone affects', () => {
    expect(locked([goalBones(human, 'hips')])).toEqual([]);
    // The origin of the thigh is fixed to the hips; its own joint rotates about it.
    expect(locked([goalBones(human, 'leftUpperLeg')])).toEqual([]);
    expect(locked([goalBones(human, 'leftUpperLeg', { usesRotation: true })])).toEqual(['hips']);
  });

  test('unlock the root for pins on limbs that no goal moves, and only for those', () => {
    expect(locked([goalBones(human, 'leftHand')], [goalBones(human, 'leftFoot')])).toEqual([]);
    expect(locked([goalBones(human, 'leftHand')], [goalBones(human, 'rightHand')])).toEqual(['hips']);
    expect(locked([goalBones(human, 'leftHand')], [goalBones(human, 'hips')])).toEqual(['hips']);
  });

  test('lock the root of another tree', () => {
    const two = tree([
      ['a', null, 'free'],
      ['a tip', 'a'],
      ['a end', 'a tip'],
      ['b', null, 'free'],
      ['b tip', 'b'],
      ['b end', 'b tip'],
    ]);
    const roots = wholeBodyBones(
      two,
      two.bones.map(() => true),
    );
    expect(named(two, roots)).toEqual(['a', 'b']);
    expect(named(two, lockedBones(two, roots, [goalBones(two, 'b')], []))).toEqual(['a']);
    expect(named(two, lockedBones(two, roots, [goalBones(two, 'a end')], [goalBones(two, 'b end')]))).toEqual(
      ['a', 'b'],
    );
  });
});

describe('affectingBones', () => {
  test('are the joints up to the root, without the own joint of a goal on the origin', () => {
    expect(named(human, affectingBones(human, goalBones(human, 'leftLowerLeg')))).toEqual([
      'hips',
      'leftUpperLeg',
    ]);
    expect(
      named(human, affectingBones(human, goalBones(human, 'leftLowerLeg', { usesRotation: true }))),
    ).toEqual(['hips', 'leftLowerLeg', 'leftUpperLeg']);
  });

  test('of a goal on another bone are both branches below the common ancestor', () => {
    const carried = goalBones(human, 'leftLowerLeg', {
      usesRotation: true,
      targetBone: at(human, 'rightFoot'),
    });
    expect(named(human, affectingBones(human, carried))).toEqual([
      'leftLowerLeg',
      'leftUpperLeg',
      'rightFoot',
      'rightLowerLeg',
      'rightUpperLeg',
    ]);
  });
});
