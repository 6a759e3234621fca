import { boneIndex, createPose, createState, forwardKinematics, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, it } from 'vitest';
import { Puppet } from '../drag/puppet.js';

const figure = createHumanFigure();
const DT = 1 / 60;

/** The left hand round before the body, out of reach and below the floor. */
function place(puppet: Puppet, t: number): void {
  puppet.hands.left.set([
    0.4 + 0.35 * Math.sin(0.9 * t),
    0.9 - 0.95 * Math.cos(0.7 * t + 0.9),
    0.35 + 0.25 * Math.sin(0.5 * t),
  ]);
}

/** Largest joint speed, rad/s: of balls and of the root's turning by its length, of all else each coordinate by itself. */
function fastest({ velocity }: Puppet): number {
  return Math.max(
    ...figure.bones.map(({ joint: { type }, coordinate, dof }) => {
      const own = velocity.subarray(type === 'free' ? coordinate + 3 : coordinate, coordinate + dof);
      return type === 'free' || type === 'ball' ? Math.hypot(...own) : Math.max(0, ...own.map(Math.abs));
    }),
  );
}

describe('the body of the drag example', () => {
  it('keeps its feet, its balance, its limits and its rates, whatever the hand is asked', () => {
    const puppet = new Puppet(figure, createPose(figure), { rate: 3, posture: 2 });
    const state = createState(figure);
    const seen = new Set<string>();
    const low: number[] = [];
    for (let frame = 0; frame < 300; frame++) {
      place(puppet, 1.6 * frame * DT);
      const { status, goals, rates } = puppet.step(DT);
      seen.add(status);
      if (rates.some(({ saturated }) => saturated)) seen.add('a rate saturated');
      expect(limitViolation(figure, puppet.pose)).toBe(0);
      expect(fastest(puppet)).toBeLessThanOrEqual(3 * (1 + 1e-9));
      forwardKinematics(state, puppet.pose);
      low.push(state.worldFromBone[12 * boneIndex(figure, 'leftHand') + 10]);
      for (const { type, bone, error } of goals) {
        // The straight-line step leaves the arc of a turn out, and nearly straight legs give the hands a little way.
        if (bone.endsWith('Foot') && type === 'position') expect(error).toBeLessThan(0.01);
        if (type === 'center-of-mass' && frame > 60) expect(error).toBeLessThan(0.02);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['tracking', 'limit-blocked', 'a rate saturated']));
    // The hand went down to the floor, whose clearance for its wrist is 6 cm, and no further.
    expect(Math.min(...low)).toBeGreaterThan(0.055);
    expect(Math.min(...low)).toBeLessThan(0.3);
  });

  it('takes other settings in the middle of a drag without a jump of the pose', () => {
    const puppet = new Puppet(figure, createPose(figure), { rate: 6, posture: 1 });
    for (let frame = 0; frame < 120; frame++) {
      place(puppet, frame * DT);
      if (frame % 20 === 10)
        puppet.set({ rate: frame % 40 === 10 ? 1 : 6, posture: frame % 60 === 10 ? 0 : 3 });
      const before = puppet.pose.slice();
      puppet.step(DT);
      puppet.pose.forEach((x, k) => {
        // q' = N v, and N grows with the angle; joints here stay below 2 rad.
        expect(Math.abs(x - before[k])).toBeLessThan(2 * 6 * DT);
      });
    }
  });

  it('comes to rest at a target out of reach', () => {
    const puppet = new Puppet(figure, createPose(figure), { rate: 3, posture: 2 });
    puppet.hands.left.set([1.6, 1.7, 0.2]);
    for (let frame = 0; frame < 300; frame++) puppet.step(DT);
    expect(fastest(puppet)).toBeLessThan(0.01);
  });

  it('comes back to its posture when the hand is let go where it stood, and not without one', () => {
    const away = (posture: number): number => {
      const puppet = new Puppet(figure, createPose(figure), { rate: 6, posture });
      const hand = puppet.hands.left.slice();
      for (let frame = 0; frame < 100; frame++) {
        place(puppet, frame * DT);
        puppet.step(DT);
      }
      puppet.hands.left.set(hand);
      for (let frame = 0; frame < 120; frame++) puppet.step(DT);
      // The arms, of which the T-pose has none bent.
      return Math.max(
        ...['leftUpperArm', 'leftLowerArm', 'rightUpperArm', 'rightLowerArm'].flatMap((name) => {
          const { coordinate, dof } = figure.bones[boneIndex(figure, name)];
          return Array.from(puppet.pose.subarray(coordinate, coordinate + dof), Math.abs);
        }),
      );
    };
    const [free, limited] = [away(0), away(3)];
    expect(limited).toBeLessThan(0.5 * free);
  });
});
