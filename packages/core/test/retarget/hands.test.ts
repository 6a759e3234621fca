import { describe, expect, test } from 'vitest';
import { MotionError } from '../../src/errors.js';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  limitViolation,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from '../../src/motion/index.js';
import {
  createLiveRetargeter,
  createRetargeter,
  type RetargetMotionOptions,
  type RetargetReport,
  retargetMotion,
  retargetPose,
} from '../../src/retarget/index.js';
import { createLiveHand, updatePalmContact } from '../../src/retarget/live/live-hand.js';

type Vec = readonly number[];

/** A human whose arms are longer than a human's by a factor; without limits and with balls for joints where asked. */
function human(height: number, arms = 1, isFree = false): Figure {
  const data = figureToData(createHumanFigure({ height }));
  return createFigure({
    ...data,
    bones: data.bones.map((bone, b) => {
      const { limit, joint, rest, ...others } = bone;
      const [x, y, z] = rest?.position ?? [0, 0, 0];
      const factor = /LowerArm|Hand/.test(bone.name) ? arms : 1;
      return {
        ...others,
        rest: { ...rest, position: [factor * x, factor * y, factor * z] as const },
        ...(isFree
          ? { joint: { type: b === 0 ? ('free' as const) : ('ball' as const) } }
          : { ...(joint && { joint }), ...(limit && { limit }) }),
      };
    }),
  });
}

const source = human(1.75, 1, true);
const RATE = 30;

/** A pose with rotations about axes of the T-pose, rad; both sides mirrored: `Arm` is of the left, mirrored to the right. */
function poseOf(angles: Readonly<Record<string, Vec>>): Float64Array {
  const pose = new Float64Array(source.dof);
  for (const { name, coordinate, dof } of source.bones) {
    const own = angles[name] ?? angles[name.replace(/^left|^right/, '')];
    if (own === undefined) continue;
    const sign = name.startsWith('right') ? -1 : 1;
    pose.set([own[0], sign * own[1], sign * own[2]], coordinate + dof - 3);
  }
  return pose;
}

/** Frames that go from a pose to another, stay there from 1 s to 2 s, and come back; 3 s. */
function clipOf(end: Float64Array, base: Float64Array = new Float64Array(source.dof)): Motion {
  const times = Array.from({ length: 3 * RATE + 1 }, (_, f) => f / RATE);
  const ease = (s: number): number => s * s * s * (s * (6 * s - 15) + 10);
  const poses = times.map((time) =>
    end.map((q, i) => base[i] + (q - base[i]) * ease(Math.min(1, Math.max(0, 1.5 - Math.abs(time - 1.5))))),
  );
  return motionFromPoses(source, times, poses);
}

/** Middle of a palm, from the proportions of the built-in human: half way to the knuckles (0.37 forearms), 0.16 of that below. Axes of the T-pose. */
function palmIn(figure: Figure, side: 'left' | 'right'): Vec {
  const [x, y, z] = boneOf(figure, `${side}Hand`).rest.position;
  const size = 0.37 * Math.hypot(x, y, z);
  return [(side === 'left' ? 0.5 : -0.5) * size, -0.16 * size, 0];
}

function boneOf(figure: Figure, name: string): Figure['bones'][number] {
  return figure.bones.find((bone) => bone.name === name) as Figure['bones'][number];
}

function worldOf(figure: Figure, pose: Float64Array): (name: string, point?: Vec) => Vec {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return (name, point = [0, 0, 0]) => {
    const m = state.worldFromBone.subarray(12 * boneOf(figure, name).index);
    return [0, 1, 2].map(
      (k) => m[3 * k] * point[0] + m[3 * k + 1] * point[1] + m[3 * k + 2] * point[2] + m[9 + k],
    );
  };
}

const palmOf = (figure: Figure, pose: Float64Array, side: 'left' | 'right'): Vec =>
  worldOf(figure, pose)(`${side}Hand`, palmIn(figure, side));

const distance = (a: Vec, b: Vec): number => Math.hypot(...a.map((x, k) => x - b[k]));

/** Poses at the frames of the report. */
function framesOf(figure: Figure, motion: Motion, times: ArrayLike<number>): Float64Array[] {
  const sampler = createMotionSampler(figure, motion);
  return Array.from(times, (time) => samplePose(sampler, time, new Float64Array(figure.dof)));
}

/** The angle at which a function that changes its sign between two is 0. */
function rootOf(low: number, high: number, f: (angle: number) => number): number {
  const sign = Math.sign(f(low));
  let [a, b] = [low, high];
  for (let n = 0; n < 60; n++) {
    const middle = 0.5 * (a + b);
    if (Math.sign(f(middle)) === sign) a = middle;
    else b = middle;
  }
  return a;
}

interface Result {
  readonly motion: Motion;
  readonly report: RetargetReport;
  readonly poses: readonly Float64Array[];
  readonly target: Figure;
}

function retarget(target: Figure, clip: Motion, options: RetargetMotionOptions): Result {
  const retargeter = createRetargeter(source, target);
  const { motion, report } = retargetMotion(retargeter, clip, options);
  const figure = retargeter.target;
  return { motion, report, poses: framesOf(figure, motion, report.times), target: figure };
}

/** Largest second difference of a path, m/s^2. */
function accelerationOf(path: readonly Vec[]): number {
  let most = 0;
  for (let f = 1; f + 1 < path.length; f++) {
    most = Math.max(most, Math.hypot(...path[f].map((x, k) => path[f - 1][k] - 2 * x + path[f + 1][k])));
  }
  return most * RATE * RATE;
}

/** The palms touch at x = 0, which the two sides mirror. */
const clapAngle = rootOf(-1.2, -1.7, (angle) => palmOf(source, clapWith(angle), 'left')[0]);
function clapWith(angle: number): Float64Array {
  return poseOf({ UpperArm: [0, angle, 0], LowerArm: [0, -0.6, 0], Hand: [1.5, 0, 0] });
}
const clap = clipOf(clapWith(clapAngle));

/** A plank on balls and palms, and the same with the hands off the ground. */
const plankAngle = rootOf(0.9, 1.5, (angle) => palmOf(source, plankAt(angle), 'left')[1] - 0.02);
function plankAt(angle: number, lift = 0): Float64Array {
  const pose = poseOf({
    hips: [angle, 0, 0],
    UpperArm: [0, -1.45 - lift, 0],
    LowerArm: [0, -0.3, 0],
    Hand: [0, 0, 0.9],
  });
  // The balls where they are at rest.
  const ball = worldOf(source, pose)('leftToes');
  const rest = worldOf(source, new Float64Array(source.dof))('leftToes');
  pose.set([0, rest[1] - ball[1], rest[2] - ball[2]]);
  return pose;
}
const plank = clipOf(plankAt(plankAngle), plankAt(plankAngle, 0.5));

const TARGETS: Readonly<Record<string, Figure>> = {
  'of a child': human(1.1),
  'with long arms': human(1.8, 1.15),
  'with short arms': human(1.6, 0.88),
  'with long arms and balls for joints': human(1.8, 1.15, true),
  'with short arms and balls for joints': human(1.4, 0.85, true),
};
const IN_CLAP = [1, 2] as const;

describe('hands that clap meet', () => {
  for (const [name, target] of Object.entries(TARGETS)) {
    test(`on a body ${name}`, () => {
      const relations = [{ hand: 'left', to: 'rightHand', over: IN_CLAP }] as const;
      const { poses, report } = retarget(target, clap, { relations });
      const paths = (['left', 'right'] as const).map((side) =>
        poses.map((pose) => palmOf(target, pose, side)),
      );
      report.times.forEach((time, f) => {
        if (time < 1 || time > 2) return;
        expect(distance(paths[0][f], paths[1][f])).toBeLessThan(1e-3);
        expect(report.relations[0].error[f]).toBeLessThan(1);
      });
      for (const pose of poses) expect(limitViolation(target, pose)).toBeLessThan(1e-6);
      const carried = retarget(target, clap, {}).poses.map((pose) => palmOf(target, pose, 'left'));
      expect(accelerationOf(paths[0])).toBeLessThan(accelerationOf(carried) + 6);
    });
  }
});

const FEET = (['left', 'right'] as const).map((foot) => {
  return { foot, point: 'ball' as const, over: [0, 3] as const };
});

describe('palms stay where they come to the ground', () => {
  for (const [name, target] of Object.entries(TARGETS)) {
    test(`on a body ${name}`, () => {
      const { poses, report } = retarget(target, plank, {});
      for (const side of ['left', 'right'] as const) {
        const contact = report.contacts.find((point) => 'hand' in point && point.hand === side);
        const spans = contact?.spans ?? [];
        expect(spans).toHaveLength(1);
        const [from, to] = spans[0];
        expect(report.times[from]).toBeLessThan(1.02);
        expect(report.times[to]).toBeGreaterThan(1.98);
        const path = poses.map((pose) => palmOf(target, pose, side));
        for (let f = from; f <= to; f++) {
          expect(Math.abs(path[f][1])).toBeLessThan(1e-3);
          expect(distance(path[f], path[from])).toBeLessThan(1e-3);
        }
        for (const [, height] of path) expect(height).toBeGreaterThan(-1e-3);
        const carried = retarget(target, plank, { contacts: FEET }).poses.map((pose) =>
          palmOf(target, pose, side),
        );
        expect(accelerationOf(path)).toBeLessThan(accelerationOf(carried) + 6);
      }
      for (const pose of poses) expect(limitViolation(target, pose)).toBeLessThan(1e-6);
    });
  }
});
describe('live, palms stay where they come to the ground', () => {
  /** Frames at 60 a second, and in which the palms are pinned. */
  function live(
    target: Figure,
    clip: Motion,
  ): { poses: Float64Array[]; pinned: boolean[][]; figure: Figure } {
    const retargeter = createRetargeter(source, target);
    const state = createLiveRetargeter(retargeter);
    const sampler = createMotionSampler(source, clip);
    const out = new Float64Array(retargeter.target.dof);
    const poses: Float64Array[] = [];
    const pinned: boolean[][] = [];
    for (let f = 0; f <= 180; f++) {
      const pose = samplePose(sampler, f / 60, new Float64Array(source.dof));
      poses.push(retargetPose(state, pose, f / 60, out).slice());
      pinned.push(state.hands.map((hand) => hand.pinned));
    }
    return { poses, pinned, figure: retargeter.target };
  }

  /** The palm where rotations are carried alone. */
  function carriedOf(target: Figure, side: 'left' | 'right'): Vec[] {
    const { motion } = retarget(target, plank, { contacts: FEET });
    const times = Array.from({ length: 181 }, (_, f) => f / 60);
    return framesOf(target, motion, times).map((pose) => palmOf(target, pose, side));
  }

  for (const [name, target] of Object.entries(TARGETS)) {
    test(`on a body ${name}`, () => {
      const { poses, pinned, figure } = live(target, plank);
      for (const [h, side] of (['left', 'right'] as const).entries()) {
        const path = poses.map((pose) => palmOf(figure, pose, side));
        const first = pinned.findIndex((flags) => flags[h]);
        const last = pinned.map((flags) => flags[h]).lastIndexOf(true);
        // Down as the palm is slow, a moment before 1 s; up a moment after 2 s.
        expect(first).toBeGreaterThan(40);
        expect(first).toBeLessThan(60);
        expect(last).toBeGreaterThan(120);
        expect(last).toBeLessThan(140);
        // A quarter of a second later what was left of its height has faded.
        for (let f = first + 15; f <= last; f++) {
          expect(Math.abs(path[f][1])).toBeLessThan(1e-3);
          expect(distance(path[f], path[first + 15])).toBeLessThan(1e-3);
        }
        for (let f = first; f <= last; f++) {
          expect(Math.hypot(path[f][0] - path[first][0], path[f][2] - path[first][2])).toBeLessThan(1e-3);
        }
        for (const [, height] of path) expect(height).toBeGreaterThan(-1e-3);
        // At 60 frames a second: no pop where the palm comes down or leaves.
        expect(4 * accelerationOf(path)).toBeLessThan(4 * accelerationOf(carriedOf(target, side)) + 12);
      }
      for (const pose of poses) expect(limitViolation(figure, pose)).toBeLessThan(1e-6);
      expect(live(target, plank).poses).toEqual(poses);
    });
  }

  test('a hand that rests in the air, low or not, is carried as it is', () => {
    const lifted = clipOf(plankAt(plankAngle, 0.5), plankAt(plankAngle, 0.6));
    const { poses, pinned } = live(source, lifted);
    expect(pinned.flat().some(Boolean)).toBe(false);
    const given = Array.from({ length: 181 }, (_, f) =>
      samplePose(createMotionSampler(source, lifted), f / 60, new Float64Array(source.dof)),
    );
    for (const [f, pose] of poses.entries()) {
      for (const { coordinate, dof, name } of source.bones) {
        if (!/Arm$|Hand$/.test(name)) continue;
        for (let i = coordinate; i < coordinate + dof; i++) expect(pose[i]).toBeCloseTo(given[f][i], 6);
      }
    }
  });
});

test('live, a palm is on the ground of the feet alone', () => {
  const up = [0, 1, 0];
  const isDown = (height: number, ground: number): boolean => {
    const hand = createLiveHand({} as Parameters<typeof createLiveHand>[0]);
    updatePalmContact(hand, [0, height, 0], up, ground, 1 / 60, 0.87, true);
    return hand.palm.isDown;
  };
  expect(isDown(0.01, 0)).toBe(true);
  expect(isDown(0.5, 0)).toBe(false);
  // Legs up: what is below them is no ground that they have found.
  expect(isDown(-0.5, 0)).toBe(false);
  // Without feet.
  expect(isDown(0.5, Number.POSITIVE_INFINITY)).toBe(false);
});

describe('a hand keeps its place', () => {
  const akimbo = clipOf(poseOf({ UpperArm: [0, 0.2, -0.9], LowerArm: [0, -1.9, 0] }));
  for (const [name, target] of Object.entries(TARGETS)) {
    test(`on the hips of a body ${name}: its offset, scaled by the width of the hips`, () => {
      const { poses, report } = retarget(target, akimbo, {
        relations: [{ hand: 'left', to: 'hips', over: [1, 2] }],
      });
      const given = framesOf(source, akimbo, report.times);
      const width = (figure: Figure): number => Math.abs(boneOf(figure, 'leftUpperLeg').rest.position[0]);
      const scale = width(target) / width(source);
      report.times.forEach((time, f) => {
        if (time < 1 || time > 2) return;
        const offset = offsetIn(source, given[f], 'hips');
        const own = offsetIn(target, poses[f], 'hips');
        expect(
          distance(
            own,
            offset.map((x) => scale * x),
          ),
        ).toBeLessThan(1e-3);
        expect(report.relations[0].error[f]).toBeLessThan(1);
      });
      for (const pose of poses) expect(limitViolation(target, pose)).toBeLessThan(1e-6);
    });
    test(`at a point that moves, of a body ${name}`, () => {
      const start = palmOf(target, retarget(target, clap, {}).poses[45], 'right');
      const position = (time: number): Vec => start.map((x, k) => x + 0.04 * (time - 1.5) * (k + 1));
      const { poses, report } = retarget(target, clap, {
        relations: [{ hand: 'right', to: { position }, over: [1, 2] }],
      });
      report.times.forEach((time, f) => {
        if (time < 1 || time > 2) return;
        expect(distance(palmOf(target, poses[f], 'right'), position(time))).toBeLessThan(1e-3);
      });
    });
  }
  /** Left palm in the axes of the T-pose of a bone. */
  function offsetIn(figure: Figure, pose: Float64Array, bone: string): Vec {
    const at = worldOf(figure, pose);
    const origin = at(bone);
    const palm = palmOf(figure, pose, 'left');
    return [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].map((axis) => {
      const end = at(bone, axis);
      return [0, 1, 2].reduce((sum, k) => sum + (end[k] - origin[k]) * (palm[k] - origin[k]), 0);
    });
  }
});

test('contacts of hands are end over the span given, and only there', () => {
  const target = human(1.3, 0.9);
  const { poses, report } = retarget(target, plank, {
    contacts: [...FEET, { hand: 'left', over: [1.2, 1.8] }],
  });
  const contacts = report.contacts.filter((contact) => 'hand' in contact);
  expect(contacts.map(({ hand, spans }) => [hand, spans])).toEqual([['left', [[36, 54]]]]);
  const pin = palmOf(target, poses[36], 'left');
  for (let f = 36; f <= 54; f++) {
    expect(Math.abs(palmOf(target, poses[f], 'left')[1])).toBeLessThan(1e-3);
    expect(distance(palmOf(target, poses[f], 'left'), pin)).toBeLessThan(1e-3);
  }
});

test('two hands on a prop keep their distance where its size is not to be scaled', () => {
  const target = human(1.1);
  const carry = clipOf(poseOf({ UpperArm: [0, -1, 0], LowerArm: [0, -0.9, 0] }));
  const { poses, report } = retarget(target, carry, {
    relations: [{ hand: 'right', to: 'leftHand', over: [1, 2], scale: 1 }],
  });
  const given = framesOf(source, carry, report.times)[45];
  const apart = (figure: Figure, pose: Float64Array): number =>
    distance(palmOf(figure, pose, 'left'), palmOf(figure, pose, 'right'));
  expect(Math.abs(apart(target, poses[45]) - apart(source, given))).toBeLessThan(1e-3);
});

test('a hand on the other arm, which is moved too, keeps its place there', () => {
  const target = human(1.3, 1.1);
  const crossed = clipOf(
    poseOf({ leftUpperArm: [0, -1.3, -0.2], leftLowerArm: [0, -1.2, 0], rightUpperArm: [0, -1, 0] }),
  );
  const { poses, report } = retarget(target, crossed, {
    relations: [
      { hand: 'left', to: 'rightLowerArm', over: [1, 2] },
      { hand: 'right', to: { position: [-0.15, 0.9, 0.5] }, over: [1, 2] },
    ],
  });
  const offset = (figure: Figure, pose: Float64Array): number =>
    distance(palmOf(figure, pose, 'left'), worldOf(figure, pose)('rightLowerArm'));
  const given = framesOf(source, crossed, report.times);
  const length = (figure: Figure): number => Math.abs(boneOf(figure, 'rightHand').rest.position[0]);
  for (let f = RATE; f <= 2 * RATE; f++) {
    const scale = length(target) / length(source);
    expect(Math.abs(offset(target, poses[f]) - scale * offset(source, given[f]))).toBeLessThan(1e-3);
    expect(Math.max(...report.relations.map(({ error }) => error[f]))).toBeLessThan(1);
  }
});

test('the same clip gives the same poses', () => {
  const target = TARGETS['with short arms'];
  const options = { relations: [{ hand: 'left', to: 'rightHand', over: IN_CLAP }] } as const;
  expect(retarget(target, clap, options).poses).toEqual(retarget(target, clap, options).poses);
});

describe('bad relations and contacts are refused with what, where and a remedy', () => {
  const given: readonly (readonly [string, unknown, RegExp])[] = [
    ['no list', { relations: {} }, /options\.relations: is not a list/],
    ['no hand', { relations: [{ hand: 'both', to: 'head', over: [0, 1] }] }, /relations\[0\]\.hand: /],
    ['no part', { relations: [{ hand: 'left', to: 'nose', over: [0, 1] }] }, /relations\[0\]\.to: /],
    ['the own arm', { relations: [{ hand: 'left', to: 'leftLowerArm', over: [0, 1] }] }, /own arm/],
    [
      'no point',
      { relations: [{ hand: 'left', to: { position: [0, Number.NaN, 0] }, over: [0, 1] }] },
      /to\.position\[1\]/,
    ],
    ['no time', { relations: [{ hand: 'left', to: 'head', over: [5, 6] }] }, /over: has no frame/],
    ['no scale', { relations: [{ hand: 'left', to: 'head', over: [0, 1], scale: 0 }] }, /scale: /],
    [
      'two at a time',
      {
        relations: [
          { hand: 'left', to: 'head', over: [0, 1] },
          { hand: 'left', to: 'hips', over: [1, 2] },
        ],
      },
      /relations\[1\]: holds the hand at the same time as options\.relations\[0\]/,
    ],
    ['no contact', { contacts: [{ hand: 'middle', over: [0, 1] }] }, /contacts\[0\]\.hand: /],
    ['no span', { contacts: [{ hand: 'left', over: [0] }] }, /contacts\[0\]\.over: /],
  ];
  const retargeter = createRetargeter(source, human(1.6));
  for (const [name, options, message] of given) {
    test(name, () => {
      const call = () => retargetMotion(retargeter, clap, options as RetargetMotionOptions);
      expect(call).toThrow(message);
      expect(call).toThrow(MotionError);
    });
  }
  test('a part that the body lacks', () => {
    const plain = human(1.6);
    const data = figureToData(plain);
    const toeless = createFigure({ ...data, bones: data.bones.filter(({ name }) => !/Toes/.test(name)) });
    const relations = [{ hand: 'left', to: 'leftToes', over: [0, 1] }] as const;
    expect(() => retargetMotion(createRetargeter(source, toeless), clap, { relations })).toThrow(
      /does not have/,
    );
  });
});
