import type { System } from './bodies.js';
import { joltRunner } from './jolt-rows.js';
import { rapierRunner } from './rapier-rows.js';
import { mujocoRunner, poiseRunner, type Runner } from './rows.js';

/** Steps between two looks at what is kept. */
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

function drift(runner: Runner, steps: number): Omit<Measured, 'name' | 'times'> {
  runner.reset();
  const start = runner.look();
  const length = Math.hypot(...start.angular);
  let [energy, angular] = [0, 0];
  for (let k = 0; k < steps; k += LOOK) {
    if (!runner.advance(LOOK)) return { energy: Infinity, relative: Infinity, angular: Infinity };
    const now = runner.look();
    energy = Math.max(energy, Math.abs(now.energy - start.energy));
    angular = Math.max(angular, Math.hypot(...now.angular.map((x, i) => x - start.angular[i])) / length);
  }
  const gap = runner.gap?.();
  const kept = { energy, relative: energy / Math.abs(start.energy), angular };
  return gap === undefined ? kept : { ...kept, gap };
}

/** A round of a runner that needs longer than this a step, us, is cut to its first fifth. */
const SLOW = 500;

/** Rounds of a second from the start, runners in turn, the first moving on. */
function timeRunners(runners: readonly Runner[], rounds: number): number[][] {
  const samples: number[][] = runners.map(() => []);
  const steps = runners.map(() => 200);
  for (let round = -1; round < rounds; round++) {
    for (let k = 0; k < runners.length; k++) {
      const r = (k + round + 1) % runners.length;
      runners[r].reset();
      const before = performance.now();
      runners[r].advance(steps[r]);
      const us = ((performance.now() - before) * 1000) / steps[r];
      if (round >= 0) samples[r].push(us);
      else if (us < SLOW) steps[r] = 1000;
    }
  }
  return samples;
}

/** Every method and every peer on one system. */
export async function measure(system: System, steps: number, rounds: number): Promise<Measured[]> {
  const runners = [
    poiseRunner('rk4', system, { method: 'rk4' }),
    poiseRunner('rk4 at 0.5 ms', system, { method: 'rk4', step: 0.0005 }),
    poiseRunner('midpoint', system, { method: 'midpoint' }),
    poiseRunner('dormand-prince, 1e-8', system, {
      method: 'dormand-prince',
      relativeTolerance: 1e-8,
      absoluteTolerance: 1e-8,
    }),
    // A chain of 20 takes it milliseconds a step.
    ...(system.nu.length > 20
      ? []
      : [poiseRunner('midpoint, order 4', system, { method: 'midpoint', order: 4 })]),
    poiseRunner('semi-implicit Euler', system, { method: 'semi-implicit-euler' }),
    await mujocoRunner(system),
    await rapierRunner(system, 'impulse'),
    await rapierRunner(system, 'multibody'),
    await joltRunner(system),
  ];
  const drifts = runners.map((runner) => drift(runner, steps));
  const times = timeRunners(runners, rounds);
  return runners.map(({ name }, r) => ({ name, times: times[r], ...drifts[r] }));
}
