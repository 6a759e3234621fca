/** Contact changes at nearly equal times are merged, with the solution of equal times. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFigure } from '../../src/figure/index.js';
import {
  createSpacetimeProblem,
  type SpacetimeProblem,
  type SpacetimeTerm,
  solveSpacetime,
} from '../../src/spacetime/index.js';

/** A body on a foot that a slider moves: it hops. */
const hopper = createFigure({
  name: 'hopper',
  bones: [
    { name: 'body', joint: { type: 'free' }, mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0] },
    {
      name: 'foot',
      parent: 'body',
      rest: { position: [0, -0.5, 0] },
      joint: { type: 'slider', axis: [0, 1, 0] },
      mass: 1,
      inertia: [0.1, 0.1, 0.1, 0, 0, 0],
    },
  ],
});
const DURATION = 1;
const INTERVALS = 10;
const LEAVES = 0.4;
const LANDS = 0.6;
const soles = [
  [
    [-0.1, 0, -0.1],
    [0.1, 0, -0.1],
  ],
  [[0, 0, 0.1]],
] as const;

/** Both parts of the foot leave and land at times that are off by so much. */
function hop(leave: readonly number[], land: readonly number[]): SpacetimeProblem {
  const contacts = soles.flatMap((points, k): SpacetimeTerm[] => [
    { type: 'contact', bone: 'foot', points, over: [0, LEAVES + leave[k]] },
    { type: 'contact', bone: 'foot', points, over: [LANDS + land[k], DURATION + Math.min(0, land[k])] },
  ]);
  return createSpacetimeProblem(hopper, {
    duration: DURATION,
    intervals: INTERVALS,
    reference: [0, 0.5, 0, 0, 0, 0, 0],
    terms: [
      { type: 'pose', at: 0, weight: 10 },
      { type: 'pose', at: DURATION, weight: 10 },
      ...contacts,
      { type: 'physics' },
      { type: 'effort', weight: 1e-3 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  });
}

/** What does not depend on when exactly contacts begin and end. */
function shapeOf({ system }: SpacetimeProblem): unknown {
  const { size, rows, fixed, terms } = system;
  const moments = terms.map(({ name, samples: all }) => [name, all.length]);
  return { size, rows, fixed: fixed.length, moments };
}

const exact = hop([0, 0], [0, 0]);

describe('nearly equal contact times', () => {
  const off = fc
    .record({ size: fc.double({ min: -12, max: -5, noNaN: true }), sign: fc.constantFrom(-1, 0, 1) })
    .map(({ size, sign }) => sign * 10 ** size * DURATION);
  const two = fc.tuple(off, off);

  test('give the problem of equal times', () => {
    expect(exact.system.fixed.length).toBe(2 * 9);
    fc.assert(
      fc.property(two, two, (leave, land) => {
        const problem = hop(leave, land);
        expect(shapeOf(problem)).toEqual(shapeOf(exact));
        const { breaks, intervals } = problem.system.parameterization.basis;
        for (const { from, to, basis } of problem.contacts) {
          expect(breaks).toContain(from);
          expect(breaks).toContain(to);
          expect(basis.start).toBe(from);
          expect(basis.end).toBe(to);
        }
        for (let k = 0; k < intervals; k++) {
          expect(breaks[k + 1] - breaks[k]).toBeGreaterThan((0.5 * DURATION) / INTERVALS);
        }
      }),
    );
  });

  test('are solved like equal ones', () => {
    const options = { tolerance: 1e-6, gain: 1e-4 };
    const solved = solveSpacetime(exact, options);
    expect(solved.status).toBe('converged');
    for (const by of [1e-12, 1e-8, 1e-5]) {
      const near = solveSpacetime(hop([0, by], [by, -by]), options);
      expect(near.status).toBe('converged');
      expect(Math.abs(near.cost / solved.cost - 1)).toBeLessThan(1e-3);
    }
  });

  test('a contact without duration is rejected', () => {
    for (const length of [1e-9, 0.04 / INTERVALS]) {
      const terms: SpacetimeTerm[] = [
        { type: 'contact', bone: 'foot', points: [[0, 0, 0]], over: [0.3, 0.3 + length] },
        { type: 'physics' },
      ];
      const data = { duration: DURATION, intervals: INTERVALS, terms };
      expect(() => createSpacetimeProblem(hopper, data)).toThrow(
        expect.objectContaining({ code: 'not-increasing', path: 'terms[0].over' }),
      );
    }
  });

  test('a constraint over a span that ends with a contact up to rounding does not extend beyond it', () => {
    for (const by of [1e-12, 1e-7, 1e-4]) {
      const terms: SpacetimeTerm[] = [
        { type: 'contact', bone: 'foot', points: soles[0], over: [0, LEAVES] },
        { type: 'physics', over: [0, LEAVES + by] },
      ];
      const { system } = createSpacetimeProblem(hopper, { duration: DURATION, intervals: INTERVALS, terms });
      for (const { samples } of system.terms)
        for (const { time } of samples) expect(time).toBeLessThanOrEqual(LEAVES);
    }
  });
});
