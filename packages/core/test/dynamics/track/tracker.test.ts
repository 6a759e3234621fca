import { describe, expect, test } from 'vitest';
import {
  createDynamics,
  createMotionTracker,
  createMotorGains,
  createSimulation,
  forwardDynamics,
  type MotionTracker,
  motorForces,
  restartMotionTracker,
  stepSimulation,
  trackingError,
  trackPose,
} from '../../../src/dynamics/index.js';
import { createFeedForward, writeFeedForward } from '../../../src/dynamics/track/drives/feed-forward.js';
import { boneIndex, createFigure, createPose } from '../../../src/figure/index.js';
import { createRandom, expectClose, expectSameBits, randomPose, within } from '../../figure/support.js';
import { DEGREE, DT, human, overload, standing, swinging } from './support.js';

const free = { gravity: [0, 0, 0] } as const;

/** Tracks a swing of every joint in the air for 2 s; largest error of the second one, rad, and largest overload of a drive. */
function swing(
  frequency: number,
  feedForward: 'constrained' | 'falling' | 'none',
): { error: number; overload: number } {
  const simulation = createSimulation([{ figure: human, pose: swinging(0, 1, 0.1) }], free);
  const gains = createMotorGains(human, { frequency });
  const tracker = createMotionTracker(simulation, 0, { gains, feedForward });
  const worst = { error: 0, overload: 0 };
  for (let n = 1; n <= 240; n++) {
    trackPose(tracker, swinging(n * DT, 1, 0.1), DT);
    stepSimulation(simulation, DT);
    if (n > 120) worst.error = Math.max(worst.error, trackingError(tracker));
    worst.overload = Math.max(
      worst.overload,
      overload(motorForces(tracker.actor), gains, () => 1),
    );
  }
  return worst;
}

describe('trackPose', () => {
  test('follows a swing of every joint in the air, the nearer the higher the frequency, within its bounds', () => {
    const errors = [2, 4, 8].map((frequency) => swing(frequency, 'none'));
    for (const each of errors) expect(each.overload).toBeLessThan(1e-12);
    // K is as the square of the frequency: without feed-forward the lag is, at best, a quarter each time.
    expect(errors[1].error).toBeLessThan(errors[0].error / 2);
    expect(errors[2].error).toBeLessThan(errors[1].error / 2);
    expect(errors[2].error).toBeLessThan(1.5 * DEGREE);
  });

  test('follows several times closer with feed-forward forces', () => {
    const [with_, without] = [swing(4, 'falling'), swing(4, 'none')];
    expect(with_.overload).toBeLessThan(1e-12);
    expect(with_.error).toBeLessThan(without.error / 4);
  });

  test('feeds inverse dynamics forward: driven coordinates accelerate as given, undriven ones have no force', () => {
    const random = createRandom(81);
    const simulation = createSimulation([{ figure: human }]);
    const feed = createFeedForward(
      simulation.actors[0],
      [0, -9.81, 0],
      Array.from({ length: human.dof }, (_, i) => i < 6 || i === 20),
    );
    const dynamics = createDynamics(human);
    for (let n = 0; n < 20; n++) {
      const pose = randomPose(human, random, 0.8);
      const [velocity, wanted] = [0, 1].map(() =>
        Float64Array.from({ length: human.dof }, () => within(random, 3)),
      );
      const forces = new Float64Array(human.dof);
      writeFeedForward(feed, pose, velocity, wanted, forces);
      const found = forwardDynamics(dynamics, pose, velocity, forces);
      for (let i = 0; i < human.dof; i++) {
        // Forces of the joints are up to 1e3 N m.
        if (i < 6 || i === 20) expect(Math.abs(forces[i])).toBeLessThan(1e-9);
        else expect(Math.abs(found[i] - wanted[i])).toBeLessThan(1e-8);
      }
    }
  });

  test('gives K (target - q) + D (targetVelocity - v) at the end of the step, clamped to its bound', () => {
    const figure = createFigure({
      bones: [
        { name: 'a', mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mass: 2,
          centerOfMass: [0.3, 0, 0],
          inertia: [0.1, 0.1, 0.1, 0, 0, 0],
        },
      ],
    });
    for (const max of [100, 5]) {
      const simulation = createSimulation([{ figure }]);
      const [actor] = simulation.actors;
      const gains = { stiffness: [50], damping: [4], maxForce: [max] };
      const typed = {
        stiffness: Float64Array.from(gains.stiffness),
        damping: Float64Array.from(gains.damping),
        maxForce: Float64Array.from(gains.maxForce),
      };
      const tracker = createMotionTracker(simulation, 0, { gains: typed });
      for (let n = 1; n < 60; n++) {
        trackPose(tracker, [Math.sin(4 * n * DT)], DT);
        stepSimulation(simulation, DT);
        const { motor, pose, velocity } = actor;
        const asked = 50 * (motor.target[0] - pose[0]) + 4 * (motor.targetVelocity[0] - velocity[0]);
        const force = motorForces(actor)[0];
        expect(Math.abs(force)).toBeLessThanOrEqual(max * (1 + 1e-12));
        expect(force).toBeCloseTo(Math.max(-max, Math.min(max, asked)), 6);
      }
      expect(Math.abs(motorForces(actor)[0]) < 0.999 * max).toBe(max === 100);
    }
  });

  test('takes velocities from the rotation between poses, across revolutions and charts', () => {
    const figure = createFigure({
      bones: [
        { name: 'a', joint: { type: 'ball' }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mass: 1,
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ],
    });
    const tracker = createMotionTracker(createSimulation([{ figure }], free), 0);
    trackPose(tracker, [3.1, 0, 0, 3.1], 0.1);
    expectClose(tracker.targetVelocity, [0, 0, 0, 0], 0);
    // 3.1 + 0.1 rad are -3.083 in the next chart.
    trackPose(tracker, [3.2 - 2 * Math.PI, 0, 0, 3.2 - 2 * Math.PI], 0.1);
    expectClose(tracker.targetVelocity, [1, 0, 0, 1], 1e-12);
    expectClose(tracker.accelerations, [0, 0, 0, 0], 0);
    trackPose(tracker, [3.4, 0, 0, 3.4], 0.1);
    expectClose(tracker.targetVelocity, [2, 0, 0, 2], 1e-12);
    expectClose(tracker.accelerations, [10, 0, 0, 10], 1e-11);
    restartMotionTracker(tracker);
    trackPose(tracker, [0, 0, 0, 0], 0.1);
    expectClose(tracker.targetVelocity, [0, 0, 0, 0], 0);
    trackPose(tracker, [0, 0, 0, 0], 0.1, [1, 2, 3, 4]);
    expectClose(tracker.targetVelocity, [1, 2, 3, 4], 0);
  });

  test('leaves bones of weight 0 limp and drives those of weight 1', () => {
    const simulation = createSimulation([{ figure: human }]);
    const tracker = createMotionTracker(simulation, 0);
    for (const { name, index } of human.bones) if (name.startsWith('left')) tracker.weights[index] = 0;
    const pose = createPose(human);
    for (let n = 0; n < 120; n++) {
      trackPose(tracker, pose, DT);
      stepSimulation(simulation, DT);
    }
    const angle = (bone: string): number => {
      const { coordinate, dof } = human.bones[boneIndex(human, bone)];
      return Math.hypot(...tracker.actor.pose.subarray(coordinate, coordinate + dof));
    };
    expect(angle('leftUpperArm')).toBeGreaterThan(40 * DEGREE);
    expect(angle('rightUpperArm')).toBeLessThan(5 * DEGREE);
    const forces = motorForces(tracker.actor);
    for (const { coordinate, dof, name } of human.bones) {
      if (!name.startsWith('left')) continue;
      for (let i = coordinate; i < coordinate + dof; i++) expect(forces[i]).toBe(0);
    }
  });

  test('walks on the spot with an assisted root', () => {
    const simulation = standing();
    const tracker = createMotionTracker(simulation, 0);
    const { gains } = tracker;
    const c = (bone: string): number => human.bones[boneIndex(human, bone)].coordinate;
    const pose = createPose(human);
    let [error, distance, over] = [0, 0, 0];
    for (let n = 1; n < 480; n++) {
      const phase = 2 * Math.PI * n * DT;
      pose.fill(0);
      for (const [side, sign] of [
        ['left', 1],
        ['right', -1],
      ] as const) {
        // Foot straight up, sole level: thigh and shank are nearly as long.
        const lift = 0.5 * Math.max(0, sign * Math.sin(phase)) ** 2;
        pose[c(`${side}UpperLeg`)] = lift;
        pose[c(`${side}LowerLeg`)] = 2 * lift;
        pose[c(`${side}Foot`)] = lift;
        pose[c(`${side}UpperArm`)] = -0.3 * sign * Math.sin(phase);
      }
      trackPose(tracker, pose, DT);
      stepSimulation(simulation, DT);
      error = Math.max(error, trackingError(tracker));
      over = Math.max(
        over,
        overload(motorForces(tracker.actor), gains, () => 1),
      );
      for (let k = 0; k < 3; k++) distance = Math.max(distance, Math.abs(tracker.actor.pose[k]));
    }
    // Measured 2.0 degrees and 0.5 mm.
    expect(error).toBeLessThan(3 * DEGREE);
    expect(distance).toBeLessThan(0.005);
    expect(over).toBeLessThan(1e-12);
  });

  test('stands on its feet by muscles alone', () => {
    const simulation = standing();
    const tracker = createMotionTracker(simulation, 0, { gains: createMotorGains(human) });
    for (let n = 0; n < 360; n++) {
      trackPose(tracker, createPose(human), DT);
      stepSimulation(simulation, DT);
    }
    expect(trackingError(tracker)).toBeLessThan(1 * DEGREE);
    expect(Math.abs(tracker.actor.pose[1])).toBeLessThan(0.02);
  });

  test('is deterministic to the bit', () => {
    const run = (): Float64Array => {
      const simulation = standing();
      const tracker = createMotionTracker(simulation, 0);
      for (let n = 0; n < 60; n++) {
        trackPose(tracker, swinging(n * DT, 2, 0.1), DT);
        stepSimulation(simulation, DT);
      }
      return simulation.actors[0].pose;
    };
    expectSameBits(run(), run());
  });

  test('refuses invalid input, and writes nothing then', () => {
    const simulation = createSimulation([{ figure: human }]);
    expect(() => createMotionTracker(simulation, 1)).toThrow(expect.objectContaining({ path: 'actorIndex' }));
    expect(() => createMotionTracker(simulation, 0, { weights: [1] })).toThrow(/options.weights/);
    const gains = createMotorGains(human);
    expect(() =>
      createMotionTracker(simulation, 0, { gains: { ...gains, damping: gains.damping.map(() => -1) } }),
    ).toThrow(/options.gains.damping\[0\]/);
    expect(() => createMotionTracker(simulation, 0, { feedForward: 'yes' as never })).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    const tracker = createMotionTracker(simulation, 0);
    const pose = createPose(human);
    trackPose(tracker, pose, DT);
    const before = snapshot(tracker);
    expect(() => trackPose(tracker, [1], DT)).toThrow(expect.objectContaining({ code: 'wrong-size' }));
    expect(() =>
      trackPose(
        tracker,
        pose.map(() => Number.NaN),
        DT,
      ),
    ).toThrow(/pose\[0\]/);
    for (const dt of [0, -1, Number.NaN, Infinity]) {
      expect(() => trackPose(tracker, swinging(1, 1, 0.1), dt)).toThrow(/dt/);
    }
    expect(() => trackPose(tracker, pose, DT, [1])).toThrow(/velocity/);
    tracker.weights[3] = 2;
    expect(() => trackPose(tracker, swinging(1, 1, 0.1), DT)).toThrow(/tracker.weights\[3\]/);
    expectSameBits(snapshot(tracker), before);
  });
});

function snapshot({ actor: { motor }, target, targetVelocity }: MotionTracker): number[] {
  return [
    ...target,
    ...targetVelocity,
    ...motor.target,
    ...motor.targetVelocity,
    ...motor.stiffness,
    ...motor.damping,
  ];
}
