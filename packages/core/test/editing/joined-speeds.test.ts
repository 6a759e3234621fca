/** Loops and transitions: no bone leaves its socket, no root moves without a reason, and no bone rushes. */
import { describe, expect, test } from 'vitest';
import { createTransition, loopMotion } from '../../src/editing/index.js';
import { createFigure, createState, forwardKinematics, worldPoint } from '../../src/figure/index.js';
import { createMotion, cubicSpline, type Motion } from '../../src/motion/index.js';
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
