import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFootPoints } from '../../src/dynamics/index.js';
import { cleanMotion, makePhysical, retimeMotion } from '../../src/editing/index.js';
import { createFigure, createPose, figureToData } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import {
  createMotion,
  createMotionSampler,
  cubicSpline,
  type Motion,
  samplePose,
} from '../../src/motion/index.js';
import { sampleTrajectory } from '../../src/spacetime/index.js';
import { testRandom } from '../support/random-figure.js';
import { distance, pointOf, poseOf, sampleTimes } from './support.js';

/** A rod of 2 kg that hangs from a hinge about z: J q'' + m g c sin q = tau, written here by hand. */
const MASS = 2;
const CENTER = 0.5;
const INERTIA = 0.2;
const rod = createFigure({
  name: 'rod',
  bones: [
    {
      name: 'rod',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mass: MASS,
      centerOfMass: [0, -CENTER, 0],
      inertia: [INERTIA, INERTIA, INERTIA, 0, 0, 0],
      tip: [0, -1, 0],
    },
  ],
});
const J = INERTIA + MASS * CENTER * CENTER;
const torque = (q: number, second: number): number => J * second + MASS * 9.81 * CENTER * Math.sin(q);

/** Angle, rate and second rate of a clip of the rod. */
function rodAt(motion: Motion): (time: number) => { q: number; v: number; a: number } {
  const sampler = createMotionSampler(rod, motion);
  return (time) => {
    const q = new Float64Array(1);
    const v = new Float64Array(1);
    const a = new Float64Array(1);
    samplePose(sampler, time, q, v, a);
    return { q: q[0], v: v[0], a: a[0] };
  };
}

/** Simpson's rule. */
function integral(f: (t: number) => number, from: number, to: number, count: number): number {
  const h = (to - from) / count;
  let sum = f(from) + f(to);
  for (let k = 1; k < count; k++) sum += (k % 2 === 1 ? 4 : 2) * f(from + k * h);
  return (sum * h) / 3;
}

describe('keyed poses made physical', () => {
  test('a key that cannot be met is named, with its bone and by how much', () => {
    const limited = createFigure({
      ...figureToData(rod),
      bones: [{ ...figureToData(rod).bones[0], limit: { type: 'interval', min: -1, max: 1 } }],
    });
    const times = [0, 0.5, 1];
    const warningsOf = (value: number, keys: 'exact' | number): readonly string[] =>
      makePhysical(limited, { times, poses: [[0], [value], [0]] }, { keys, maxIterations: 40 }).warnings;
    const missed =
      "keys[1] at 0.500 s is missed: 'rod' is 8.00 rad from it, which is 8.00 rad outside its limits.";
    expect(warningsOf(9, 1e5)).toEqual([missed]);
    expect(warningsOf(9, 'exact')).toEqual([missed]);
    expect(warningsOf(0.9, 1e5)).toEqual([]);
    // Within the limits, and too light against the effort.
    expect(warningsOf(0.9, 1e-6)).toEqual([
      expect.stringMatching(/^keys\[1\] at 0\.500 s is missed: 'rod' is 0\.\d+ rad from it\.$/),
    ]);
  });

  test('keys outside the limits and keys that contradict each other are infeasible, with key and bone', () => {
    const human = createHumanFigure();
    const elbow = human.bones.find(({ name }) => name === 'leftLowerArm')?.coordinate as number;
    const locked = human.bones.filter(
      ({ name, dof }) => dof > 0 && !/^hips$|Leg$|Foot$|^leftLowerArm$/.test(name),
    );
    const bent = (angle: number): Float64Array => createPose(human).fill(angle, elbow, elbow + 1);
    const solve = (times: number[], angles: number[]): readonly [string, readonly string[]] => {
      const { solution, warnings } = makePhysical(
        human,
        { times, poses: angles.map(bent) },
        { keys: 'exact', rate: 10, locked: locked.map(({ name }) => name) },
      );
      return [solution.status, warnings];
    };
    const outside = (key: string, time: string): string =>
      `keys[${key}] at ${time} s is missed: 'leftLowerArm' is 0.0500 rad from it, which is 0.0500 rad outside its limits.`;
    expect(solve([0, 0.4], [0, -0.05])).toEqual(['infeasible', [outside('1', '0.400')]]);
    expect(solve([0, 0.2, 0.4], [0, -0.05, 0])).toEqual(['infeasible', [outside('1', '0.200')]]);
    const [status, warnings] = solve([0, 0.2, 0.2001, 0.4], [0, 0.6, 0.1, 0]);
    expect(status).toBe('infeasible');
    expect(warnings).toEqual(
      [1, 2].map((key) => expect.stringContaining(`keys[${key}] at 0.200 s is missed: 'leftLowerArm'`)),
    );
    expect(solve([0, 0.2, 0.4], [0, 0.3, 0])).toEqual(['converged', []]);
  });

  test('without gravity a rotation from rest to rest is 3 s^2 - 2 s^3', () => {
    const { motion, solution } = makePhysical(
      rod,
      { times: [1, 3], poses: [[0.2], [1.4]] },
      { gravity: [0, 0, 0] },
    );
    expect(solution.status).toBe('converged');
    const at = rodAt(motion);
    for (const t of sampleTimes(0, 2, 41)) {
      const s = t / 2;
      expect(at(t).q).toBeCloseTo(0.2 + 1.2 * s * s * (3 - 2 * s), 5);
    }
  });

  test('under gravity no variation of the motion takes less effort, by an independent equation of motion', () => {
    const { motion, solution } = makePhysical(
      rod,
      { times: [0, 0.7, 1.5], poses: [[0], [0.4], [2]] },
      { rate: 24 },
    );
    expect(solution.status).toBe('converged');
    const at = rodAt(motion);
    expect(at(0.7).q).toBeCloseTo(0.4, 6);
    for (const [t, q] of [
      [0, 0],
      [1.5, 2],
    ]) {
      expect(at(t).q).toBeCloseTo(q, 7);
      expect(at(t).v).toBeCloseTo(0, 6);
    }
    const effort = (size: number, n: number): number =>
      integral(
        (t) => {
          // t^2 (1.5 - t)^2 (t - 0.7) times a cosine: nothing at the keys, no rate at the ends.
          const bump = (x: number): number =>
            x * x * (1.5 - x) ** 2 * (x - 0.7) * Math.cos((n * Math.PI * x) / 1.5);
          const h = 1e-4;
          const second = (bump(t + h) - 2 * bump(t) + bump(t - h)) / (h * h);
          const { q, a } = at(t);
          return torque(q + size * bump(t), a + size * second) ** 2;
        },
        0,
        1.5,
        600,
      );
    const min = effort(0, 0);
    for (const n of [0, 1, 2, 3]) {
      const slope = (effort(1e-3, n) - effort(-1e-3, n)) / 2e-3;
      const bend = (effort(1e-3, n) - 2 * min + effort(-1e-3, n)) / 1e-6;
      expect(bend).toBeGreaterThan(0);
      // What a step along the variation could still gain.
      expect((0.5 * slope * slope) / bend).toBeLessThan(1e-3 * min);
    }
  });

  test('a thrown body follows a parabola and rotates freely', () => {
    const box = createFigure({
      bones: [{ name: 'box', joint: { type: 'free' }, mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }],
    });
    const { motion, solution } = makePhysical(
      box,
      {
        times: [0, 0.8],
        poses: [
          [0, 1, 0, 0, 0, 0],
          [2, 0.5, 1, 0, 0.8, 0],
        ],
      },
      { rest: false },
    );
    expect(solution.status).toBe('converged');
    const pose = poseOf(box, motion);
    const [x, y, z] = [2 / 0.8, (0.5 - 1 + 0.5 * 9.81 * 0.64) / 0.8, 1 / 0.8];
    for (const t of sampleTimes(0, 0.8, 41)) {
      const at = pose(t);
      expect(at[0]).toBeCloseTo(x * t, 5);
      expect(at[1]).toBeCloseTo(1 + y * t - 0.5 * 9.81 * t * t, 5);
      expect(at[2]).toBeCloseTo(z * t, 5);
      // A ball of inertia turns evenly.
      expect(at[4]).toBeCloseTo(t, 4);
    }
  });

  test('torques satisfy their bounds, by the equation of motion', () => {
    const keys = { times: [0, 1], poses: [[0], [1.2]] };
    const free = rodAt(makePhysical(rod, keys).motion);
    const max = Math.max(...sampleTimes(0, 1, 101).map((t) => Math.abs(torque(free(t).q, free(t).a))));
    const { motion, solution } = makePhysical(rod, keys, { torques: 0.9 * max });
    expect(solution.status).toBe('converged');
    const at = rodAt(motion);
    for (const t of sampleTimes(0, 1, 101)) {
      expect(Math.abs(torque(at(t).q, at(t).a))).toBeLessThan(0.9 * max * 1.001);
    }
  });

  test.each([
    [{ times: [0], poses: [[0]] }, 'keys'],
    [{ times: [0, 1], poses: [[0]] }, 'keys'],
    [{ times: [1, 0], poses: [[0], [1]] }, 'keys.times[1]'],
    [{ times: [0, 1], poses: [[0], [Number.NaN]] }, 'keys.poses[1][0]'],
  ])('refuses %j', (keys, path) => {
    expect(() => makePhysical(rod, keys)).toThrow(expect.objectContaining({ path }));
  });

  test('rejects a figure without mass', () => {
    const light = createFigure({ bones: [{ name: 'rod', joint: { type: 'hinge', axis: [0, 0, 1] } }] });
    expect(() => makePhysical(light, { times: [0, 1], poses: [[0], [1]] })).toThrow('mass');
  });
});

describe('a cleaned clip', () => {
  const times = sampleTimes(0, 2, 81);
  const swing = createMotion(rod, {
    tracks: [
      {
        bone: 'rod',
        curve: cubicSpline({
          times,
          values: times.map((t) => 0.6 * Math.sin(4 * t) + 0.002 * Math.sin(61 * t)),
        }),
      },
    ],
  });

  test('stays near the clip and satisfies torque bounds', () => {
    const bound = 5;
    const { motion, solution } = cleanMotion(rod, swing, { torques: bound });
    expect(solution.status).toBe('converged');
    const at = rodAt(motion);
    const was = rodAt(swing);
    expect(Math.max(...times.map((t) => Math.abs(torque(was(t).q, was(t).a))))).toBeGreaterThan(bound);
    for (const t of sampleTimes(0, 2, 1281)) {
      expect(Math.abs(torque(at(t).q, at(t).a))).toBeLessThan(1.005 * bound);
      expect(Math.abs(at(t).q - was(t).q)).toBeLessThan(0.15);
    }
  });
});

describe('a clip with feet', () => {
  test('given contacts are fixed where the clip slides and trembles', () => {
    const human = createHumanFigure();
    const times = sampleTimes(0, 0.5, 31);
    const rest = createPose(human);
    const values = times.flatMap((t, k) =>
      Array.from(rest, (x, i) => x + 0.05 * Math.sin(4 * t + i) + 0.003 * Math.sin(9 * k + 2 * i)),
    );
    const clip = createMotion(human, { tracks: [{ coordinate: 0, keys: { times, values } }] });
    const points = findFootPoints(human, 'leftFoot').slice(0, 3);
    const { motion, solution, contacts } = cleanMotion(human, clip, {
      contacts: [{ bone: 'leftFoot', points, over: [0, 0.5] }],
      physics: false,
      rate: 12,
      locked: ['rightHand', 'leftHand', 'head', 'neck'].filter((name) =>
        human.bones.some((bone) => bone.name === name && bone.dof > 0),
      ),
    });
    expect(solution.status).toBe('converged');
    expect(contacts).toHaveLength(1);
    for (const point of points) {
      const at = pointOf(human, motion, 'leftFoot', point);
      const slid = pointOf(human, clip, 'leftFoot', point);
      expect(distance(slid(0), slid(0.25))).toBeGreaterThan(5e-3);
      expect(at(0)[1]).toBeCloseTo(0, 6);
      const keys = Array.from(motion.tracks[0].curve.knots as ArrayLike<number>);
      for (const t of keys) expect(distance(at(t), at(0))).toBeLessThan(1e-6);
      for (const t of sampleTimes(0, 0.5, 61)) expect(distance(at(t), at(0))).toBeLessThan(2e-5);
    }
  });
});

describe('a noisy clip made physical', () => {
  const human = createHumanFigure();
  const random = testRandom(123456);
  const times = sampleTimes(0, 0.5, 16);
  /** 0.3 degrees and 5 mm in every coordinate, 30 times a second. */
  const values = times.flatMap(() => Array.from(createPose(human), (x) => x + 0.005 * (2 * random() - 1)));

  // Balls without limits are displacements from a reference, whose noise no spline of the solve can take away.
  test.each(['with limits', 'without limits'])(
    'nothing holds the root between collocation points: %s',
    (limits) => {
      const data = figureToData(human);
      const figure =
        limits === 'with limits'
          ? human
          : createFigure({
              ...data,
              bones: data.bones.map(({ limit: _, ...bone }) => bone),
            });
      const clip = createMotion(figure, {
        tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }],
      });
      const { solution, contacts } = cleanMotion(figure, clip);
      expect(solution.status).toBe('converged');
      expect(contacts).toHaveLength(4);
      for (const time of sampleTimes(0, 0.5, 121)) {
        const { torques } = sampleTrajectory(solution.trajectory, time);
        // N of 724 N of weight.
        for (let i = 0; i < 3; i++) expect(Math.abs(torques[i])).toBeLessThan(15);
      }
    },
  );
});

describe('retiming', () => {
  const times = sampleTimes(1, 3, 81);
  const clip = createMotion(rod, {
    tracks: [{ bone: 'rod', curve: cubicSpline({ times, values: times.map((t) => Math.sin(2 * t)) }) }],
  });

  test('a uniform time scaling is bounded by the fastest time of the clip', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.6, max: 3, noNaN: true }), (limit) => {
        const { motion, solution } = retimeMotion(rod, clip, {
          duration: { min: 0.2, max: 20 },
          speeds: limit,
          tracking: 1e6,
        });
        expect(solution.status).toBe('converged');
        // The fastest moment of sin 2t on [1, 3] is at pi/2, where it goes at 2 rad/s.
        expect(motion.end).toBeCloseTo((2 * 2) / limit, 1);
        const at = rodAt(motion);
        for (const t of sampleTimes(0, motion.end, 101))
          expect(Math.abs(at(t).v)).toBeLessThan(limit * (1 + 1e-3));
        const pose = poseOf(rod, clip);
        expect(at(0).q).toBeCloseTo(pose(1)[0], 6);
        expect(at(motion.end).q).toBeCloseTo(pose(3)[0], 6);
        expect(at(0.5 * motion.end).q).toBeCloseTo(pose(2)[0], 2);
      }),
      { numRuns: 4 },
    );
  });

  test('a varying time scaling is faster where it may be, and torques satisfy their bounds', () => {
    const bound = 9;
    const even = retimeMotion(rod, clip, { duration: { min: 0.5, max: 8, start: 3 }, torques: bound });
    const pieces = retimeMotion(rod, clip, {
      duration: { min: 0.5, max: 8, start: 3, pieces: 5 },
      torques: bound,
    });
    expect(even.solution.status).toBe('converged');
    expect(pieces.solution.status).toBe('converged');
    expect(even.motion.end).toBeLessThan(0.8);
    expect(pieces.motion.end).toBeLessThan(0.95 * even.motion.end);
    // Where it is held the bound is kept to the tolerance. Between these moments a curve that jumps from bound to bound passes it, most where the timing has pieces.
    for (const [{ motion, solution }, between] of [
      [even, 1.01],
      [pieces, 1.01],
    ] as const) {
      expect(solution.violation).toBeLessThan(2e-6);
      const at = rodAt(motion);
      const passed = sampleTimes(0, motion.end, 1281).map((t) => Math.abs(torque(at(t).q, at(t).a)) / bound);
      expect(Math.max(...passed)).toBeLessThan(between);
      // What the solution says of it is what the equation of motion says, and is less than a warning is worth.
      const said = solution.intersample.find(({ type }) => type === 'torque-limit')?.violation ?? 0;
      expect(said).toBeLessThan(Math.max(...passed) - 1 + 1e-4);
      expect(said).toBeGreaterThan(0.7 * (Math.max(...passed) - 1) - 1e-4);
      expect(solution.warnings).toEqual([]);
    }
    const at = rodAt(even.motion);
    const { intervals } = even.solution.trajectory.problem.system.parameterization.basis;
    for (const t of [
      0,
      ...sampleTimes((1 + 1 / 6) / intervals, 1 - (1 + 1 / 6) / intervals, 3 * intervals - 6),
      1,
    ]) {
      const { q, a } = at(t * even.motion.end);
      expect(Math.abs(torque(q, a))).toBeLessThan(bound * (1 + 1e-5));
    }
  });
});
