import { describe, expect, test } from 'vitest';
import { type Figure, limitViolation } from '../../src/figure/index.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../../src/spacetime/problem.js';
import { createTrajectory, sampleTrajectory } from '../../src/spacetime/trajectory.js';
import { project } from '../../src/spacetime/transcription/convex-sets.js';
import type { SpacetimeData } from '../../src/spacetime/types/data.js';
import { createRandom, within } from '../figure/support.js';
import { crane, DURATION, human, swimmer } from './support-problems.js';

const SAMPLES = 300;
const FREE = { min: 0.5, max: 1.6, start: DURATION, pieces: 5 };

/** Unknowns far outside their sets, projected. */
function drawnIn({ system }: SpacetimeProblem, random: () => number, size: number): Float64Array {
  const unknowns = Float64Array.from({ length: system.size }, () => within(random, size));
  project(system.sets, unknowns);
  return unknowns;
}

function problemOf(figure: Figure, data: Partial<SpacetimeData> = {}): SpacetimeProblem {
  return createSpacetimeProblem(figure, { duration: DURATION, terms: [{ type: 'smoothness' }], ...data });
}

const figures: readonly (readonly [string, (random: () => number) => Figure])[] = [
  ['box, quarters of ellipses, interval, ellipse', (random) => swimmer(random)],
  ['half-line, cone and twist, box, angle', (random) => crane(random)],
  ['the human', () => human],
];

describe('for any control points, at all times', () => {
  test.each(figures)('joints are within their limits: %s', (_, make) => {
    const random = createRandom(9400);
    let reached = 0;
    for (const [n, intervals] of [1, 2, 5, 17].entries()) {
      const figure = make(random);
      const problem = problemOf(figure, { intervals, degree: 3 + n, ...(n % 2 === 1 && { duration: FREE }) });
      const trajectory = createTrajectory(problem, drawnIn(problem, random, n < 2 ? 10 : 3));
      for (let k = 0; k <= SAMPLES; k++) {
        const { pose } = sampleTrajectory(trajectory, (k / SAMPLES) * trajectory.duration);
        // Rounding of a sum of as many products.
        expect(limitViolation(figure, pose)).toBeLessThanOrEqual(1e-13);
      }
      for (const { shape, parameters, at, size } of problem.system.sets) {
        if (shape.value(parameters, trajectory.unknowns, at, size) > -1e-9) reached++;
      }
    }
    expect(reached).toBeGreaterThan(100);
  });

  test('direct rotation vectors stay away from the shell', () => {
    const random = createRandom(9401);
    const problem = problemOf(swimmer(random, false), { rotations: 'direct' });
    const trajectory = createTrajectory(problem, drawnIn(problem, random, 20));
    const { rotations } = problem.system.parameterization;
    expect(rotations.length).toBe(2);
    let max = 0;
    for (let k = 0; k <= SAMPLES; k++) {
      sampleTrajectory(trajectory, (k / SAMPLES) * DURATION);
      const [x] = trajectory.sample.x;
      for (const { coordinate: i } of rotations) max = Math.max(max, Math.hypot(x[i], x[i + 1], x[i + 2]));
    }
    expect(max).toBeGreaterThan(Math.PI);
    expect(max).toBeLessThan(2 * Math.PI - 0.7);
  });

  test('forces are within the friction cone, and zero for inactive contacts', () => {
    const random = createRandom(9402);
    const friction = [0.8, 0.1, 0];
    const spans = [
      [0, 0.4],
      [0.2, DURATION],
      [0.5, 0.6],
    ] as const;
    const normals = [
      [0, 1, 0],
      [0.3, 1, -0.5],
      [-1, 0.2, 0],
    ] as const;
    const problem = problemOf(swimmer(random), {
      duration: FREE,
      terms: spans.map((over, k) => ({
        type: 'contact' as const,
        bone: 'bone1',
        points: [
          [0, 0, 0],
          [0.1, 0, 0],
        ] as const,
        over,
        normal: normals[k],
        friction: friction[k],
      })),
    });
    const trajectory = createTrajectory(problem, drawnIn(problem, random, 4));
    const { indices } = problem.system;
    let pressed = 0;
    for (let k = 0; k <= SAMPLES; k++) {
      const { forces } = sampleTrajectory(trajectory, (k / SAMPLES) * trajectory.duration);
      const { time } = trajectory.sample.collocation;
      problem.contacts.forEach(({ normal, friction: mu, from, to, firstPoint, points }) => {
        for (let p = firstPoint; p < firstPoint + points.length; p++) {
          const f = Array.from(forces.subarray(3 * p, 3 * p + 3));
          if (time < from || time > to) {
            expect(f).toEqual([0, 0, 0]);
            continue;
          }
          const along = f[0] * normal[0] + f[1] * normal[1] + f[2] * normal[2];
          const across = Math.hypot(...f.map((x, r) => x - along * normal[r]));
          expect(across - mu * along).toBeLessThanOrEqual(1e-13 * indices.forceScale);
          if (along > 0.1 * indices.forceScale) pressed++;
        }
      });
    }
    expect(pressed).toBeGreaterThan(SAMPLES);
  });

  test('the time scaling lies between its bounds, and time increases', () => {
    const random = createRandom(9403);
    for (let trial = 0; trial < 20; trial++) {
      const problem = problemOf(crane(random), { duration: { ...FREE, pieces: 1 + (trial % 7) } });
      const trajectory = createTrajectory(problem, drawnIn(problem, random, 3));
      expect(trajectory.duration).toBeGreaterThanOrEqual(FREE.min * (1 - 1e-14));
      expect(trajectory.duration).toBeLessThanOrEqual(FREE.max * (1 + 1e-14));
      for (let k = 0; k <= 20; k++) {
        sampleTrajectory(trajectory, (k / 20) * trajectory.duration);
        expect(trajectory.sample.timeScale).toBeGreaterThan((FREE.min / FREE.start) * (1 - 1e-12));
        expect(trajectory.sample.timeScale).toBeLessThan((FREE.max / FREE.start) * (1 + 1e-12));
      }
    }
  });
});
