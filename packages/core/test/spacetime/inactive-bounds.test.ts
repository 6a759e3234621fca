/**
 * Active limits with an inactive torque bound: with inequalities the solver takes another path, and has to find the same solution from
 * every penalty.
 */
import { describe, expect, test } from 'vitest';
import { createFigure, type Figure } from '../../src/figure/index.js';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  type SpacetimeData,
  type SpacetimeTerm,
  saveSpacetime,
  solveSpacetime,
  stepSpacetime,
} from '../../src/spacetime/index.js';
import { buildModel } from '../../src/spacetime/solver/augmented-lagrangian.js';
import { minimizeModel } from '../../src/spacetime/solver/minimize-model.js';

type Range = readonly [number, number];

/** Rods that hang below each other, m and kg, each hinge with its range, rad. */
function rods(...ranges: readonly Range[]): Figure {
  return createFigure({
    bones: ranges.map(([min, max], n) => ({
      name: `rod${n}`,
      parent: n === 0 ? null : `rod${n - 1}`,
      rest: { position: [0, n === 0 ? 0 : -1, 0] },
      joint: { type: 'hinge', axis: [0, 0, 1] },
      limit: { type: 'interval', min, max },
      mass: 1,
      centerOfMass: [0, -0.5, 0],
      inertia: [0.02, 0.001, 0.02, 0, 0, 0],
    })),
  });
}

interface Case {
  readonly name: string;
  readonly figure: Figure;
  readonly start: readonly number[];
  /** What it would like to end at, beyond its limits. */
  readonly target: readonly number[];
  readonly costs: readonly SpacetimeTerm[];
}

/** Two solves are compared to a millionth. */
const EXACT = { tolerance: 1e-8, gain: 1e-8 };
const SMOOTH: SpacetimeTerm = { type: 'smoothness', weight: 1e-3 };
const CASES: readonly Case[] = [
  { name: 'a rod', figure: rods([-0.5, 1]), start: [0], target: [2], costs: [SMOOTH] },
  {
    name: 'a rod that saves effort',
    figure: rods([-0.5, 1]),
    start: [0],
    target: [2],
    costs: [{ type: 'effort', weight: 1e-2 }],
  },
  {
    name: 'two rods',
    figure: rods([-0.5, 1], [-0.1, 0.2]),
    start: [0, 0],
    target: [2, 1],
    costs: [SMOOTH, { type: 'effort', weight: 1e-3 }],
  },
  {
    name: 'two rods, one locked by its limits',
    figure: rods([-1, 1], [0.3, 0.3]),
    start: [0, 0.3],
    target: [0.8, -1],
    costs: [SMOOTH, { type: 'effort', weight: 1e-3 }],
  },
  {
    name: 'two rods, one in a narrow range',
    figure: rods([-1, 1], [0.3, 0.31]),
    start: [0, 0.305],
    target: [0.8, -1],
    costs: [SMOOTH, { type: 'effort', weight: 1e-3 }],
  },
];

function dataOf({ start, target, costs }: Case, bounded: boolean): SpacetimeData {
  return {
    duration: 1,
    intervals: 12,
    terms: [
      { type: 'pose', at: 0, pose: start },
      { type: 'velocity', at: 0 },
      { type: 'pose', at: 1, pose: target, weight: 10 },
      ...costs,
      ...(bounded ? [{ type: 'torque-limit', limit: 1000 } as const] : []),
    ],
  };
}

describe.each(CASES)('$name at active limits', (one) => {
  const free = solveSpacetime(createSpacetimeProblem(one.figure, dataOf(one, false)), EXACT);

  test.each([undefined, 1e2, 1e4, 1e6])(
    'has the same solution with an inactive torque bound: penalty %s',
    (penalty) => {
      expect(free.status).toBe('converged');
      const problem = createSpacetimeProblem(one.figure, dataOf(one, true));
      const save = saveSpacetime(createSpacetimeSolver(problem));
      const start = { ...save, penalties: save.penalties.fill(penalty ?? 0) };
      const solution = solveSpacetime(problem, penalty === undefined ? EXACT : { ...EXACT, start });
      expect(solution.status).toBe('converged');
      expect(Math.abs(solution.cost / free.cost - 1)).toBeLessThan(1e-6);
      expect(solution.report.reached).not.toHaveLength(0);
    },
  );

  test('at the solution a step is found and is the minimum of its model', () => {
    const { solver, ...rest } = createSpacetimeSolver(
      createSpacetimeProblem(one.figure, dataOf(one, true)),
      EXACT,
    );
    for (let k = 0; k < 300 && stepSpacetime({ solver, ...rest }); k++);
    const { iterate, progress, search, options } = solver;
    expect(progress.status).toBe('converged');
    for (let k = 0; k < 3; k++) {
      iterate.isAssembled = false;
      buildModel(solver);
      expect(minimizeModel(solver, search, options.gain)).toBe(true);
      expect(search.isModelMinimum).toBe(true);
      expect(search.predictedDecrease).toBeLessThan(1e-7 * iterate.cost);
    }
  });
});

describe('the duration of a motion', () => {
  // From rest to rest over a distance, as fast as the torque of a wheel without weight allows: T = 2 sqrt(d I / tau).
  const wheel = createFigure({
    bones: [
      {
        name: 'wheel',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        mass: 1,
        inertia: [1, 1, 1, 0, 0, 0],
      },
    ],
  });

  test.each([
    [0.2, 50],
    [0.9, 1.2],
    [1, 1],
  ])('keeps its range from %d to %d s, and never changes by more than a quarter in a step', (min, max) => {
    const problem = createSpacetimeProblem(wheel, {
      duration: { min, max, start: 1 },
      intervals: 12,
      terms: [
        { type: 'pose', at: 0, pose: [0] },
        { type: 'velocity', at: 0 },
        { type: 'pose', at: 1, pose: [1] },
        { type: 'velocity', at: 1 },
        { type: 'torque-limit', limit: 20 },
        { type: 'duration' },
        { type: 'smoothness', weight: 1e-4 },
      ],
    });
    const under = createSpacetimeSolver(problem);
    const [timeScaling] = problem.system.sets.filter(({ isTiming }) => isTiming === true);
    let on = true;
    for (let k = 0; on && k < 300; k++) {
      const before = under.solver.iterate.unknowns[timeScaling.at];
      on = stepSpacetime(under);
      const after = under.solver.iterate.unknowns[timeScaling.at];
      expect(Math.abs(after / before - 1)).toBeLessThanOrEqual(0.25 + 1e-12);
      expect(after).toBeGreaterThanOrEqual(timeScaling.parameters[0]);
      expect(after).toBeLessThanOrEqual(timeScaling.parameters[1]);
    }
    expect(under.solver.progress.status).toBe('converged');
    const duration = under.solver.iterate.unknowns[timeScaling.at] * 1;
    // 12 pieces are within 3 % of what a torque that jumps would reach.
    const smallest = 2 * Math.sqrt(1 / 20);
    if (min < smallest) expect(duration).toBeLessThan(1.06 * smallest);
    else expect(duration).toBeCloseTo(min, 6);
    expect(duration).toBeGreaterThan(Math.max(min, smallest) * (1 - 1e-6));
  });
});
