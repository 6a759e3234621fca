import { describe, expect, test } from 'vitest';
import { initialGuess } from '../../src/spacetime/initial-guess.js';
import { createSpacetimeProblem } from '../../src/spacetime/problem.js';
import { createTrajectory, sampleTrajectory } from '../../src/spacetime/trajectory.js';
import { createRandom } from '../figure/support.js';
import { crane, DURATION, FORMS, sweeping, swimmer } from './support-problems.js';
import { GROUPS } from './support-terms.js';

describe('the initial guess', () => {
  test.each(FORMS.map((form, n) => [form.name, form, n] as const))(
    'is finite and feasible: %s',
    (_, form, n) => {
      const random = createRandom(9700 + n);
      for (const group of [GROUPS.states, GROUPS.forces, GROUPS.goals]) {
        for (const make of [swimmer, crane]) {
          const figure = make(random);
          const problem = createSpacetimeProblem(figure, {
            ...form.data,
            intervals: 2 + Math.floor(6 * random()),
            reference: sweeping(figure, DURATION, random),
            terms: group(figure, random, form),
          });
          const unknowns = initialGuess(problem);
          expect(unknowns.every(Number.isFinite)).toBe(true);
          for (const { shape, parameters, at, size } of problem.system.sets) {
            expect(shape.value(parameters, unknowns, at, size)).toBeLessThan(1e-14);
          }
        }
      }
    },
  );

  test('distributes the weight among the contact points at all times', () => {
    const random = createRandom(9720);
    const figure = swimmer(random, false);
    const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
    const points = [
      [0, 0, 0],
      [0.1, 0, 0],
    ] as const;
    for (const intervals of [4, 7, 9]) {
      const problem = createSpacetimeProblem(figure, {
        duration: DURATION,
        intervals,
        gravity: [0, -9, 0],
        terms: [
          { type: 'contact', bone: 'bone1', points, over: [0, 0.3] },
          { type: 'contact', bone: 'bone5', points, over: [0.5, 0.8] },
          { type: 'smoothness' },
        ],
      });
      const trajectory = createTrajectory(problem, initialGuess(problem));
      for (const [time, weights] of [
        [0, 1],
        [0.15, 1],
        [0.3, 1],
        [0.4, 0],
        [0.5, 1],
        [0.79, 1],
        [0.85, 0],
      ]) {
        const { forces } = sampleTrajectory(trajectory, time);
        const up = forces.reduce((sum, f, k) => sum + (k % 3 === 1 ? f : 0), 0);
        expect(up).toBeCloseTo(weights * mass * 9, 9);
      }
    }
  });

  test('reproduces the reference where a spline can: polynomials, ends, displacements', () => {
    const random = createRandom(9721);
    const figure = crane(random, false);
    for (const unknowns of ['motion', 'displacement'] as const) {
      const reference = sweeping(figure, DURATION, random);
      const problem = createSpacetimeProblem(figure, {
        duration: DURATION,
        intervals: unknowns === 'motion' ? 2 : 5,
        unknowns,
        reference,
        terms: [{ type: 'smoothness' }],
      });
      const trajectory = createTrajectory(problem, initialGuess(problem));
      for (const time of [0, 0.2, 0.45, 0.7, DURATION]) {
        const { pose } = problem.reference(time);
        const found = sampleTrajectory(trajectory, time).pose;
        // The sweep is one spline of two pieces of degree 5; rotation vectors come back within pi.
        for (const { joint, coordinate, dof } of figure.bones) {
          if (joint.type === 'ball') continue;
          for (let i = coordinate; i < coordinate + dof; i++)
            expect(Math.abs(found[i] - pose[i])).toBeLessThan(1e-9);
        }
      }
    }
  });
});
