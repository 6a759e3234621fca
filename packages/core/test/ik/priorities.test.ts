import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  limitViolation,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, type IkResult, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { differentiate, evaluate } from '../../src/ik/problem/problem.js';
import { createProblem } from '../support/problem.js';
import { randomFigure, randomTriple, testRandom } from '../support/random-figure.js';
import { goalKinds } from '../support/random-goals.js';

const DEGREE = Math.PI / 180;

function solve(
  figure: Figure,
  goals: readonly Goal[],
  pose = createPose(figure),
): { result: IkResult; pose: Float64Array } {
  return { result: solveIk(createIk(figure, goals), pose), pose };
}

function place(figure: Figure, pose: Float64Array, bone: string, point = [0, 0, 0]): number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const m = state.worldFromBone;
  const o = 12 * boneIndex(figure, bone);
  return [0, 1, 2].map(
    (r) => m[o + 9 + r] + m[o + 3 * r] * point[0] + m[o + 3 * r + 1] * point[1] + m[o + 3 * r + 2] * point[2],
  );
}

/** n hinges about z, one length apart along x. */
function planarArm(n: number, gap = 1, limit?: number): Figure {
  return createFigure({
    bones: Array.from({ length: n }, (_, k) => ({
      name: `b${k}`,
      parent: k === 0 ? null : `b${k - 1}`,
      rest: { position: [k === 0 ? 0 : gap, 0, 0] as const },
      joint: { type: 'hinge', axis: [0, 0, 1] } as const,
      ...(limit === undefined ? {} : { limit: { type: 'interval', min: -limit, max: limit } as const }),
    })),
  });
}

describe('a lower priority is solved in the null space of the higher ones', () => {
  it('never moves a reached goal of higher priority, nor leaves a limit: random trees and goals', () => {
    const random = testRandom(77);
    const kinds = Object.values(goalKinds);
    let together = 0;
    for (let n = 0; n < 120; n++) {
      const figure = randomFigure(random, 8);
      const first = { ...kinds[n % kinds.length](random, figure), priority: 0 } as Goal;
      const second = {
        ...kinds[Math.floor(random() * kinds.length)](random, figure),
        priority: 2,
      } as Goal;
      let alone: IkResult;
      let both: { result: IkResult; pose: Float64Array };
      try {
        // The same columns for both, so that the first descents are the same.
        alone = solve(figure, [first, { ...second, weight: 0 } as Goal]).result;
        both = solve(figure, [first, second]);
      } catch (error) {
        expect(error).toHaveProperty('code', 'immovable-goal');
        continue;
      }
      together++;
      expect(limitViolation(figure, both.pose)).toBeLessThan(1e-12);
      const grown = (both.result.objective - alone.objective) / (1 + alone.objective);
      // One that counts on one side may come to count less.
      expect(grown, `${n} ${first.type} ${second.type}`).toBeLessThan(1e-10);
      for (const before of alone.residuals.filter(
        ({ index, component }) => index === 0 && component !== 'share',
      )) {
        const after = both.result.residuals.find(
          (one) => one.index === 0 && one.component === before.component,
        );
        expect(after?.satisfied).toBe(before.satisfied);
      }
    }
    expect(together).toBeGreaterThan(60);
  });

  it('takes the redundancy of a planar arm to the least sum of squared angles', () => {
    const arm = planarArm(4);
    const target = [1.7, 0.9, 0];
    const goals: Goal[] = [{ type: 'position', bone: 'b3', target, tolerance: 1e-9 }, { type: 'posture' }];
    const { result, pose } = solve(arm, goals, Float64Array.of(0.3, 0.3, 0.3, 0.3));
    expect(result.status).toBe('converged');
    // The last angle is free; the others: for each first angle the two-link elbow, best over a fine grid and both elbows.
    let min = Number.POSITIVE_INFINITY;
    for (let k = 0; k <= 400_000; k++) {
      const a = -Math.PI + (2 * Math.PI * k) / 400_000;
      const [x, y] = [target[0] - Math.cos(a), target[1] - Math.sin(a)];
      const c = (x * x + y * y - 2) / 2;
      if (Math.abs(c) > 1) continue;
      for (const b of [Math.acos(c), -Math.acos(c)]) {
        // Angles of the three links: a, a + q1, a + q1 + q2 with q2 = b.
        const q1 = Math.atan2(y, x) - Math.atan2(Math.sin(b), 1 + Math.cos(b)) - a;
        const wrapped = q1 - 2 * Math.PI * Math.round(q1 / (2 * Math.PI));
        min = Math.min(min, a * a + wrapped * wrapped + b * b);
      }
    }
    const sum = pose.reduce((total, q) => total + q * q, 0);
    expect(Math.abs(pose[3])).toBeLessThan(1e-9);
    expect(sum).toBeCloseTo(min, 8);
    expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
  });

  it('is stationary: the gradient is in the row space of the constraints, recomputed by differences', () => {
    const figure = createHumanFigure();
    const free = createFigure({
      bones: figure.bones.map(({ limit: _limit, index: _index, coordinate: _c, dof: _d, ...bone }) => ({
        ...bone,
        parent: bone.parent < 0 ? null : figure.bones[bone.parent].name,
      })),
    });
    const goals: Goal[] = [
      { type: 'position', bone: 'leftHand', target: [0.4, 1.2, 0.4] },
      { type: 'orientation', bone: 'head', target: [0, Math.sin(0.3), 0, Math.cos(0.3)] },
    ];
    const { result, pose } = solve(free, [...goals, { type: 'posture' }]);
    expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
    const gradientOf = (goal: Goal[]): { rows: Float64Array; width: number; residual: Float64Array } => {
      const problem = createProblem(free, goal, []);
      evaluate(problem, pose);
      differentiate(problem, pose);
      const full = new Float64Array(problem.rows * free.dof);
      for (let r = 0; r < problem.rows; r++) {
        problem.coordinates.forEach((i, k) => {
          full[r * free.dof + i] =
            problem.jacobian.values[r * problem.jacobian.width + k] / problem.jacobian.columnScale[k];
        });
      }
      return { rows: full, width: free.dof, residual: problem.residual };
    };
    const upper = gradientOf(goals);
    const posture = gradientOf([{ type: 'posture' }]);
    // Scaled by the lengths that a translation counts in, the gradient is orthogonal to every way that keeps the rows.
    const { lengthScale } = result;
    const scale = (i: number): number => (i < 3 ? lengthScale : 1);
    const g = Array.from({ length: free.dof }, (_, i) =>
      Array.from(posture.residual).reduce(
        (sum, r, row) => sum + r * posture.rows[row * free.dof + i] * scale(i),
        0,
      ),
    );
    const basis: number[][] = [];
    for (let r = 0; r < upper.rows.length / free.dof; r++) {
      let v = Array.from({ length: free.dof }, (_, i) => upper.rows[r * free.dof + i] * scale(i));
      for (let pass = 0; pass < 2; pass++) {
        for (const b of basis) {
          const dot = v.reduce((sum, x, i) => sum + x * b[i], 0);
          v = v.map((x, i) => x - dot * b[i]);
        }
      }
      const length = Math.hypot(...v);
      if (length > 1e-9) basis.push(v.map((x) => x / length));
    }
    const left = basis.reduce((rest, b) => {
      const dot = rest.reduce((sum, x, i) => sum + x * b[i], 0);
      return rest.map((x, i) => x - dot * b[i]);
    }, g);
    expect(Math.hypot(...g)).toBeGreaterThan(1e-3);
    expect(Math.hypot(...left)).toBeLessThan(1e-8);
  });

  it('has the status of the first priority that is missed', () => {
    const arm = planarArm(3);
    const near: Goal = { type: 'position', bone: 'b1', target: [0, 1, 0] };
    const far = solve(arm, [near, { type: 'position', bone: 'b2', target: [0, 5, 0], priority: 1 }]);
    expect(far.result.status).toBe('out-of-reach');
    expect(far.result.residuals[0].satisfied).toBe(true);
    expect(far.result.residuals[1].value).toBeCloseTo(3, 6);
    const blocked = solve(planarArm(3, 1, 30 * DEGREE), [
      { type: 'joint-value', bone: 'b0', value: 0 },
      { type: 'position', bone: 'b2', target: [0, 5, 0], priority: 1 },
    ]);
    expect(blocked.result.status).toBe('limit-blocked');
    expect(blocked.result.activeLimits.map(({ bone }) => bone)).toEqual(['b1']);
  });

  it('minimizes a soft goal, and counts it as met', () => {
    const arm = planarArm(4);
    const { result, pose } = solve(arm, [
      { type: 'position', bone: 'b2', target: [1, 1, 0] },
      { type: 'position', bone: 'b3', target: [1, 9, 0], priority: 1, tolerance: Number.POSITIVE_INFINITY },
    ]);
    expect(result.status).toBe('converged');
    expect(place(arm, pose, 'b3')[1]).toBeCloseTo(2, 3);
    expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
  });

  it('follows a hand with planted feet and a posture in a few iterations a frame', () => {
    const figure = createHumanFigure();
    const hand = { type: 'position' as const, bone: 'leftHand', target: [0, 0, 0] };
    const feet = ['left', 'right'].flatMap((side, n): Goal[] => [
      { type: 'position', bone: `${side}Foot`, target: [n === 0 ? 0.1 : -0.1, 0.08, 0] },
      { type: 'orientation', bone: `${side}Foot`, target: [0, 0, 0, 1] },
    ]);
    const ik = createIk(figure, [hand, ...feet, { type: 'posture' }]);
    const pose = createPose(figure);
    let iterations = 0;
    for (let n = -20; n < 240; n++) {
      const angle = (2 * Math.PI * n) / 120;
      hand.target[0] = 0.35 + 0.12 * Math.cos(angle);
      hand.target[1] = 1.2 + 0.15 * Math.sin(angle);
      hand.target[2] = 0.3 + 0.05 * Math.sin(2 * angle);
      const result = solveIk(ik, pose);
      expect(result.status).toBe('converged');
      expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
      if (n >= 0) iterations += result.iterations;
    }
    // One of the first priority, two or three Newton steps; limits that the start touches are expected to stay active.
    expect(iterations / 240).toBeLessThan(5);
  });

  it('gives the same bits twice', () => {
    const figure = createHumanFigure();
    const goals: Goal[] = [
      { type: 'position', bone: 'leftHand', target: [0.4, 1.2, 0.4] },
      { type: 'position', bone: 'rightHand', target: [0.3, 1.5, 0.5], priority: 1 },
      { type: 'posture', priority: 2 },
    ];
    const ik = createIk(figure, goals);
    const [a, b, c] = [createPose(figure), createPose(figure), createPose(figure)];
    solveIk(ik, a);
    solveIk(ik, b);
    solveIk(createIk(figure, goals), c);
    expect(b).toEqual(a);
    expect(c).toEqual(a);
  });

  it('keeps a missed goal at its least distance, and frees the other joints', () => {
    const figure = createHumanFigure();
    const goals: Goal[] = [
      { type: 'position', bone: 'hips', target: [0, 1, 0] },
      { type: 'position', bone: 'rightHand', target: [-2, 1.4, 1], priority: 1 },
    ];
    const alone = solve(figure, goals, spread(figure));
    const both = solve(figure, [...goals, { type: 'posture', priority: 2 }], spread(figure));
    expect(both.result.status).toBe(alone.result.status);
    expect(both.result.residuals[1].value).toBeCloseTo(alone.result.residuals[1].value, 9);
    // The left arm serves no goal: it goes to rest.
    const elbow = figure.bones[boneIndex(figure, 'leftLowerArm')].coordinate;
    expect(Math.abs(alone.pose[elbow])).toBeGreaterThan(0.2);
    expect(Math.abs(both.pose[elbow])).toBeLessThan(1e-6);
  });
});

/** A pose off rest, within the limits. */
function spread(figure: Figure): Float64Array {
  const pose = createPose(figure);
  for (const { coordinate, dof, joint, limit } of figure.bones) {
    if (joint.type === 'hinge' && limit?.type === 'interval' && dof === 1) {
      pose[coordinate] = 0.25 * ((limit.min ?? -1) + 3 * (limit.max ?? 1)) * 0.5;
    }
  }
  return pose;
}

describe('inequality constraints: one-sided goals of higher priority', () => {
  it('a goal of lower priority moves a hand onto the table and no further', () => {
    const arm = planarArm(4);
    const table: Goal = {
      type: 'half-space',
      bone: 'b3',
      target: { point: [0, 0.5, 0], normal: [0, 1, 0] },
    };
    const { result, pose } = solve(arm, [table, { type: 'posture' }], Float64Array.of(0.6, 0.4, 0.2, 0.1));
    expect(result.status).toBe('converged');
    expect(place(arm, pose, 'b3')[1]).toBeGreaterThan(0.5 - 1e-9);
    expect(place(arm, pose, 'b3')[1]).toBeCloseTo(0.5, 8);
    expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
    // Away from the table the goal is free.
    const up = solve(arm, [
      { ...table, target: { point: [0, -0.5, 0], normal: [0, 1, 0] } } as Goal,
      { type: 'posture' },
    ]);
    expect(Math.max(...up.pose.map(Math.abs))).toBeLessThan(1e-9);
  });

  it('balance comes before reach: the centre of mass stays over the feet', () => {
    const figure = createHumanFigure();
    const soles: [number, number, number][] = [
      [0.2, 0, 0.2],
      [0.2, 0, -0.1],
      [-0.2, 0, 0.2],
      [-0.2, 0, -0.1],
    ];
    const reach: Goal = { type: 'position', bone: 'rightHand', target: [-0.3, 0.9, 1.1], priority: 1 };
    const { result, pose } = solve(figure, [{ type: 'center-of-mass', support: soles }, reach]);
    const state = createState(figure);
    forwardKinematics(state, pose);
    const center = [0, 0, 0];
    let mass = 0;
    for (const { index, mass: m = 0, centerOfMass = [0, 0, 0] } of figure.bones) {
      mass += m;
      for (let r = 0; r < 3; r++) {
        const o = 12 * index;
        let x = state.worldFromBone[o + 9 + r];
        for (let k = 0; k < 3; k++) x += state.worldFromBone[o + 3 * r + k] * centerOfMass[k];
        center[r] += m * x;
      }
    }
    expect(result.residuals[0].satisfied).toBe(true);
    expect(Math.abs(center[0] / mass)).toBeLessThan(0.2 + 1e-6);
    expect(center[2] / mass).toBeLessThan(0.2 + 1e-6);
    expect(center[2] / mass).toBeGreaterThan(-0.1 - 1e-6);
  });
});

it('lower priorities do not increase the distance to a support that the centre of mass cannot reach', () => {
  const random = testRandom(5);
  let missed = 0;
  for (let n = 0; n < 25; n++) {
    const figure = randomFigure(random, 8);
    const corner = Array.from({ length: 3 }, () => 8 * (2 * random() - 1));
    const support = [0, 1, 2].map(() => corner.map((x) => x + random()));
    const balance: Goal = { type: 'center-of-mass', support };
    const rotation: Goal = { type: 'orientation', bone: 7, target: [0, 1, 0, 0], priority: 2 };
    let alone: IkResult;
    let both: IkResult;
    try {
      alone = solve(figure, [balance, { ...rotation, weight: 0 }]).result;
      both = solve(figure, [balance, rotation]).result;
    } catch (error) {
      expect(error).toHaveProperty('code', 'immovable-goal');
      continue;
    }
    if (alone.residuals[0].satisfied) continue;
    missed++;
    expect(both.residuals[0].value).toBeLessThan(alone.residuals[0].value + 1e-9);
    expect(both.status).toBe(alone.status);
  }
  expect(missed).toBeGreaterThan(5);
});

describe('look-at', () => {
  const chain = createFigure({
    bones: [
      { name: 'chest', joint: { type: 'hinge', axis: [0, 1, 0] } },
      { name: 'neck', parent: 'chest', joint: { type: 'hinge', axis: [0, 1, 0] } },
      {
        name: 'head',
        parent: 'neck',
        joint: { type: 'hinge', axis: [0, 1, 0] },
        limit: { type: 'interval', min: -40 * DEGREE, max: 40 * DEGREE },
      },
    ],
  });
  const shares = [
    { bone: 'chest', share: 1 },
    { bone: 'neck', share: 2 },
    { bone: 'head', share: 5 },
  ];
  const lookTo = (angle: number): Goal => ({
    type: 'look-at',
    bone: 'head',
    axis: [0, 0, 1],
    target: [3 * Math.sin(angle), 0, 3 * Math.cos(angle)],
    chain: shares,
    tolerance: 1e-12,
  });

  it('rotates each bone by its share', () => {
    const { pose, result } = solve(chain, [lookTo(0.8)]);
    expect(result.status).toBe('converged');
    expect(Array.from(pose, (q) => (8 * q) / 0.8)).toEqual(
      [1, 2, 5].map((share) => expect.closeTo(share, 8)),
    );
  });

  it('gives the others the rotation that a limit blocks', () => {
    const angle = 2;
    const { pose } = solve(chain, [lookTo(angle)]);
    const rest = angle - 40 * DEGREE;
    expect(pose[2]).toBeCloseTo(40 * DEGREE, 9);
    expect(pose[0]).toBeCloseTo(rest / 3, 8);
    expect(pose[1]).toBeCloseTo((2 * rest) / 3, 8);
  });

  it('does not move bones outside the chain', () => {
    const figure = createHumanFigure();
    const goal: Goal = {
      type: 'look-at',
      bone: 'head',
      axis: [0, 0, 1],
      up: { axis: [0, 1, 0] },
      target: [1, 1.7, 1],
      chain: [
        { bone: 'neck', share: 1 },
        { bone: 'head', share: 2 },
      ],
    };
    const { pose, result } = solve(figure, [goal]);
    expect(result.status).toBe('converged');
    const moved = figure.bones.filter(({ coordinate, dof }) =>
      pose.subarray(coordinate, coordinate + dof).some((q) => q !== 0),
    );
    expect(moved.map(({ name }) => name).sort()).toEqual(['head', 'neck']);
  });
});

it('keeps what a bone points at off the bone when a lower priority pulls the bone there', () => {
  const random = testRandom(97);
  const figure = createFigure({
    bones: ['a', 'b', 'c', 'd'].map((name, n, names) => ({
      name,
      ...(n > 0 && { parent: names[n - 1], rest: { position: [0, 0, 0.4] as const } }),
      joint: { type: 'ball' } as const,
    })),
  });
  for (let n = 0; n < 40; n++) {
    const target = randomTriple(random, 0.5);
    const look: Goal = { type: 'points-at', bone: 'd', axis: [1, 0, 0], target };
    const reach: Goal = { type: 'position', bone: 'd', target, priority: 1 };
    const pose = Float64Array.from({ length: figure.dof }, () => random() - 0.5);
    const { status, residuals } = solveIk(createIk(figure, [look, reach]), pose);
    expect(status, `${n}`).toMatch(/out-of-reach|limit-blocked/);
    expect(residuals[0].value, `${n}`).toBeLessThan(1e-12);
    // 0.01 of the length scale, a quarter of 1.2 m.
    expect(residuals[1].value, `${n}`).toBeCloseTo(0.003, 9);
  }
});
