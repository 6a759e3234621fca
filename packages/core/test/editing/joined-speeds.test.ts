/** Loops and transitions: no bone leaves its socket, no root moves without a reason, and no bone rushes. */
import { describe, expect, test } from 'vitest';
import { createTransition, loopMotion } from '../../src/editing/index.js';
import { createFigure, createState, forwardKinematics, worldPoint } from '../../src/figure/index.js';
import {
  createMotion,
  createMotionSampler,
  cubicSpline,
  type Motion,
  samplePose,
} from '../../src/motion/index.js';
import { poseOf, sampleTimes } from './support.js';

/** Hips with a leg whose upper bone is free, as rigs from files have them where its node has keys of a translation. */
const figure = createFigure({
  bones: [
    { name: 'root', joint: { type: 'free' } },
    { name: 'hips', parent: 'root', joint: { type: 'free' }, rest: { position: [0, 0.95, 0] } },
    {
      name: 'chest',
      parent: 'hips',
      joint: { type: 'ball' },
      rest: { position: [0, 0.2, 0] },
      tip: [0, 0.5, 0],
    },
    { name: 'thigh', parent: 'hips', joint: { type: 'free' } },
    { name: 'shin', parent: 'thigh', joint: { type: 'ball' }, rest: { position: [0, -0.47, 0] } },
    {
      name: 'foot',
      parent: 'shin',
      joint: { type: 'ball' },
      rest: { position: [0, -0.47, 0] },
      tip: [0, 0, 0.2],
    },
  ],
});
const [HIPS, THIGH, SHIN] = ['hips', 'thigh', 'shin'].map(
  (name) => figure.bones.find((bone) => bone.name === name)?.coordinate ?? -1,
);
const contactPoints = [{ bone: 'foot' }];

/** A clip of two seconds from poses. */
function clipOf(poseAt: (time: number, pose: Float64Array) => void): Motion {
  const times = sampleTimes(0, 2, 61);
  const values = times.flatMap((time) => {
    const pose = new Float64Array(figure.dof);
    poseAt(time, pose);
    return Array.from(pose);
  });
  return createMotion(figure, { tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }] });
}

/** Bends hip and knee. */
function bend(pose: Float64Array, thigh: number, knee: number): void {
  pose[THIGH + 3] = -thigh;
  pose[SHIN] = knee;
}

/** Sways on the spot on a foot that stands. */
const swaying = (phase: number): Motion =>
  clipOf((time, pose) => {
    pose[HIPS + 1] = -0.03;
    pose[HIPS + 2] = 0.04 * Math.sin(2.3 * time + phase);
    bend(pose, 0.25 + 0.02 * Math.sin(3 * time + phase), 0.5);
  });

/** Runs on the spot: the foot rushes under hips that stay. */
const runningOnTheSpot = clipOf((time, pose) => {
  pose[HIPS + 3] = 0.05 * Math.sin(9 * time);
  bend(pose, 0.5 + 0.7 * Math.sin(9 * time), 0.9 + 0.5 * Math.cos(9 * time));
});

function speedsOf(motion: Motion, bone: string, [from, to]: readonly [number, number]): number {
  const index = figure.bones.findIndex(({ name }) => name === bone);
  const pose = poseOf(figure, motion);
  const state = createState(figure);
  const step = (to - from) / 400;
  const places = sampleTimes(from, to, 401).map((time) => {
    forwardKinematics(state, pose(time));
    return worldPoint(state, index, bone === 'chest' ? figure.bones[index].tip : undefined);
  });
  return Math.max(
    ...places.slice(1).map((p, k) => Math.hypot(...[0, 1, 2].map((r) => p[r] - places[k][r])) / step),
  );
}

describe('where contacts are pinned', () => {
  test.each([
    ['a loop', () => loopMotion(figure, swaying(0), { from: 0.2, to: 1.7, contactPoints })],
    ['a transition', () => createTransition(figure, swaying(0), swaying(2), { contactPoints })],
  ])('no leg of %s leaves its socket', (_, join) => {
    const { motion, contacts } = join();
    expect(contacts.length).toBeGreaterThan(0);
    const pose = poseOf(figure, motion);
    const off = sampleTimes(motion.start, motion.end, 101).map((time) =>
      Math.hypot(...pose(time).slice(THIGH, THIGH + 3)),
    );
    expect(Math.max(...off)).toBe(0);
  });

  test('a foot that has far to go is pinned where it need not rush', () => {
    const [raised, standing] = [1.2, 0.1].map((thigh) => clipOf((_, pose) => bend(pose, thigh, 0.2)));
    const { motion, window } = createTransition(figure, raised, standing, {
      align: false,
      contactPoints,
      duration: 0.5,
      ground: 0.015,
    });
    const ankle = (thigh: number): number[] => [
      0.47 * (Math.sin(thigh) + Math.sin(thigh - 0.2)),
      0.47 * (Math.cos(thigh) + Math.cos(thigh - 0.2)),
    ];
    const distance = Math.hypot(...ankle(1.2).map((x, k) => x - ankle(0.1)[k]));
    expect(speedsOf(motion, 'foot', window)).toBeLessThan((1.2 * 1.875 * distance) / 0.5 + 0.1);
  });
});

test('where no contact is pinned, hips that stay in the clips stay', () => {
  const { motion, contacts, window } = createTransition(figure, runningOnTheSpot, runningOnTheSpot, {
    at: 0.6,
    from: 0.35,
    duration: 0.5,
    contactPoints,
  });
  expect(contacts).toEqual([]);
  const pose = poseOf(figure, motion);
  const off = sampleTimes(...window, 101).flatMap((time) => Array.from(pose(time).slice(0, HIPS + 3)));
  expect(Math.max(...off.map(Math.abs))).toBeLessThan(1e-12);
});

test('a difference of half a turn that grows does not change to the other side', () => {
  const rotated = (from: number, to: number): Motion =>
    clipOf((time, pose) => {
      pose[figure.bones[2].coordinate] = from + ((to - from) * time) / 2;
    });
  const { motion, window } = createTransition(
    figure,
    rotated(0, 0),
    rotated(0.85 * Math.PI, 1.15 * Math.PI),
    {
      at: 0.75,
      from: 0.75,
      duration: 0.5,
    },
  );
  const length = 0.5;
  const rate = (1.875 * 1.06 * Math.PI) / 0.5 + 0.15 * Math.PI;
  expect(speedsOf(motion, 'chest', window)).toBeLessThan(rate * length);
});

/** An arm of two bones that rotate about z, and the largest speed of its hand. */
const arm = createFigure({
  bones: [
    { name: 'upper', joint: { type: 'hinge', axis: [0, 0, 1] } },
    {
      name: 'lower',
      parent: 'upper',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      rest: { position: [0.3, 0, 0] },
      tip: [0.3, 0, 0],
    },
  ],
});
const handOf = (q: ArrayLike<number>): [number, number] => [
  0.3 * (Math.cos(q[0]) + Math.cos(q[0] + q[1])),
  0.3 * (Math.sin(q[0]) + Math.sin(q[0] + q[1])),
];
function handSpeed(motion: Motion, [from, to]: readonly [number, number]): number {
  const pose = poseOf(arm, motion);
  const step = (to - from) / 600;
  const places = sampleTimes(from, to, 601).map((time) => handOf(pose(time)));
  return Math.max(
    ...places.slice(1).map(([x, y], k) => Math.hypot(x - places[k][0], y - places[k][1]) / step),
  );
}
const armClip = (length: number, poseAt: (time: number) => readonly number[]): Motion => {
  const times = sampleTimes(0, length, 61);
  return createMotion(arm, {
    tracks: [{ coordinate: 0, curve: cubicSpline({ times, values: times.flatMap(poseAt) }) }],
  });
};
/** The largest rate of 10 s^3 - 15 s^4 + 6 s^5. */
const PEAK = 1.875;

test('a loop that begins where a bent arm is at its fastest does not stretch it there', () => {
  const clip = armClip(1, (time) => {
    const x = Math.min(1, (time + 0.1) / 0.3);
    const u = Math.max(0, (time - 0.3) / 0.7);
    const back = u * u * (3 - 2 * u);
    return [2 * (x * x * x * (10 - 15 * x + 6 * x * x) - back), 2.4 - 1.6 * back];
  });
  const [a, b] = [0, 1].map((time) => handOf(poseOf(arm, clip)(time)));
  const way = (0.5 * PEAK * Math.hypot(a[0] - b[0], a[1] - b[1])) / (1 / 3);
  const bound = 1.2 * (handSpeed(clip, [0, 1]) + way);
  // Half of the bend of the end stretches the arm while it is fast.
  const even = loopMotion(arm, clip, { duration: 1 / 3 });
  expect(even.durations).toEqual([1 / 3, 1 / 3]);
  expect(handSpeed(even.motion, [0, 1])).toBeGreaterThan(bound);
  const { motion, durations } = loopMotion(arm, clip);
  expect(handSpeed(motion, [0, 1])).toBeLessThan(bound);
  expect(durations).toEqual([0, 1 / 3]);
  // There it is the clip.
  const [is, was] = [poseOf(arm, motion), poseOf(arm, clip)];
  for (const time of sampleTimes(0, 0.6, 31))
    Array.from(was(time)).forEach((x, i) => {
      expect(is(time)[i]).toBeCloseTo(x, 9);
    });
  const sampler = createMotionSampler(arm, motion);
  const [before, after] = [-1e-12, 1e-12].map((off) => {
    const states = [0, 1, 2].map(() => new Float64Array(arm.dof));
    samplePose(sampler, 1 + off, states[0], states[1], states[2]);
    return states.flatMap((numbers) => Array.from(numbers));
  });
  before.forEach((x, i) => {
    expect(after[i]).toBeCloseTo(x, 4);
  });
});

describe('a hand that goes a long arc', () => {
  const still = (angle: number): Motion => armClip(2, () => [angle, 0]);
  const chord = (angle: number): number => 2 * 0.6 * Math.sin(0.5 * angle);

  test('goes it at an even pace in the window that is given', () => {
    const angle = 2.4;
    const { motion, window } = createTransition(arm, still(0), still(angle), { duration: 0.5 });
    expect(window[1] - window[0]).toBeCloseTo(0.5, 12);
    const speed = handSpeed(motion, window);
    expect((PEAK * 0.6 * angle) / 0.5).toBeGreaterThan(1.2 * ((PEAK * chord(angle)) / 0.5));
    expect(speed).toBeLessThan(1.2 * ((PEAK * chord(angle)) / 0.5));
    expect(speed).toBeCloseTo((1.5 * 0.6 * angle) / 0.5, 3);
    // C2, where the pace changes too.
    const sampler = createMotionSampler(arm, motion);
    const secondAt = (time: number): number => {
      const [q, v, a] = [0, 1, 2].map(() => new Float64Array(arm.dof));
      samplePose(sampler, time, q, v, a);
      return a[0];
    };
    for (const s of [0, 1 / 3, 2 / 3, 1]) {
      const time = window[0] + 0.5 * s;
      expect(secondAt(time - 1e-9)).toBeCloseTo(secondAt(time + 1e-9), 4);
    }
  });

  test('has a longer window where none is given', () => {
    const angle = 3.1;
    const { motion, window } = createTransition(arm, still(0), still(angle));
    expect(window[1]).toBe(2);
    expect(window[1] - window[0]).toBeCloseTo(1.5 * 0.4, 12);
    expect(handSpeed(motion, window)).toBeLessThan((1.2 * PEAK * chord(angle)) / 0.4);
    // Not beyond the clips.
    const late = createTransition(arm, still(0), still(angle), { at: 1.5 });
    expect(late.window[0]).toBe(1.5);
    expect(late.window[1]).toBe(2);
  });
});
