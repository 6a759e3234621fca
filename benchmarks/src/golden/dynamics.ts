import { createHumanFigure } from 'poise';
import {
  biasForces,
  computeMomentum,
  createDerivativeWorkspace,
  createDynamics,
  createDynamicsState,
  createIntegrator,
  forwardDynamics,
  forwardDynamicsDerivatives,
  type IntegratorOptions,
  inverseDynamics,
  inverseDynamicsDerivatives,
  kineticEnergy,
  massMatrix,
  potentialEnergy,
  sampleStep,
  stepIntegrator,
} from 'poise/dynamics';
import { createDraw, times } from './draw.js';
import { mixedFigure } from './figures.js';
import type { Section } from './section.js';

const figures = {
  human: createHumanFigure(),
  'every joint': mixedFigure({ couplings: false }),
  'every joint and a mimic joint': mixedFigure(),
};

const integrators: Readonly<Record<string, IntegratorOptions>> = {
  'semi-implicit Euler': { method: 'semi-implicit-euler', step: 1 / 240 },
  'Runge-Kutta': { method: 'rk4', step: 1 / 120 },
  'Dormand-Prince': { method: 'dormand-prince', relativeTolerance: 1e-8, absoluteTolerance: 1e-8 },
  midpoint: { method: 'midpoint', step: 1 / 120, order: 2 },
  'midpoint of order 4': { method: 'midpoint', step: 1 / 120, order: 4 },
};

export const dynamics: Section = {
  name: 'dynamics',
  run(entry) {
    for (const [k, [name, figure]] of Object.entries(figures).entries()) {
      const { dof, bones } = figure;
      // Armature where a bone without mass would leave the matrix singular.
      const made = createDynamics(figure, {
        armature: new Float64Array(dof).fill(1e-3),
        gravity: [0.3, -9.7, 0.1],
      });
      const states = (seed: number, use: (state: ReturnType<typeof drawn>) => void): void => {
        const draw = createDraw(seed);
        const drawState = () => drawn(draw);
        times(12, () => use(drawState()));
      };
      const drawn = (draw: ReturnType<typeof createDraw>) => ({
        pose: draw.pose(figure),
        v: draw.numbers(dof),
        forces: draw.numbers(dof, 5),
        external: draw.numbers(6 * bones.length),
      });
      entry(`inverse, ${name}`, (take) =>
        states(600 + k, ({ pose, v, forces, external }) => {
          take(inverseDynamics(made, pose, v, forces, undefined, external), biasForces(made, pose, v));
        }),
      );
      entry(`mass matrix and energy, ${name}`, (take) =>
        states(610 + k, ({ pose, v }) => {
          take(massMatrix(made, pose), kineticEnergy(made, pose, v), potentialEnergy(made, pose));
          const { mass, center, velocity, linear, angular } = computeMomentum(made, pose, v);
          take(mass, center, velocity, linear, angular);
        }),
      );
      entry(`forward, ${name}`, (take) =>
        states(620 + k, ({ pose, v, forces, external }) => {
          take(forwardDynamics(made, pose, v, forces, undefined, external));
        }),
      );
      entry(`derivatives, ${name}`, (take) => {
        const work = createDerivativeWorkspace(made);
        states(630 + k, ({ pose, v, forces, external }) => {
          const inverse = inverseDynamicsDerivatives(work, pose, v, forces, undefined, external);
          take(inverse.byPose, inverse.byVelocity, inverse.byAcceleration);
          const forward = forwardDynamicsDerivatives(work, pose, v, forces, undefined, external);
          take(forward.byPose, forward.byVelocity, forward.byForce);
        });
      });
      for (const [method, options] of Object.entries(integrators)) {
        entry(`${method}, ${name}`, (take) => {
          const draw = createDraw(640 + k);
          const integrator = createIntegrator(made, options);
          const state = createDynamicsState(figure, {
            pose: draw.pose(figure, 0.2),
            velocity: draw.numbers(dof, 0.5),
          });
          const [pose, v] = [new Float64Array(dof), new Float64Array(dof)];
          times(20, () => {
            const { status, steps, rejected, evaluations, error, chartChanges } = stepIntegrator(
              integrator,
              state,
              1 / 60,
              (t, _, velocity, out) => {
                for (let i = 0; i < dof; i++) out.tau[i] = 0.2 * Math.sin(3 * t + i) - 0.3 * velocity[i];
              },
            );
            take(
              status,
              [steps, rejected, evaluations, error, chartChanges],
              state.pose,
              state.velocity,
              state.time,
            );
            if (status !== 'done' || options.method !== 'dormand-prince') return;
            sampleStep(integrator, state.time - 1e-4, pose, v);
            take(pose, v);
          });
        });
      }
    }
  },
};
