import { type PoiseError, PoiseError as PoiseErrorClass } from 'poise';
import { createFigure, createPose, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type IkStatus, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import type { Bone, Goal, Triple } from '../../../../../scripts/oracles/ik/types.js';
import { chainOf, solveJudged } from './judged.js';

function refusal(act: () => unknown): PoiseError {
  try {
    act();
  } catch (error) {
    if (error instanceof PoiseErrorClass) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const tip: Triple = [0, 1, 0];
const handAt = (bone: string, target: Triple, weight = 1): Goal => ({
  type: 'position',
  bone,
  point: tip,
  target,
  weight,
  tolerance: 1e-6,
});
const reachedOrNot: readonly IkStatus[] = ['converged', 'out-of-reach', 'limit-blocked'];

describe('goals that contradict each other', () => {
  const arm = chainOf(3, { type: 'ball' });

  it.each([
    [1, 1],
    [1, 3],
    [1e-3, 1e3],
    [1e6, 1],
  ])('two places for one point, weights %d and %d: the weighted mean, out-of-reach', (a, b) => {
    const [p, q]: [Triple, Triple] = [
      [1, 1, 0.5],
      [1, 1.4, -0.5],
    ];
    const { result } = solveJudged({ bones: arm, goals: [handAt('bone2', p, a), handAt('bone2', q, b)] });
    expect(result.status).toBe('out-of-reach');
    // min a |x - p|^2 + b |x - q|^2: x divides the way from p to q as b : a.
    const sign = Math.hypot(...p.map((x, k) => x - q[k]));
    expect(result.residuals[0].value).toBeCloseTo((b / (a + b)) * sign, 7);
    expect(result.residuals[1].value).toBeCloseTo((a / (a + b)) * sign, 7);
  });

  it('two orientations, a quarter turn and half a turn apart: between them', () => {
    const half = Math.SQRT1_2;
    for (const [other, apart] of [
      [[half, 0, 0, half], Math.PI / 2],
      [[1, 0, 0, 0], Math.PI],
    ] as const) {
      const goals: Goal[] = [
        { type: 'orientation', bone: 'bone2', target: [0, 0, 0, 1] },
        { type: 'orientation', bone: 'bone2', target: other },
      ];
      const { result } = solveJudged({ bones: arm, goals });
      expect(result.status).toBe('out-of-reach');
      // On the geodesic between the two, in its middle.
      for (const { value } of result.residuals) expect(value).toBeCloseTo(apart / 2, 6);
    }
  });

  it('one axis at two opposite targets: no direction serves both', () => {
    const at = (target: Triple): Goal => ({ type: 'points-at', bone: 'bone0', axis: [0, 1, 0], target });
    const { result } = solveJudged({ bones: arm.slice(0, 1), goals: [at([5, 0, 0]), at([-5, 0, 0])] });
    expect(result.status).toBe('out-of-reach');
    expect(result.residuals[0].value + result.residuals[1].value).toBeCloseTo(Math.PI, 6);
  });

  it('a place beyond the chain and an orientation that wants the arm elsewhere', () => {
    const goals: Goal[] = [
      handAt('bone2', [0, 50, 0]),
      { type: 'orientation', bone: 'bone2', target: [1, 0, 0, 0] },
    ];
    const { result } = solveJudged({ bones: arm, goals });
    expect(result.status).toBe('out-of-reach');
  });

  it('the same goal many times over is met as it is once', () => {
    const goal = handAt('bone2', [1, 1, 1]);
    for (const goals of [[goal], [goal, goal], Array.from({ length: 12 }, () => goal)]) {
      expect(solveJudged({ bones: arm, goals }).result.status).toBe('converged');
    }
    const far = handAt('bone2', [5, 5, 5]);
    const once = solveJudged({ bones: arm, goals: [far] }).result;
    const often = solveJudged({ bones: arm, goals: Array.from({ length: 12 }, () => far) }).result;
    expect(often.status).toBe('out-of-reach');
    expect(often.residuals[7].value).toBeCloseTo(once.residuals[0].value, 9);
  });
});

describe('bones without length, targets at the joint', () => {
  it('a figure whose bones are all points cannot translate its tip, but rotates it', () => {
    const bones = chainOf(3, { type: 'ball' }, { length: 0 });
    const place: Goal = { type: 'position', bone: 'bone2', target: [1, 0, 0] };
    const error = refusal(() => createIk(createFigure({ bones }), [place]));
    expect([error.code, error.path]).toEqual(['immovable-goal', 'goals[0]']);
    const rotation: Goal = { type: 'orientation', bone: 'bone2', target: [0.5, 0.5, 0.5, 0.5] };
    expect(solveJudged({ bones, goals: [rotation] }).result.status).toBe('converged');
    // With a point off the axis there is something to move.
    expect(solveJudged({ bones, goals: [{ ...place, point: [0, 1, 0] }] }).result.status).toBe('converged');
  });

  it('points between links of length change nothing', () => {
    const bones: Bone[] = [];
    for (let k = 0; k < 3; k++) {
      const parent = bones.at(-1)?.name ?? null;
      const rest = { position: [0, k === 0 ? 0 : 1, 0] as Triple, rotation: [0, 0, 0, 1] as const };
      bones.push({ name: `link${k}`, parent, rest, joint: { type: 'hinge', axis: [0, 0, 1] } });
      for (const axis of [
        [1, 0, 0],
        [0, 1, 0],
      ] as Triple[]) {
        bones.push({
          name: `link${k}${axis[0]}`,
          parent: bones.at(-1)?.name ?? null,
          rest: { position: [0, 0, 0], rotation: [0, 0, 0, 1] },
          joint: { type: 'hinge', axis },
        });
      }
    }
    const last = bones.at(-1)?.name ?? '';
    const { result } = solveJudged({ bones, goals: [{ ...handAt(last, [0.4, 1.1, -1.2]) }] });
    expect(result.status).toBe('converged');
  });

  it('the base itself as the place of the tip: three links fold into a triangle, two links onto each other', () => {
    for (const count of [2, 3, 4, 5]) {
      const bones = chainOf(count, { type: 'ball' });
      const { result } = solveJudged({ bones, goals: [handAt(`bone${count - 1}`, [0, 0, 0])] });
      expect(result.status).toBe('converged');
    }
    // A single link cannot: every pose is as far, so every pose is stationary.
    const { result } = solveJudged({
      bones: chainOf(1, { type: 'ball' }),
      goals: [handAt('bone0', [0, 0, 0])],
    });
    expect(result.status).toBe('out-of-reach');
    expect(result.residuals[0].value).toBeCloseTo(1, 12);
  });

  it('a points-at target at the very origin of the sight counts as missed by pi', () => {
    const bones = chainOf(1, { type: 'ball' });
    const goal: Goal = { type: 'points-at', bone: 'bone0', axis: [0, 1, 0], target: [0, 0, 0] };
    const { result } = solveJudged({ bones, goals: [goal] });
    expect(result.status).toBe('out-of-reach');
    expect(result.residuals[0].value).toBe(Math.PI);
  });

  it('a points-at target that only a joint farther down can bring off the origin of the sight', () => {
    const bones = chainOf(3, { type: 'ball' });
    const goal: Goal = { type: 'points-at', bone: 'bone2', axis: [0, 1, 0], target: [0, 2, 0] };
    const { pose, result } = solveJudged({ bones, goals: [goal], locked: ['bone0', 'bone1'] });
    // Nothing free moves the origin: no direction, no slope, and nothing is broken.
    expect(result.residuals[0].value).toBe(Math.PI);
    expect(pose.every(Number.isFinite)).toBe(true);
  });
});

describe('weights and masks at their ends', () => {
  const arm = chainOf(3, { type: 'ball' });
  const p: Triple = [1, 1, 0.5];
  const q: Triple = [-1, 1.4, -0.5];

  it('weight 0 switches a goal off, and each solve reads the weight', () => {
    const second: Goal & { weight: number } = { ...handAt('bone2', q), weight: 0 };
    const figure = createFigure({ bones: arm });
    const ik = createIk(figure, [handAt('bone2', p), second]);
    const pose = createPose(figure);
    const off = solveIk(ik, pose);
    expect(off.status).toBe('converged');
    expect(off.residuals.map(({ satisfied }) => satisfied)).toEqual([true, false]);
    second.weight = 1;
    expect(solveIk(ik, pose).status).toBe('out-of-reach');
    for (const weight of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      second.weight = weight;
      const before = pose.slice();
      expect(refusal(() => solveIk(ik, pose)).path).toBe('goals[1].weight');
      expect(pose).toEqual(before);
    }
    second.weight = 0;
    expect(solveIk(ik, pose).status).toBe('converged');
  });

  it('all weights 0: nothing is asked, nothing moves', () => {
    const figure = createFigure({ bones: arm });
    const pose = Float64Array.from({ length: figure.dof }, (_, k) => Math.sin(k));
    const before = pose.slice();
    const result = solveIk(createIk(figure, [{ ...handAt('bone2', p), weight: 0 }]), pose);
    expect(result.status).toBe('converged');
    expect(result.objective).toBe(0);
    expect(pose).toEqual(before);
  });

  it.each([
    [1e-300, 1],
    [1e-300, 1e100],
    [Number.MIN_VALUE, 1e100],
    [1e100, 1e100],
  ])('weights %d and %d: a goal that is not met keeps a solve from being converged', (a, b) => {
    const figure = createFigure({ bones: arm });
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [handAt('bone2', p, a), handAt('bone2', q, b)]), pose);
    expect(pose.every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(result.objective)).toBe(true);
    expect(result.residuals.every(({ satisfied }) => satisfied)).toBe(false);
    expect(result.status).not.toBe('converged');
  });

  it('a mask that leaves nothing is refused, one that leaves an axis holds that axis alone', () => {
    const figure = createFigure({ bones: arm });
    const goal = { type: 'position', bone: 'bone2', point: tip, target: p } as const;
    expect(refusal(() => createIk(figure, [{ ...goal, mask: [0, 0, 0] }])).path).toBe('goals[0].mask');
    const pose = createPose(figure);
    pose[0] = 0.3;
    const result = solveIk(createIk(figure, [{ ...goal, target: [9, 1.25, -7], mask: [0, 1, 0] }]), pose);
    expect(result.status).toBe('converged');
    expect(result.residuals[0].value).toBeLessThan(1e-4);
  });
});

describe('figures that hardly move', () => {
  it('a locked figure, a figure of fixed bones, a goal on a root that cannot: refused by name', () => {
    const arm = chainOf(3, { type: 'ball' });
    const figure = createFigure({ bones: arm });
    const goal = handAt('bone2', [1, 1, 1]);
    const locked = ['bone0', 'bone1', 'bone2'];
    for (const act of [
      () => createIk(figure, [goal], { locked }),
      () => createIk(createFigure({ bones: chainOf(3, { type: 'fixed' }) }), [goal]),
      () => createIk(figure, [{ type: 'position', bone: 'bone0', target: [1, 1, 1] }]),
      () =>
        createIk(createFigure({ bones: chainOf(1, { type: 'slider', axis: [0, 1, 0] }) }), [
          { type: 'orientation', bone: 'bone0', target: [1, 0, 0, 0] },
        ]),
    ]) {
      const error = refusal(act);
      expect([error.code, error.path]).toEqual(['immovable-goal', 'goals[0]']);
      expect(error.remedy.length).toBeGreaterThan(10);
    }
  });

  it('goals on a root that can', () => {
    const free = chainOf(1, { type: 'free' });
    const goals: Goal[] = [
      { type: 'position', bone: 'bone0', target: [3, -2, 1], tolerance: 1e-9 },
      { type: 'orientation', bone: 'bone0', target: [0.5, -0.5, 0.5, 0.5], tolerance: 1e-9 },
    ];
    expect(solveJudged({ bones: free, goals }).result.status).toBe('converged');
    const ball = chainOf(1, { type: 'ball' });
    expect(solveJudged({ bones: ball, goals: goals.slice(1) }).result.status).toBe('converged');
  });

  it('limits of no width pin every joint: limit-blocked where it stands', () => {
    const at = { min: 0.3, max: 0.3 };
    const pinned: [string, Bone['joint'], Bone['limit']][] = [
      ['hinge', { type: 'hinge', axis: [0, 0, 1] }, { type: 'interval', ...at }],
      ['slider', { type: 'slider', axis: [1, 0, 0] }, { type: 'interval', ...at }],
      ['euler', { type: 'euler', order: 'ZXY' }, { type: 'box', min: [0.3, 0, 0], max: [0.3, 0, 0] }],
    ];
    for (const [name, joint, limit] of pinned) {
      const bones = chainOf(3, joint, { limit });
      const { result, pose } = solveJudged(
        { bones, goals: [handAt('bone2', [1, 1, 1])] },
        { start: new Float64Array(createFigure({ bones }).dof).fill(5) },
      );
      expect(result.status, name).toBe('limit-blocked');
      expect(Array.from(pose).every((x) => x === 0.3 || x === 0)).toBe(true);
    }
    // A twist of no width leaves the swing.
    const socket = chainOf(
      3,
      { type: 'ball-and-socket', axis: [0, 1, 0] },
      {
        limit: {
          type: 'swing-twist',
          swing: { type: 'ellipse', halfAngles: [1.2, 0.9] },
          twist: { min: 0.2, max: 0.2 },
        },
      },
    );
    expect(solveJudged({ bones: socket, goals: [handAt('bone2', [1, 2, 0.7])] }).result.status).toBe(
      'converged',
    );
  });

  it('the narrowest limits that a figure may have', () => {
    for (const narrow of [1e-9, 1e-6, 1e-3]) {
      const bones = chainOf(
        3,
        { type: 'swing', axis: [0, 1, 0] },
        { limit: { type: 'cone', halfAngle: narrow } },
      );
      const { result } = solveJudged({ bones, goals: [handAt('bone2', [3, 0, 0])] });
      expect(result.status).toBe('limit-blocked');
      expect(result.activeLimits.length).toBe(3);
    }
  });
});

describe('starts and targets far off', () => {
  const figure = createHumanFigure();

  it('targets that jump by 1e6 between frames, and back: finite, within limits, and no worse for it', () => {
    for (const restarts of [0, 4]) {
      const target = new Float64Array([0.3, 1.2, 0.3]);
      const goals = [{ type: 'position', bone: 'leftHand', target }] as const;
      const ik = createIk(figure, goals, { locked: ['hips'], restarts });
      const pose = createPose(figure);
      expect(solveIk(ik, pose).status).toBe('converged');
      for (const jump of [1e6, -1e6, 1e3, 1e12, 1e-300]) {
        target.set([jump, 1.2, -jump]);
        const result = solveIk(ik, pose);
        expect(pose.every(Number.isFinite)).toBe(true);
        expect(limitViolation(figure, pose)).toBeLessThanOrEqual(1e-12);
        expect(reachedOrNot.concat('stalled', 'iteration-limit')).toContain(result.status);
        if (Math.abs(jump) > 1) expect(result.residuals[0].satisfied).toBe(false);
        target.set([0.3, 1.2, 0.3]);
        expect(solveIk(ik, pose).residuals[0].value, `back from ${jump}`).toBeLessThan(0.02);
      }
    }
  });

  it('starts outside their limits by a lot are brought to the nearest allowed pose first', () => {
    for (const size of [10, 1e3, 1e6, 1e8]) {
      const pose = Float64Array.from({ length: figure.dof }, (_, k) => size * Math.sin(3 * k + 1));
      pose.fill(0, 0, 6);
      const ik = createIk(figure, [{ type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.3] }], {
        locked: ['hips'],
      });
      const result = solveIk(ik, pose);
      expect(limitViolation(figure, pose)).toBeLessThanOrEqual(1e-12);
      expect(reachedOrNot).toContain(result.status);
    }
  });

  it('a hundred thousand revolutions of joints without limits', () => {
    const revolutions = 2e5 * Math.PI;
    const joints: Bone['joint'][] = [
      { type: 'ball' },
      { type: 'hinge', axis: [0, 0, 1] },
      { type: 'euler', order: 'XYZ' },
      { type: 'swing', axis: [0, 1, 0] },
      { type: 'ball-and-socket', axis: [0, 1, 0] },
    ];
    for (const joint of joints) {
      const bones = chainOf(3, joint);
      const { dof } = createFigure({ bones });
      const start = Float64Array.from(
        { length: dof },
        (_, k) => revolutions * (k % 2 === 0 ? 1 : -0.7) + 0.1 * k,
      );
      const { result } = solveJudged({ bones, goals: [handAt('bone2', [0.7, 1.4, 0])] }, { start });
      if (joint.type !== 'swing' && joint.type !== 'ball-and-socket')
        expect(result.status, joint.type).toBe('converged');
    }
  });

  it('figures of a micrometre and of a thousand kilometres behave as one of a metre', () => {
    const bones = (size: number): Bone[] =>
      chainOf(
        4,
        { type: 'ball-and-socket', axis: [0, 1, 0] },
        {
          length: size,
          limit: {
            type: 'swing-twist',
            swing: { type: 'quad-ellipse', s: [-0.4, 1.1], t: [-0.9, 0.6] },
            twist: { min: -0.5, max: 0.7 },
          },
        },
      );
    const solve = (size: number, target: Triple) =>
      solveJudged({
        bones: bones(size),
        goals: [
          {
            type: 'position',
            bone: 'bone3',
            point: [0, size, 0],
            target: [size * target[0], size * target[1], size * target[2]],
            tolerance: 1e-9 * size,
          },
        ],
      });
    for (const target of [
      [1, 3, 0.5],
      [0, -3, 0.1],
      [9, 9, 9],
    ] as Triple[]) {
      const metre = solve(1, target);
      for (const size of [1e-6, 2 ** -20, 1e6, 2 ** 20]) {
        const other = solve(size, target);
        expect(other.result.status).toBe(metre.result.status);
        expect(Math.abs(other.result.objective - metre.result.objective)).toBeLessThan(1e-9);
        // A power of two changes no bit.
        if (Number.isInteger(Math.log2(size))) expect(other.pose).toEqual(metre.pose);
      }
    }
  });
});

describe('a thousand bones', () => {
  it('hinges in a row reach what they can', () => {
    const axes: Triple[] = [
      [1, 0, 0],
      [0, 0, 1],
    ];
    const bones = chainOf(1000, (k) => ({ type: 'hinge', axis: axes[k % 2] }), {
      length: 0.01,
      limit: { type: 'interval', min: -0.3, max: 0.3 },
    });
    const point: Triple = [0, 0.01, 0];
    const goal: Goal = { type: 'position', bone: 'bone999', point, target: [3, 4, -2], tolerance: 1e-6 };
    const figure = createFigure({ bones });
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [goal]), pose);
    expect(result.status).toBe('converged');
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('three hundred balls stretch towards what they cannot reach', () => {
    const bones = chainOf(300, { type: 'ball' }, { length: 0.01, limit: { type: 'angle', max: 0.5 } });
    const figure = createFigure({ bones });
    const pose = createPose(figure);
    const far: Goal = { type: 'position', bone: 'bone299', target: [6, 0, 0], tolerance: 1e-6 };
    const result = solveIk(createIk(figure, [far]), pose);
    expect(['out-of-reach', 'limit-blocked']).toContain(result.status);
    expect(result.stationarity).toBeLessThan(1e-8);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('balls in a row too', () => {
    const bones = chainOf(1000, { type: 'ball' }, { length: 0.01, limit: { type: 'angle', max: 0.5 } });
    const goal: Goal = { type: 'position', bone: 'bone999', target: [-5, 1, 4], tolerance: 1e-6 };
    const figure = createFigure({ bones });
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [goal]), pose);
    expect(result.status).toBe('converged');
    expect(limitViolation(figure, pose)).toBe(0);
  });
});
