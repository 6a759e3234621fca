import loadMujoco from '@mujoco/mujoco';
import { createFigure } from 'poise';
import type { IntegratorOptions } from 'poise/dynamics';
import { createDynamics, createDynamicsState, createIntegrator, stepIntegrator } from 'poise/dynamics';
import type { System } from './bodies.js';
import { bodiesOf, judgeBodies, type Kept, quaternionsOf } from './judge.js';

/** One engine or method running one system. */
export interface Runner {
  readonly name: string;
  /** Restarts. */
  reset(): void;
  /** Takes `count` steps of 1 ms; false if the state is not finite. */
  advance(steps: number): boolean;
  /** Conserved quantities, by `judge.ts`. */
  measure(): Kept;
  /** Largest distance between bodies at a joint so far, m: where an engine moves bodies one by one. */
  gap?(): number;
}

const judge = ({ figure, gravity }: System, quaternions: ArrayLike<number>, v: ArrayLike<number>): Kept =>
  judgeBodies(figure, gravity, bodiesOf(figure, quaternions, v));

export function poiseRunner(name: string, system: System, options: IntegratorOptions): Runner {
  const figure = createFigure(system.figure);
  const integrator = createIntegrator(createDynamics(figure, { gravity: system.gravity }), {
    maxSteps: 2_000_000,
    ...options,
  });
  let state = createDynamicsState(figure, { velocity: system.velocity });
  return {
    name: `Poise: ${name}`,
    reset() {
      state = createDynamicsState(figure, { velocity: system.velocity });
    },
    advance(steps) {
      return stepIntegrator(integrator, state, 0.001 * steps).status === 'done';
    },
    measure: () => judge(system, quaternionsOf(state.pose), state.velocity),
  };
}

export const MUJOCO_ROW = 'MuJoCo wasm: RK4';

export async function mujocoRunner(system: System): Promise<Runner> {
  const mujoco = await loadMujoco();
  const model = mujoco.MjModel.from_xml_string(system.mjcf);
  const data = new mujoco.MjData(model);
  if (model.nv !== system.velocity.length) throw new Error('benchmarks: the MuJoCo model is not the system');
  return {
    name: MUJOCO_ROW,
    reset() {
      mujoco.mj_resetData(model, data);
      (data.qvel as Float64Array).set(system.velocity);
    },
    advance(steps) {
      for (let k = 0; k < steps; k++) mujoco.mj_step(model, data);
      return true;
    },
    measure: () => judge(system, data.qpos as Float64Array, data.qvel as Float64Array),
  };
}
