import {
  type BoneData,
  createFigure,
  createPose,
  type Figure,
  type FigureData,
  type JointData,
} from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { writeHessian } from '../../src/ik/problem/hessian.js';
import { differentiate, evaluate, type Problem, writeGradient } from '../../src/ik/problem/problem.js';
import { movableProblem } from '../support/problem.js';
import { randomPose, randomQuat, randomTriple, testRandom } from '../support/random-figure.js';
import { goalKinds, tooSharp } from '../support/random-goals.js';

/** A tree of hinges, sliders and balls in which every third joint follows another, anywhere in the tree, by a cubic. */
function coupledFigure(random: () => number, count: number): Figure {
  const sources = [1, 4];
  const bones: BoneData[] = Array.from({ length: count }, (_, i) => {
    const single: JointData = { type: random() < 0.6 ? 'hinge' : 'slider', axis: randomTriple(random) };
    const follows = i % 3 === 2;
    const leads = sources.includes(i);
    return {
      name: `bone${i}`,
      parent: i === 0 ? null : `bone${Math.floor(Math.max(0, i - 1 - 2 * random()))}`,
      rest: { position: randomTriple(random, 0.4), rotation: randomQuat(random) },
      joint: follows || leads ? single : { type: 'ball' },
      ...(follows && {
        mimic: {
          bone: `bone${sources[Math.floor(2 * random())]}`,
          polynomial: [...randomTriple(random), 0.2 * (2 * random() - 1)],
        },
      }),
      mass: 0.5 + (i % 3),
      centerOfMass: [0.05 * i, 0.1, -0.02 * i],
    };
  });
  return createFigure({ bones });
}

/** Derivative of arrays along one column's scaled coordinate, order 6, and what the last extrapolation changed. */
function slopeAlong(
  problem: Problem,
  pose: Float64Array,
  column: number,
  of: (pose: Float64Array) => number[],
) {
  const { coordinates, jacobian } = problem;
  const central = (h: number) => {
    const [plus, minus] = [h, -h].map((step) => {
      const moved = pose.slice();
      moved[coordinates[column]] += step * jacobian.columnScale[column];
      return of(moved);
    });
    return plus.map((x, k) => (x - minus[k]) / (2 * h));
  };
  const [d1, d2, d4] = [central(1e-3), central(2e-3), central(4e-3)];
  const slope = d1.map((x, k) => (64 * x - 20 * d2[k] + d4[k]) / 45);
  return { slope, change: Math.max(...slope.map((x, k) => Math.abs(x - (4 * d1[k] - d2[k]) / 3))) };
}

const gradientOf = (problem: Problem) => (pose: Float64Array) => {
  const out = new Float64Array(problem.jacobian.width);
  evaluate(problem, pose);
  differentiate(problem, pose);
  writeGradient(problem, out);
  return Array.from(out);
};

describe('goals on figures with mimic joints', () => {
  for (const [title, make] of Object.entries(goalKinds)) {
    it(`${title}: gradient and Hessian are the differences of f and of the gradient`, () => {
      const random = testRandom(41);
      let compared = 0;
      let followed = 0;
      for (let n = 0; n < 60; n++) {
        const figure = coupledFigure(random, 9);
        const goal = make(random, figure);
        const pose = randomPose(figure, random, 1.2);
        const problem = movableProblem(figure, goal);
        if (problem === undefined || tooSharp(problem, pose, 2.2)) continue;
        const { width } = problem.jacobian;
        const gradient = gradientOf(problem)(pose);
        const hessian = new Float64Array(width * width).fill(Number.NaN);
        writeHessian(problem, pose, hessian);
        const steepest = Math.max(...gradient.map(Math.abs), 1e-3);
        const sharpest = Math.max(...hessian.map(Math.abs), 1e-3);
        const slopes = Array.from({ length: width }, (_, k) => [
          slopeAlong(problem, pose, k, (moved) => [evaluate(problem, moved)]),
          slopeAlong(problem, pose, k, gradientOf(problem)),
        ]);
        if (slopes.some(([f, g]) => f.change > 1e-8 * steepest || g.change > 1e-8 * sharpest)) continue;
        compared++;
        if (problem.mimicColumns !== undefined) followed++;
        slopes.forEach(([f, g], k) => {
          expect(Math.abs(f.slope[0] - gradient[k]) / steepest, `gradient ${k}, tree ${n}`).toBeLessThan(
            1e-8,
          );
          g.slope.forEach((x, l) => {
            const gap = Math.abs(x - hessian[k * width + l]) / sharpest;
            expect(gap, `Hessian ${k} ${l}, tree ${n}`).toBeLessThan(1e-8);
            expect(hessian[k * width + l]).toBe(hessian[l * width + k]);
          });
        });
      }
      expect(compared).toBeGreaterThan(9);
      // A posture is over the coordinates themselves, and asks nothing of followers.
      if (!title.startsWith('posture of all')) expect(followed).toBeGreaterThan(4);
    });
  }
});

/** Two fingers of a gripper on an arm; the right one follows the left, and allows less. */
const gripper: FigureData = {
  bones: [
    { name: 'arm', joint: { type: 'hinge', axis: [0, 0, 1] }, limit: { type: 'interval', min: -1, max: 1 } },
    {
      name: 'left',
      parent: 'arm',
      rest: { position: [1, 0, 0] },
      joint: { type: 'slider', axis: [0, 1, 0] },
      limit: { type: 'interval', min: 0, max: 0.2 },
    },
    {
      name: 'right',
      parent: 'arm',
      rest: { position: [1, 0, 0] },
      joint: { type: 'slider', axis: [0, -1, 0] },
      mimic: { bone: 'left', polynomial: [0, 1] },
      limit: { type: 'interval', min: 0, max: 0.1 },
    },
  ],
};

describe('solves', () => {
  const position = (bone: string, target: number[]): Goal => ({
    type: 'position',
    bone,
    target,
    tolerance: 1e-10,
  });

  it('a goal on a mimic joint moves its source, which is on no chain of the goal', () => {
    const figure = createFigure(gripper);
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [position('right', [1, -0.05, 0])], { locked: ['arm'] }), pose);
    expect(result.status).toBe('converged');
    expect(pose[0]).toBe(0);
    expect(pose[1]).toBeCloseTo(0.05, 10);
  });

  it('the limit of the mimic joint limits the source, and is reported as the source`s', () => {
    const figure = createFigure(gripper);
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, [position('left', [1, 0.18, 0])], { locked: ['arm'] }), pose);
    expect(result.status).toBe('limit-blocked');
    expect(pose[1]).toBe(0.1);
    expect(result.activeLimits.map(({ bone }) => bone)).toEqual(['left']);
  });

  it('locking a mimic joint locks its source', () => {
    const figure = createFigure(gripper);
    const pose = createPose(figure);
    solveIk(createIk(figure, [position('left', [0.9, 0.3, 0])], { locked: ['right'] }), pose);
    expect(pose[1]).toBe(0);
    expect(() => createIk(figure, [position('right', [1, 0, 0])], { locked: ['arm', 'right'] })).toThrow(
      expect.objectContaining({ code: 'immovable-goal' }),
    );
  });

  it('a joint-value goal on a mimic joint is refused with the name of its source', () => {
    expect(() =>
      createIk(createFigure(gripper), [{ type: 'joint-value', bone: 'right', value: 0.1 }]),
    ).toThrow(/mimics 'left'/);
  });

  it('two fingers round a thing: both goals met by one coordinate and the arm', () => {
    const figure = createFigure(gripper);
    const pose = createPose(figure);
    const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
    const at = (y: number) => [c - y * s, s + y * c, 0];
    const result = solveIk(
      createIk(figure, [position('left', at(0.07)), position('right', at(-0.07))]),
      pose,
    );
    expect(result.status).toBe('converged');
    expect(pose[0]).toBeCloseTo(0.4, 9);
    expect(pose[1]).toBeCloseTo(0.07, 9);
  });

  it('random figures: reachable goals are reached or the end is stationary, and the same bits twice', () => {
    const random = testRandom(77);
    let converged = 0;
    let solved = 0;
    for (let n = 0; n < 100; n++) {
      const figure = coupledFigure(random, 10);
      const wanted = randomPose(figure, random, 1);
      const goals: Goal[] = [
        { type: 'position', bone: 9, target: [0, 0, 0] },
        { type: 'position', bone: 8, point: [0.1, 0, 0], target: [0, 0, 0] },
      ];
      const problem = goals.map((goal) => movableProblem(figure, goal));
      if (problem.includes(undefined)) continue;
      const reachable = goals.map((goal, k) => {
        const one = problem[k] as Problem;
        evaluate(one, wanted);
        return { ...goal, target: Array.from(one.unscaledResidual) } as Goal;
      });
      const ends = [0, 1].map(() => {
        const pose = createPose(figure);
        return { result: solveIk(createIk(figure, reachable), pose), pose };
      });
      expect(ends[1].pose).toEqual(ends[0].pose);
      const { status, stationarity } = ends[0].result;
      solved++;
      if (status === 'converged') converged++;
      else if (status === 'out-of-reach') expect(stationarity).toBeLessThan(1e-8);
    }
    expect(solved).toBeGreaterThan(50);
    expect(converged / solved).toBeGreaterThan(0.9);
  });
});
