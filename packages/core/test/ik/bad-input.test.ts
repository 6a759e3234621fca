import { type PoiseError, PoiseError as PoiseErrorClass } from 'poise';
import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createAnalyticArm,
  createFabrik,
  createIk,
  createTwoBone,
  type Goal,
  type PositionGoal,
  solveIk,
} from 'poise/ik';
import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

function errorOf(act: () => unknown): PoiseError {
  try {
    act();
  } catch (error) {
    if (error instanceof PoiseErrorClass) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const figure = createHumanFigure();
const target: [number, number, number] = [0.3, 1.2, 0.3];
const good: Goal = { type: 'position', bone: 'leftHand', target };

describe('invalid goals are refused with code, path and remedy', () => {
  const cases: [title: string, goal: Goal, code: string, path: string][] = [
    ['unknown bone', { ...good, bone: 'leftHnad' }, 'unknown-name', 'goals[1].bone'],
    ['bone index out of range', { ...good, bone: 99 }, 'unknown-name', 'goals[1].bone'],
    ['unknown type', { ...good, type: 'positoin' } as unknown as Goal, 'unsupported', 'goals[1].type'],
    ['negative weight', { ...good, weight: -1 }, 'out-of-range', 'goals[1].weight'],
    ['weight that is no number', { ...good, weight: Number.NaN }, 'out-of-range', 'goals[1].weight'],
    ['half a priority', { ...good, priority: 0.5 }, 'out-of-range', 'goals[1].priority'],
    ['mask that leaves nothing', { ...good, mask: [0, 0, 0] }, 'out-of-range', 'goals[1].mask'],
    ['mask beyond one', { ...good, mask: [1, 2, 0] }, 'out-of-range', 'goals[1].mask'],
    ['infinite weight', { ...good, weight: Number.POSITIVE_INFINITY }, 'out-of-range', 'goals[1].weight'],
    ['negative tolerance', { ...good, tolerance: -1 }, 'out-of-range', 'goals[1].tolerance'],
    ['NaN in the point', { ...good, point: [0, Number.NaN, 0] }, 'not-finite', 'goals[1].point[1]'],
    ['short point', { ...good, point: [0, 1] }, 'wrong-size', 'goals[1].point'],
    [
      'axis of no length',
      { type: 'points-at', bone: 'head', axis: [0, 0, 0], target },
      'not-unit',
      'goals[1].axis',
    ],
    [
      'offset of no length',
      { type: 'orientation', bone: 'head', offset: [0, 0, 0, 0], target: [0, 0, 0, 1] },
      'not-unit',
      'goals[1].offset',
    ],
    ['unknown target bone', { ...good, target: { bone: 'tail' } }, 'unknown-name', 'goals[1].target.bone'],
    [
      'target on the same bone',
      { ...good, target: { bone: 'leftHand', point: [1, 0, 0] } },
      'immovable-goal',
      'goals[1]',
    ],
  ];
  it.each(cases)('%s', (_title, goal, code, path) => {
    const error = errorOf(() => createIk(figure, [good, goal]));
    expect(error.code).toBe(code);
    expect(error.path).toBe(path);
    expect(error.remedy.length).toBeGreaterThan(10);
    expect(error.message).toContain(path);
  });

  it('suggests the nearest bone', () => {
    expect(errorOf(() => createIk(figure, [{ ...good, bone: 'leftHnad' }])).message).toContain(`'leftHand'`);
  });

  it('an empty list of goals', () => {
    expect(errorOf(() => createIk(figure, [])).path).toBe('goals');
  });
});

describe('a goal on a bone that cannot move', () => {
  it('is refused when every joint on its chain is locked', () => {
    const locked = ['hips', 'spine', 'chest', 'upperChest', 'leftShoulder', 'leftUpperArm', 'leftLowerArm'];
    // The hand's own joint is free, but it turns about the very point of the goal.
    expect(errorOf(() => createIk(figure, [good], { locked })).code).toBe('immovable-goal');
    expect(createIk(figure, [{ ...good, point: [0.1, 0, 0] }], { locked }).problem.coordinates.length).toBe(
      3,
    );
  });

  it('is refused on a fixed figure and on the axis of a lone hinge', () => {
    const fixed = createFigure({ bones: [{ name: 'statue' }] });
    expect(errorOf(() => createIk(fixed, [{ ...good, bone: 'statue' }])).code).toBe('immovable-goal');
    const hinge = createFigure({ bones: [{ name: 'door', joint: { type: 'hinge', axis: [0, 1, 0] } }] });
    const on = (point: [number, number, number]): Goal => ({ type: 'position', bone: 'door', point, target });
    expect(errorOf(() => createIk(hinge, [on([0, 2, 0])])).code).toBe('immovable-goal');
    expect(createIk(hinge, [on([1, 2, 0])]).problem.coordinates.length).toBe(1);
  });

  it('leaves out joints on which no goal depends', () => {
    const ik = createIk(figure, [good], { locked: ['hips'] });
    const bones = new Set(
      Array.from(ik.problem.coordinates, (i) => figure.bones[figure.boneOfCoordinate[i]].name),
    );
    expect(bones.has('leftHand')).toBe(false);
    expect(bones.has('leftLowerArm')).toBe(true);
  });
});

describe('what changes between solves is checked at each solve', () => {
  it('targets that are not finite, of the wrong size or without direction', () => {
    const moving = new Float64Array(target);
    const rotating = new Float64Array([0, 0, 0, 1]);
    const ik = createIk(figure, [
      { type: 'position', bone: 'leftHand', target: moving },
      { type: 'orientation', bone: 'head', target: rotating },
    ]);
    const pose = createPose(figure);
    const before = pose.slice();
    moving[1] = Number.NaN;
    const error = errorOf(() => solveIk(ik, pose));
    expect([error.code, error.path]).toEqual(['not-finite', 'goals[0].target[1]']);
    moving[1] = 1e200;
    expect(errorOf(() => solveIk(ik, pose)).code).toBe('out-of-range');
    moving[1] = 1;
    rotating.fill(0);
    expect(errorOf(() => solveIk(ik, pose)).path).toBe('goals[1].target');
    expect(pose).toEqual(before);
    rotating[3] = -2;
    expect(solveIk(ik, pose).status).toBe('converged');
  });

  it('poses of the wrong kind, size or value', () => {
    const ik = createIk(figure, [good]);
    expect(errorOf(() => solveIk(ik, new Float64Array(5))).code).toBe('wrong-size');
    expect(errorOf(() => solveIk(ik, [0] as unknown as Float64Array)).path).toBe('pose');
    const pose = createPose(figure);
    pose[7] = Number.POSITIVE_INFINITY;
    const error = errorOf(() => solveIk(ik, pose));
    expect([error.code, error.path]).toEqual(['not-finite', 'pose[7]']);
    expect(error.message).toContain('spine');
  });

  it('options that are not whole numbers', () => {
    for (const options of [{ maxIterations: -1 }, { restarts: 0.5 }, { seed: Number.NaN }]) {
      expect(errorOf(() => createIk(figure, [good], options)).code).toBe('out-of-range');
    }
    expect(errorOf(() => createIk(figure, [good], { locked: ['hip'] })).message).toContain(`'hips'`);
  });

  it('a target a million metres off ends finite and within limits', () => {
    const far: Goal = { type: 'position', bone: 'leftHand', target: [1e6, -1e6, 1e6] };
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [far], { locked: ['hips'] }), pose);
    expect(pose.every(Number.isFinite)).toBe(true);
    expect(['out-of-reach', 'limit-blocked', 'stalled']).toContain(result.status);
  });
});

describe('input out of range is refused', () => {
  it('poses so large that nothing can be computed from them', () => {
    const chain = createFigure({
      bones: [0, 1, 2].map((k) => ({
        name: `b${k}`,
        parent: k === 0 ? null : `b${k - 1}`,
        rest: { position: [0, 1, 0] as const },
        joint: { type: 'ball' as const },
      })),
    });
    const ik = createIk(chain, [{ type: 'position', bone: 'b2', target: [1, 1, 1] }]);
    for (const size of [1e9, 1e154, 1e155, 1e300]) {
      const error = errorOf(() => solveIk(ik, new Float64Array(9).fill(size)));
      expect([error.code, error.path]).toEqual(['out-of-range', 'pose[0]']);
    }
  });

  it('points so far out that the objective overflows', () => {
    const huge = createFigure({
      bones: [
        { name: 'a', joint: { type: 'ball' } },
        { name: 'b', parent: 'a', rest: { position: [0, 1, 0] }, joint: { type: 'ball' } },
      ],
    });
    const goals: Goal[] = [{ type: 'position', bone: 'b', point: [0, 1e300, 0], target: [0, 1, 0] }];
    const error = errorOf(() => solveIk(createIk(huge, goals), createPose(huge)));
    expect(error.code).toBe('out-of-range');
  });

  it('arrays changed after the solver was made do no harm: only world targets are read again', () => {
    const point = [0.1, 0, 0];
    const axis = [0, 0, 1];
    const carried = [0, 0.1, 0];
    const ik = createIk(figure, [
      { type: 'position', bone: 'leftHand', point, target },
      { type: 'points-at', bone: 'head', axis, target: { bone: 'rightHand', point: carried } },
    ]);
    point.fill(Number.NaN);
    axis.fill(0);
    carried.fill(Number.NaN);
    const pose = createPose(figure);
    expect(solveIk(ik, pose).status).toBe('converged');
    expect(pose.every(Number.isFinite)).toBe(true);
  });

  it('goals, targets and options of the wrong kind', () => {
    const wrong: [act: () => unknown, path: string][] = [
      [() => createIk(figure, null as unknown as Goal[]), 'goals'],
      [() => createIk(figure, { 0: good } as unknown as Goal[]), 'goals'],
      [() => createIk(figure, [null as unknown as Goal]), 'goals[0].type'],
      [() => createIk(figure, [{ ...good, target: undefined } as unknown as Goal]), 'goals[0].target'],
      [() => createIk(figure, [{ ...good, target: null } as unknown as Goal]), 'goals[0].target'],
      [() => createIk(figure, [{ ...good, target: 'leftHand' } as unknown as Goal]), 'goals[0].target'],
      [() => createIk(figure, [good], null as unknown as object), 'options'],
      [() => createIk(figure, [good], { locked: 'hips' } as unknown as object), 'options.locked'],
      [() => createIk(figure, [good], { maxIteration: 5 } as unknown as object), 'options.maxIteration'],
    ];
    for (const [act, path] of wrong) expect(errorOf(act).path).toBe(path);
    const strings = { ...good, target: ['1', '2', '3'] } as unknown as Goal;
    expect(errorOf(() => solveIk(createIk(figure, [strings]), createPose(figure))).code).toBe('not-finite');
  });

  const hand = 'leftHand';
  const wrist = { type: 'orientation', bone: hand, target: [0, 0, 0, 1] } as const;
  const x = [1, 0, 0];
  const vectors: [string, object][] = [
    ['a Vector3', new Vector3(1, 2, 3)],
    ['{ x, y, z }', { x: 1, y: 2, z: 3 }],
  ];

  it.each(vectors)(
    '%s as a target is refused when the solver is made, and told how to become numbers',
    (_, v) => {
      const goals: object[] = [
        { ...good, target: v },
        { ...good, mask: [1, 1, 0], target: v },
        { type: 'points-at', bone: 'head', axis: x, target: v },
        { type: 'look-at', bone: 'head', axis: x, target: v, chain: [{ bone: 'head', share: 1 }] },
        { type: 'pole', bone: hand, target: v },
        { type: 'distance', bone: hand, target: v, distance: 1 },
        { type: 'center-of-mass', target: v },
        { type: 'orientation', bone: hand, target: new Quaternion() },
        { type: 'orientation', bone: hand, target: { x: 0, y: 0, z: 0, w: 1 } },
      ];
      const makers: (() => unknown)[] = [
        ...goals.map((goal) => () => createIk(figure, [goal as Goal])),
        () => createFabrik(figure, [goals[0] as PositionGoal]),
        () => createTwoBone(figure, goals[0] as PositionGoal),
        () => createAnalyticArm(figure, goals[0] as PositionGoal, wrist),
      ];
      for (const make of makers) {
        const { code, path, message, remedy } = errorOf(make);
        expect([code, path, message]).toEqual([
          'wrong-size',
          expect.stringMatching(/target$/),
          expect.any(String),
        ]);
        expect(remedy).toContain('v.toArray()');
        expect(message).not.toMatch(/=>|return|function/);
      }
    },
  );
});
