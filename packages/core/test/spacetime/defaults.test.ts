/** Solves with all defaults: best costs of zero, other guesses, least time, and how many iterations they take. */
import { describe, expect, test } from 'vitest';
import { createFigure, type Figure } from '../../src/figure/index.js';
import { seededRandom } from '../../src/math/random.js';
import { createMotion, linearCurve, type Motion } from '../../src/motion/index.js';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  type SpacetimeData,
  type SpacetimeSolution,
  type SpacetimeTerm,
  solveSpacetime,
  stepSpacetime,
} from '../../src/spacetime/index.js';
import { expectSameBits } from '../figure/support.js';

const block = createFigure({
  bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1 }],
});
const pendulum = createFigure({
  bones: [
    {
      name: 'rod',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      mass: 1,
      centerOfMass: [0, -0.5, 0],
      inertia: [0.02, 0.001, 0.02, 0, 0, 0],
    },
  ],
});
const link = { mass: 1, centerOfMass: [0.5, 0, 0], inertia: [1e-9, 1 / 12, 1 / 12, 0, 0, 0] } as const;
const twoLinks = createFigure({
  bones: [
    { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] }, ...link },
    {
      name: 'b',
      parent: 'a',
      rest: { position: [1, 0, 0] },
      joint: { type: 'hinge', axis: [0, 0, 1] },
      ...link,
    },
  ],
});

const solve = (figure: Figure, data: SpacetimeData): SpacetimeSolution =>
  solveSpacetime(createSpacetimeProblem(figure, data));

const restAt = (at: number, pose: readonly number[]): SpacetimeTerm[] => [
  { type: 'pose', at, pose },
  { type: 'velocity', at },
];

function motionThrough(figure: Figure, duration: number, poses: readonly (readonly number[])[]): Motion {
  const times = poses.map((_, k) => (duration * k) / (poses.length - 1));
  return createMotion(figure, {
    tracks: [{ coordinate: 0, curve: linearCurve({ times, values: poses.flat() }) }],
  });
}

describe('a best cost of zero', () => {
  const body = createFigure({
    bones: [{ name: 'body', joint: { type: 'free' }, mass: 0.7, inertia: [0.02, 0.015, 0.008, 0, 0, 0] }],
  });
  const from = [0, 1, 0, 0, 0, 0];
  const to = [2.1, 0.4, -0.7, 1.2, -0.8, 1.9];
  test.each<readonly [string, Figure, SpacetimeData]>([
    [
      'constraints alone',
      block,
      { duration: 1, terms: [...restAt(0, [0]), { type: 'pose', at: 1, pose: [1] }] },
    ],
    [
      'constraints and bounds',
      block,
      { duration: 1, terms: [...restAt(0, [0]), ...restAt(1, [1]), { type: 'torque-limit', limit: 7 }] },
    ],
    [
      'a reference that meets all',
      block,
      {
        duration: 1,
        terms: [
          { type: 'pose', at: 0, pose: [0] },
          { type: 'tracking', weight: 1 },
        ],
      },
    ],
    [
      'a flight',
      body,
      {
        duration: 0.9,
        reference: motionThrough(body, 0.9, [from, to]),
        terms: [
          { type: 'pose', at: 0, pose: from },
          { type: 'pose', at: 0.9, pose: to },
          { type: 'physics' },
        ],
      },
    ],
  ])('is converged: %s', (_, figure, data) => {
    const { status, cost, violation, iterations } = solve(figure, data);
    expect(status).toBe('converged');
    expect(cost).toBeLessThan(1e-12);
    expect(violation).toBeLessThan(1e-8);
    expect(iterations).toBeLessThan(10);
  });
});

describe('a swing-up with less torque than holds the rod level', () => {
  const swingUp = (reference: Motion, duration = 2, limit = 2.5): SpacetimeData => ({
    duration,
    reference,
    terms: [
      ...restAt(0, [0]),
      ...restAt(duration, [Math.PI]),
      { type: 'torque-limit', limit },
      { type: 'effort' },
    ],
  });

  test('is found from the straight line', () => {
    const { status, cost } = solve(pendulum, swingUp(motionThrough(pendulum, 2, [[0], [Math.PI]])));
    expect(status).toBe('converged');
    expect(cost).toBeLessThan(7.27);
  });

  test('is found from wild guesses, each time the same to the bit', () => {
    const random = seededRandom(3);
    let others = 0;
    for (let k = 0; k < 30; k++) {
      const reference = motionThrough(
        pendulum,
        2,
        Array.from({ length: 7 }, () => [8 * (random() - 0.5)]),
      );
      const solution = solve(pendulum, swingUp(reference));
      expect(solution.status).toBe('converged');
      if (solution.guesses === 1) continue;
      others++;
      expectSameBits(solve(pendulum, swingUp(reference)).save.unknowns, solution.save.unknowns);
    }
    // At least one of them needs another guess, or this tells nothing.
    expect(others).toBeGreaterThan(0);
  });

  test('that is too short is infeasible from every guess, and the best compromise is the answer', () => {
    const data = swingUp(motionThrough(pendulum, 1, [[0], [Math.PI]]), 1, 1);
    const problem = createSpacetimeProblem(pendulum, data);
    const solution = solveSpacetime(problem, { maxIterations: 1000 });
    expect(solution.status).toBe('infeasible');
    expect(solution.guesses).toBeGreaterThan(1);
    // From its own start alone.
    const { save } = solveSpacetime(problem, { maxIterations: 0 });
    const alone = solveSpacetime(problem, { start: save, maxIterations: 1000 });
    expect(alone.guesses).toBe(1);
    expect(solution.violation).toBeLessThanOrEqual(alone.violation * (1 + 1e-9));
  });

  describe('the status is of the whole run, not of the guess whose motion is the answer:', () => {
    const tooShort = (limit: number) =>
      createSpacetimeProblem(pendulum, {
        duration: 1,
        terms: [
          ...restAt(0, [0]),
          ...restAt(1, [Math.PI]),
          { type: 'torque-limit', limit },
          { type: 'effort' },
        ],
      });

    test('infeasible where the last guess ends so, although the best one was given up while it ran', () => {
      const { status, iterations } = solveSpacetime(tooShort(0.5), { maxIterations: 2000 });
      expect(iterations).toBeLessThan(2000);
      expect(status).toBe('infeasible');
    });

    test('interrupted where it is, with guesses left', () => {
      const problem = tooShort(2);
      const solver = createSpacetimeSolver(problem);
      while (solver.guesses < 2) stepSpacetime(solver);
      const second = solver.solver.progress.iterations;
      const stopAt = (last: number) =>
        solveSpacetime(problem, {
          maxIterations: 2000,
          onProgress: ({ iteration }) => iteration < last,
        });
      // Within the second guess, and where the first has just ended.
      expect(stopAt(second + 2)).toMatchObject({ status: 'interrupted', guesses: 2 });
      expect(stopAt(second - 1)).toMatchObject({ status: 'interrupted', guesses: 1 });
    });

    test('at the iteration limit where it cuts the last guess', () => {
      const problem = tooShort(1);
      const solver = createSpacetimeSolver(problem);
      while (solver.guesses < solver.maxGuesses) stepSpacetime(solver);
      const cut = solver.solver.progress.iterations;
      const solution = solveSpacetime(problem, { maxIterations: cut });
      expect(solution).toMatchObject({ status: 'iteration-limit', guesses: solver.maxGuesses });
      // The motion is the best compromise all the same.
      expect(solution.violation).toBeLessThan(solver.solver.iterate.violation);
    });
  });
});

describe('least time', () => {
  const free = { min: 0.3, max: 6, start: 2 };

  // 2 sqrt(m d / F): 1 s.
  test.each([
    [16, 4e-3],
    [32, 1e-3],
    [64, 3e-4],
  ])('of a block, %i intervals, is within %d of the closed form', (intervals, gap) => {
    const { status, duration, iterations } = solve(block, {
      duration: free,
      intervals,
      terms: [...restAt(0, [0]), ...restAt(2, [1]), { type: 'torque-limit', limit: 4 }, { type: 'duration' }],
    });
    expect(status).toBe('converged');
    expect(Math.abs(duration - 1)).toBeLessThan(gap);
    expect(iterations).toBeLessThan(100);
  });

  // Bang-bang with three switches: 0.98374 s, by shooting. Bounds hold at samples of splines, which have least times of their own. In 128 intervals the first guess fails.
  test.each([
    [32, 0.98694, 100],
    [64, 0.9847, 100],
    [128, 0.98398, 200],
  ])('of two links, %i intervals, is found: %d s, in %i iterations', (intervals, expected, most) => {
    const { status, duration, iterations } = solve(twoLinks, {
      duration: free,
      gravity: [0, 0, 0],
      intervals,
      terms: [
        ...restAt(0, [0, 0]),
        ...restAt(2, [Math.PI / 2, 0]),
        { type: 'torque-limit', limit: { a: 10, b: 5 } },
        { type: 'duration' },
      ],
    });
    expect(status).toBe('converged');
    expect(Math.abs(duration - expected)).toBeLessThan(2e-5);
    expect(iterations).toBeLessThan(most);
  });
});
