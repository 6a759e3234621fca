import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factorTreeSystem } from '../../../src/dynamics/aba/factor.js';
import { massMatrix } from '../../../src/dynamics/index.js';
import { writeBoneVelocities } from '../../../src/dynamics/kinematics/jacobian.js';
import { setDiagonal } from '../../../src/dynamics/model/tree-system.js';
import { measureRelativeVelocity } from '../../../src/dynamics/simulate/constraints/contact-jacobian.js';
import { createSimulation, type Simulation } from '../../../src/dynamics/simulate/index.js';
import { solveConjugateGradient } from '../../../src/dynamics/simulate/solver/conjugate-gradient.js';
import { solveWoodbury } from '../../../src/dynamics/simulate/solver/woodbury-solve.js';
import { POINT, ROTATION } from '../../../src/dynamics/simulate/state/contact-potentials.js';
import type { Island } from '../../../src/dynamics/simulate/state/island.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import * as cholesky from '../../../src/math/linear/cholesky.js';
import { createRandom, randomPose, within } from '../../figure/support.js';

/** Two humans in random poses, random K of `count` potentials between their bones, a random residual. */
function randomSystem(salt: number, count: number): { simulation: Simulation; island: Island } {
  const random = createRandom(salt);
  const figure = createHumanFigure();
  const simulation = createSimulation(
    [
      { figure, pose: randomPose(figure, random) },
      { figure, pose: randomPose(figure, random) },
    ],
    { contacts: Math.max(1, count) },
  );
  const { contactPotentials: potentials, actors, figureOfBody } = simulation;
  const island: Island = {
    actors: [...actors],
    coordinates: 2 * figure.dof,
    potentialIndices: Int32Array.from({ length: count }, (_, t) => t),
    potentialCount: count,
    touchingActors: 0,
    overlaps: 0,
    coupled: true,
    isBlock: false,
    converged: true,
  };
  for (let t = 0; t < count; t++) {
    potentials.kind[t] = random() < 0.2 ? ROTATION : POINT;
    potentials.isActive[t] = 1;
    potentials.bodyA[t] = Math.floor(random() * figureOfBody.length);
    potentials.bodyB[t] = Math.floor(random() * figureOfBody.length);
    for (let n = 3 * t; n < 3 * t + 3; n++) {
      potentials.armA[n] = within(random, 0.3);
      potentials.armB[n] = within(random, 0.3);
    }
    writeHessian(potentials.hessian, t, 1 + Math.floor(random() * 3), 10 ** (2 + within(random, 2)), random);
  }
  for (const { work } of actors) {
    setDiagonal(work.tree.jointHessian, work.dynamics.figure, work.effectiveInertia);
    expect(factorTreeSystem(work.dynamics)).toBe(-1);
    for (let i = 0; i < work.solver.residual.length; i++) work.solver.residual[i] = within(random, 1);
  }
  return { simulation, island };
}

/** A sum of `rank` squares. */
function writeHessian(
  stiffness: Float64Array,
  t: number,
  rank: number,
  size: number,
  random: () => number,
): void {
  for (let n = 0; n < rank; n++) {
    const [x, y, z] = [within(random, 1), within(random, 1), within(random, 1)];
    [x * x, y * y, z * z, x * y, x * z, y * z].forEach((square, k) => {
      stiffness[6 * t + k] += size * square;
    });
  }
}

/** Dense H = M + S + sum J^T K J of both figures, J column by column from bone velocities. */
function denseOf(
  { contactPotentials: potentials, actors, boneVelocity }: Simulation,
  count: number,
): Float64Array {
  const dof = actors[0].figure.dof;
  const n = 2 * dof;
  const h = new Float64Array(n * n);
  const rows = Array.from({ length: 3 * count }, () => new Float64Array(n));
  actors.forEach(({ pose, work }, a) => {
    const mass = massMatrix(work.dynamics, pose);
    for (let r = 0; r < dof; r++) {
      for (let c = 0; c < dof; c++) h[(a * dof + r) * n + a * dof + c] = mass[r * dof + c];
      h[(a * dof + r) * (n + 1)] += work.effectiveInertia[r];
      boneVelocity.fill(0);
      writeBoneVelocities(work.dynamics, new Float64Array(dof).fill(1, r, r + 1), work.boneVelocity);
      for (let t = 0; t < count; t++) {
        measureRelativeVelocity(potentials, t, boneVelocity, potentials.velocityChange);
        for (let k = 3 * t; k < 3 * t + 3; k++) rows[k][a * dof + r] = potentials.velocityChange[k];
      }
    }
  });
  const position = [0, 3, 4, 3, 1, 5, 4, 5, 2];
  for (let k = 0; k < 9 * count; k++) {
    const t = Math.floor(k / 9);
    const stiff = potentials.hessian[6 * t + position[k % 9]];
    const p = rows[3 * t + Math.floor((k % 9) / 3)];
    const q = rows[3 * t + (k % 3)];
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) h[r * n + c] += p[r] * stiff * q[c];
  }
  return h;
}

/** Relative error of `direction` against the dense solution, in the norm of H. */
function errorOf(simulation: Simulation, count: number): number {
  const h = denseOf(simulation, count);
  const n = Math.sqrt(h.length);
  const exact = Float64Array.from(
    simulation.actors.flatMap(({ work }) => [...work.solver.residual].map((r) => -r)),
  );
  const factor = Float64Array.from(h);
  expect(cholesky.factor(factor, n)).toBe(true);
  cholesky.solve(factor, n, exact);
  const found = simulation.actors.flatMap(({ work }) => [...work.solver.direction]);
  const energy = (x: (i: number) => number): number => {
    let sum = 0;
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) sum += x(r) * h[r * n + c] * x(c);
    return sum;
  };
  return Math.sqrt(energy((i) => found[i] - exact[i]) / energy((i) => exact[i]));
}

const systems = fc.tuple(fc.integer({ min: 0, max: 2 ** 30 }), fc.integer({ min: 0, max: 8 }));

describe('systems with potentials that couple two bones', () => {
  it('are solved by Woodbury as dense ones are', () => {
    fc.assert(
      fc.property(systems, ([salt, count]) => {
        const { simulation, island } = randomSystem(salt, count);
        expect(solveWoodbury(simulation, island)).toBe(true);
        expect(errorOf(simulation, count)).toBeLessThan(1e-9);
        const motions = simulation.boneDirection.slice();
        for (const { work } of island.actors) {
          writeBoneVelocities(work.dynamics, work.solver.direction, work.boneDirection);
        }
        const max = Math.max(...motions.map(Math.abs));
        motions.forEach((v, k) => {
          expect(Math.abs(v - simulation.boneDirection[k])).toBeLessThan(1e-12 * max);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('are left to conjugate gradients for many potentials, within their tolerance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (salt) => {
        const { simulation, island } = randomSystem(salt, 50);
        expect(solveWoodbury(simulation, island)).toBe(false);
        solveConjugateGradient(simulation, island);
        // A thousandth in the norm of the trees' inverse, for which H is harder by as much as its condition.
        expect(errorOf(simulation, 50)).toBeLessThan(0.1);
      }),
      { numRuns: 5 },
    );
  });
});
