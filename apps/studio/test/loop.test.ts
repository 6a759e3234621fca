import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, forwardKinematics } from 'poise/figure';
import { motionFromPoses } from 'poise/motion';
import { describe, expect, it } from 'vitest';
import { emptyClip, putKeys } from '../src/animate/clip/clip.js';
import { poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { importClip } from '../src/animate/import/import-clip.js';
import { openClips } from '../src/animate/import/open-clips.js';
import { putOn } from '../src/animate/import/put-on.js';
import { cyclePose, endsAsItBegins } from '../src/animate/loop/cycle.js';
import { findCycle, makeLoop } from '../src/animate/loop/loop.js';
import { loopedClip, requestOf } from '../src/animate/loop/make-loop.js';
import { createHuman } from '../src/character/character.js';

const character = createHuman(1.75, () => {
  throw new Error('nothing is drawn');
});
const { figure } = character;
const groups = jointGroups(character).map(({ id }) => id);
const coordinateOf = (name: string) => figure.bones.find((each) => each.name === name)?.coordinate ?? 0;

/** An arm that swings with a period, after it has been still for a second. */
function swings(period: number, seconds: number) {
  const times = Array.from({ length: Math.round(30 * seconds) + 1 }, (_, k) => k / 30);
  const poses = times.map((time) => {
    const pose = Float64Array.from(character.pose);
    const angle = time < 1 ? 0 : 1 - Math.cos((2 * Math.PI * (time - 1)) / period);
    pose[coordinateOf('leftUpperArm')] += 0.3 * angle;
    return pose;
  });
  return motionFromPoses(figure, times, poses);
}

function originsOf(pose: ArrayLike<number>): number[][] {
  const state = createState(figure);
  forwardKinematics(state, Float64Array.from(pose));
  return figure.bones.map(({ index }) => [...state.worldFromBone.subarray(12 * index + 9, 12 * index + 12)]);
}

/** Largest way of a bone between two poses, m. */
function way(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [from, to] = [originsOf(a), originsOf(b)];
  return from.reduce((most, p, n) => Math.max(most, Math.hypot(...p.map((x, k) => x - to[n][k]))), 0);
}

describe('a clip that repeats', () => {
  it('is a period of what swings, and not the time that nothing moves', () => {
    const { from, to } = findCycle(figure, swings(1.2, 5), 30);
    expect(to - from).toBeCloseTo(1.2, 1);
    expect(from).toBeGreaterThan(0.9);
    expect(findCycle(figure, swings(1.2, 0.4), 30)).toEqual({ from: 0, to: 0.4 });
  });

  it('is as exact in a minute as in a second', () => {
    const seconds = 60;
    const times = Array.from({ length: 30 * seconds + 1 }, (_, k) => k / 30);
    // Steps of 34 frames, of which no two are quite alike.
    const period = 34 / 30;
    const poses = times.map((time) => {
      const pose = Float64Array.from(character.pose);
      pose[coordinateOf('leftUpperArm')] += 0.3 * (1 - Math.cos((2 * Math.PI * time) / period)) + 1e-3 * time;
      return pose;
    });
    const { from, to } = findCycle(figure, motionFromPoses(figure, times, poses), 30);
    expect(Math.abs(to - from - period)).toBeLessThan(0.5 / 30);
  });

  it('begins anew unless its last pose is its first', () => {
    const pose = character.pose.map((x, n) => (n === coordinateOf('leftLowerArm') ? x + 0.5 : x));
    const clip = { ...emptyClip(character, character.pose), duration: 1 };
    const begun = putKeys(clip, character, 0, character.pose, groups);
    const other = putKeys(begun, character, 1, pose, groups);
    expect(endsAsItBegins(other, character)).toBe(false);
    expect(cyclePose(other, character, 0.3, 2)).toEqual(poseAt(other, character, 0.3));
    expect(endsAsItBegins(putKeys(begun, character, 1, character.pose, groups), character)).toBe(true);
  });

  it('does not play keys beyond its end', () => {
    const pose = character.pose.map((x, n) => (n === coordinateOf('leftLowerArm') ? x + 0.5 : x));
    const still = [0, 1].reduce(
      (clip, time) => putKeys(clip, character, time, character.pose, groups),
      emptyClip(character, character.pose),
    );
    const clip = { ...putKeys(still, character, 2, pose, groups), duration: 1 };
    expect(way(cyclePose(clip, character, 0.9, 1), character.pose)).toBeLessThan(1e-3);
    expect(requestOf(clip, character, undefined).motion.end).toBe(1);
  });

  it('ends as it begins where its part is no whole number of frames', () => {
    const span = { from: 1, to: 1.6 };
    const request = { figure, motion: swings(0.6, 3), rate: 24, span, contactPoints: [], floor: 0 };
    const { poses } = makeLoop(request);
    expect(poses.length).toBe(15);
    expect(way(poses[0], poses[14])).toBeLessThan(1e-6);
  });
});

describeWithData('a walk', 'bvh', (folder) => {
  it('of a recording is cut to two steps, which continue without a jump', async () => {
    const name = 'cmu_12_01_walk.bvh';
    const [file] = await openClips(new File([readFileSync(join(folder, name))], name));
    const clip = await importClip(file, character, false, putOn);
    const answer = makeLoop(requestOf(clip, character, undefined));
    const loop = loopedClip(clip, character, answer);
    // Two steps of a walk take about a second.
    expect(loop.duration).toBeGreaterThan(0.8);
    expect(loop.duration).toBeLessThan(1.5);
    expect(endsAsItBegins(loop, character)).toBe(true);

    // From each cycle to the next bones move in a frame as they do within one.
    const frame = 1 / loop.rate;
    const pose = (time: number): Float64Array => {
      const count = Math.floor(time / loop.duration + 1e-9);
      return cyclePose(loop, character, time - count * loop.duration, count);
    };
    const steps = (from: number, to: number) =>
      Array.from({ length: Math.round((to - from) / frame) }, (_, k) =>
        way(pose(from + k * frame), pose(from + (k + 1) * frame)),
      );
    const within = Math.max(...steps(0.1, loop.duration - 0.1));
    const seam = Math.max(...steps(loop.duration - 0.1, loop.duration + 0.1));
    expect(seam).toBeLessThan(1.2 * within);
    // It goes on: two cycles are twice as far as one.
    const [a, b, c] = [0, 1, 2].map((n) => originsOf(pose(n * loop.duration))[0]);
    const far = (p: number[], q: number[]) => Math.hypot(...p.map((x, k) => x - q[k]));
    expect(far(a, b)).toBeGreaterThan(0.8);
    expect(far(a, c)).toBeGreaterThan(1.9 * far(a, b));
  });
});
