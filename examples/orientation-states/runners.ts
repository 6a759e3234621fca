import { createDynamics, createDynamicsState, createIntegrator, stepIntegrator } from 'poise/dynamics';
import { createFigure } from 'poise/figure';
import type { Quat, Vec3 } from 'poise/math';
import { rotationVectorFromQuat } from 'poise/rotation';
import type { OrientationState } from './state.js';
import { rungeKutta } from './states.js';

/** A body integrated in one of the four states. */
export interface Runner {
  readonly state: OrientationState;
  readonly y: Float64Array;
  reset(attitude: Quat, spin: Vec3): void;
  /** One step of h seconds; gives what settling took off |q| - 1. False in `isAlive` from then on where it gave no numbers. */
  step(h: number): number;
  isAlive(): boolean;
}

const areNumbers = (y: Float64Array): boolean => y.every(Number.isFinite);

export function handWrittenRunner(state: OrientationState): Runner {
  const y = new Float64Array(state.size);
  const step = rungeKutta(state);
  let alive = true;
  return {
    state,
    y,
    reset(attitude, spin) {
      state.start(attitude, spin, y);
      alive = true;
    },
    step(h) {
      const repaired = step(y, h);
      alive &&= areNumbers(y);
      return repaired;
    },
    isAlive: () => alive,
  };
}

/** The rotation vector as `poise/dynamics` moves it: a figure of one bone on a ball, through the same code as any figure. */
export function dynamicsRunner(state: OrientationState, inertia: Vec3): Runner {
  const figure = createFigure({
    bones: [
      {
        name: 'body',
        joint: { type: 'ball' },
        mass: 0.1,
        inertia: [inertia[0], inertia[1], inertia[2], 0, 0, 0],
      },
    ],
  });
  const dynamics = createDynamics(figure, { gravity: [0, 0, 0] });
  // A call is one step.
  const integrator = createIntegrator(dynamics, { method: 'rk4', step: 1 });
  const motion = createDynamicsState(figure);
  const y = new Float64Array(6);
  let alive = true;
  return {
    state,
    y,
    reset(attitude, spin) {
      motion.pose.set(rotationVectorFromQuat(attitude));
      motion.velocity.set(spin);
      y.set(motion.pose);
      y.set(motion.velocity, 3);
      alive = true;
    },
    step(h) {
      alive &&= stepIntegrator(integrator, motion, h).status === 'done';
      y.set(motion.pose);
      y.set(motion.velocity, 3);
      return 0;
    },
    isAlive: () => alive,
  };
}
