import { clampToLimits, limitViolation } from 'poise/figure';
import {
  createMarkerTracker,
  initializeMarkers,
  type Marker,
  type PositionGoal,
  solveMarkers,
} from 'poise/ik';
import { expect, it } from 'vitest';
import { createRandom, within } from '../../figure/support.js';
import { objectiveOf, stationarityOf } from '../../support/objective.js';
import { randomFigure, randomPose } from '../../support/random-figure.js';
import { positionsOf } from './support.js';

/**
 * Random figures with every joint and limit, random markers, places that can be met, nearly, or not at all, some missing. f and its
 * gradient are recomputed from the definition by differences (support/objective.ts).
 */
it('of 150 random problems every pose is finite, allowed, no higher than its start, and stationary where its status says so', () => {
  const statuses = new Map<string, number>();
  for (let n = 0; n < 150; n++) {
    const random = createRandom(1000 + n);
    const figure = randomFigure(random, 3 + Math.floor(10 * random()));
    const markers: Marker[] = Array.from({ length: 1 + Math.floor(12 * random()) }, (_, m) => ({
      name: `m${m}`,
      bone: Math.floor(random() * figure.bones.length),
      point: [within(random, 0.3), within(random, 0.3), within(random, 0.3)],
      weight: random() < 0.2 ? 1e-3 : 0.5 + random(),
    }));
    const truth = randomPose(figure, random, 1);
    clampToLimits(figure, truth);
    const off = [0, 0.05, 3][n % 3];
    const positions = positionsOf(figure, markers, truth).map((x) => x + within(random, off));
    const seen = markers.map(() => random() > 0.15);
    seen.forEach((is, m) => {
      if (!is) positions[3 * m] = Number.NaN;
    });
    const tracker = createMarkerTracker(figure, markers);
    const start = randomPose(figure, random, 2);
    clampToLimits(figure, start);
    const goals = markers.flatMap(({ bone, point = [0, 0, 0], weight = 1 }, m): PositionGoal[] =>
      seen[m]
        ? [
            {
              type: 'position',
              bone,
              point,
              weight,
              target: Array.from(positions.subarray(3 * m, 3 * m + 3)),
            },
          ]
        : [],
    );
    // objectiveOf counts weights against the largest of the goals it is given; the tracker against the largest of all markers.
    const share =
      Math.max(...goals.map(({ weight = 1 }) => weight)) /
      Math.max(...markers.map(({ weight = 1 }) => weight));
    for (const run of [solveMarkers, initializeMarkers]) {
      const pose = start.slice();
      const result = run(tracker, positions, pose);
      statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
      expect(pose.every(Number.isFinite)).toBe(true);
      expect(limitViolation(figure, pose)).toBe(0);
      if (goals.length === 0) {
        expect(result.status).toBe('unobserved');
        continue;
      }
      const f = share * objectiveOf(figure, goals, pose, result.lengthScale);
      expect(Math.abs(f - result.objective)).toBeLessThanOrEqual(1e-12 * Math.max(f, 1e-3));
      const before = share * objectiveOf(figure, goals, start, result.lengthScale);
      expect(f).toBeLessThanOrEqual(before * (1 + 1e-9) + 1e-20);
      if (result.status === 'out-of-reach' || result.status === 'limit-blocked') {
        // The differences are good to about 1e-9 of the forces at work.
        const moved = share * stationarityOf(figure, goals, pose, result.lengthScale);
        expect(moved, `problem ${n}`).toBeLessThan(1e-8 + 1e-8 * Math.sqrt(before));
      }
    }
  }
  for (const status of ['converged', 'out-of-reach', 'limit-blocked'])
    expect(statuses.get(status) ?? 0).toBeGreaterThan(15);
  expect((statuses.get('stalled') ?? 0) + (statuses.get('iteration-limit') ?? 0)).toBeLessThan(6);
});
