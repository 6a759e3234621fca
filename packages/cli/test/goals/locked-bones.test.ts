import { type BoneData, createFigure, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { heldBones, moversOf, type Pull, wholeBodyBones } from '../../src/goals/locked-bones.js';

const human = createHumanFigure();
const named = (figure: Figure, bones: Iterable<number>) => [...bones].map((b) => figure.bones[b].name).sort();
const at = (figure: Figure, name: string) => figure.bones.findIndex((bone) => bone.name === name);
const pull = (figure: Figure, name: string, more: Partial<Pull> = {}): Pull => ({
  bone: at(figure, name),
  turns: false,
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
  test('of the built-in human is the free root alone', () => {
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

  test('go on below a root that draws nothing to where the body forks, past controls beside it', () => {
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

  test('are not the first joint of an arm, though all that is drawn hangs from it', () => {
    const arm = tree([
      ['base', null, 'free'],
      ['turn', 'base'],
      ['elbow', 'turn'],
      ['left finger', 'elbow'],
      ['right finger', 'elbow'],
    ]);
    expect(named(arm, wholeBodyBones(arm, [false, true, true, true, true]))).toEqual(['base']);
  });

  test('stop at a drawn root: what hangs from it bends it', () => {
    const rig = tree([
      ['root', null, 'free'],
      ['hips', 'root'],
      ['spine', 'hips'],
      ['leg', 'hips'],
    ]);
    expect(named(rig, wholeBodyBones(rig, [true, true, true, true]))).toEqual(['root']);
  });
});

describe('heldBones', () => {
  const whole = wholeBodyBones(
    human,
    human.bones.map(() => true),
  );
  const held = (goals: Pull[], pins: Pull[] = []) => named(human, heldBones(human, whole, goals, pins));

  test('keep the root for a hand', () => {
    expect(held([pull(human, 'leftHand')])).toEqual(['hips']);
  });

  test('let the root go for a goal that nothing else can move', () => {
    expect(held([pull(human, 'hips')])).toEqual([]);
    // The origin of the thigh hangs from the hips; its own joint turns about it.
    expect(held([pull(human, 'leftUpperLeg')])).toEqual([]);
    expect(held([pull(human, 'leftUpperLeg', { turns: true })])).toEqual(['hips']);
  });

  test('let the root go for pins on limbs that the goals do not move, and only for those', () => {
    expect(held([pull(human, 'leftHand')], [pull(human, 'leftFoot')])).toEqual([]);
    expect(held([pull(human, 'leftHand')], [pull(human, 'rightHand')])).toEqual(['hips']);
    expect(held([pull(human, 'leftHand')], [pull(human, 'hips')])).toEqual(['hips']);
  });

  test('keep the root of another figure', () => {
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
    expect(named(two, heldBones(two, roots, [pull(two, 'b')], []))).toEqual(['a']);
    expect(named(two, heldBones(two, roots, [pull(two, 'a end')], [pull(two, 'b end')]))).toEqual(['a', 'b']);
  });
});

describe('moversOf', () => {
  test('are the joints up to the root, without the own joint of a goal on the origin', () => {
    expect(named(human, moversOf(human, pull(human, 'leftLowerLeg')))).toEqual(['hips', 'leftUpperLeg']);
    expect(named(human, moversOf(human, pull(human, 'leftLowerLeg', { turns: true })))).toEqual([
      'hips',
      'leftLowerLeg',
      'leftUpperLeg',
    ]);
  });

  test('of a goal on another bone are both sides below the fork', () => {
    const carried = pull(human, 'leftLowerLeg', { turns: true, targetBone: at(human, 'rightFoot') });
    expect(named(human, moversOf(human, carried))).toEqual([
      'leftLowerLeg',
      'leftUpperLeg',
      'rightFoot',
      'rightLowerLeg',
      'rightUpperLeg',
    ]);
  });
});
