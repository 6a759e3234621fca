import { describe, expect, test } from 'vitest';
import { createMotorGains, createSimulation, stepSimulation } from '../../../src/dynamics/index.js';
import { boneIndex, createFigure, type Figure } from '../../../src/figure/index.js';
import { human } from './support.js';

/** Two bars of 2 and 3 kg on a hinge, their centres at it: inertias 0.5 and 0.2 kg m^2 about it; the first free or fast. */
function bars(root: 'free' | 'fixed', arm = 0): Figure {
  return createFigure({
    bones: [
      { name: 'a', joint: { type: root }, mass: 2, inertia: [0.3, 0.3, 0.5, 0, 0, 0] },
      {
        name: 'b',
        parent: 'a',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        mass: 3,
        centerOfMass: [arm, 0, 0],
        inertia: [0.1, 0.1, 0.2, 0, 0, 0],
      },
    ],
  });
}

const of = (figure: Figure, numbers: Float64Array, bone: string): number =>
  numbers[figure.bones[boneIndex(figure, bone)].coordinate];

describe('createMotorGains', () => {
  test('uses the floating-base inertia: a b / (a + b) of two free bodies, b of one on a fixed base', () => {
    const w = 2 * Math.PI * 3;
    for (const [root, inertia] of [
      ['free', (0.5 * 0.2) / 0.7],
      ['fixed', 0.2],
    ] as const) {
      const figure = bars(root);
      const { stiffness, damping } = createMotorGains(figure, { frequency: 3, dampingRatio: 0.7 });
      expect(of(figure, stiffness, 'b')).toBeCloseTo(inertia * w * w, 10);
      expect(of(figure, damping, 'b')).toBeCloseTo(2 * 0.7 * inertia * w, 10);
      if (root === 'free') expect([...stiffness.subarray(0, 6)]).toEqual([0, 0, 0, 0, 0, 0]);
    }
  });

  test('makes a joint oscillate at the given frequency and decay at the given damping ratio', () => {
    const figure = bars('free');
    const ratio = 0.1;
    const motor = { ...createMotorGains(figure, { frequency: 2, dampingRatio: ratio, strength: Infinity }) };
    const simulation = createSimulation([{ figure, motor, pose: [0, 0, 0, 0, 0, 0, 0.1] }], {
      gravity: [0, 0, 0],
    });
    const { pose } = simulation.actors[0];
    const dt = 5e-5;
    const peaks: number[] = [];
    const crossings: number[] = [];
    let [before, last] = [0.1, 0.1];
    for (let n = 1; n < 32000; n++) {
      stepSimulation(simulation, dt);
      if (last > before && last > pose[6]) peaks.push(last);
      if (last < 0 && pose[6] >= 0) crossings.push(n * dt);
      [before, last] = [last, pose[6]];
    }
    const period = (crossings[2] - crossings[0]) / 2;
    // Damped: w sqrt(1 - zeta^2), and by exp(-zeta w T) each round. The step is of first order in w dt = 6e-4.
    expect(period).toBeCloseTo(1 / (2 * Math.sqrt(1 - ratio * ratio)), 3);
    expect(Math.log(peaks[0] / peaks[1])).toBeCloseTo(
      (2 * Math.PI * ratio) / Math.sqrt(1 - ratio * ratio),
      2,
    );
  });

  test('gives at least m g d for supporting bones, and bounds above the gravity torque', () => {
    const figure = bars('free', 0.4);
    const soft = { frequency: 0.01, gravity: 10 };
    // 3 kg with 0.2 + 3 * 0.4^2 kg m^2 about the hinge.
    expect(of(figure, createMotorGains(figure, soft).maxForce, 'b')).toBeCloseTo(
      10 * 10 * Math.sqrt(3 * 0.68),
      10,
    );
    const tall = createFigure({
      bones: [
        {
          name: 'a',
          joint: { type: 'free' },
          mass: 2,
          centerOfMass: [0, 1.5, 0],
          inertia: [1, 1, 1, 0, 0, 0],
        },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mass: 1,
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ],
    });
    const standing = createMotorGains(tall, { ...soft, supports: ['b'] });
    expect(of(tall, standing.stiffness, 'b')).toBeCloseTo(2 * 10 * 1.5, 10);
    expect(of(tall, standing.maxForce, 'b')).toBeCloseTo(2 * 10 * 1.5 + 100, 10);
    expect(of(tall, createMotorGains(tall, soft).stiffness, 'b')).toBeLessThan(0.01);
  });

  test('uses the fixed-base inertia for hips on a root without mass', () => {
    const figure = createFigure({
      bones: [
        { name: 'root', joint: { type: 'free' }, mass: 0.01, inertia: [1e-5, 1e-5, 1e-5, 0, 0, 0] },
        { name: 'hips', parent: 'root', joint: { type: 'ball' }, mass: 30, inertia: [2, 2, 2, 0, 0, 0] },
      ],
    });
    const w = 2 * Math.PI * 4;
    const { stiffness, maxForce } = createMotorGains(figure, { gravity: 10 });
    expect(of(figure, stiffness, 'hips')).toBeCloseTo(2 * w * w, 9);
    expect(of(figure, maxForce, 'hips')).toBeCloseTo(100 * Math.sqrt(30 * 2), 9);
  });

  test('assists the root by mass and inertia, bounded', () => {
    const figure = bars('free');
    const w = 2 * Math.PI * 2;
    const { stiffness, maxForce } = createMotorGains(figure, { root: 'assisted', gravity: 10 });
    expect(stiffness[1]).toBeCloseTo(5 * w * w, 9);
    expect(stiffness[5]).toBeCloseTo(0.7 * w * w, 9);
    expect(maxForce[0]).toBeCloseTo(2 * 50, 10);
    expect(maxForce[3]).toBeCloseTo(50 * Math.sqrt(0.7 / 5), 10);
    const given = createMotorGains(figure, { root: { maxForce: Infinity, maxCouple: 3, frequency: 1 } });
    expect([given.maxForce[0], given.maxForce[3]]).toEqual([Infinity, 3]);
  });

  test('gives legs and trunk of the human more than arms and hands, and left the same as right', () => {
    const { stiffness, damping, maxForce } = createMotorGains(human);
    for (const numbers of [stiffness, damping, maxForce]) {
      expect(of(human, numbers, 'spine')).toBeGreaterThan(of(human, numbers, 'leftUpperArm'));
      expect(of(human, numbers, 'leftUpperLeg')).toBeGreaterThan(of(human, numbers, 'leftUpperArm'));
      expect(of(human, numbers, 'leftUpperArm')).toBeGreaterThan(of(human, numbers, 'leftHand'));
      for (const { name } of human.bones.filter(({ name }) => name.startsWith('left'))) {
        expect(of(human, numbers, name.replace('left', 'right'))).toBeCloseTo(of(human, numbers, name), 9);
      }
    }
    const mass = human.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
    expect(of(human, maxForce, 'leftLowerLeg')).toBeCloseTo(3.3 * mass, 9);
    const slow = createMotorGains(human, { frequencies: { leftHand: 1 } });
    expect(of(human, slow.stiffness, 'leftHand')).toBeCloseTo(of(human, stiffness, 'leftHand') / 16, 12);
    expect(of(human, slow.stiffness, 'rightHand')).toBe(of(human, stiffness, 'rightHand'));
  });

  test('refuses invalid numbers and names', () => {
    for (const options of [
      { frequency: 0 },
      { dampingRatio: -1 },
      { strength: Number.NaN },
      { frequencies: { spine: Infinity } },
      { root: { maxForce: -1 } },
    ]) {
      expect(() => createMotorGains(human, options)).toThrow(
        expect.objectContaining({ code: 'out-of-range' }),
      );
    }
    expect(() => createMotorGains(human, { frequencies: { spin: 2 } })).toThrow(/did you mean 'spine'/i);
    expect(() => createMotorGains(human, { supports: ['foot'] })).toThrow(/options.supports\[0\]/);
  });
});
