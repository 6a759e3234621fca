/** Steps that fail near the constraints: a shorter one is taken, without another factorization. */
import { expect, test } from 'vitest';
import { createFigure } from '../../../src/figure/index.js';
import { createEnvelope } from '../../../src/math/linear/envelope-cholesky.js';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  stepSpacetime,
} from '../../../src/spacetime/index.js';
import {
  BOUNDARY,
  createSetConstraints,
  detectActiveSets,
  INACTIVE,
} from '../../../src/spacetime/solver/set-constraints.js';
import { coneShape } from '../../../src/spacetime/transcription/convex-sets.js';

test('no step near the constraints is given up: an arm swings up with little effort', () => {
  const arm = createFigure({
    bones: [
      {
        name: 'upper',
        joint: { type: 'hinge', axis: [1, 0, 0] },
        tip: [0, -0.4, 0],
        mass: 2,
        centerOfMass: [0, -0.2, 0],
        inertia: [0.027, 0.002, 0.027, 0, 0, 0],
      },
      {
        name: 'fore',
        parent: 'upper',
        rest: { position: [0, -0.4, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
        limit: { type: 'interval', min: -2.6, max: 0 },
        mass: 1.2,
        centerOfMass: [0, -0.175, 0],
        inertia: [0.0125, 0.001, 0.0125, 0, 0, 0],
      },
    ],
  });
  const handle = createSpacetimeSolver(
    createSpacetimeProblem(arm, {
      duration: 1.2,
      terms: [
        { type: 'pose', at: 0 },
        { type: 'velocity', at: 0 },
        { type: 'pose', at: 1.2, pose: [-2.6, -0.2] },
        { type: 'velocity', at: 1.2 },
        { type: 'torque-limit', limit: { upper: 18, fore: 6 } },
        { type: 'effort' },
      ],
    }),
  );
  let near = 0;
  let givenUp = 0;
  for (let isRunning = true; isRunning; ) {
    const { unknowns } = handle.solver.iterate;
    const before = unknowns.slice();
    isRunning = stepSpacetime(handle);
    const { iterate, progress } = handle.solver;
    // Not the iterations that update multipliers alone.
    if (!(iterate.violation < 1e-3) || progress.stepsSinceUpdate === 0) continue;
    near++;
    if (unknowns.every((x, i) => x === before[i])) givenUp++;
  }
  expect(handle.solver.progress.status).toBe('converged');
  expect(near).toBeGreaterThan(20);
  expect(givenUp).toBe(0);
});

test('bounds of the whole step stay active after a shortened one, which ends inside them', () => {
  const cone = { at: 0, size: 3, shape: coneShape, parameters: [0, 1, 0, 0.5], label: 'cone' } as const;
  const matrix = createEnvelope(Int32Array.from([0, 0, 0]));
  const stateAt = (inside: number, isShortened: boolean): number => {
    const constraints = createSetConstraints(1);
    // The gradient pulls out of the cone.
    const onBoundary = Float64Array.from([0.5, 1, 0]);
    detectActiveSets(
      [cone],
      onBoundary,
      Float64Array.from([-1, 0, 0]),
      matrix,
      Number.POSITIVE_INFINITY,
      false,
      constraints,
    );
    expect(constraints.active[0]).toBe(BOUNDARY);
    const next = Float64Array.from([0.5 - inside, 1, 0]);
    const still = new Float64Array(3);
    detectActiveSets([cone], next, still, matrix, Number.POSITIVE_INFINITY, isShortened, constraints);
    return constraints.active[0];
  };
  expect(stateAt(1e-8, false)).toBe(BOUNDARY);
  expect(stateAt(1e-3, false)).toBe(INACTIVE);
  expect(stateAt(1e-3, true)).toBe(BOUNDARY);
  expect(stateAt(0.3, true)).toBe(INACTIVE);
});
