import { createFigure, createPose } from 'poise/figure';
import { createFabrik, createIk, type PositionGoal, solveFabrik, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../support/random-figure.js';

const DEGREE = Math.PI / 180;

describe('a hinge at its bound is active after the round trip through a matrix', () => {
  it('one hinge, target beyond the limit', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -10 * DEGREE, max: 200 * DEGREE },
          tip: [1, 0, 0],
        },
      ],
    });
    const target = [Math.cos(290 * DEGREE), Math.sin(290 * DEGREE), 0];
    const goals: PositionGoal[] = [{ type: 'position', bone: 'arm', point: [1, 0, 0], target }];
    const result = solveFabrik(createFabrik(figure, goals), createPose(figure));
    expect(result.status).toBe('limit-blocked');
    expect(result.activeLimits.map(({ bone }) => bone)).toEqual(['arm']);
  });

  it('random chains: stationary without an active limit only where solveIk, started there, has none either', () => {
    const random = testRandom(9);
    let outOfReach = 0;
    for (let n = 0; n < 120; n++) {
      const figure = createFigure({
        bones: [0, 1, 2].map((k) => ({
          name: `b${k}`,
          parent: k === 0 ? null : `b${k - 1}`,
          rest: { position: [k === 0 ? 0 : 1, 0, 0] as const },
          joint: { type: 'hinge', axis: [random() - 0.5, random() - 0.5, 1] } as const,
          limit: { type: 'interval', min: -0.2 - random(), max: 0.2 + random() } as const,
        })),
      });
      const target = [4 * random() - 2, 4 * random() - 2, 2 * random() - 1];
      const goals: PositionGoal[] = [{ type: 'position', bone: 'b2', point: [1, 0, 0], target }];
      const pose = createPose(figure);
      const result = solveFabrik(createFabrik(figure, goals), pose);
      if (result.status !== 'out-of-reach') continue;
      outOfReach++;
      const judged = solveIk(createIk(figure, goals, { restarts: 0 }), pose);
      expect(judged.status).toBe('out-of-reach');
      expect(judged.objective).toBeGreaterThan(result.objective * (1 - 1e-9));
    }
    expect(outOfReach).toBeLessThan(60);
  });
});
