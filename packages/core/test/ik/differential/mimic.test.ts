import {
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  limitViolation,
} from 'poise/figure';
import { createDifferentialControl, type Goal, stepDifferentialControl } from 'poise/ik';
import { describe, expect, it } from 'vitest';

const z = { type: 'hinge', axis: [0, 0, 1] } as const;

/** A finger: three hinges, the last of which follows the second by a cubic; on a slider that a second one follows. */
const finger: Figure = createFigure({
  bones: [
    {
      name: 'rail',
      joint: { type: 'slider', axis: [0, 1, 0] },
      limit: { type: 'interval', min: -0.2, max: 0.2 },
    },
    { name: 'knuckle', parent: 'rail', joint: z, limit: { type: 'interval', min: -0.3, max: 1.5 } },
    {
      name: 'middle',
      parent: 'knuckle',
      rest: { position: [0.5, 0, 0] },
      joint: z,
      limit: { type: 'interval', min: -0.1, max: 1.6 },
    },
    {
      name: 'end',
      parent: 'middle',
      rest: { position: [0.3, 0, 0] },
      joint: z,
      mimic: { bone: 'middle', polynomial: [0.1, 0.6, 0.2, -0.1] },
    },
    { name: 'tip', parent: 'end', rest: { position: [0.2, 0, 0] } },
  ],
});

const at = (pose: Float64Array, bone: number): number[] => {
  const state = createState(finger);
  forwardKinematics(state, pose);
  return Array.from(state.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12));
};
const TIP = 4;

describe('mimic joints under differential control', () => {
  it('move with their sources: the achieved velocity is that of the tip', () => {
    for (let n = 0; n < 40; n++) {
      const pose = new Float64Array([
        0.1 * Math.sin(n),
        0.6 + 0.5 * Math.sin(2 * n),
        0.7 + 0.6 * Math.cos(3 * n),
      ]);
      const from = at(pose, TIP);
      const target = [from[0] + 0.01 * Math.cos(n), from[1] + 0.01 * Math.sin(n), from[2]];
      const control = createDifferentialControl(finger, [{ type: 'position', bone: 'tip', target }]);
      const { goals, exact } = stepDifferentialControl(control, pose, 0);
      expect(exact).toBe(true);
      // The tip moved along nu by differences, the follower with it by its polynomial.
      const h = 1e-5;
      const [plus, minus] = [h, -h].map((step) =>
        at(
          pose.map((x, k) => x + step * control.velocity[k]),
          TIP,
        ),
      );
      const velocity = plus.map((x, k) => (x - minus[k]) / (2 * h));
      const wanted = target.map((x, k) => 20 * (x - from[k]));
      const missed = Math.hypot(...wanted.map((x, k) => x - velocity[k]));
      expect(goals[0].velocityError).toBeCloseTo(missed, 7);
      expect(missed).toBeLessThan(0.01 * Math.hypot(...wanted));
    }
  });

  it('are dragged to a target within the limits and rates of their sources, with the mimic equation satisfied', () => {
    const target = new Float64Array(3);
    const rate = 1.2;
    const control = createDifferentialControl(finger, [{ type: 'position', bone: 'tip', target }], {
      maxJointRate: { angular: rate, linear: 0.3 },
      posture: { reference: new Float64Array([0, 0.4, 0.5]), rate: 0.5 },
    });
    const pose = createPose(finger);
    const state = createState(finger);
    let limited = 0;
    for (let frame = 0; frame < 300; frame++) {
      const t = frame / 60;
      target.set([0.6 + 0.5 * Math.cos(1.5 * t), 0.4 + 0.5 * Math.sin(1.1 * t), 0]);
      const { limits, rates } = stepDifferentialControl(control, pose, 1 / 60);
      expect(limitViolation(finger, pose)).toBe(0);
      expect(Math.abs(control.velocity[1])).toBeLessThanOrEqual(rate * (1 + 1e-12));
      expect(Math.abs(control.velocity[2])).toBeLessThanOrEqual(rate * (1 + 1e-12));
      if (limits.some(({ active }) => active) || rates.some(({ saturated }) => saturated)) limited++;
      forwardKinematics(state, pose);
      const y = pose[2];
      const angle = (bone: number): number => {
        const o = 12 * bone;
        return Math.atan2(state.parentFromBone[o + 3], state.parentFromBone[o]);
      };
      expect(angle(3)).toBeCloseTo(0.1 + 0.6 * y + 0.2 * y * y - 0.1 * y ** 3, 12);
    }
    expect(limited).toBeGreaterThan(20);
    target.set(at(new Float64Array([0.05, 0.7, 0.9]), TIP));
    for (let frame = 0; frame < 300; frame++) stepDifferentialControl(control, pose, 1 / 60);
    expect(control.result.status).toBe('converged');
  });

  it('pass a goal of their own to their source, and stand still where it is locked', () => {
    const goal: Goal = { type: 'orientation', bone: 'end', target: [0, 0, Math.sin(0.9), Math.cos(0.9)] };
    const control = createDifferentialControl(finger, [goal], { locked: ['knuckle'] });
    const pose = new Float64Array([0, 0.4, 0.2]);
    for (let frame = 0; frame < 300; frame++) stepDifferentialControl(control, pose, 1 / 60);
    const y = pose[2];
    expect(0.4 + y + 0.1 + 0.6 * y + 0.2 * y * y - 0.1 * y ** 3).toBeCloseTo(1.8, 4);
    expect(pose[1]).toBe(0.4);
    expect(() => createDifferentialControl(finger, [goal], { locked: ['knuckle', 'end'] })).toThrow(
      expect.objectContaining({ code: 'immovable-goal' }),
    );
  });
});
