import { describe, expect, test } from 'vitest';
import {
  type ActiveRagdoll,
  type ActiveRagdollOptions,
  createActiveRagdoll,
  createMotorGains,
  createSimulation,
  hitActiveRagdoll,
  motorForces,
  stepActiveRagdoll,
  stepSimulation,
} from '../../../src/dynamics/index.js';
import {
  alignRootFrame,
  applyRootFrame,
  createRootFrame,
  findRoot,
  type Root,
} from '../../../src/dynamics/track/pose/root-frame.js';
import { distanceOutsideSupport } from '../../../src/dynamics/track/reactions/balance.js';
import {
  createRelaxation,
  relaxMuscles,
  tightenMuscles,
} from '../../../src/dynamics/track/reactions/muscle-relaxation.js';
import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  forwardKinematics,
  limitViolation,
} from '../../../src/figure/index.js';
import * as quat from '../../../src/math/geometry/quat.js';
import { createRandom, expectClose, expectSameBits, rotationVector, within } from '../../figure/support.js';
import { DEGREE, DT, human, overload, standing } from './support.js';

interface Played {
  readonly ragdoll: ActiveRagdoll;
  /** States in order, and when they began, s. */
  readonly states: string[];
  readonly began: number[];
  /** Greatest error, overload of the drives and excess of limits. */
  worst: { error: number; overload: number; excess: number };
}

/** Stands in the T-pose, is hit after half a second. */
function play(impulse: number, seconds: number, options: ActiveRagdollOptions = {}): Played {
  const simulation = standing();
  const ragdoll = createActiveRagdoll(simulation, 0, options);
  const { tracker } = ragdoll;
  const pose = createPose(human);
  const played: Played = { ragdoll, states: [], began: [], worst: { error: 0, overload: 0, excess: 0 } };
  for (let n = 0; n < seconds / DT; n++) {
    stepActiveRagdoll(ragdoll, pose, DT);
    if (n === 60) hitActiveRagdoll(ragdoll, 'chest', [0, 0, -impulse]);
    stepSimulation(simulation, DT);
    const { worst, states, began } = played;
    if (states.at(-1) !== ragdoll.state) {
      states.push(ragdoll.state);
      began.push(n * DT);
    }
    worst.error = Math.max(worst.error, ragdoll.error);
    worst.excess = Math.max(worst.excess, limitViolation(human, tracker.actor.pose));
    const weight = (i: number): number => tracker.weights[human.boneOfCoordinate[i]];
    worst.overload = Math.max(worst.overload, overload(motorForces(tracker.actor), tracker.gains, weight));
  }
  return played;
}

describe('an active ragdoll', () => {
  test('yields to 50 N s at the chest and is back within a degree in 2 s', () => {
    const { ragdoll, states, worst } = play(50, 2.5);
    expect(states).toEqual(['tracking', 'hit', 'tracking']);
    expect(worst.error).toBeGreaterThan(2 * DEGREE);
    expect(worst.overload).toBeLessThan(1e-12);
    expect(worst.excess).toBe(0);
    expect(ragdoll.error).toBeLessThan(1 * DEGREE);
    expect(ragdoll.tilt).toBeLessThan(1 * DEGREE);
    expect(ragdoll.distance).toBeLessThan(0.01);
  });

  test('falls by 300 N s, lies still, gets up in place and tracks again', () => {
    const { ragdoll, states, began, worst } = play(300, 9);
    expect(states).toEqual(['tracking', 'fallen', 'recovering', 'tracking']);
    // At rest for half a second before it gets up.
    expect(began[2] - began[1]).toBeGreaterThan(0.5);
    expect(worst.overload).toBeLessThan(1e-12);
    expect(worst.excess).toBe(0);
    // It was thrown some way and stands there, upright, not where it was.
    const [x, , z] = ragdoll.rootFrame.position;
    expect(Math.hypot(x, z)).toBeGreaterThan(0.5);
    expect(Math.abs(ragdoll.tracker.actor.pose[1])).toBeLessThan(0.1);
    // Feet that came down elsewhere stick where they are: 4 degrees measured.
    expect(ragdoll.error).toBeLessThan(10 * DEGREE);
    expect(ragdoll.tilt).toBeLessThan(15 * DEGREE);
  });

  test('falls when it leans or its balance is lost, without a knock-out; and stays down by muscles alone', () => {
    const gains = createMotorGains(human);
    const { ragdoll, states } = play(60, 6, { gains, knockOutImpulse: Infinity });
    expect(states).toEqual(['tracking', 'hit', 'fallen']);
    expect(ragdoll.tracker.actor.asleep).toBe(true);
    expect(play(60, 3, { gains, fallBalance: Infinity }).began[2]).toBeGreaterThan(0.5);
  });

  test('is knocked over again by a hit while it gets up', () => {
    const simulation = standing();
    const ragdoll = createActiveRagdoll(simulation, 0);
    const pose = createPose(human);
    hitActiveRagdoll(ragdoll, 'chest', [0, 0, 400]);
    expect(ragdoll.state).toBe('fallen');
    for (let n = 0; n < 1200 && ragdoll.state === 'fallen'; n++) {
      stepActiveRagdoll(ragdoll, pose, DT);
      stepSimulation(simulation, DT);
    }
    expect(ragdoll.state).toBe('recovering');
    hitActiveRagdoll(ragdoll, 'chest', [0, 0, 20]);
    expect(ragdoll.state).toBe('recovering');
    hitActiveRagdoll(ragdoll, 'chest', [0, 0, 400]);
    expect(ragdoll.state).toBe('fallen');
  });

  test('is deterministic to the bit', () => {
    const [a, b] = [play(120, 1.5), play(120, 1.5)];
    expectSameBits(a.ragdoll.tracker.actor.pose, b.ragdoll.tracker.actor.pose);
    expectSameBits(a.ragdoll.tracker.actor.velocity, b.ragdoll.tracker.actor.velocity);
    expect(a.began).toEqual(b.began);
  });

  test('refuses invalid input, and changes nothing then', () => {
    const box = createFigure({
      bones: [{ name: 'a', joint: { type: 'ball' }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }],
    });
    expect(() => createActiveRagdoll(createSimulation([{ figure: box }]), 0)).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    const simulation = standing();
    for (const options of [{ hitDuration: -1 }, { limpImpulse: 0 }, { fallTilt: Number.NaN }, { blend: 0 }]) {
      expect(() => createActiveRagdoll(simulation, 0, options)).toThrow(
        expect.objectContaining({ code: 'out-of-range', path: `options.${Object.keys(options)[0]}` }),
      );
    }
    const ragdoll = createActiveRagdoll(simulation, 0);
    expect(() => hitActiveRagdoll(ragdoll, 'chst', [0, 0, 100])).toThrow(/chest/);
    expect(() => hitActiveRagdoll(ragdoll, 'chest', [0, 0, Number.NaN])).toThrow(/impulse/);
    expect(() => stepActiveRagdoll(ragdoll, [1], DT)).toThrow(/pose/);
    expect(() => stepActiveRagdoll(ragdoll, createPose(human), 0)).toThrow(/dt/);
    expect([ragdoll.state, ragdoll.stateTime]).toEqual(['tracking', 0]);
  });
});

describe('a root frame', () => {
  test('recovers the rotation and translation of a moved pose, whatever the rest of the root', () => {
    const random = createRandom(91);
    for (let n = 0; n < 50; n++) {
      const rotation = quat.normalize([0, 0, 0, 1].map((x) => x + within(random, 1)) as never) as never;
      const figure = createFigure({
        bones: [
          { name: 'above', rest: { position: [0.5, 0.1, 0], rotation: [0.6, 0, 0, 0.8] } },
          { name: 'root', parent: 'above', joint: { type: 'free' }, rest: { position: [1, 2, 3], rotation } },
          { name: 'tip', parent: 'root', rest: { position: [0.3, 0.2, 0.1] } },
        ],
      });
      const pose = [within(random, 1), within(random, 1), within(random, 1), ...rotationVector(random, 2)];
      const heading = within(random, 3);
      const given = { heading, position: Float64Array.of(within(random, 2), 0, within(random, 2)) };
      const up = [0, 1, 0] as const;
      const placed = new Float64Array(6);
      const root = findRoot(figure) as Root;
      applyRootFrame(root, pose, given, up, placed);
      const found = createRootFrame();
      alignRootFrame(root, pose, placed, up, found);
      expect(found.heading).toBeCloseTo(heading, 9);
      expectClose(found.position, given.position, 1e-9);
      // The tip is turned about the world's upright, then moved.
      const [before, after] = [createState(figure), createState(figure)];
      forwardKinematics(before, pose);
      forwardKinematics(after, placed);
      const [x, y, z] = before.worldFromBone.subarray(33, 36);
      const [c, s] = [Math.cos(heading), Math.sin(heading)];
      const [px, , pz] = given.position;
      expectClose(after.worldFromBone.subarray(33, 36), [c * x + s * z + px, y, c * z - s * x + pz], 1e-12);
    }
  });
});

describe('muscle relaxation', () => {
  test('decreases with the distance in joints from the hit, and is reduced again', () => {
    const slack = createRelaxation(human);
    const of = (bone: string): number => slack.amount[boneIndex(human, bone)];
    relaxMuscles(human, slack, boneIndex(human, 'chest'), 0.8, 3);
    expect(
      ['chest', 'spine', 'upperChest', 'neck', 'hips', 'head', 'leftUpperArm', 'leftLowerArm'].map(of),
    ).toEqual([0.8, 0.6, 0.6, 0.4, 0.4, 0.2, 0.2, 0].map((x) => expect.closeTo(x, 12)));
    expect(of('leftFoot')).toBe(0);
    expect(tightenMuscles(slack, 0.5)).toBe(true);
    expect(of('chest')).toBeCloseTo(0.3, 12);
    expect(of('head')).toBe(0);
    expect(tightenMuscles(slack, 0.5)).toBe(false);
  });
});

describe('distanceOutsideSupport', () => {
  test('is the distance of the centre of mass from the sole, and grows by v sqrt(l / g)', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'box',
          joint: { type: 'free' },
          mass: 3,
          centerOfMass: [0.05, 0, 0],
          inertia: [1, 1, 1, 0, 0, 0],
        },
      ],
    });
    const shapes = [{ bone: 'box', type: 'box', halfSizes: [0.2, 0.5, 0.1] }] as const;
    const velocity = [0, 0, 0, 0, 0, 0];
    const simulation = createSimulation([{ figure, shapes, pose: [0, 0.5, 0, 0, 0, 0], velocity }], {
      world: [{ type: 'plane' }],
      sleep: false,
    });
    const [actor] = simulation.actors;
    stepSimulation(simulation, 1e-3);
    // Along z the sole is narrowest: 0.1 to each side of the centre.
    expect(distanceOutsideSupport(simulation, actor, [0, 1, 0])).toBeCloseTo(-0.1, 3);
    actor.work.energy.centerVelocity[2] = 1;
    expect(distanceOutsideSupport(simulation, actor, [0, 1, 0])).toBeCloseTo(Math.sqrt(0.5 / 9.81) - 0.1, 2);
    actor.pose[1] = 5;
    stepSimulation(simulation, 1e-3);
    expect(distanceOutsideSupport(simulation, actor, [0, 1, 0])).toBe(Number.NEGATIVE_INFINITY);
  });
});
