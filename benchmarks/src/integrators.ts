import { parseArgs } from 'node:util';
import { chain, flippingBody } from './integrators/bodies.js';
import { createRunners, drift, LOOK, type Measured, timeRunners, warm } from './integrators/measure.js';
import { orientationTable } from './integrators/orientation-table.js';
import { poiseRunner, type Runner } from './integrators/rows.js';
import { systemTable } from './integrators/system-table.js';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { rowsJson, writeResults } from './results.js';

const USAGE = `npm run bench -- integrators [options]
Chains of balls and a flipping body, 10 s at 1 ms: drift and time of a step, beside MuJoCo's RK4, Rapier and Jolt; four ways to write an orientation.
  --quick    a tenth of the time, nothing written
  --out DIR  where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const STEPS = options.quick ? 1000 : 10_000;
const LONG = options.quick ? 100_000 : 1_000_000;
/** Conservation over very many steps, in one call, so that rounding errors accumulate. */
function longRun(): string {
  const system = flippingBody();
  const runner = poiseRunner('midpoint', system, { method: 'midpoint' });
  const start = runner.measure();
  let [energy, angular] = [0, 0];
  const calls = 10;
  for (let k = 0; k < calls; k++) {
    runner.advance(LONG / calls);
    const now = runner.measure();
    energy = Math.max(energy, Math.abs(now.energy / start.energy - 1));
    const change = now.angular.map((x, i) => x - start.angular[i]);
    angular = Math.max(angular, Math.hypot(...change) / Math.hypot(...start.angular));
  }
  const met = energy <= 1e-12 && angular <= 1e-12;
  return `midpoint over ${LONG.toLocaleString('en')} steps of the flipping body: energy ${energy.toExponential(2)}, angular momentum ${angular.toExponential(2)}, relative; 1e-12 ${met ? 'met' : 'NOT MET'}.`;
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  // Poise's own work first: loading MuJoCo slows typed arrays (README, Kinematics).
  const orientation = orientationTable(STEPS);
  const long = longRun();
  const systems = [flippingBody(), chain(5), chain(20)];
  const runners: Runner[][] = [];
  for (const system of systems) runners.push(await createRunners(system));
  const drifts = runners.map((all) => all.map((runner) => drift(runner, STEPS)));
  // The remaining measurements need a quiet machine, and take half a minute.
  console.error('drifts are known, timing begins');
  const steps = runners.map(warm);
  const head = machineLines(`npm run bench -- integrators${options.quick ? ' --quick' : ''}`);
  const measured: Measured[][] = runners.map((all, s) => {
    const times = timeRunners(all, steps[s], options.quick ? 3 : 9);
    return all.map(({ name }, r) => ({ name, times: times[r], ...drifts[s][r] }));
  });
  const report = [
    '# Integrators beside MuJoCo, Rapier and Jolt',
    [
      ...head,
      `- poise ${packageVersion('poise')}, MuJoCo ${packageVersion('@mujoco/mujoco')} (RK4, contacts off)`,
      `- Rapier ${packageVersion('@dimforge/rapier3d-compat')} (4 solver iterations, its default; multibody joints have a damping of 0.1 N m s/rad that nothing turns off), Jolt ${packageVersion('jolt-physics')} (10 velocity and 2 position iterations, its default; gyroscopic force on, no cap on speed): 1 ms, bodies without shapes, damping 0, no sleep, single precision`,
      `- ${STEPS / 1000} s at 1 ms; largest drift at looks ${LOOK} ms apart, by code that shares nothing with any of them`,
      '- chains: capsules 0.1 m between the centres of caps, radius 0.03 m, density 1000, along x at the start, gravity -9.81 along y, all turning at 1 rad/s about y',
      '- time: rounds of 1 s from the start (0.2 s where a step takes more than 0.5 ms), rows in turn, median of the time that a millisecond takes; Poise timed beside the others',
    ].join('\n'),
    ...systems.map((system, k) => systemTable(system, measured[k])),
    long,
    orientation,
  ].join('\n\n');
  console.log(report);
  if (options.quick && options.out === undefined) return;
  const lines = systems.flatMap(({ name }, s) =>
    measured[s].map(
      (row) =>
        `{ "system": ${JSON.stringify(name)}, "row": ${JSON.stringify(row.name)}, "us": [${row.times.map((x) => x.toFixed(3)).join(',')}] }`,
    ),
  );
  const raw = rowsJson({ unit: 'us per step' }, lines);
  writeResults({ 'integrators.md': `${report}\n`, 'raw/integrators.json': raw }, options.out);
}

await main();
