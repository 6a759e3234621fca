import { describeWithData } from '@poise/test-support/shared-data';
import { expect, test } from 'vitest';
import { poise } from '../support/command.js';

describeWithData('human bones of a rig', 'gltf/KayKit_Knight.glb', (path) => {
  const json = async (...args: string[]) => JSON.parse((await poise('inspect', path, '--json', ...args)).out);

  test('are shown with how sure they are, and why', async () => {
    const { out } = await poise('inspect', path);
    expect(out).toMatch(
      /leftUpperLeg +upperleg\.l +0\.95 +name 'upperleg\.l'; of the pair of chains with the lowest ends/,
    );
    const { humanoid } = await json();
    expect(humanoid.bones.leftHand.bone).toBe('wrist.l');
    expect(humanoid.forward[2]).toBeCloseTo(1, 6);
    expect(humanoid.restPose.kind).toBe('T');
    expect(out).toMatch(/\nrest pose: T, upper arms -?[\d.]+° below level\n/);
  });

  test('are corrected by --human', async () => {
    const { humanoid } = await json('--human', 'leftHand=hand.l', '--human', 'leftToes=none');
    expect(humanoid.bones.leftHand).toEqual({ bone: 'hand.l', confidence: 1, reasons: ['as given'] });
    expect(humanoid.bones.leftToes).toBeUndefined();
    expect(humanoid.bones.rightHand.bone).toBe('wrist.r');
    const { out } = await poise('inspect', path, '--human', 'leftHand=hand.l');
    expect(out).toMatch(/\nleftLowerArm .*\nleftHand +hand\.l +1 +as given\n/);
  });

  test.each([
    [['--human', 'leftHand'], "has no '='"],
    [['--human', 'leftPaw=hand.l'], "--human leftPaw=hand.l: 'leftPaw' is not the name of a bone."],
    [['--human', 'leftHand=paw'], "--human leftHand=paw: no bone is called 'paw'"],
    [['--human', 'leftToes=none', '--human', 'leftUpperLeg=none'], '--human: lacks leftUpperLeg'],
  ])('%j is refused', async (args, text) => {
    const { status, err } = await poise('inspect', path, ...args);
    expect(status).not.toBe(0);
    expect(err).toContain(text);
  });
});
