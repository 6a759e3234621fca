import { createRagdoll } from 'poise/dynamics';
import {
  type BoneData,
  createFigure,
  createPose,
  createState,
  forwardKinematics,
  limitViolation,
} from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../src/animate/clip/clip-from-poses.js';
import { poseAt } from '../src/animate/clip/clip-motion.js';
import { jointGroups } from '../src/animate/clip/joint-groups.js';
import { type Character, createCharacter, createHuman, HEIGHTS } from '../src/character/character.js';
import { Fall, type FallOptions, RECORDED_RATE } from '../src/fall/fall.js';
import { createFallBody } from '../src/fall/fall-body.js';
import { fallClip } from '../src/fall/fall-clip.js';
import { GROUNDS } from '../src/scene/ground.js';

function human(): Character {
  return createHuman(HEIGHTS.usual, () => {
    throw new Error('nothing is drawn');
  });
}

const FRAME = 1 / 60;
const [flat, steps] = GROUNDS;
const character = human();
const body = createFallBody(character);
const bone = (name: string) => character.figure.bones.findIndex((each) => each.name === name);

function drop(options: Partial<FallOptions> = {}): Fall {
  return new Fall(body, character.pose, { ground: flat, ...options });
}

function run(fall: Fall, seconds: number, check: () => void = () => {}): void {
  for (let frame = 0; frame < seconds / FRAME; frame++) {
    fall.step(FRAME);
    check();
  }
}

/** Height of a bone over the floor, m. */
function height(fall: Fall, name = 'head'): number {
  const state = createState(character.figure);
  forwardKinematics(state, fall.pose);
  return state.worldFromBone[12 * bone(name) + 10];
}

describe('a body that falls', () => {
  it('begins with the pose it is given, keeps the limits, and comes to rest on the floor', () => {
    const fall = drop();
    expect([...fall.pose]).toEqual([...character.pose]);
    const first = fall.energy;
    run(fall, 8, () => {
      expect(fall.pose.every(Number.isFinite)).toBe(true);
      expect(limitViolation(character.figure, fall.pose)).toBeLessThan(1e-6);
    });
    expect(fall.isAsleep).toBe(true);
    expect(height(fall)).toBeLessThan(0.3);
    expect(height(fall)).toBeGreaterThan(0);
    expect(fall.energy.kinetic).toBeLessThan(1);
    expect(fall.energy.potential).toBeLessThan(0.35 * first.potential);
    expect(fall.step(FRAME)).toBe(false);
  });
  it('gains no energy', () => {
    const fall = drop({ ground: flat });
    fall.step(1 / 120);
    const { kinetic, potential } = fall.energy;
    run(fall, 3, () => {
      expect(fall.energy.kinetic + fall.energy.potential).toBeLessThan(1.001 * (kinetic + potential));
    });
  });
  it('drops the time of a frame that took a minute', () => {
    const fall = drop();
    run(fall, 0.2);
    const { time } = fall;
    fall.step(60);
    expect(fall.time - time).toBeLessThan(0.1 + 1e-9);
  });
  it('is the same for the same steps', () => {
    const [a, b] = [drop({ ground: steps }), drop({ ground: steps })];
    while (a.time < 1) a.step(1 / 120);
    while (b.time < 1) b.step(1 / 120);
    expect([...a.pose]).toEqual([...b.pose]);
  });
  it.each(GROUNDS)('comes to rest on $label', (ground) => {
    const fall = drop({ ground });
    expect(height(fall)).toBeCloseTo(height(drop()) + ground.lift, 6);
    run(fall, 14);
    expect(fall.isAsleep).toBe(true);
    expect(height(fall)).toBeLessThan(0.7);
  });
});

describe('a fall recorded as keys', () => {
  it('passes where the body fell, with fewer keys than frames', () => {
    const fall = drop();
    expect(fallClip(fall, character)).toBeUndefined();
    while (fall.time < 1.2) fall.step(1 / 120);
    const clip = fallClip(fall, character);
    if (clip === undefined) throw new Error('nothing was recorded');
    expect(clip.ground).toBe('flat');
    const { recorded } = fall;
    expect(clip.duration).toBeCloseTo(1.2, 6);
    recorded.forEach((given, frame) => {
      const pose = poseAt(clip, character, frame / RECORDED_RATE);
      for (const group of jointGroups(character))
        expect(errorOf(character.figure, group, pose, given, character.size)).toBeLessThanOrEqual(1 + 1e-9);
    });
    const counts = Object.values(clip.keys).map((keys) => keys.length);
    expect(counts).toHaveLength(jointGroups(character).length);
    const all = counts.reduce((a, b) => a + b);
    expect(all).toBeLessThan(0.6 * counts.length * recorded.length);
  });

  it('stands on what the body fell on', () => {
    for (const ground of GROUNDS) {
      const fall = drop({ ground });
      run(fall, 0.1);
      expect(fallClip(fall, character)?.ground).toBe(ground.id);
    }
    // The arm alone hangs in the air.
    const arm = drop({ ground: GROUNDS[1], below: bone('leftUpperArm') });
    run(arm, 0.1);
    expect(fallClip(arm, character)?.ground).toBe('flat');
  });
});

describe('what is pushed and pulled', () => {
  it('meets the limb that a ray points to, and follows the hand that holds it', () => {
    const fall = drop();
    expect(fall.pick([0, 1.3, 4], [0, 1, 0])).toBeUndefined();
    const hit = fall.pick([0, 1.3, 4], [0, 0, -1]);
    expect(hit).toBeDefined();
    if (hit === undefined) return;
    expect(['chest', 'upperChest', 'spine']).toContain(character.figure.bones[hit.bone].name);
    expect(hit.distance).toBeGreaterThan(3.7);
    expect(hit.distance).toBeLessThan(4);
    fall.grab(hit);
    const start = fall.tether?.from;
    expect(start?.[1]).toBeCloseTo(1.3, 3);
    fall.pull([0.3, 1.8, 0]);
    run(fall, 4);
    const { from, to } = fall.tether as NonNullable<typeof fall.tether>;
    expect(to).toEqual([0.3, 1.8, 0]);
    expect(Math.hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2])).toBeLessThan(0.02);
    fall.release();
    run(fall, 8);
    expect(fall.isAsleep).toBe(true);
  });
  it('wakes by a push, which moves it its way', () => {
    const fall = drop();
    run(fall, 8);
    expect(fall.isAsleep).toBe(true);
    const hips = character.figure.bones[bone('hips')].coordinate;
    const before = fall.pose[hips];
    fall.push([1, 0, 0]);
    expect(fall.isAsleep).toBe(false);
    run(fall, 1);
    expect(fall.pose[hips] - before).toBeGreaterThan(0.05);
  });
});

describe('a part of the body', () => {
  it('hangs from what stays where it is', () => {
    const pose = [...character.pose];
    const arm = bone('leftUpperArm');
    const { coordinate, dof } = character.figure.bones[arm];
    // Straight to the side.
    pose.fill(0, coordinate, coordinate + dof);
    const fall = new Fall(body, pose, { ground: flat, below: arm });
    run(fall, 10);
    const below = new Set(
      character.figure.bones.flatMap((each) => {
        const names = ['leftUpperArm', 'leftLowerArm', 'leftHand'];
        return names.includes(each.name)
          ? Array.from({ length: each.dof }, (_, k) => each.coordinate + k)
          : [];
      }),
    );
    fall.pose.forEach((x, i) => {
      if (!below.has(i)) expect(x, `coordinate ${i}`).toBe(pose[i]);
    });
    // Down.
    expect(fall.pose[coordinate + 1]).toBeLessThan(-1);
    expect(fall.isAsleep).toBe(true);
  });
});

describe('drives', () => {
  it('hold the pose, and with balance the body', () => {
    const fall = drop({ strength: 1, balances: true });
    run(fall, 3);
    expect(Math.abs(height(fall) - height(drop()))).toBeLessThan(0.03);
    fall.setDrives(0, false);
    run(fall, 3);
    expect(height(fall)).toBeLessThan(0.4);
  });
  it('follow a motion', () => {
    const { coordinate } = character.figure.bones[bone('leftLowerArm')];
    const pose = Float64Array.from(character.pose);
    const fall = drop({
      strength: 1,
      balances: true,
      motion: {
        start: 0,
        end: 2,
        poseAt: (time) => {
          pose[coordinate] = 0.8 + 0.6 * Math.sin(Math.PI * time);
          return pose;
        },
      },
    });
    const seen: number[] = [];
    run(fall, 2, () => seen.push(fall.pose[coordinate]));
    expect(Math.max(...seen)).toBeGreaterThan(1.1);
    expect(Math.min(...seen.slice(60))).toBeLessThan(0.5);
    expect(fall.isAsleep).toBe(false);
  });
  it('change their strength while they follow, and hold the end of it', () => {
    const { coordinate } = character.figure.bones[bone('leftLowerArm')];
    const followed = (strength: number) => {
      const fall = drop({
        strength,
        balances: true,
        motion: {
          start: 0.5,
          end: 1.5,
          poseAt: (time) => character.pose.map((x, n) => (n === coordinate ? 0.3 + time : x)),
        },
      });
      run(fall, 0.5);
      const before = fall.pose[coordinate];
      fall.setDrives(1, true);
      run(fall, 0.1);
      expect(Math.abs(fall.pose[coordinate] - before)).toBeLessThan(0.5);
      run(fall, 2);
      return fall;
    };
    for (const strength of [0.2, 1]) {
      const fall = followed(strength);
      expect(fall.pose[coordinate]).toBeCloseTo(1.8, 1);
      expect(Math.abs(height(fall) - height(drop()))).toBeLessThan(0.05);
    }
  });
});

describe('the record', () => {
  it('is what was shown', () => {
    const fall = drop();
    expect(fall.motion('fall')).toBeUndefined();
    while (fall.time < 1) fall.step(1 / 120);
    const motion = fall.motion('fall');
    expect(motion?.end).toBeCloseTo(1, 6);
    if (motion === undefined) return;
    const { figure } = character;
    const last = samplePose(createMotionSampler(figure, motion), motion.end, createPose(figure));
    last.forEach((x, i) => {
      expect(x).toBeCloseTo(fall.pose[i], 9);
    });
  });
});

/** A character of capsules from names, parents and masses. */
function characterOf(bones: readonly BoneData[]): Character {
  return createCharacter({
    source: { type: 'file', name: 'test' },
    figure: createFigure({ name: 'test', bones }),
    createModel: () => {
      throw new Error('nothing is drawn');
    },
    write: () => {
      throw new Error('nothing is written');
    },
  });
}

describe('what is no human', () => {
  const link = (name: string, parent: string | null, joint: 'free' | 'ball'): BoneData => ({
    name,
    parent,
    joint: { type: joint },
    rest: { position: [0, joint === 'free' && parent === null ? 80 : 20, 0] },
    tip: [0, 20, 0],
  });
  it('falls at the size that is drawn, its light root pushed without a spin', () => {
    const { tip: _tip, ...root } = link('root', null, 'free');
    const light = { ...root, tip: [0, 0.01, 0] as const };
    const chain = characterOf([
      light,
      link('a', 'root', 'ball'),
      link('b', 'a', 'ball'),
      link('c', 'b', 'ball'),
    ]);
    expect(chain.size).toBeGreaterThan(50);
    const fall = new Fall(createFallBody(chain), chain.pose, { ground: steps });
    run(fall, 0.3, () => {
      expect(fall.energy.kinetic / Math.abs(fall.energy.potential)).toBeLessThan(2);
    });
    run(fall, 12);
    expect(fall.isAsleep).toBe(true);
  });
  it('does not fall where its bones hang on nothing', () => {
    const loose = characterOf(['a', 'b', 'c'].map((name) => link(name, null, 'free')));
    expect(() => createFallBody(loose)).toThrow(/hang on nothing/);
  });
});

it('takes the shapes that it is given', () => {
  let count = 0;
  createFallBody(character, (figure, options) => {
    count++;
    return createRagdoll(figure, options);
  });
  expect(count).toBe(1);
});
