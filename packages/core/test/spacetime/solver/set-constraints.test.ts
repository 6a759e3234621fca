import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/math/random.js';
import { initialGuess } from '../../../src/spacetime/initial-guess.js';
import { createSpacetimeProblem } from '../../../src/spacetime/problem.js';
import { buildModel, createSolver, type Solver } from '../../../src/spacetime/solver/augmented-lagrangian.js';
import { predictRows } from '../../../src/spacetime/solver/lagrangian.js';
import { linearizeConstraints, solveModel } from '../../../src/spacetime/solver/quadratic-model.js';
import { correctStep } from '../../../src/spacetime/solver/second-order-correction.js';
import { addSetGradients } from '../../../src/spacetime/solver/set-constraint-model.js';
import { updateActiveSets } from '../../../src/spacetime/solver/set-constraints.js';
import { linearize } from '../../../src/spacetime/system/system.js';
import { largestGap } from '../../figure/support.js';
import { swimmer } from '../support-problems.js';

/** A body that is to reach far beyond its limits, most of them curved, and to be back at the end: before its first model. */
function pressed(): Solver {
  const figure = swimmer(seededRandom(5), true, false);
  const pose = Array.from({ length: figure.dof }, (_, i) => (i < 6 ? 0 : 2.5 - 0.3 * i));
  const problem = createSpacetimeProblem(figure, {
    duration: 1,
    intervals: 8,
    terms: [
      { type: 'velocity', at: 0 },
      { type: 'pose', at: 0.5, pose, weight: 100 },
      { type: 'pose', at: 1, pose: pose.map((x) => -x), weight: 100 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  });
  const solver = createSolver(problem.system, { unknowns: initialGuess(problem) });
  const { unknowns, rows, multipliers } = solver.iterate;
  linearize(problem.system, unknowns, rows);
  multipliers.rho.fill(1);
  buildModel(solver);
  linearizeConstraints(solver);
  return solver;
}

function pullOf({ system, activeSet }: Solver): Float64Array {
  const pull = new Float64Array(system.size);
  addSetGradients(system.sets, activeSet.setConstraints, pull);
  return pull;
}

describe('the set constraints of a factored model', () => {
  test('keep their gradients when the next iteration finds another active set', () => {
    const solver = pressed();
    const { system, iterate, model, search } = solver;
    const { setConstraints, inequalities } = solver.activeSet;
    const { quadraticGradient, gradient } = model;
    expect(inequalities.rows).toHaveLength(0);
    let rounds = 0;
    let angle = 0;
    for (let changed = 1; changed > 0 && rounds < 5; rounds++) {
      expect(solveModel(solver, search.step)).toBe(true);
      // What the model that was factored has more than without set constraints.
      const expected = gradient.map((g, i) => g - quadraticGradient[i]);
      const pull = pullOf(solver);
      const size = Math.max(1, ...gradient.map(Math.abs));
      expect(largestGap(pull, expected)).toBeLessThan(1e-13 * size);
      const normal = setConstraints.normal.slice();
      changed = updateActiveSets(system.sets, iterate.unknowns, setConstraints, search.step);
      // The next guess finds other hyperplanes: only then this tells something.
      if (rounds === 0) expect(changed).toBeGreaterThan(0);
      if (rounds > 0) angle = Math.max(angle, largestGap(normal, setConstraints.normal));
      expect(pullOf(solver)).toEqual(pull);
    }
    expect(rounds).toBeGreaterThan(1);
    expect(angle).toBeGreaterThan(0.1);
  });

  test('leave the step unchanged in a correction without curvature', () => {
    const solver = pressed();
    const { system, iterate, activeSet, search, correction, trial } = solver;
    const { setConstraints } = activeSet;
    for (let round = 0; round < 2; round++) {
      expect(solveModel(solver, search.step)).toBe(true);
      const expected = search.step.slice();
      expect(updateActiveSets(system.sets, iterate.unknowns, setConstraints, search.step)).toBeGreaterThan(0);
      predictRows(iterate.rows, search.step, trial.residual);
      correctStep(solver, correction, trial.residual, search.step);
      const size = Math.max(...expected.map(Math.abs));
      expect(size).toBeGreaterThan(0.1);
      expect(largestGap(search.step, expected)).toBeLessThan(1e-6 * size);
    }
  });
});
