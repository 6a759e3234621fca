import { describe, expect, test } from 'vitest';
import { clampToLimits, type Figure } from '../../src/figure/index.js';
import { createSpacetimeProblem } from '../../src/spacetime/problem.js';
import {
  createSpacetimeSolver,
  type SpacetimeOptions,
  saveSpacetime,
  solveSpacetime,
  stepSpacetime,
} from '../../src/spacetime/solve.js';
import { sampleTrajectory } from '../../src/spacetime/trajectory.js';
import type { SpacetimeData, SpacetimeTerm } from '../../src/spacetime/types/data.js';
import { expectClose, expectSameBits, within } from '../figure/support.js';
import { crane, swimmer } from './support-problems.js';

// Of one seed for all runs: what is tested is that two solves agree, not that every problem has an answer.
const random = (() => {
  let state = 97;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
})();
const arm = crane(random);
const body = swimmer(random, false);

/** Well within the limits. */
function pose(figure: Figure, size: number): Float64Array {
  const out = Float64Array.from({ length: figure.dof }, () => within(random, size));
  clampToLimits(figure, out);
  return out.map((x) => 0.9 * x);
}

function ends(figure: Figure): SpacetimeTerm[] {
  return [
    { type: 'pose', at: 0, pose: pose(figure, 0.2) },
    { type: 'pose', at: 1, pose: pose(figure, 0.7) },
    { type: 'velocity', at: 0 },
    { type: 'velocity', at: 1 },
  ];
}

/** Two solves are compared to a millionth of the cost. */
const EXACT = { tolerance: 1e-8, gain: 1e-8 };

const base = { duration: 1, intervals: 8 } as const;
const problems: readonly (readonly [string, Figure, SpacetimeData])[] = [
  [
    'effort',
    arm,
    {
      ...base,
      terms: [...ends(arm), { type: 'effort', weight: 1e-2 }, { type: 'smoothness', weight: 1e-2 }],
    },
  ],
  [
    'torques that are bounded',
    arm,
    {
      ...base,
      terms: [...ends(arm), { type: 'torque-limit', limit: 30 }, { type: 'smoothness', weight: 1e-2 }],
    },
  ],
  [
    'least time',
    arm,
    {
      ...base,
      duration: { min: 0.3, max: 3, start: 1 },
      terms: [
        ...ends(arm),
        { type: 'duration' },
        { type: 'torque-limit', limit: 40 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    },
  ],
  [
    'flight',
    body,
    {
      ...base,
      terms: [
        { type: 'physics' },
        { type: 'pose', at: 0, pose: pose(body, 0.2) },
        { type: 'goal', at: 1, goal: { type: 'position', bone: 'bone5', target: [0.3, 0.5, 0.2] } },
        { type: 'smoothness', weight: 1e-2 },
      ],
    },
  ],
];

describe('a solve', () => {
  for (const [name, figure, data] of problems) {
    const solve = (options: SpacetimeOptions = {}) =>
      solveSpacetime(createSpacetimeProblem(figure, data), { ...EXACT, ...options });
    const whole = solve();

    test(`is the same to the bit every time: ${name}`, () => {
      expect(whole.status).toBe('converged');
      const solver = createSpacetimeSolver(createSpacetimeProblem(figure, data), EXACT);
      while (stepSpacetime(solver));
      const save = saveSpacetime(solver);
      expect(save.iterations).toBe(whole.iterations);
      expectSameBits(save.unknowns, whole.save.unknowns);
      expectSameBits(save.multipliers, whole.save.multipliers);
      expectSameBits([...save.penalties, save.damping], [...whole.save.penalties, whole.save.damping]);
    });

    test(`stops at the iteration limit or on interrupt: ${name}`, () => {
      let calls = 0;
      const stopped = solve({ onProgress: () => ++calls < 2 });
      expect([stopped.status, stopped.iterations, calls]).toEqual(['interrupted', 2, 2]);
      const limited = solve({ maxIterations: 2 });
      expect([limited.status, limited.iterations]).toEqual(['iteration-limit', 2]);
      expectSameBits(limited.save.unknowns, stopped.save.unknowns);
    });

    test(`resumes from a save to the same answer: ${name}`, () => {
      // Earlier saves of the flight lead to another of its minima.
      for (const share of [0.5, 0.8]) {
        const first = solve({ maxIterations: Math.ceil(share * whole.iterations) });
        const rest = solve({ start: structuredClone(first.save) });
        expect(rest.status).toBe('converged');
        expect(Math.abs(rest.cost / whole.cost - 1)).toBeLessThan(1e-6);
        // The cost is flat at its minimum: what changes it by 1e-8 of itself is 1e-4.
        expect(Math.abs(rest.duration / whole.duration - 1)).toBeLessThan(1e-3);
        for (const at of [0, 0.3, 0.5, 0.9]) {
          const expected = sampleTrajectory(whole.trajectory, at * whole.duration).pose;
          const found = sampleTrajectory(rest.trajectory, at * rest.duration).pose;
          expectClose(found, expected, 1e-2, 'pose');
        }
      }
    });

    test(`resumed from a solution converges again: ${name}`, () => {
      const again = solve({ start: whole.save });
      expect(again.status).toBe('converged');
      expect(again.iterations).toBeLessThan(2 * whole.iterations + 10);
      expect(Math.abs(again.cost / whole.cost - 1)).toBeLessThan(1e-6);
    });
  }
});
