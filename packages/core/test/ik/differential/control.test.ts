import { DomainError, FigureError, GoalError } from 'poise';
import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createDifferentialControl,
  type DifferentialOptions,
  type Goal,
  stepDifferentialControl,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../support/random-figure.js';
import { randomCases } from './support.js';

/** Three balls in a row along +X, one metre apart; `end` carries nothing. */
function chain(limited = false): Figure {
  const limit = limited ? { limit: { type: 'angle' as const, max: 2 } } : {};
  return createFigure({
    bones: [
      { name: 'a', joint: { type: 'ball' }, ...limit },
      { name: 'b', parent: 'a', rest: { position: [1, 0, 0] }, joint: { type: 'ball' }, ...limit },
      { name: 'c', parent: 'b', rest: { position: [1, 0, 0] }, joint: { type: 'ball' }, ...limit },
      { name: 'end', parent: 'c', rest: { position: [1, 0, 0] } },
    ],
  });
}

function positionOf(figure: Figure, pose: Float64Array, bone: string): number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * boneIndex(figure, bone) + 9;
  return Array.from(state.worldFromBone.subarray(o, o + 3));
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe('tracking', () => {
  it('decreases an error as exp(-gain t)', () => {
    const figure = chain();
    const start = new Float64Array([0.2, 0.3, 0.4, 0.3, -0.4, 0.6, -0.2, 0.5, 0.8]);
    const from = positionOf(figure, start, 'end');
    const target = [from[0] - 0.004, from[1] + 0.003, from[2]];
    const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }], {
      gain: 10,
    });
    const pose = start.slice();
    for (let k = 0; k < 30; k++) stepDifferentialControl(control, pose, 0.01);
    const left = distance(positionOf(figure, pose, 'end'), target);
    expect(left / (0.005 * Math.exp(-3))).toBeCloseTo(1, 2);
    expect(control.result.status).toBe('tracking');
    for (let k = 0; k < 300; k++) stepDifferentialControl(control, pose, 0.01);
    expect(control.result.status).toBe('converged');
  });

  it.each(['position', 'orientation', 'points-at'] as const)(
    'follows a moving %s target without lag when told its velocity',
    (type) => {
      const figure = chain();
      const errorWith = (reported: boolean): number => {
        const target = new Float64Array(type === 'orientation' ? 4 : 3);
        const common = { bone: type === 'position' ? 'end' : 'c', target };
        const goal: Goal = type === 'points-at' ? { type, axis: [1, 0, 0], ...common } : { type, ...common };
        const place = (t: number): void => {
          // A rotation about (0.6, 0, 0.8), or a straight line.
          if (type === 'orientation')
            target.set([0.6 * Math.sin(t / 2), 0, 0.8 * Math.sin(t / 2), Math.cos(t / 2)]);
          else target.set([1.8, 0.8 * t - 0.6, 0.3 + 0.3 * t]);
        };
        place(0);
        const control = createDifferentialControl(figure, [goal]);
        if (reported) control.targetVelocities[0].set(type === 'orientation' ? [0.6, 0, 0.8] : [0, 0.8, 0.3]);
        const pose = new Float64Array([0.1, 0.2, 0.3, 0.2, 0.1, -0.9, 0.1, -0.3, 0.7]);
        const dt = 1 / 120;
        let error = 0;
        for (let frame = 0; frame < 120; frame++) {
          place(frame * dt);
          error = stepDifferentialControl(control, pose, dt).goals[0].error;
        }
        return error;
      };
      const lag = errorWith(false);
      expect(lag).toBeGreaterThan(0.02);
      expect(errorWith(true)).toBeLessThan(lag / 25);
    },
  );

  it('leaves the arrays of the caller unchanged, and reads them at each step', () => {
    const target = new Float64Array([1, 1, 1]);
    const figure = chain();
    const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }]);
    control.targetVelocities[0].set([1, 2, 3]);
    const pose = createPose(figure);
    pose[2] = 0.3;
    pose[5] = 0.5;
    stepDifferentialControl(control, pose, 0.01);
    expect(Array.from(target)).toEqual([1, 1, 1]);
    control.targetVelocities[0].fill(0);
    target.set(positionOf(figure, pose, 'end'));
    expect(stepDifferentialControl(control, pose, 0.01).goals[0].error).toBe(0);
  });

  it('lists the goals in the order given, whatever their priority', () => {
    const goals: Goal[] = [
      { type: 'position', bone: 'end', target: [1, 1, 0], priority: 2 },
      { type: 'position', bone: 'c', target: [1, 0, 0], priority: 0 },
      { type: 'orientation', bone: 'end', target: [0, 0, 0, 1], priority: 1 },
    ];
    const { result } = createDifferentialControl(chain(), goals);
    expect(result.goals.map(({ index, priority }) => [index, priority])).toEqual([
      [0, 2],
      [1, 0],
      [2, 1],
    ]);
  });

  it('reads weights at each step; zero disables a goal', () => {
    const figure = chain();
    const goal: Goal = { type: 'position', bone: 'end', target: [1, 1, 0], weight: 0 };
    const control = createDifferentialControl(figure, [goal]);
    const pose = new Float64Array([0, 0, 0.3, 0, 0, 0.5, 0, 0, 0.6]);
    stepDifferentialControl(control, pose, 1 / 60);
    expect(control.velocity.every((x) => x === 0)).toBe(true);
    // What is off is missed by nobody.
    expect(control.result.status).toBe('converged');
    goal.weight = 2;
    stepDifferentialControl(control, pose, 1 / 60);
    expect(control.result.status).toBe('tracking');
    expect(control.velocity.some((x) => x !== 0)).toBe(true);
    goal.weight = -1;
    expect(() => stepDifferentialControl(control, pose, 1 / 60)).toThrow(GoalError);
  });

  it('favors the goal of larger weight of two that conflict', () => {
    const figure = chain();
    const control = createDifferentialControl(figure, [
      { type: 'position', bone: 'end', target: [1, 1, 0], weight: 9 },
      { type: 'position', bone: 'end', target: [1, 1.3, 0], weight: 1 },
    ]);
    const pose = new Float64Array([0, 0, 0.3, 0, 0, 0.5, 0, 0, 0.6]);
    for (let k = 0; k < 400; k++) stepDifferentialControl(control, pose, 1 / 60);
    // The minimum of 9 (y - 1)^2 + (y - 1.3)^2.
    expect(positionOf(figure, pose, 'end')[1]).toBeCloseTo(1.03, 6);
    expect(control.result.status).toBe('conflicting');
  });
});

describe('a time step', () => {
  it('of zero computes the velocities and leaves the pose, bit for bit', () => {
    for (const { control, figure, start } of randomCases(20)) {
      const pose = start.slice();
      stepDifferentialControl(control, pose, 0);
      const again = pose.slice();
      stepDifferentialControl(control, pose, 0);
      expect(pose).toEqual(again);
      expect(control.velocity.some((x) => x !== 0)).toBe(true);
      expect(figure.dof).toBe(control.velocity.length);
    }
  });

  it('gives nearly the same motion for long frames and short ones', () => {
    const figure = chain();
    const run = (dt: number): number[] => {
      const target = new Float64Array(3);
      const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }]);
      control.targetVelocities[0].set([0, 1.5, 0]);
      const pose = new Float64Array([0.1, 0.2, 0.3, 0.2, 0.1, -0.9, 0.1, -0.3, 0.7]);
      for (let frame = 0; frame * dt < 0.999; frame++) {
        target.set([2, 1.5 * frame * dt - 0.7, 0.4]);
        stepDifferentialControl(control, pose, dt);
      }
      return positionOf(figure, pose, 'end');
    };
    expect(distance(run(1 / 100), [2, 0.8, 0.4])).toBeLessThan(0.005);
    expect(distance(run(1 / 10), run(1 / 40))).toBeLessThan(0.005);
  });

  it('of any length converges without oscillation: goals in and out of reach, with limits', () => {
    const figure = createHumanFigure();
    const random = testRandom(31);
    for (const dt of [1 / 60, 0.1, 1e6]) {
      for (let n = 0; n < 4; n++) {
        const goals: Goal[] = ['leftHand', 'rightHand'].map((bone) => ({
          type: 'position',
          bone,
          target: [2.4 * random() - 1.2, 0.6 + 1.4 * random(), 2 * random() - 1],
        }));
        const control = createDifferentialControl(figure, goals, { locked: ['hips'] });
        const pose = createPose(figure);
        for (let t = 0, k = 0; k < 150 || t < 6; k++, t += dt) stepDifferentialControl(control, pose, dt);
        // What is still moving moves on: it creeps, it does not swing.
        const errors = Array.from({ length: 40 }, () => {
          stepDifferentialControl(control, pose, dt);
          return control.result.goals.map(({ error }) => error);
        });
        for (const g of [0, 1]) {
          const moves = errors.slice(1).map((error, k) => error[g] - errors[k][g]);
          const large = moves.filter((move) => Math.abs(move) > 2e-4);
          const reversals = large.slice(1).filter((move, k) => move * large[k] < 0).length;
          expect(reversals).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});

describe('a straight arm', () => {
  const path = (t: number): number[] => [2.4 + 1.2 * Math.sin(2 * t), 0.4 * Math.cos(3 * t), 0.1];

  it('changes its joint velocities continuously while it stretches and bends', () => {
    const largest = (dt: number): { change: number; damping: number; speed: number } => {
      const figure = chain();
      const target = new Float64Array(path(0));
      const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }]);
      const pose = new Float64Array([0, 0, 0.3, 0, 0, -0.5, 0, 0, 0.4]);
      for (let k = 0; k < 600; k++) stepDifferentialControl(control, pose, 1 / 100);
      let before = control.velocity.slice();
      let change = 0;
      let damping = 0;
      let speed = 0;
      for (let frame = 1; frame * dt < 3.2; frame++) {
        target.set(path(frame * dt));
        const result = stepDifferentialControl(control, pose, dt);
        damping = Math.max(damping, result.damping);
        control.velocity.forEach((x, k) => {
          change = Math.max(change, Math.abs(x - before[k]));
          speed = Math.max(speed, Math.abs(x));
        });
        before = control.velocity.slice();
      }
      return { change, damping, speed };
    };
    const sweeps = [2e-3, 1e-3, 5e-4].map(largest);
    // It went deep into the singular region, fast.
    for (const { damping } of sweeps) expect(damping).toBeGreaterThan(0.03);
    for (let n = 1; n < sweeps.length; n++)
      expect(sweeps[n].change / sweeps[n - 1].change).toBeLessThan(0.65);
  });

  it('is damped only in its singular direction: sideways it still tracks', () => {
    const figure = chain();
    const control = createDifferentialControl(figure, [
      { type: 'position', bone: 'end', target: [3, 0.01, 0] },
    ]);
    const { goals, damping, smallestSingularValue, status } = stepDifferentialControl(
      control,
      createPose(figure),
      0,
    );
    expect(smallestSingularValue).toBe(0);
    expect(damping).toBeGreaterThan(0.01);
    expect(goals[0].velocityError).toBeLessThan(1e-12);
    expect(status).toBe('tracking');
  });

  it('reports a desired velocity that it cannot achieve', () => {
    const figure = chain();
    const control = createDifferentialControl(figure, [
      { type: 'position', bone: 'end', target: [3.5, 0, 0] },
    ]);
    const { goals, status } = stepDifferentialControl(control, createPose(figure), 1 / 60);
    expect(status).toBe('conflicting');
    expect(goals[0].achieved).toBe(0);
    expect(goals[0].velocityError).toBe(goals[0].desired);
  });
});

describe('charts', () => {
  it('do not matter: the same orientations in another chart give the same joint velocities', () => {
    const figure = chain();
    const target = [0.5, 1, 1.2];
    const random = testRandom(12);
    for (let n = 0; n < 20; n++) {
      const pose = Float64Array.from({ length: 9 }, () => 2 * random() - 1);
      const other = pose.slice();
      for (let b = 0; b < 9; b += 3) {
        const angle = Math.hypot(...pose.subarray(b, b + 3));
        const sign = n % 2 === 0 ? 1 : -1;
        for (let k = 0; k < 3; k++) other[b + k] *= 1 + (sign * 2 * Math.PI) / angle;
      }
      const controls = [pose, other].map((start) => {
        const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }]);
        stepDifferentialControl(control, start, 1 / 60);
        return control;
      });
      for (let k = 0; k < 9; k++) {
        expect(controls[1].velocity[k]).toBeCloseTo(controls[0].velocity[k], 11);
        expect(other[k]).toBeCloseTo(pose[k], 11);
        // q' goes with the pose returned, so it is the same too.
        expect(controls[1].rates[k]).toBeCloseTo(controls[0].rates[k], 10);
      }
    }
  });

  it('change between steps: a joint in continuous rotation stays within pi and keeps its rates', () => {
    const figure = chain();
    const target = new Float64Array(4);
    const control = createDifferentialControl(figure, [{ type: 'orientation', bone: 'end', target }]);
    const pose = createPose(figure);
    const dt = 1 / 60;
    let changes = 0;
    for (let frame = 0; frame < 900; frame++) {
      const t = frame * dt;
      target.set([0.28 * Math.sin(t), 0.96 * Math.sin(t), 0, Math.cos(t)]);
      const before = pose.slice();
      stepDifferentialControl(control, pose, dt);
      const moved = pose.map((x, k) => x - before[k]);
      const speed = Math.hypot(...control.rates);
      expect(speed).toBeLessThan(6);
      for (let b = 0; b < 9; b += 3) {
        expect(Math.hypot(...pose.subarray(b, b + 3))).toBeLessThanOrEqual(Math.PI + 1e-15);
        if (Math.hypot(...moved.subarray(b, b + 3)) > 1) changes++;
      }
    }
    expect(changes).toBeGreaterThan(2);
    expect(control.result.goals[0].error).toBeLessThan(0.15);
  });
});

describe('priorities', () => {
  const figure = createHumanFigure();
  const goals = (priority: number): Goal[] => [
    { type: 'position', bone: 'leftHand', target: [0.5, 1.3, 0.3] },
    { type: 'position', bone: 'rightHand', target: [0.9, 1.8, 0.5], priority } as Goal,
  ];

  it('are strict: a lower priority does not affect a higher one', () => {
    const options: DifferentialOptions = { locked: ['hips'] };
    const alone = createDifferentialControl(figure, goals(0).slice(0, 1), options);
    const both = createDifferentialControl(figure, goals(1), options);
    const equal = createDifferentialControl(figure, goals(0), options);
    const pose = createPose(figure);
    let taken = 0;
    for (let frame = 0; frame < 120; frame++) {
      stepDifferentialControl(alone, pose.slice(), 1 / 60);
      stepDifferentialControl(equal, pose.slice(), 1 / 60);
      stepDifferentialControl(both, pose, 1 / 60);
      // Damped directions apart, and the share of the bounds that is spared for later levels.
      if (both.result.damping === 0 && !alone.result.limits.some(({ active }) => active)) {
        expect(
          Math.abs(both.result.goals[0].velocityError - alone.result.goals[0].velocityError),
        ).toBeLessThan(1e-9);
      }
      taken = Math.max(taken, equal.result.goals[0].velocityError - alone.result.goals[0].velocityError);
    }
    expect(both.result.goals.map(({ index }) => index)).toEqual([0, 1]);
    // Equal goals do take.
    expect(taken).toBeGreaterThan(0.01);
    for (let k = 0; k < 200; k++) stepDifferentialControl(both, pose, 1 / 60);
    expect(both.result.goals[0].satisfied).toBe(true);
    expect(both.result.goals[1].error).toBeGreaterThan(0.05);
  });
});

describe('a posture', () => {
  it('acts in the null space of the goals only', () => {
    const figure = chain();
    const reference = new Float64Array([0.3, 0.2, 0.5, 0, 0, -0.8, 0.4, 0, 0.6]);
    const target = [1.6, 0.9, 0.2];
    const options = { posture: { reference, rate: 4 } };
    const control = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }], options);
    const pose = new Float64Array([-0.4, 0.1, -0.3, 0, 0.3, 1.2, 0, 0.2, 0.9]);
    for (let k = 0; k < 1500; k++) stepDifferentialControl(control, pose, 1 / 60);
    expect(control.result.status).toBe('converged');
    expect(distance(positionOf(figure, pose, 'end'), target)).toBeLessThan(1e-9);
    // Nothing is left to do without moving the end: the soft goal lies in the directions that the goal uses.
    expect(Math.hypot(...control.velocity)).toBeLessThan(1e-6);
  });

  it('bends a straight arm, where the goal has no gradient', () => {
    const figure = chain();
    const reference = new Float64Array([0, 0, 0.2, 0, 0, -0.4, 0, 0, 0.3]);
    const pull = (options: DifferentialOptions): number => {
      const control = createDifferentialControl(
        figure,
        [{ type: 'position', bone: 'end', target: [2, 0, 0] }],
        options,
      );
      const pose = createPose(figure);
      for (let k = 0; k < 300; k++) stepDifferentialControl(control, pose, 1 / 60);
      return control.result.goals[0].error;
    };
    expect(pull({})).toBe(1);
    expect(pull({ posture: { reference } })).toBeLessThan(1e-4);
  });

  it('takes the shorter way round: log(R_ref^-1 R), not a difference of coordinates', () => {
    const figure = createFigure({
      bones: [
        { name: 'a', joint: { type: 'ball' } },
        { name: 'end', parent: 'a', rest: { position: [1, 0, 0] } },
      ],
    });
    // 3 rad about x and -3 rad about x are 0.28 rad apart; the goal lies on the axis and feels nothing of it.
    const control = createDifferentialControl(
      figure,
      [{ type: 'position', bone: 'end', target: [1, 0, 0] }],
      {
        posture: { reference: new Float64Array([-3, 0, 0]), rate: 1 },
      },
    );
    const pose = new Float64Array([3, 0, 0]);
    stepDifferentialControl(control, pose, 0);
    expect(control.velocity[0]).toBeCloseTo(2 * Math.PI - 6, 12);
    for (let k = 0; k < 1200; k++) stepDifferentialControl(control, pose, 1 / 60);
    expect(pose[0]).toBeCloseTo(-3, 6);
  });
});

describe('the same input', () => {
  it('gives the same bits, on the same control and on a new one', () => {
    for (const { figure, goals, options, start, control } of randomCases(25)) {
      const runs = [control, control, createDifferentialControl(figure, goals, options)].map((each) => {
        const pose = start.slice();
        for (let k = 0; k < 12; k++) stepDifferentialControl(each, pose, 0.02);
        return {
          pose,
          velocity: each.velocity.slice(),
          rates: each.rates.slice(),
          result: structuredClone(each.result),
        };
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });
});

describe('invalid input', () => {
  const figure = chain();
  const goal: Goal = { type: 'position', bone: 'end', target: [1, 1, 1] };
  const control = createDifferentialControl(figure, [goal]);

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, -0.001])('refuses a dt of %s', (dt) => {
    expect(() => stepDifferentialControl(control, createPose(figure), dt)).toThrow(DomainError);
    expect(() => stepDifferentialControl(control, createPose(figure), dt)).toThrow(/^dt: /);
  });

  it('refuses poses and targets that are not finite or of the wrong size', () => {
    expect(() => stepDifferentialControl(control, new Float64Array(8), 0.1)).toThrow(FigureError);
    expect(() => stepDifferentialControl(control, new Float64Array(9).fill(Number.NaN), 0.1)).toThrow(
      /^pose\[0\]/,
    );
    const target = new Float64Array(3);
    const moving = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target }]);
    target[1] = Number.NaN;
    expect(() => stepDifferentialControl(moving, createPose(figure), 0.1)).toThrow(GoalError);
    target[1] = 0;
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      moving.targetVelocities[0][2] = bad;
      const pose = createPose(figure).fill(0.1);
      expect(() => stepDifferentialControl(moving, pose, 0.1)).toThrow(GoalError);
      expect(() => stepDifferentialControl(moving, pose, 0.1)).toThrow(/^targetVelocities\[0\]\[2\]: is /);
      expect(pose.every((x) => x === 0.1)).toBe(true);
    }
  });

  it.each([
    [{ gain: 0 }, 'options.gain'],
    [{ limitGain: -1 }, 'options.limitGain'],
    [{ singularRegion: Number.NaN }, 'options.singularRegion'],
    [{ maxJointRate: { angular: -1 } }, 'options.maxJointRate.angular'],
    [{ maxJointRate: { bones: { b: { angular: Number.NaN } } } }, 'options.maxJointRate.bones.b.angular'],
    [{ maxJointRate: { bones: { elbow: {} } } }, 'options.maxJointRate.bones.elbow'],
    [{ posture: { reference: new Float64Array(2) } }, 'options.posture.reference'],
    [{ gian: 3 } as DifferentialOptions, 'options.gian'],
    [{ locked: ['nobody'] }, 'locked[0]'],
  ] as const)('refuses the options %o', (options, path) => {
    expect(() => createDifferentialControl(figure, [goal], options as DifferentialOptions)).toThrow(
      expect.objectContaining({ path: expect.stringContaining(path) }),
    );
  });

  it('refuses invalid goals', () => {
    expect(() => createDifferentialControl(figure, [])).toThrow(GoalError);
    expect(() => createDifferentialControl(figure, [{ ...goal, bone: 'hand' }])).toThrow(FigureError);
    expect(() => createDifferentialControl(figure, undefined as unknown as Goal[])).toThrow(GoalError);
  });

  it('survives targets that jump by 1e6, and a rate of zero', () => {
    const far = new Float64Array([1e6, -1e6, 1e6]);
    const still = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target: far }], {
      maxJointRate: { angular: 0 },
    });
    const pose = createPose(figure);
    stepDifferentialControl(still, pose, 1 / 60);
    expect(pose.every((x) => x === 0)).toBe(true);
    expect(still.result.status).toBe('rate-limited');
    const free = createDifferentialControl(figure, [{ type: 'position', bone: 'end', target: far }]);
    for (let k = 0; k < 50; k++) {
      stepDifferentialControl(free, pose, 1 / 60);
      far.forEach((x, n) => {
        far[n] = -x;
      });
    }
    expect(pose.every(Number.isFinite)).toBe(true);
    expect(free.result.exact).toBe(true);
  });
});
