import fc from 'fast-check';
import { clampToLimits, limitViolation } from 'poise/figure';
import { describe, expect, it } from 'vitest';
import {
  type Clip,
  clipFor,
  copyKeys,
  deleteKeys,
  emptyClip,
  type Interpolation,
  keyId,
  keyTimes,
  moveKeys,
  pasteKeys,
  putKeys,
  scaleKeys,
  selectedKeys,
  setDuration,
  setInterpolation,
  setRate,
} from '../src/animate/clip/clip.js';
import { clipFromPoses } from '../src/animate/clip/clip-from-poses.js';
import { clipMotion, frameTimes, poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { createHuman } from '../src/character/character.js';

function human(height = 1.75) {
  return createHuman(height, () => {
    throw new Error('nothing is drawn');
  });
}

const character = human();
const { figure } = character;
const groups = jointGroups(character);
const names = groups.map(({ id }) => id);

/** A pose anywhere, also outside of the limits. */
const somePose = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
  minLength: figure.dof,
  maxLength: figure.dof,
});
const someInterpolation = fc.constantFrom<Interpolation[]>('auto', 'smooth', 'flat', 'linear', 'step');
const someClip = fc
  .array(
    fc.record({
      frame: fc.integer({ min: 0, max: 60 }),
      pose: somePose,
      groups: fc.subarray(names, { minLength: 1 }),
      interpolation: someInterpolation,
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((keys) =>
    keys.reduce<Clip>(
      (clip, { frame, pose, groups, interpolation }) =>
        putKeys(clip, character, frame / clip.rate, pose, groups, interpolation),
      emptyClip(character, character.pose),
    ),
  );

/** A selection of some of the keys of a clip. */
function pick(clip: Clip, every: number): Set<string> {
  const ids = Object.entries(clip.keys).flatMap(([group, keys]) =>
    keys.map(({ time }) => keyId(group, time)),
  );
  return new Set(ids.filter((_, n) => n % every === 0));
}

const all = (clip: Clip) => pick(clip, 1);

describe('groups of joints', () => {
  it('are the parts of a human, each coordinate in one', () => {
    expect(names).toEqual(['root', 'spine', 'head', 'leftArm', 'rightArm', 'leftLeg', 'rightLeg']);
    const coordinates = groups.flatMap((group) => group.coordinates).sort((a, b) => a - b);
    expect(coordinates).toEqual(Array.from({ length: figure.dof }, (_, n) => n));
  });

  it('are the chains of any other figure', () => {
    const chains = jointGroups({ figure: human(1.8).figure, humanoid: undefined });
    expect(chains.map(({ id }) => id)).toContain('leftUpperLeg');
    const coordinates = chains.flatMap((group) => group.coordinates).sort((a, b) => a - b);
    expect(coordinates).toEqual(Array.from({ length: figure.dof }, (_, n) => n));
  });
});

describe('a clip', () => {
  it('leaves the limits nowhere, whatever its keys', () => {
    fc.assert(
      fc.property(someClip, fc.double({ min: -1, max: 4, noNaN: true }), (clip, time) => {
        for (const at of [time, ...keyTimes(clip)]) {
          expect(limitViolation(figure, poseAt(clip, character, at))).toBeLessThan(1e-12);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('passes through every key to the bit', () => {
    fc.assert(
      fc.property(someClip, (clip) => {
        for (const { group, key } of selectedKeys(clip, all(clip))) {
          const pose = poseAt(clip, character, key.time);
          const coordinates = groups.find(({ id }) => id === group)?.coordinates ?? [];
          coordinates.forEach((n, k) => {
            // The clip begins the short way round: the root may stand on another multiple of 2 pi.
            if (group !== 'root') expect(Math.abs(pose[n] - key.values[k])).toBeLessThan(1e-12);
          });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('holds a step until the next key, and goes straight along a line', () => {
    const [a, b] = [0, 0.4].map((x) => Float64Array.from(character.pose, (value) => value + 0 * x));
    const [n] = groups[1].coordinates;
    b[n] = a[n] + 0.2;
    let clip = putKeys(emptyClip(character, a), character, 0, a, names, 'linear');
    clip = putKeys(clip, character, 1, b, names, 'step');
    clip = putKeys(clip, character, 2, a, names);
    const at = (time: number) => poseAt(clip, character, time)[n] - a[n];
    expect(at(0.25)).toBeCloseTo(0.05, 12);
    expect(at(0.75)).toBeCloseTo(0.15, 12);
    for (const time of [1, 1.5, 1.999]) expect(at(time)).toBeCloseTo(0.2, 12);
    expect(at(2)).toBe(0);
  });

  it('takes back what is retimed, scaled or pasted, to the bit', () => {
    fc.assert(
      fc.property(
        someClip,
        fc.integer({ min: -70, max: 70 }),
        fc.integer({ min: 1, max: 4 }),
        (clip, frames, every) => {
          const before = structuredClone(clip);
          const selected = pick(clip, every);
          const all = new Set(
            selectedKeys(clip, pick(clip, 1)).map(({ group, key }) => keyId(group, key.time)),
          );
          const moved = moveKeys(clip, all, frames / clip.rate);
          const times = keyTimes(clip);
          const shift = keyTimes(moved.clip)[0] - times[0];
          expect(moveKeys(moved.clip, moved.selected, -shift).clip).toEqual(before);
          scaleKeys(clip, selected, 0.5, 1.7);
          deleteKeys(clip, selected);
          pasteKeys(clip, copyKeys(clip, selected), 0.7);
          expect(clip).toEqual(before);
        },
      ),
    );
  });

  it('keeps moved keys within it, as many as there were unless they arrive on others', () => {
    fc.assert(
      fc.property(someClip, fc.double({ min: -9, max: 9, noNaN: true }), (clip, by) => {
        const moved = moveKeys(clip, all(clip), by);
        const times = keyTimes(moved.clip);
        expect(times[0]).toBeGreaterThanOrEqual(0);
        expect(times[times.length - 1]).toBeLessThanOrEqual(clip.duration + 1e-12);
        expect(moved.selected.size).toBe(all(clip).size);
        expect(selectedKeys(moved.clip, moved.selected)).toHaveLength(moved.selected.size);
      }),
    );
  });

  it('pastes what was copied at a time, and lasts as long as it needs', () => {
    let clip = putKeys(emptyClip(character, character.pose), character, 0.5, character.pose, ['head']);
    clip = putKeys(clip, character, 1, character.pose, ['leftArm'], 'step');
    const copied = copyKeys(clip, all(clip));
    const { clip: pasted, selected } = pasteKeys(clip, copied, 1.9);
    expect(pasted.duration).toBeCloseTo(2.4, 12);
    expect([...selected]).toEqual(['head 1.9', 'leftArm 2.4']);
    expect(pasted.keys.leftArm.map(({ interpolation }) => interpolation)).toEqual(['step', 'step']);
    const other = { ...copied, joints: 'others' };
    expect(pasteKeys(clip, other, 0).clip).toBe(clip);
  });

  it('deletes keys, sets their interpolation, its length and its frames', () => {
    const clip = putKeys(emptyClip(character, character.pose), character, 0, character.pose, names);
    expect(keyTimes(deleteKeys(clip, all(clip)))).toEqual([]);
    const step = setInterpolation(clip, new Set(['head 0']), 'step');
    expect([step.keys.head[0].interpolation, step.keys.spine[0].interpolation]).toEqual(['step', 'auto']);
    expect(setDuration(clip, -1).duration).toBe(1 / 30);
    expect(setDuration(clip, Number.NaN)).toBe(clip);
    expect(setRate(clip, 1e9).rate).toBe(240);
  });

  it('is of one figure: scaled on another size of it, none of another', () => {
    const clip = putKeys(emptyClip(character, character.pose), character, 0, character.pose, names);
    const tall = human(2);
    const scaled = clipFor(clip, tall) as Clip;
    expect(scaled.keys.root[0].values[1]).toBeCloseTo((2 / 1.75) * clip.keys.root[0].values[1], 12);
    expect(scaled.keys.leftArm).toEqual(clip.keys.leftArm);
    expect(clipFor(clip, character)).toBe(clip);
    expect(clipFor({ ...clip, joints: 'others' }, character)).toBeUndefined();
  });

  it('is a motion of the library, the same at its frames and within the limits between them', () => {
    fc.assert(
      fc.property(someClip, (clip) => {
        const again = clipFromPoses(
          character,
          clip.rate,
          frameTimes(clip).map((time) => poseAt(clip, character, time)),
          true,
        );
        expect(again.duration).toBeCloseTo(clip.duration, 12);
        const motion = clipMotion(clip, character, 'clip');
        expect(motion.end).toBe(clip.duration);
        for (const time of frameTimes(clip)) {
          const [a, b] = [clip, again].map((each) => poseAt(each, character, time));
          for (const { coordinates } of groups.slice(1))
            for (const n of coordinates) expect(Math.abs(a[n] - b[n])).toBeLessThan(1e-9);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('from frames with few keys stays within 0.6 degrees of them', () => {
    const poses = Array.from({ length: 91 }, (_, frame) => {
      const pose = Float64Array.from(character.pose);
      for (const [k, n] of groups[1].coordinates.entries()) pose[n] += 0.1 * Math.sin(0.05 * (k + 1) * frame);
      clampToLimits(figure, pose);
      return pose;
    });
    const clip = clipFromPoses(character, 30, poses, false);
    expect(clip.keys.head).toHaveLength(2);
    expect(clip.keys.spine.length).toBeLessThan(60);
    for (const [frame, pose] of poses.entries()) {
      const now = poseAt(clip, character, frame / 30);
      now.forEach((value, n) => {
        expect(Math.abs(value - pose[n])).toBeLessThan(0.0101);
      });
    }
  });
});
