/** Joints that come to their limits and leave them in a retargeted clip. */
import { describe, expect, test } from 'vitest';
import { limitViolation } from '../../src/figure/index.js';
import { limitShapes } from '../../src/figure/limits/shapes.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotionSampler, motionFromPoses, samplePose } from '../../src/motion/index.js';
import { createRetargeter, retargetMotion } from '../../src/retarget/index.js';
import { projectLimit } from '../../src/retarget/pose/project-limit.js';
import { random } from '../robot/support.js';

describe('a clip that goes beyond a limit', () => {
  const human = createHumanFigure();
  const step = 1 / 120;
  const retargeter = createRetargeter(human, human);
  const limits = ['head', 'rightLowerArm'].flatMap((name) => {
    const bone = human.bones.findIndex((each) => each.name === name);
    return human.limitComponents.filter((limit) => limit.bone === bone);
  });

  test.each(limits.map((limit) => [human.bones[limit.bone].name, limit.role, limit] as const))(
    '%s, %s: is within it, without a kink where it begins and ends',
    (_, __, { kind, parameters, coordinate, size }) => {
      const poses = Array.from({ length: 121 }, (_, f) => {
        const pose = new Float64Array(human.dof);
        // 40 degrees beyond the limit, and back.
        const largest = kind === 'interval' ? parameters[1] : parameters[kind === 'quad-ellipse' ? 1 : 0];
        pose[coordinate] = (largest + 0.7) * Math.sin((Math.PI * f) / 120) ** 2;
        return pose;
      });
      const clip = motionFromPoses(
        human,
        poses.map((_, f) => f * step),
        poses,
      );
      const { motion } = retargetMotion(retargeter, clip, { contacts: [], rate: 120 });
      const sampler = createMotionSampler(human, motion);
      const path = poses.map(
        (_, f) => samplePose(sampler, f * step, new Float64Array(human.dof))[coordinate],
      );
      const sharpest = (x: readonly number[]): number =>
        Math.max(...x.slice(2).map((_, f) => Math.abs(x[f] - 2 * x[f + 1] + x[f + 2])));
      const source = poses.map((pose) => pose[coordinate]);
      // Clamped alone they are 10 to 13 times as sharp.
      expect(sharpest(path)).toBeLessThan(2.5 * sharpest(source));
      const most = Math.max(...path);
      expect(limitShapes[kind].value(parameters, [most, 0, 0], 0, size)).toBeLessThan(1e-9);
      expect(limitShapes[kind].value(parameters, [most, 0, 0], 0, size)).toBeGreaterThan(-0.02);
    },
  );
});

test('joints of a chain that are eased at once: what hangs on them keeps its orientation', () => {
  const human = createHumanFigure();
  const retargeter = createRetargeter(human, human);
  const at = (name: string) => human.bones[human.bones.findIndex((each) => each.name === name)].coordinate;
  const poses = Array.from({ length: 121 }, (_, f) => {
    const pose = new Float64Array(human.dof);
    const share = Math.sin((Math.PI * f) / 120) ** 2;
    // Swing and twist of the upper arm and the elbow leave their limits together, the head does alone.
    pose[at('leftUpperArm')] = 2.6 * share;
    pose[at('leftUpperArm') + 2] = 2.4 * share;
    pose[at('leftLowerArm')] = 3 * share;
    pose[at('head')] = 1.4 * share;
    return pose;
  });
  const clip = motionFromPoses(
    human,
    poses.map((_, f) => f / 120),
    poses,
  );
  const { motion, report } = retargetMotion(retargeter, clip, { contacts: [], rate: 120 });
  const { bones, orientationError, atLimit, times } = report;
  const worst = new Map<string, number>();
  let limited = 0;
  for (let f = 0; f < times.length; f++) {
    bones.forEach((name, s) => {
      const i = bones.length * f + s;
      if (atLimit[i] === 1) limited++;
      else worst.set(name, Math.max(worst.get(name) ?? 0, orientationError[i]));
    });
  }
  expect(limited).toBeGreaterThan(100);
  for (const name of [
    'neck',
    'rightUpperArm',
    'rightHand',
    'leftShoulder',
    'leftHand',
    'leftFoot',
    'chest',
  ] as const)
    expect(worst.get(name), name).toBeLessThan(1e-4);
  const sampler = createMotionSampler(human, motion);
  for (const time of times) {
    expect(limitViolation(human, samplePose(sampler, time, new Float64Array(human.dof)))).toBeLessThan(1e-9);
  }
});

describe('projectLimit', () => {
  const kinds = [
    { kind: 'interval', parameters: [-0.3, 0.8], size: 1 },
    { kind: 'disk', parameters: [0.7], size: 2 },
    { kind: 'ellipse', parameters: [0.4, 0.9], size: 2 },
    { kind: 'quad-ellipse', parameters: [-0.2, 0.7, -0.5, 0.4], size: 2 },
  ] as const;
  test.each(kinds)(
    '$kind: within the limit, no nearer to it than asked for',
    ({ kind, parameters, size }) => {
      const limit = { bone: 0, coordinate: 1, role: 'angle', kind, parameters, size } as const;
      const shape = limitShapes[kind];
      const next = random(7);
      for (let n = 0; n < 100; n++) {
        const x = Float64Array.from({ length: 4 }, () => 1.5 * next());
        const nearest = x.slice();
        shape.project(parameters, nearest, 1, size);
        const distance = Math.hypot(...x.map((value, i) => value - nearest[i]));
        const plain = x.slice();
        const excess = projectLimit(limit, plain, 0);
        expect([...plain]).toEqual([...nearest]);
        expect(Math.abs(excess)).toBeCloseTo(distance, 12);
        const sign = kind === 'interval' && next() < 0 ? -1 : 1;
        const inwards = sign * (Math.max(0, sign * excess) + 0.05);
        const eased = x.slice();
        expect(projectLimit(limit, eased, inwards)).toBe(excess);
        expect(shape.value(parameters, eased, 1, size)).toBeLessThanOrEqual(0);
        expect([eased[0], eased[3]]).toEqual([x[0], x[3]]);
        const moved = Math.hypot(...x.map((value, i) => value - eased[i]));
        expect(moved).toBeLessThan(Math.max(distance, Math.abs(inwards)) + 1e-9);
      }
    },
  );
});
