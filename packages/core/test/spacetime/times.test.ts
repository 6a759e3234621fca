import { describe, expect, it } from 'vitest';
import { createFigure, figureToData } from '../../src/figure/index.js';
import {
  createSpacetimeProblem,
  type SpacetimeData,
  type SpacetimeTerm,
  solveSpacetime,
  type Time,
} from '../../src/spacetime/index.js';

const block = createFigure({
  bones: [
    {
      name: 'block',
      joint: { type: 'slider', axis: [1, 0, 0] },
      mass: 1,
      inertia: [0.01, 0.01, 0.01, 0, 0, 0],
    },
  ],
});

/** From rest to rest, 1 m, with at most 4 N. */
const move = (start: Time, end: Time, duration: SpacetimeData['duration']): SpacetimeData => ({
  duration,
  intervals: 12,
  terms: [
    { type: 'pose', at: start, pose: [0] },
    { type: 'velocity', at: start },
    { type: 'pose', at: end, pose: [1] },
    { type: 'velocity', at: end },
    { type: 'torque-limit', limit: 4 },
    { type: 'acceleration', at: [start, end], weight: 1e-3 },
    { type: 'duration' },
  ],
});

describe("the times 'start' and 'end'", () => {
  it('are the ends of the motion, whatever its duration becomes', () => {
    const free = { min: 0.5, max: 3, start: 2 };
    const named = solveSpacetime(createSpacetimeProblem(block, move('start', 'end', free)));
    const numbered = solveSpacetime(createSpacetimeProblem(block, move(0, 2, free)));
    expect(named.status).toBe('converged');
    // Bang-bang: 1 m with 4 N on 1 kg takes 2 sqrt(1 / 4) s; the splines take a little more.
    expect(named.duration).toBeGreaterThan(1);
    expect(named.duration).toBeLessThan(1.3);
    expect([named.duration, named.report.cost]).toEqual([numbered.duration, numbered.report.cost]);
  });

  it('other words are refused, with these in the remedy', () => {
    const term = { type: 'pose', at: 'finish', pose: [0] } as unknown as SpacetimeTerm;
    expect(() => createSpacetimeProblem(block, { duration: 1, terms: [term] })).toThrow(
      expect.objectContaining({ path: 'terms[0].at', remedy: expect.stringMatching(/'start' or 'end'/) }),
    );
  });
});

describe('limits of the motors that the figure carries', () => {
  const bones = (motor: object) => ({
    bones: [
      {
        name: 'block',
        joint: { type: 'slider', axis: [1, 0, 0] } as const,
        mass: 1,
        inertia: [0.01, 0.01, 0.01, 0, 0, 0] as const,
        ...motor,
      },
    ],
  });
  const data = (...limits: SpacetimeTerm[]): SpacetimeData => ({
    ...move('start', 'end', { min: 0.5, max: 3, start: 2 }),
    terms: [...move('start', 'end', 2).terms.filter(({ type }) => type !== 'torque-limit'), ...limits],
  });

  it('are those of terms without a limit of their own', () => {
    const own = solveSpacetime(
      createSpacetimeProblem(
        createFigure(bones({ torqueLimit: 4, speedLimit: 1.5 })),
        data({ type: 'torque-limit' }, { type: 'speed-limit' }),
      ),
    );
    const given = solveSpacetime(
      createSpacetimeProblem(
        createFigure(bones({})),
        data({ type: 'torque-limit', limit: 4 }, { type: 'speed-limit', limit: { block: 1.5 } }),
      ),
    );
    expect(own.status).toBe('converged');
    expect([own.duration, own.report.cost]).toEqual([given.duration, given.report.cost]);
    // A term's own limit wins.
    expect(
      solveSpacetime(
        createSpacetimeProblem(
          createFigure(bones({ torqueLimit: 400, speedLimit: 1.5 })),
          data({ type: 'torque-limit', limit: 4 }, { type: 'speed-limit' }),
        ),
      ).duration,
    ).toBe(given.duration);
  });

  it('survive JSON, and are positive', () => {
    const figure = createFigure(bones({ torqueLimit: 4, speedLimit: 1.5 }));
    expect(createFigure(JSON.parse(JSON.stringify(figureToData(figure))))).toEqual(figure);
    for (const motor of [{ torqueLimit: 0 }, { speedLimit: Number.NaN }, { torqueLimit: '4' }]) {
      expect(() => createFigure(bones(motor))).toThrow(
        expect.objectContaining({ path: `bones[0].${Object.keys(motor)[0]}` }),
      );
    }
  });

  it('are asked for where no bone has one', () => {
    for (const [type, name] of [
      ['torque-limit', 'torqueLimit'],
      ['speed-limit', 'speedLimit'],
    ] as const) {
      const terms = () => createSpacetimeProblem(createFigure(bones({})), data({ type }));
      expect(terms).toThrow(expect.objectContaining({ remedy: expect.stringContaining(name) }));
    }
  });
});
