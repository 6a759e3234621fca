import type { BoneShape } from '../../../src/dynamics/collide/shapes/shapes.js';
import {
  type ActorForces,
  type ActorOptions,
  createSimulation,
  type Simulation,
  type SimulationOptions,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import type { Triple } from '../../../src/figure/data/types.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';

export const G = 9.81;

/** A vector of zeros, with some entries given by index. */
export function vector(count: number, entries: Readonly<Record<number, number>>): Float64Array {
  const out = new Float64Array(count);
  for (const [i, x] of Object.entries(entries)) out[Number(i)] = x;
  return out;
}

/** One free rigid body of uniform density: its half sizes, or those of a ball. */
export function freeBody(mass: number, half: Triple, ball = false): Figure {
  const [a, b, c] = half.map((x) => x * x);
  const share = ball ? mass / 5 : mass / 3;
  const inertia = [share * (b + c), share * (a + c), share * (a + b), 0, 0, 0] as const;
  return createFigure({ bones: [{ name: 'body', joint: { type: 'free' }, mass, inertia }] });
}

type Surface = { readonly friction?: number; readonly restitution?: number };

/** A free box at a pose. */
export function box(
  mass: number,
  half: Triple,
  pose: readonly number[],
  surface: Surface = {},
): ActorOptions {
  const shapes: BoneShape[] = [{ bone: 'body', type: 'box', halfSizes: half, ...surface }];
  return { figure: freeBody(mass, half), shapes, pose };
}

/** A free ball at a pose. */
export function ball(
  mass: number,
  radius: number,
  pose: readonly number[],
  surface: Surface = {},
): ActorOptions {
  const shapes: BoneShape[] = [{ bone: 'body', type: 'sphere', radius, ...surface }];
  return { figure: freeBody(mass, [radius, radius, radius], true), shapes, pose };
}

/** The floor y = 0. */
export function onFloor(surface: Surface = {}, options: SimulationOptions = {}): SimulationOptions {
  return { world: [{ type: 'plane', ...surface }], ...options };
}

/** Steps for a duration. @param after - Called after each step. */
export function run(
  simulation: Simulation,
  seconds: number,
  dt: number,
  after: (n: number) => void = () => {},
  forces?: ActorForces,
): Simulation {
  const steps = Math.round(seconds / dt);
  for (let n = 1; n <= steps; n++) {
    stepSimulation(simulation, dt, forces);
    after(n);
  }
  return simulation;
}

/** A simulation of one actor, without sleep. */
export function alone(actor: ActorOptions, options: SimulationOptions = {}): Simulation {
  return createSimulation([actor], { sleep: false, ...options });
}
