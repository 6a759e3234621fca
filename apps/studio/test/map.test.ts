import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { describe, expect, it } from 'vitest';
import { hasKeys } from '../src/animate/clip/clip.js';
import { poseAt } from '../src/animate/clip/clip-motion.js';
import { importClip } from '../src/animate/import/import-clip.js';
import { putOn } from '../src/animate/import/put-on.js';
import { openCharacter } from '../src/character/open-character.js';
import { type Document, EMPTY } from '../src/document/document.js';
import { certaintyOf, choose, MAP_GROUPS, remapped } from '../src/map/map.js';
import { Session } from '../src/session/session.js';

describe('bones chosen by hand', () => {
  it('are each one of the human alone', () => {
    const chosen = choose(choose({}, 'leftFoot', 'a'), 'leftToes', 'a');
    expect(chosen).toEqual({ leftToes: 'a' });
    expect(choose(chosen, 'head', null)).toEqual({ leftToes: 'a', head: null });
    expect(choose({ head: null }, 'neck', null)).toEqual({ head: null, neck: null });
  });

  it('are all bones that a human has, once each', () => {
    const all = MAP_GROUPS.flatMap(({ bones }) => bones);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBe(55);
  });
});

describeWithData('the map of a character', 'bvh', (folder) => {
  /** A BVH of a human with its own clip, in a pose of it. */
  async function walker(): Promise<Document> {
    const file = new File([readFileSync(join(folder, 'walk01.bvh'))], 'walk01.bvh');
    const character = await openCharacter(file);
    const clip = await importClip(character.clips[0], character, false, putOn);
    const session = new Session(character);
    session.setPose(character, poseAt(clip, character, 0.5), character.pins);
    const poses = [{ name: 'Step', pose: [...session.pose] }];
    session.ground = false;
    session.apart = true;
    return { ...EMPTY, ...session.snapshot(), clip, poses };
  }

  it('says how sure each bone is and why', async () => {
    const { character } = await walker();
    for (const bone of ['hips', 'leftHand', 'rightFoot'] as const) {
      const { word, why } = certaintyOf(character, bone) ?? {};
      expect(['sure', 'likely', 'doubtful']).toContain(word);
      expect(why).not.toBe('');
    }
    expect(certaintyOf(character, 'jaw')).toBeUndefined();
  });

  it('takes a correction: limits and handles follow, pose, kept poses and clip stay', async () => {
    const before = await walker();
    const { humanoid, figure } = before.character;
    const elbow = figure.bones[humanoid?.bones.leftLowerArm as number].name;
    const hand = figure.bones[humanoid?.bones.leftHand as number].name;
    // The figure has no hand: the arm ends at the elbow.
    const clip = before.clip && { ...before.clip, ground: 'steps' as const };
    const after = await remapped({ ...before, clip }, { leftHand: null });
    expect(after.clip?.ground).toBe('steps');
    // What is selected is of the same character still.
    expect(after.character.files).toBe(before.character.files);
    const { character } = after;
    expect(character.chosen).toEqual({ leftHand: null });
    const { ground, balance, apart } = after;
    expect([ground, balance, apart]).toEqual([before.ground, before.balance, before.apart]);
    expect(character.humanoid?.bones.leftHand).toBeUndefined();
    expect(character.handles.map(({ id }) => id)).not.toContain('leftHand');
    expect(before.character.handles.map(({ id }) => id)).toContain('leftHand');
    expect(limitViolation(character.figure, after.pose)).toBeLessThan(1e-12);
    expect([...after.pins.keys()]).toEqual([...before.pins.keys()]);
    const away = (a: readonly number[] | Float64Array, b: readonly number[] | Float64Array) =>
      largestDistance(figure, a, character.figure, b, new Set([elbow, hand]));
    expect(away(before.pose, after.pose)).toBeLessThan(0.02 * character.size);
    expect(away(before.poses[0].pose, after.poses[0].pose)).toBeLessThan(0.02 * character.size);
    if (before.clip === undefined || after.clip === undefined) throw new Error('no clip');
    expect(hasKeys(after.clip)).toBe(true);
    expect(after.clip.duration).toBe(before.clip.duration);
    for (const time of [0, 0.5, 1]) {
      const [a, b] = [poseAt(before.clip, before.character, time), poseAt(after.clip, character, time)];
      expect(away(a, b)).toBeLessThan(0.03 * character.size);
    }
    // Chosen as they were recognised, they change nothing.
    const same = await remapped(before, { leftLowerArm: elbow });
    expect(same.character.humanoid?.confidence.leftLowerArm).toBe(1);
    expect(largestDistance(figure, before.pose, same.character.figure, same.pose)).toBeLessThan(1e-9);
  });

  it('says which bones a human lacks', async () => {
    const before = await walker();
    await expect(remapped(before, { hips: null })).rejects.toThrow(/^Choose these too: hips\.$/);
  });
});

/** Largest distance of an origin of a bone in two poses, m. */
function largestDistance(
  a: Figure,
  poseA: ArrayLike<number>,
  b: Figure,
  poseB: ArrayLike<number>,
  but: ReadonlySet<string> = new Set(),
): number {
  const [one, other] = [createState(a), createState(b)];
  forwardKinematics(one, poseA);
  forwardKinematics(other, poseB);
  let most = 0;
  for (const { index, name } of a.bones) {
    if (but.has(name)) continue;
    const o = 12 * index + 9;
    most = Math.max(
      most,
      Math.hypot(...[0, 1, 2].map((k) => one.worldFromBone[o + k] - other.worldFromBone[o + k])),
    );
  }
  return most;
}
