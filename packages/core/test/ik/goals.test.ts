import { createFigure, type Figure } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { differentiate, evaluate, type Problem } from '../../src/ik/problem/problem.js';
import { createProblem, movableProblem } from '../support/problem.js';
import { randomFigure, randomPose, testRandom } from '../support/random-figure.js';
import { goalKinds, tooSharp } from '../support/random-goals.js';

/** What extrapolation may change where differences are to be trusted. */
const TRUSTED = 2e-5;

/** Central differences of the normalized residual, Richardson-extrapolated: error about h^4 + eps/h; undefined where r bends sharply. */
function differences(problem: Problem, pose: Float64Array, column: number): number[] | undefined {
  const at = (h: number): number[] => {
    const moved = pose.slice();
    moved[problem.coordinates[column]] += h * problem.jacobian.columnScale[column];
    evaluate(problem, moved);
    return Array.from(problem.residual);
  };
  const central = (h: number): number[] => {
    const plus = at(h);
    const minus = at(-h);
    return plus.map((x, k) => (x - minus[k]) / (2 * h));
  };
  const coarse = central(2e-3);
  const fine = central(1e-3);
  if (fine.some((x, k) => Math.abs(x - coarse[k]) > TRUSTED)) return undefined;
  return fine.map((x, k) => (4 * x - coarse[k]) / 3);
}

/** Largest difference between the Jacobian and differences, against the largest entry (at least 1). */
function worstColumn(figure: Figure, goals: Goal[], pose: Float64Array): number | undefined {
  const problem = createProblem(figure, goals, []);
  evaluate(problem, pose);
  differentiate(problem, pose);
  const exact = problem.jacobian.values.slice();
  const { width } = problem.jacobian;
  const scale = exact.reduce((max, x) => Math.max(max, Math.abs(x)), 1);
  let worst = 0;
  for (let k = 0; k < width; k++) {
    const slopes = differences(problem, pose, k);
    if (slopes === undefined) return undefined;
    slopes.forEach((slope, r) => {
      worst = Math.max(worst, Math.abs(slope - exact[r * width + k]) / scale);
    });
  }
  return worst;
}

describe('goal Jacobians equal differences of their residuals, on trees with every joint type', () => {
  for (const [title, make] of Object.entries(goalKinds)) {
    it(title, () => {
      const random = testRandom(11);
      let compared = 0;
      for (let n = 0; n < 60; n++) {
        const figure = randomFigure(random, 8);
        const goal = make(random, figure);
        const pose = randomPose(figure, random, 2.2);
        const probe = movableProblem(figure, goal);
        if (probe === undefined) continue;
        // Near the cut at pi the residual bends too fast for differences; the test keeps off it.
        if (tooSharp(probe, pose, 2.8)) continue;
        const worst = worstColumn(figure, [goal], pose);
        if (worst === undefined) continue;
        compared++;
        expect(worst).toBeLessThan(2e-9);
      }
      expect(compared).toBeGreaterThan(14);
    });
  }
});

describe('points-at', () => {
  const figure = createFigure({ bones: [{ name: 'eye', joint: { type: 'ball' } }] });
  const angleTo = (target: number[]): number => {
    const problem = createProblem(figure, [{ type: 'points-at', bone: 'eye', axis: [0, 0, 2], target }], []);
    evaluate(problem, new Float64Array(3));
    return problem.norms[0];
  };

  it('measures the angle between axis and line of sight, from ahead to straight behind', () => {
    for (const angle of [0, 1e-12, 1e-8, 1e-5, 0.1, 1, 2, 3, Math.PI - 1e-9, Math.PI]) {
      expect(angleTo([5 * Math.sin(angle), 0, 5 * Math.cos(angle)])).toBeCloseTo(angle, 14);
    }
  });

  it('counts a target at the origin of the sight, which has no direction, as missed by pi', () => {
    expect(angleTo([0, 0, 0])).toBe(Math.PI);
    const ik = createIk(figure, [{ type: 'points-at', bone: 'eye', axis: [0, 0, 1], target: [0, 0, 0] }]);
    const result = solveIk(ik, new Float64Array(3));
    expect(result.status).not.toBe('converged');
    expect(result.residuals[0].value).toBe(Math.PI);
  });

  it('turns round to a target straight behind, whichever way the joint can turn', () => {
    const axes: [number, number, number][] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 0],
      [1, -2, 3],
    ];
    for (const hingeAxis of axes) {
      for (const axis of axes) {
        const hinge = createFigure({ bones: [{ name: 'eye', joint: { type: 'hinge', axis: hingeAxis } }] });
        const target = axis.map((x) => -2 * x);
        const cosine =
          axis.reduce((sum, x, k) => sum + x * hingeAxis[k], 0) /
          (Math.hypot(...axis) * Math.hypot(...hingeAxis));
        // Along the hinge itself nothing turns; else the axis sweeps a cone, and the best leaves twice its complement.
        if (Math.abs(cosine) > 1 - 1e-9) continue;
        const ik = createIk(hinge, [{ type: 'points-at', bone: 'eye', axis, target }], { restarts: 0 });
        const result = solveIk(ik, new Float64Array(1));
        const best = Math.PI - 2 * Math.acos(Math.abs(cosine));
        expect(result.residuals[0].value).toBeCloseTo(Math.abs(cosine) < 1e-12 ? 0 : best, 3);
      }
    }
  });
});
