/** Clips of any length made physical part by part, and what is left that neither gravity nor contacts give. */
import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../src/dynamics/index.js';
import { cleanMotionInSegments, rootResiduals } from '../../src/editing/index.js';
import { MotionError } from '../../src/errors.js';
import { createFigure, createState, forwardKinematics, worldPoint } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createMotionSampler, type Motion, motionFromPoses, samplePose } from '../../src/motion/index.js';
import { createRetargeter, groundContacts, retargetMotion } from '../../src/retarget/index.js';
import { squat } from '../retarget/support.js';

const mean = (values: Float64Array): number => values.reduce((sum, x) => sum + x, 0) / values.length;

describe('residuals of the root', () => {
  /** A ball of 2 kg at the end of an arm, with a free root. */
  const stick = createFigure({
    name: 'stick',
    bones: [
      {
        name: 'root',
        joint: { type: 'free' },
        mass: 2,
        centerOfMass: [0, 0.5, 0],
        inertia: [0.05, 0.02, 0.04, 0, 0, 0],
        tip: [0, 1, 0],
      },
    ],
  });
  const motionOf = (poseAt: (time: number) => number[]): Motion => {
    const times = Array.from({ length: 241 }, (_, k) => k / 240);
    return motionFromPoses(stick, times, times.map(poseAt));
  };
  const base = { bone: 'root', points: [[0, 0, 0]], over: [0, 1] } as const;

  test('of free fall with a spin about a principal axis are none, without contacts', () => {
    // The centre of mass falls; the body spins about the vertical through it.
    const fall = motionOf((t) => [1 + t, 5 + 2 * t - 4.905 * t * t, 0, 0, 3 * t, 0]);
    expect(Math.max(...rootResiduals(stick, fall, []).residuals)).toBeLessThan(1e-4);
  });

  test('of rest are the weight without contacts, and none on a contact below the centre', () => {
    const rest = motionOf(() => [0, 0, 0, 0, 0, 0]);
    for (const share of rootResiduals(stick, rest, []).residuals) expect(share).toBeCloseTo(1, 6);
    expect(Math.max(...rootResiduals(stick, rest, [base]).residuals)).toBeLessThan(1e-3);
  });

  test('of what accelerates along the ground are what friction does not give', () => {
    // 0.3 g sideways, upright: friction gives it, but with a torque about the centre half a metre above.
    const pulled = motionOf((t) => [0.5 * 0.3 * 9.81 * t * t, 0, 0, 0, 0, 0]);
    const residual = mean(rootResiduals(stick, pulled, [base]).residuals);
    // min over f of |(0.3 - f)|^2 + (1.5 f)^2: f = 0.3 / 3.25, arm 0.5 of the lever 1/3.
    expect(residual).toBeCloseTo((0.3 * 1.5) / Math.sqrt(3.25), 3);
    const slippery = rootResiduals(stick, pulled, [{ ...base, friction: 0 }]);
    expect(mean(slippery.residuals)).toBeCloseTo(0.3, 3);
  });

  test('refuses what has no mass, and what is too short', () => {
    const light = createFigure({ bones: [{ name: 'root', joint: { type: 'free' } }] });
    const still = motionFromPoses(light, [0, 1], [new Float64Array(6), new Float64Array(6)]);
    expect(() => rootResiduals(light, still, [])).toThrow(/has no mass/);
    const rest = motionOf(() => [0, 0, 0, 0, 0, 0]);
    expect(() => rootResiduals(stick, rest, [], { rate: 1 })).toThrow(MotionError);
  });

  test.each([
    [[{ bone: 'root', points: [[0, 0, 0]] }], {}, 'contacts[0].over'],
    [[base, { bone: 'root', over: [0, 1] }], {}, 'contacts[1].points'],
    [[{ ...base, points: [[0, 0]] }], {}, 'contacts[0].points[0]'],
    [[{ ...base, normal: [0, Number.NaN, 0] }], {}, 'contacts[0].normal[1]'],
    [[null], {}, 'contacts[0].points'],
    [base, {}, 'contacts'],
    [[], { gravity: [0, -9.81] }, 'options.gravity'],
  ])('refuses %j with %j', (contacts, options, path) => {
    const rest = motionOf(() => [0, 0, 0, 0, 0, 0]);
    expect(() => rootResiduals(stick, rest, contacts as never, options as never)).toThrow(
      expect.objectContaining({ name: 'MotionError', path }),
    );
  });

  test('segments shorter than their blend join without a step', () => {
    // It falls, and each segment finds another nearest fall. Gravity changes a step by 0.7 mm.
    const shaken = motionOf((t) => [
      0.1 * Math.sin(9 * t),
      0.1 * Math.sin(23 * t),
      0,
      0,
      0,
      0.3 * Math.sin(15 * t),
    ]);
    const { motion } = cleanMotionInSegments(stick, shaken, { contacts: [], segment: 0.1 });
    const sampler = createMotionSampler(stick, motion);
    const poses = Array.from({ length: 121 }, (_, k) => samplePose(sampler, k / 120, new Float64Array(6)));
    const steps = poses.slice(1).map((pose, k) => Math.hypot(...pose.map((x, i) => x - poses[k][i])));
    for (const [k, step] of steps.slice(1).entries()) expect(Math.abs(step - steps[k])).toBeLessThan(0.0015);
  });
});

describe('segments', () => {
  // Twice the squat, three seconds apart at most: three segments.
  const source = createHumanFigure({ height: 1.75 });
  const retargeter = createRetargeter(source, createHumanFigure({ height: 1.5 }));
  const { motion, report } = retargetMotion(retargeter, squat(source));
  const { figure } = createRagdoll(retargeter.target, { limits: 'given' });
  const contacts = groundContacts(retargeter, report);

  test('converge, join without a step, keep their contacts, and leave nothing for the root', () => {
    const seen: number[] = [];
    const result = cleanMotionInSegments(figure, motion, {
      contacts,
      segment: 0.5,
      onProgress: ({ segment, segments }) => seen.push(segment / segments),
    });
    expect(result.segments.map(({ over, status }) => [over, status])).toEqual([
      [[0, 0.5], 'converged'],
      [[0.5, 1], 'converged'],
    ]);
    expect(new Set(seen)).toEqual(new Set([0, 0.5]));
    expect([result.motion.start, result.motion.end, result.time]).toEqual([0, 1, 1]);
    expect(mean(rootResiduals(figure, result.motion, contacts).residuals)).toBeLessThan(0.01);
    const poses = Array.from({ length: 61 }, (_, k) => pointsAt(result.motion, k / 60));
    for (const points of poses)
      points.forEach((x, i) => {
        expect(Math.abs(x - poses[0][i])).toBeLessThan(1e-3);
      });
  });

  test('what has no time to reach the ground before the end leaves it with some speed: it does not fall freely', () => {
    const short = contacts.map((contact) => ({ ...contact, over: [0, 0.7] as const }));
    const result = cleanMotionInSegments(figure, motion, { contacts: short });
    const heightOf = (of: Motion): number => pointsAt(of, 1)[1];
    expect(heightOf(motion) - heightOf(result.motion)).toBeLessThan(0.9 * 0.5 * 9.81 * 0.3 ** 2);
  });

  test('an interrupt leaves the rest as it was', () => {
    const result = cleanMotionInSegments(figure, motion, { contacts, onProgress: () => false });
    expect([result.segments, result.time]).toEqual([[], 0]);
    const at = (m: Motion) => samplePose(createMotionSampler(figure, m), 0.4, new Float64Array(figure.dof));
    at(result.motion).forEach((x, i) => {
      expect(x).toBeCloseTo(at(motion)[i], 4);
    });
  });

  test('refuse positions that each segment would choose', () => {
    const free = contacts.map((contact) => ({ ...contact, positions: 'free' as const }));
    expect(() => cleanMotionInSegments(figure, motion, { contacts: free })).toThrow(
      /contacts\[0\]\.positions/,
    );
    expect(() => cleanMotionInSegments(figure, motion, { contacts, segment: 0 })).toThrow(/segment/);
    expect(() => cleanMotionInSegments(figure, motion, { contacts, segment: 0.05 })).toThrow(
      /segment.*at least 0\.1 s/,
    );
  });

  test.each([
    [{ over: [2, 3] }, 'out-of-range', 'over'],
    [{ over: [0.8, 0.2] }, 'not-increasing', 'over'],
    [{ over: [0.5, 0.5] }, 'not-increasing', 'over'],
    [{ over: [0, Number.NaN] }, 'not-finite', 'over[1]'],
    [{ over: undefined }, 'wrong-size', 'over'],
    [{ points: undefined }, 'wrong-size', 'points'],
  ])('refuse a contact with %j', (wrong, code, where) => {
    const given = [contacts[0], { ...contacts[1], ...wrong }] as never;
    expect(() => cleanMotionInSegments(figure, motion, { contacts: given })).toThrow(
      expect.objectContaining({ name: 'MotionError', code, path: `options.contacts[1].${where}` }),
    );
    expect(() => cleanMotionInSegments(figure, motion, { contacts: {} as never })).toThrow(
      expect.objectContaining({ name: 'MotionError', path: 'options.contacts' }),
    );
  });

  function pointsAt(of: Motion, time: number): number[] {
    const state = createState(figure);
    forwardKinematics(state, samplePose(createMotionSampler(figure, of), time, new Float64Array(figure.dof)));
    return contacts.flatMap(({ bone, points }) =>
      points.flatMap((p) => Array.from(worldPoint(state, bone, p))),
    );
  }
});
