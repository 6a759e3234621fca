import type { System } from './bodies.js';
import { joltRunner } from './jolt-rows.js';
import { rapierRunner } from './rapier-rows.js';
import { mujocoRunner, poiseRunner, type Runner } from './rows.js';

/** Steps between two samples of the conserved quantities. */
export const LOOK = 10;

export interface Measured {
  readonly name: string;
  /** Largest change of energy, J and relative, and of angular momentum, relative. */
  readonly energy: number;
  readonly relative: number;
  readonly angular: number;
  /** Largest distance between bodies at a joint, m, of engines that have one. */
  readonly gap?: number;
  /** us a millisecond of the motion, by round. */
  readonly times: readonly number[];
}

/** The largest changes over so many steps of 1 ms. */
export function drift(runner: Runner, steps: number): Omit<Measured, 'name' | 'times'> {
  runner.reset();
  const start = runner.measure();
  const length = Math.hypot(...start.angular);
  let [energy, angular] = [0, 0];
  for (let k = 0; k < steps; k += LOOK) {
    if (!runner.advance(LOOK)) return { energy: Infinity, relative: Infinity, angular: Infinity };
    const now = runner.measure();
    energy = Math.max(energy, Math.abs(now.energy - start.energy));
    angular = Math.max(angular, Math.hypot(...now.angular.map((x, i) => x - start.angular[i])) / length);
  }
  const gap = runner.gap?.();
  const kept = { energy, relative: energy / Math.abs(start.energy), angular };
  return gap === undefined ? kept : { ...kept, gap };
}

/** A round of a runner that needs longer than this a step, us, is cut to its first fifth. */
const SLOW = 500;

/** Every method and every peer on one system. */
export async function createRunners(system: System): Promise<Runner[]> {
  return [
    poiseRunner('rk4', system, { method: 'rk4' }),
    poiseRunner('rk4 at 10/13 ms', system, { method: 'rk4', step: 0.01 / 13 }),
    // A tolerance so loose that each step has the maximal length.
    poiseRunner('dormand-prince, steps of 1 ms', system, {
      method: 'dormand-prince',
      step: 0.001,
      relativeTolerance: 1e-2,
      absoluteTolerance: 1e-2,
    }),
    poiseRunner('midpoint', system, { method: 'midpoint' }),
    poiseRunner('dormand-prince, 1e-8', system, {
      method: 'dormand-prince',
      relativeTolerance: 1e-8,
      absoluteTolerance: 1e-8,
    }),
    // A chain of 20 takes it milliseconds a step.
    ...(system.velocity.length > 20
      ? []
      : [poiseRunner('midpoint, order 4', system, { method: 'midpoint', order: 4 })]),
    poiseRunner('semi-implicit Euler', system, { method: 'semi-implicit-euler' }),
    await mujocoRunner(system),
    await rapierRunner(system, 'impulse'),
    await rapierRunner(system, 'multibody'),
    await joltRunner(system),
  ];
}

/** us a millisecond over some steps from the start. */
function time(runner: Runner, steps: number): number {
  runner.reset();
  const before = performance.now();
  runner.advance(steps);
  return ((performance.now() - before) * 1000) / steps;
}

/** How many steps a round of each has, after running a fifth of a second each: a whole second, where that is not slow. */
export function warm(runners: readonly Runner[]): number[] {
  return runners.map((runner) => (time(runner, 200) < SLOW ? 1000 : 200));
}

/** Rounds from the start, runners in turn, the first moving on. */
export function timeRunners(
  runners: readonly Runner[],
  steps: readonly number[],
  rounds: number,
): number[][] {
  const samples: number[][] = runners.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < runners.length; k++) {
      const r = (k + round) % runners.length;
      samples[r].push(time(runners[r], steps[r]));
    }
  }
  return samples;
}
