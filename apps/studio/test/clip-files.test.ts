import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats/bvh';
import {
  animatedJoints,
  listGltfAnimations,
  parseGltf,
  readGltfAnimation,
  readGltfRig,
  rigFromDocument,
} from '@poise/formats/gltf';
import { plainGlb } from '@poise/test-support/plain-glb';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { vec3 } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { expect, it } from 'vitest';
import { clipFor, emptyClip } from '../src/animate/clip/clip.js';
import { posesOf } from '../src/animate/clip/clip-from-poses.js';
import { frameTimes, poseAt } from '../src/animate/clip/clip-motion.js';
import { exportClip } from '../src/animate/export/export-clip.js';
import { adoptClip } from '../src/animate/import/adopt.js';
import { importClip } from '../src/animate/import/import-clip.js';
import { importedWords } from '../src/animate/import/imported-words.js';
import { openClips } from '../src/animate/import/open-clips.js';
import { putOn } from '../src/animate/import/put-on.js';
import { sourceView, standingAt } from '../src/animate/import/source-view.js';
import { isAsPutOn, sourceOf } from '../src/animate/import/sources.js';
import { type Character, createCharacter, createHuman, shownScale } from '../src/character/character.js';
import { openCharacter } from '../src/character/open-character.js';

const fileOf = (path: string) => new File([readFileSync(path)], path.replace(/^.*\//, ''));

function nothingDrawn(): never {
  throw new Error('nothing is drawn');
}

/** Origins of all bones in the world, m. */
function originsOf(figure: Figure, pose: Float64Array): number[][] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return figure.bones.map(({ index }) => [...state.worldFromBone.subarray(12 * index + 9, 12 * index + 12)]);
}

/** Largest distance between the origins of the same bones, m. */
function apart(a: readonly number[][], b: readonly number[][]): number {
  return a.reduce((most, p, n) => Math.max(most, Math.hypot(...p.map((x, k) => x - b[n][k]))), 0);
}

function poseOf(figure: Figure, motion: Motion, time: number): Float64Array {
  return samplePose(createMotionSampler(figure, motion), time, new Float64Array(figure.dof));
}

describeWithData('clips that a character came with', 'gltf', (folder) => {
  const open = (name: string) => openCharacter(new File([plainGlb(readFileSync(join(folder, name)))], name));

  it.each([
    ['KayKit_Knight.glb', 'Sit_Floor_Down', 'hips', 0.3],
    ['Fox.glb', 'Run', 'b_Hip_01', 8],
  ])(
    '%s, %s: the body is where the file has it, in the picture and in the file that is written',
    async (name, clipName, hips, way) => {
      const character = await open(name);
      const file = character.clips.find((clip) => clip.name === clipName);
      if (file === undefined) throw new Error('no such clip');
      const clip = await importClip(file, character, true, putOn);
      const given = readGltfRig(plainGlb(readFileSync(join(folder, name))));
      const index = listGltfAnimations(given.document).findIndex((each) => each.name === clipName);
      const document = rigFromDocument(given.document, { joints: animatedJoints(given.document, [index]) });
      const { motion } = readGltfAnimation(document, index);
      const written = parseGltf((await exportClip('glb', clip, character, undefined as never)).bytes);
      const entries = listGltfAnimations(written);
      // Beside the one that was there.
      expect(entries.at(-1)?.name).toBe(`${clipName}_2`);
      const last = entries.length - 1;
      const read = rigFromDocument(written, { joints: animatedJoints(written, [last]) });
      const again = readGltfAnimation(read, last).motion;
      const heights: number[] = [];
      let most = 0;
      const times = frameTimes(clip);
      for (const time of [0, 0.2, 0.4, 0.6, 0.8, 1].map(
        (part) => times[Math.round(part * (times.length - 1))],
      )) {
        const at = (figure: Figure, pose: Float64Array) => {
          const bone = figure.bones.findIndex((each) => each.name === hips);
          return originsOf(figure, pose)[bone];
        };
        const wanted = at(document.figure, poseOf(document.figure, motion, motion.start + time));
        for (const place of [
          at(character.figure, poseAt(clip, character, time)),
          at(read.figure, poseOf(read.figure, again, again.start + time)),
        ])
          most = Math.max(most, Math.hypot(...wanted.map((x, k) => x - place[k])));
        heights.push(wanted[1]);
      }
      expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(way);
      expect(most / character.size).toBeLessThan(1e-4);
    },
  );

  it('on the built-in human: it lies where the file lies', async () => {
    const human = createHuman(1.75, nothingDrawn);
    const name = 'KayKit_Knight.glb';
    const files = await openClips(new File([plainGlb(readFileSync(join(folder, name)))], name));
    const file = files.find((each) => each.name === 'Lie_Down');
    const clip = file && (await importClip(file, human, false, putOn));
    if (clip === undefined) throw new Error('no such clip');
    const { hips = 0, head = 0 } = human.humanoid?.bones ?? {};
    const origins = originsOf(human.figure, poseAt(clip, human, clip.duration));
    expect(origins[hips][1]).toBeLessThan(0.25);
    expect(origins[head][1]).toBeLessThan(0.25);
    expect(Math.min(...origins.map(([, y]) => y))).toBeGreaterThan(-0.1);
    // Beside it are the bones of a human, and no controls of the rig, which stick out.
    const source = sourceOf(clip);
    const stick = source && sourceView(source, human);
    for (let time = 0; time < clip.duration; time += 0.2) {
      const lines = stick?.linesAt(time) ?? [];
      expect(lines.length / 6).toBeLessThan(26);
      const heights = lines.filter((_, n) => n % 3 === 1);
      expect(Math.min(...heights)).toBeGreaterThan(-0.05);
      // Its legs are a quarter of it: with those of the human it were twice as tall.
      expect(Math.max(...heights)).toBeLessThan(2.1);
    }
  });

  it('say how far joints and keys keep bones from where the file has them, in millimetres as it is shown', async () => {
    const wordsOf = async (name: string, clipName: string) => {
      const character = await open(name);
      const file = character.clips.find((clip) => clip.name === clipName);
      const clip = file && (await importClip(file, character, false, putOn));
      if (clip?.imported === undefined) throw new Error('no such clip');
      return importedWords(clip.imported, shownScale(character), true);
    };
    // Its legs stretch.
    expect(await wordsOf('KayKit_Knight.glb', 'Lie_Down')).toMatch(
      /^Lie_Down\. Its joints and their limits keep bones up to 1\d\d mm from where the file has them\. Its keys are fewer .* by \d\.\d mm at most\.$/,
    );
    expect(await wordsOf('Fox.glb', 'Run')).toMatch(/^Run\. Its keys are fewer .* by \d\d mm at most\.$/);
  });
});

describeWithData('clips of files', 'bvh', (folder) => {
  const path = join(folder, 'walk01.bvh');

  it.each(['walk01', 'cmu_12_01_walk', 'cmu_jumping_jacks', 'fair_jumping', 'makehuman_walk1'])(
    '%s stands on the floor: at rest, in its own clip, and in one that is retargeted',
    async (name) => {
      const character = await openCharacter(fileOf(join(folder, `${name}.bvh`)));
      const { figure, floor, size } = character;
      const lowest = (pose: Float64Array) =>
        Math.min(...originsOf(figure, pose).map((point) => vec3.dot(point, figure.up))) - floor;
      expect(Math.abs(lowest(Float64Array.from(character.pose))) / size).toBeLessThan(0.06);
      const [other] = await openClips(fileOf(name === 'walk01' ? join(folder, 'cmu_12_01_walk.bvh') : path));
      for (const clip of [...character.clips, other]) {
        const made = await importClip(clip, character, false, putOn);
        const heights = frameTimes(made).map((time) => lowest(poseAt(made, character, time)));
        const least = heights.reduce((a, b) => Math.min(a, b));
        expect(Math.abs(least) / size, clip.name).toBeLessThan(0.08);
      }
    },
  );

  it('of the character itself are keys at its frames, to the bit of the file', async () => {
    const [file] = await openClips(fileOf(path));
    const { figure, motion } = file.read();
    const character = createCharacter({
      source: { type: 'file', name: 'walk01.bvh' },
      figure,
      createModel: nothingDrawn,
      write: nothingDrawn,
    });
    const clip = await importClip(file, character, true, putOn);
    for (const time of frameTimes(clip)) {
      const pose = poseAt(clip, character, time);
      expect(apart(originsOf(figure, pose), originsOf(figure, poseOf(figure, motion, time)))).toBeLessThan(
        1e-9,
      );
    }
  });

  it('of the character itself with the joints of a human: limbs are nearer than joint by joint, within the limits', async () => {
    const character = await openCharacter(fileOf(path));
    const [file] = character.clips;
    const clip = await importClip(file, character, true, putOn);
    const { figure, motion } = file.read();
    const jointByJoint = posesOf(figure, motion, character.figure, clip.rate);
    const errors = frameTimes(clip).map((time, frame) => {
      const pose = poseAt(clip, character, time);
      expect(limitViolation(character.figure, pose)).toBeLessThan(1e-9);
      const given = originsOf(figure, poseOf(figure, motion, time));
      return [pose, jointByJoint[frame]].map((each) => apart(originsOf(character.figure, each), given));
    });
    const most = (k: number) => Math.max(...errors.map((each) => each[k]));
    expect(most(0)).toBeLessThan(0.5 * most(1));
  });

  it('of another human are retargeted, with how far feet slide and when they stand', async () => {
    const human = createHuman(1.75, nothingDrawn);
    const [file] = await openClips(fileOf(path));
    const clip = await importClip(file, human, false, putOn);
    expect(clip.duration).toBeCloseTo(4.1667, 1);
    expect(clip.imported?.sliding?.most).toBeLessThan(10);
    expect(new Set(clip.imported?.contacts.map(({ label }) => label))).toEqual(
      new Set(['Left heel', 'Left ball', 'Right heel', 'Right ball']),
    );
    for (const time of frameTimes(clip))
      expect(limitViolation(human.figure, poseAt(clip, human, time))).toBeLessThan(1e-9);
  });

  it('are shown beside the character, as tall as it, on the floor, with what stands', async () => {
    const human = createHuman(1.75, nothingDrawn);
    const [file] = await openClips(fileOf(path));
    const clip = await importClip(file, human, false, putOn);
    const source = sourceOf({ ...clip, rate: 30 });
    // Keys that were changed slide by something else.
    expect([isAsPutOn({ ...clip, rate: 30 }), isAsPutOn({ ...clip, keys: { ...clip.keys } })]).toEqual([
      true,
      false,
    ]);
    if (source === undefined) throw new Error('no source');
    expect(source.clip).toBe(clip);
    const stick = sourceView(source, human);
    if (stick === undefined) throw new Error('no human');
    let most = 0;
    for (let time = 0; time < clip.duration; time += 0.2) {
      const heights = stick.linesAt(time).filter((_, n) => n % 3 === 1);
      expect(Math.min(...heights)).toBeGreaterThan(-0.02);
      expect(Math.max(...heights)).toBeGreaterThan(1.4);
      expect(Math.max(...heights)).toBeLessThan(1.9);
      for (const { contact, sliding } of standingAt(source, time)) {
        expect(
          clip.imported?.contacts.some(({ label, from, to }) => {
            return label === contact.label && time > from - 0.03 && time < to + 0.03;
          }),
        ).toBe(true);
        most = Math.max(most, sliding);
        expect(stick.contactAt(time, contact)?.[1]).toBe(0);
      }
    }
    expect(most).toBeLessThanOrEqual(clip.imported?.sliding?.most ?? 0);
  });

  it('are beside it wherever the clip begins', async () => {
    const human = createHuman(1.75, nothingDrawn);
    // A metre behind the origin.
    const [file] = await openClips(fileOf(join(folder, 'cmu_12_01_walk.bvh')));
    const clip = await importClip(file, human, false, putOn);
    const source = sourceOf(clip);
    const lines = source && sourceView(source, human)?.linesAt(0);
    if (lines === undefined) throw new Error('no human');
    const [left, forward] = [0, 2].map((axis) => {
      const values = lines.filter((_, n) => n % 3 === axis);
      const [hips] = originsOf(human.figure, poseAt(clip, human, 0));
      return (Math.min(...values) + Math.max(...values)) / 2 - hips[axis];
    });
    expect(Math.abs(left + 0.62 * 1.75)).toBeLessThan(0.1);
    expect(Math.abs(forward)).toBeLessThan(0.2);
  });

  it('are put on another character that comes: from the file, or from the keys that were changed', async () => {
    const human = createHuman(1.75, nothingDrawn);
    const other = await openCharacter(fileOf(path));
    const [file] = await openClips(fileOf(path));
    const clip = await importClip(file, human, false, putOn);
    const adopted = await adoptClip({ clip, character: human }, other, putOn);
    expect(adopted).toEqual(await importClip(file, other, false, putOn));
    const still = { ...clip, keys: { ...clip.keys, head: [], spine: clip.keys.spine.slice(0, 1) } };
    const changed = await adoptClip({ clip: still, character: human }, other, putOn);
    expect(changed?.duration).toBeCloseTo(clip.duration, 1);
    expect(clipFor(changed, other)).toBe(changed);
    expect(changed?.keys.spine.length).toBeLessThan((adopted?.keys.spine.length ?? 0) / 2);
    expect(
      await adoptClip({ clip: emptyClip(human, human.pose), character: human }, other, putOn),
    ).toBeUndefined();
  });

  it('have as few keys as their frames need', async () => {
    const character = await openCharacter(fileOf(path));
    const [file] = await openClips(fileOf(path));
    const [all, few] = await Promise.all(
      [true, false].map((everyFrame) => importClip(file, character, everyFrame, putOn)),
    );
    const count = (keys: typeof all.keys) => Object.values(keys).reduce((sum, own) => sum + own.length, 0);
    expect(count(few.keys)).toBeLessThan(0.6 * count(all.keys));
    expect(all.imported?.deviation).toBeLessThan(1e-6);
    for (const time of frameTimes(all)) {
      const [a, b] = [all, few].map((clip) => originsOf(character.figure, poseAt(clip, character, time)));
      expect(1000 * apart(a, b)).toBeLessThan((few.imported?.deviation ?? 0) + 1e-6);
    }
  });

  it('written as BVH are read again in their places', async () => {
    const character = await openCharacter(fileOf(path));
    const clip = await importClip(character.clips[0], character, false, putOn);
    const { name, bytes } = await exportClip('bvh', clip, character, undefined as never);
    expect(name).toBe('walk01.bvh');
    const read = readBvh(new TextDecoder().decode(bytes), { scale: 0.01 });
    expect(read.frames).toBe(frameTimes(clip).length);
    for (const [frame, time] of frameTimes(clip).entries()) {
      const given = originsOf(character.figure, poseAt(clip, character, time));
      const pose = poseOf(read.figure, read.motion, frame / clip.rate);
      expect(apart(given, originsOf(read.figure, pose))).toBeLessThan(1e-5 * character.size);
    }
  });

  it('written as a VRM animation, of the built-in human, move its bones', async () => {
    const human: Character = createHuman(1.75, nothingDrawn);
    const { putKeys, emptyClip } = await import('../src/animate/clip/clip.js');
    const { jointGroups } = await import('../src/animate/clip/joint-groups.js');
    const groups = jointGroups(human).map(({ id }) => id);
    const clip = putKeys(emptyClip(human, human.pose), human, 1, human.pose, groups);
    const { bytes } = await exportClip('vrma', clip, human, undefined as never);
    const rig = readGltfRig(bytes);
    expect(listGltfAnimations(rig.document).map((entry) => entry.name)).toEqual(['Clip']);
    const nameless = Buffer.from(bytes).toString('latin1').replace('"name":"Clip"', '"name":""    ');
    const [read] = await openClips(new File([Buffer.from(nameless, 'latin1')], 'wave.vrma'));
    expect(read.name).toBe('wave');
    const { motion } = readGltfAnimation(rig);
    const hand = rig.figure.bones.find(({ name }) => name === 'leftHand')?.index ?? -1;
    const own = human.figure.bones.find(({ name }) => name === 'leftHand')?.index ?? -1;
    const [a] = [originsOf(rig.figure, poseOf(rig.figure, motion, motion.start))[hand]];
    const b = originsOf(human.figure, poseAt(clip, human, 0))[own];
    expect(Math.hypot(...a.map((x, k) => x - b[k]))).toBeLessThan(0.02);
  });
});
