/** A contact at an end of the motion is collocated once less for each rate that is prescribed there. */
import { describe, expect, test } from 'vitest';
import { createFigure } from '../../src/figure/index.js';
import { createSpacetimeProblem, type SpacetimeTerm, solveSpacetime } from '../../src/spacetime/index.js';

const lamp = createFigure({
  bones: [
    { name: 'base', joint: { type: 'free' }, mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0] },
    {
      name: 'arm',
      parent: 'base',
      joint: { type: 'hinge', axis: [1, 0, 0] },
      mass: 0.5,
      centerOfMass: [0, 0.2, 0],
      inertia: [0.01, 0.001, 0.01, 0, 0, 0],
    },
  ],
});
const feet = [
  [0.1, 0, 0.1],
  [-0.1, 0, 0.1],
  [-0.1, 0, -0.1],
  [0.1, 0, -0.1],
] as const;
const bent = [0, 0, 0, 0, 0, 0, 0.4];

function problemOf(...rates: SpacetimeTerm[]) {
  return createSpacetimeProblem(lamp, {
    duration: 0.6,
    intervals: 12,
    terms: [
      { type: 'contact', bone: 'base', points: feet, over: [0, 0.6] },
      { type: 'physics' },
      { type: 'pose', at: 'start' },
      { type: 'pose', at: 'end', pose: bent },
      { type: 'effort' },
      ...rates,
    ],
  });
}

/** Times at which the contact is collocated. */
const timesOf = (...rates: SpacetimeTerm[]): number[] =>
  problemOf(...rates).system.collocations.flatMap(({ collocation, terms }) =>
    terms.some(({ term }) => term.index === 0 && term.kind === 'equality') ? [collocation.time] : [],
  );

describe('collocation of a contact at the ends of a motion', () => {
  // 13 knots, and two points more at each end.
  test('has two additional points where no rate is prescribed', () => {
    expect(timesOf()).toHaveLength(17);
  });

  test('has one less for each rate of the whole pose', () => {
    expect(timesOf({ type: 'velocity', at: 'end' })).toHaveLength(16);
    expect(timesOf({ type: 'velocity', at: 0 }, { type: 'velocity', at: 0.6 })).toHaveLength(15);
    expect(timesOf({ type: 'velocity', at: 'end' }, { type: 'acceleration', at: 'end' })).toHaveLength(15);
  });

  test('has all where a rate is a cost, at another time, or of some bones', () => {
    expect(
      timesOf(
        { type: 'velocity', at: 'end', weight: 1 },
        { type: 'velocity', at: 0.3 },
        { type: 'velocity', at: 'start', bones: ['arm'] },
      ),
    ).toHaveLength(17);
  });

  test('holds between its points with rest at both ends', () => {
    const solution = solveSpacetime(
      problemOf({ type: 'velocity', at: 'start' }, { type: 'velocity', at: 'end' }),
      {
        tolerance: 1e-8,
      },
    );
    expect(solution.status).toBe('converged');
    const slips = solution.intersample.filter(({ unit }) => unit === 'm');
    expect(slips.length).toBeGreaterThan(0);
    for (const { violation } of slips) expect(violation).toBeLessThan(1e-5);
  });
});
