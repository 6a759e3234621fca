/** Quick changes of rotations, and bodies with longer levers. */
import { describe, expect, test } from 'vitest';
import {
  type BoneData,
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from '../../src/motion/index.js';
import { createRetargeter, type RetargetReport, retargetMotion } from '../../src/retarget/index.js';

/** The built-in human without limits, with bones moved in their parents: m along up and forward. */
function humanWith(moved: Readonly<Record<string, readonly [up: number, forward: number]>> = {}): Figure {
  const data = figureToData(createHumanFigure());
  return createFigure({
    ...data,
    bones: data.bones.map(({ limit: _, ...bone }, b): BoneData => {
      const [x, y, z] = bone.rest?.position ?? [0, 0, 0];
      const [up, forward] = moved[bone.name] ?? [0, 0];
      return {
        ...bone,
        rest: { ...bone.rest, position: [x, y + up, z + forward] },
        joint: { type: b === 0 ? 'free' : 'ball' },
      };
    }),
  });
}

/** Poses at `rate`, each joint rotated about the left by its angle, rad. */
function clipOf(
  figure: Figure,
  rate: number,
  count: number,
  angles: Readonly<Record<string, (f: number) => number>>,
): Motion {
  const poses = Array.from({ length: count }, (_, f) => {
    const pose = new Float64Array(figure.dof);
    for (const [name, angle] of Object.entries(angles)) {
      const { coordinate, dof } = figure.bones.find((bone) => bone.name === name) as Figure['bones'][number];
      pose[coordinate + dof - 3] = angle(f);
    }
    return pose;
  });
  return motionFromPoses(
    figure,
    poses.map((_, f) => f / rate),
    poses,
  );
}

/** Of a bone in each frame: its origin relative to that of another (or to the world), and the angle of its forward over the ground. */
function pathOf(figure: Figure, motion: Motion, times: Float64Array, name: string, relativeTo?: string) {
  const indexOf = (bone: string): number => figure.bones.findIndex((each) => each.name === bone);
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const origins: number[][] = [];
  const pitches: number[] = [];
  for (const time of times) {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const { worldFromBone: w } = state;
    const at = (bone: string): number[] =>
      Array.from(w.subarray(12 * indexOf(bone) + 9, 12 * indexOf(bone) + 12));
    const from = relativeTo === undefined ? [0, 0, 0] : at(relativeTo);
    origins.push(at(name).map((x, k) => x - from[k]));
    pitches.push(Math.asin(w[12 * indexOf(name) + 5]));
  }
  return { origins, pitches };
}

/** Degrees. */
function hipsError({ times, bones, orientationError }: RetargetReport): number {
  const hips = bones.indexOf('hips');
  return Math.max(...Array.from(times, (_, f) => orientationError[bones.length * f + hips]));
}

/** Root of the mean squared third difference. */
function jerkOf(path: readonly (readonly number[])[]): number {
  const thirds = path
    .slice(3)
    .map((x, f) => Math.hypot(...x.map((y, k) => y - 3 * path[f + 2][k] + 3 * path[f + 1][k] - path[f][k])));
  return Math.sqrt(thirds.reduce((sum, x) => sum + x * x, 0) / thirds.length);
}

/** Of 44 Hz at 120 frames a second, as noise of markers is. */
const noise = (f: number): number => 1e-3 * Math.sin(2.3 * f);

describe('a pelvis that trembles, and a spine that takes it back', () => {
  const low = humanWith({ spine: [-0.05, 0], chest: [0.05, 0] });
  const high = humanWith({ spine: [0.12, 0], chest: [-0.12, 0] });
  const slow = (f: number): number => 0.2 * Math.sin((2 * Math.PI * f) / 120);
  const angles = { hips: (f: number) => slow(f) + noise(f), spine: (f: number) => -slow(f) - noise(f) };

  test('a spine that begins higher does not make the head tremble more', () => {
    const clip = clipOf(low, 120, 120, angles);
    const { motion, report } = retargetMotion(createRetargeter(low, high), clip, {
      contacts: [],
      rate: 120,
    });
    const given = jerkOf(pathOf(low, clip, report.times, 'head', 'hips').origins);
    // Carried alone 2.9 times as much.
    expect(jerkOf(pathOf(high, motion, report.times, 'head', 'hips').origins)).toBeLessThan(1.1 * given);
    // What is slow is carried: the pelvis is off by its noise alone, and the report says so.
    expect(hipsError(report)).toBeLessThan((180 / Math.PI) * 1e-3);
    expect(hipsError(report)).toBeGreaterThan((180 / Math.PI) * 5e-4);
  });

  test('stays within 0.06 degrees of where the clip has it', () => {
    const clip = clipOf(low, 120, 120, { hips: (f) => 30 * noise(f), spine: (f) => -30 * noise(f) });
    const { report } = retargetMotion(createRetargeter(low, high), clip, { contacts: [], rate: 120 });
    expect(hipsError(report)).toBeCloseTo((180 / Math.PI) * 1e-3, 4);
  });

  test.each([
    ['the same height', low, low],
    ['lower', high, low],
  ])('at a spine that begins at %s nothing is changed', (_, source, target) => {
    const clip = clipOf(source, 120, 120, angles);
    const { report } = retargetMotion(createRetargeter(source, target), clip, { contacts: [], rate: 120 });
    expect(report.summary.maxOrientationError).toBeLessThan(1e-4);
  });
});

describe('a foot that trembles', () => {
  const human = humanWith();
  // The heel of the left foot is up, its ball is down; the right foot is in the air.
  const angles = {
    leftFoot: (f: number) => 0.4 + noise(f),
    rightUpperLeg: () => -0.6,
    rightLowerLeg: () => 0.8,
    rightFoot: noise,
  };
  const clip = clipOf(human, 120, 120, angles);
  const { motion, report } = retargetMotion(createRetargeter(human, human), clip, {
    contacts: [{ foot: 'left', point: 'ball', over: [0, 1] }],
    rate: 120,
  });

  test('does not shake its ankle while its ball is held', () => {
    const { origins } = pathOf(human, motion, report.times, 'leftFoot');
    const toes = pathOf(human, clip, report.times, 'leftToes').origins;
    // The ankle of the clip is still, its toes tremble: so much was handed on to the ankle.
    expect(jerkOf(toes)).toBeGreaterThan(1e-4);
    expect(jerkOf(origins)).toBeLessThan(0.1 * jerkOf(toes));
  });

  test('trembles as in the clip in the air', () => {
    const { pitches } = pathOf(human, motion, report.times, 'rightFoot');
    const given = pathOf(human, clip, report.times, 'rightFoot').pitches;
    pitches.forEach((pitch, f) => {
      expect(Math.abs(pitch - given[f])).toBeLessThan(1e-6);
    });
  });
});

test('the ball of a long foot lands over its heel as fast as that of the clip', () => {
  const human = humanWith();
  const long = humanWith({ leftToes: [0, 0.3], rightToes: [0, 0.3] });
  // The foot comes down slower and slower: at frame 20 its ball is slow enough for a contact.
  const clip = clipOf(human, 24, 40, { leftFoot: (f) => -0.35 * Math.exp(-Math.max(0, f - 10) / 7) });
  const landing = 20;
  const { motion, report } = retargetMotion(createRetargeter(human, long), clip, {
    contacts: [
      { foot: 'left', point: 'heel', over: [0, 39 / 24] },
      { foot: 'left', point: 'ball', over: [(landing - 0.5) / 24, 39 / 24] },
    ],
    rate: 24,
  });
  const speedOf = (figure: Figure, own: Motion): number => {
    const { origins } = pathOf(figure, own, report.times, 'leftToes');
    return 12 * Math.hypot(...origins[landing + 1].map((x, k) => x - origins[landing - 1][k]));
  };
  // It was 2.4 times as fast.
  expect(speedOf(long, motion)).toBeLessThan(1.1 * speedOf(human, clip));
});
