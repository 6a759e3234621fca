import { describe, expect, test } from 'vitest';
import { createFigure, createState, forwardKinematics } from '../../src/figure/index.js';
import { createSpacetimeProblem } from '../../src/spacetime/problem.js';
import { type SpacetimeSolution, solveSpacetime } from '../../src/spacetime/solve.js';
import { sampleTrajectory } from '../../src/spacetime/trajectory.js';
import type { SpacetimeData, SpacetimeTerm } from '../../src/spacetime/types/data.js';

/** A point in a plane. */
const particle = createFigure({
  bones: [
    { name: 'along', joint: { type: 'slider', axis: [1, 0, 0] } },
    { name: 'up', parent: 'along', joint: { type: 'slider', axis: [0, 1, 0] }, mass: 1 },
  ],
});

const ends: readonly SpacetimeTerm[] = [
  { type: 'pose', at: 0, pose: [0, 0] },
  { type: 'pose', at: 1, pose: [1, 0] },
];

function solve(terms: readonly SpacetimeTerm[], more: Partial<SpacetimeData> = {}): SpacetimeSolution {
  const data = {
    duration: 1,
    degree: 3,
    intervals: 8,
    terms: [...ends, { type: 'smoothness' }, ...terms],
    ...more,
  };
  return solveSpacetime(createSpacetimeProblem(particle, data as SpacetimeData));
}

/** The height above or below a height, as a goal. */
function side(height: number, up: 1 | -1): SpacetimeTerm {
  return {
    type: 'goal',
    at: 0.5,
    name: 'side',
    goal: { type: 'half-space', bone: 'up', target: { point: [0, height, 0], normal: [0, up, 0] } },
  };
}

describe('a one-sided goal', () => {
  test('deflects the motion like a loaded beam', () => {
    // A beam on two supports, loaded in the middle: integral of y''^2 = 48 y(1/2)^2, force 48 y(1/2), a natural cubic spline.
    const { status, cost, trajectory, report } = solve([side(0.3, 1)]);
    expect(status).toBe('converged');
    expect(cost).toBeCloseTo(48 * 0.3 ** 2, 6);
    for (const t of [0, 0.1, 0.25, 0.5, 0.8]) {
      const u = Math.min(t, 1 - t);
      const { pose } = sampleTrajectory(trajectory, t);
      expect(pose[1]).toBeCloseTo(0.3 * (3 * u - 4 * u ** 3), 6);
    }
    const [entry] = report.terms.filter(({ name }) => name === 'side');
    expect(entry.kind).toBe('inequality');
    expect(entry.multiplier).toBeCloseTo(48 * 0.3, 4);
  });

  test('is inactive where it holds', () => {
    const load: SpacetimeTerm = {
      type: 'goal',
      at: 0.5,
      goal: { type: 'plane', bone: 'up', target: { point: [0, 0.2, 0], normal: [0, 1, 0] } },
    };
    const { status, cost, report } = solve([load, side(0.1, 1), side(0.5, -1)]);
    expect(status).toBe('converged');
    expect(cost).toBeCloseTo(48 * 0.2 ** 2, 6);
    for (const { multiplier } of report.terms.filter(({ name }) => name === 'side'))
      expect(multiplier).toBe(0);
  });

  test('in conflict with another is infeasible, by name', () => {
    const { status, report } = solve([side(0.3, 1), { ...side(0.2, -1), name: 'other side' }]);
    expect(status).toBe('infeasible');
    expect(report.conflicts.map(({ name }) => name).sort()).toEqual(['other side', 'side']);
  });

  test('keeps the centre of mass above its support', () => {
    const support = [
      [0, 0, 0.4],
      [0.5, 0, 0.4],
      [0.5, 0, -0.4],
      [0, 0, -0.4],
    ] as const;
    const goal = { type: 'center-of-mass', support } as const;
    const { status, trajectory } = solve([{ type: 'goal', at: [0, 0.8], goal }]);
    expect(status).toBe('converged');
    let max = 0;
    for (let k = 0; k <= 80; k++) max = Math.max(max, sampleTrajectory(trajectory, 0.01 * k).pose[0]);
    // Held at moments: between them it may be over by a little.
    expect(max).toBeGreaterThan(0.5 - 1e-6);
    expect(max).toBeLessThan(0.505);
  });
});

describe('a goal of several components', () => {
  test('aims at its target and leaves the distribution along the chain free', () => {
    const neck = createFigure({
      bones: [
        { name: 'neck', joint: { type: 'ball' } },
        {
          name: 'head',
          parent: 'neck',
          rest: { position: [0, 0.3, 0] },
          joint: { type: 'swing', axis: [0, 1, 0] },
        },
      ],
    });
    const target = [1, 1, 0.5] as const;
    const problem = createSpacetimeProblem(neck, {
      duration: 1,
      terms: [
        { type: 'pose', at: 0 },
        {
          type: 'goal',
          at: 1,
          goal: {
            type: 'look-at',
            bone: 'head',
            axis: [0, 0, 1],
            target,
            chain: [
              { bone: 'neck', share: 1 },
              { bone: 'head', share: 1 },
            ],
          },
        },
        { type: 'smoothness', order: 1 },
      ],
    });
    const { status, trajectory } = solveSpacetime(problem);
    expect(status).toBe('converged');
    const state = createState(neck);
    forwardKinematics(state, sampleTrajectory(trajectory, 1).pose);
    const frame = state.worldFromBone.slice(12, 24);
    const direction = target.map((x, k) => x - frame[9 + k]);
    const axis = [frame[2], frame[5], frame[8]];
    const cosine = axis.reduce((sum, x, k) => sum + x * direction[k], 0) / Math.hypot(...direction);
    expect(1 - cosine).toBeLessThan(1e-12);
  });
});
