import { parseArgs } from 'node:util';
import { createFigure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { ballFigure, robotFigure } from './dynamics/figures.js';
import { randomMotions, relativeGap } from './dynamics/motions.js';
import { mujocoRows } from './dynamics/mujoco-rows.js';
import { poiseRows, WORK } from './dynamics/poise-rows.js';
import { POSES, type Row } from './kinematics/row.js';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { drawSeed } from './prng.js';
import { rowsJson, writeResults } from './results.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- dynamics [options]
Inverse and forward dynamics, mass matrix, energies, momentum and derivatives: a free base with 15 balls beside MuJoCo, the human, a robot.
  --quick      a tenth of the rounds, nothing written
  --seed N     instead of a seed drawn at run time
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Nanoseconds of a sample. */
const SAMPLE = 500_000;
const ROBOT = 'atlas_minimal_contact.urdf';
/** Largest relative difference of forces, mass matrix and accelerations from MuJoCo's. */
const AGREEMENT = 1e-11;

/** Times of the list of peers on a free base with 15 balls, us. */
const LISTED = { forward: 17.0, inverse: 17.7, step: 17.4 } as const;
const PINOCCHIO = { inverseDynamics: 2.36, massMatrix: 2.71, forwardDynamics: 9.3 } as const;
const ALLOWED = 2.5;

/**
 * Nanoseconds a call for each row and round, rows in turn within a round, the first row moving on each round. As many calls as take half a
 * millisecond: other work on the machine then hits few samples, and the median none.
 */
function timeRows(rows: readonly Row[], rounds: number): number[][] {
  const samples: number[][] = rows.map(() => []);
  const nanoseconds = (row: Row, calls: number): number => {
    const before = performance.now();
    row.loop(calls);
    return ((performance.now() - before) * 1e6) / calls;
  };
  for (const row of rows) row.loop(3000);
  const calls = rows.map((row) => Math.ceil(SAMPLE / nanoseconds(row, 1000)));
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < rows.length; k++) {
      const r = (k + round) % rows.length;
      samples[r].push(nanoseconds(rows[r], calls[r]));
    }
  }
  return samples;
}

/** Median, fastest and 90th percentile, us; dashes where a row was not run. */
function spread(nanoseconds: readonly number[] | undefined): string[] {
  if (!nanoseconds) return ['-', '-', '-'];
  return [median(nanoseconds), Math.min(...nanoseconds), percentile(nanoseconds, 0.9)].map((ns) =>
    (ns / 1000).toFixed(2),
  );
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const head = machineLines(
    `npm run bench -- dynamics${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`,
  );
  const rounds = options.quick ? 60 : 600;
  const robot = robotFigure(ROBOT);
  if (robot === undefined) console.log(`${ROBOT} is not there (POISE_DATA): its table is left out.\n`);
  const figures = [
    { name: 'free base and 15 balls', figure: createFigure(ballFigure) },
    { name: 'the built-in human', figure: createHumanFigure() },
    ...(robot === undefined ? [] : [{ name: ROBOT, figure: robot }]),
  ].map(({ name, figure }) => {
    const motions = randomMotions(figure, POSES, seed);
    return { name, figure, motions, poise: poiseRows(figure, motions) };
  });
  const returned = figures.map(({ poise }) => poise.returned());
  const poise = figures.flatMap((each) => each.poise.rows);
  const before = timeRows(poise, rounds);

  const balls = figures[0];
  const mujoco = await mujocoRows(balls.motions);
  const gaps = { 'tau against mj_inverse': 0, 'M against mj_fullM': 0, "v' against mj_forward": 0 };
  balls.motions.forEach((motion, k) => {
    const ours = balls.poise.evaluate(motion);
    const theirs = mujoco.evaluate(k);
    const note = (name: keyof typeof gaps, gap: number) => {
      gaps[name] = Math.max(gaps[name], gap);
    };
    note('tau against mj_inverse', relativeGap(ours.tau, theirs.tau));
    note('M against mj_fullM', relativeGap(ours.matrix, theirs.matrix));
    note("v' against mj_forward", relativeGap(ours.accelerations, theirs.accelerations));
  });
  for (const [name, gap] of Object.entries(gaps)) {
    if (!(gap <= AGREEMENT)) throw new Error(`benchmarks: ${name} is off by ${gap}`);
  }
  const peers = [mujoco.rows.forward, mujoco.rows.inverse, mujoco.rows.step];
  const all = [...poise, ...peers];
  const after = timeRows(all, rounds);

  const timeOf = (row: Row): number => median(after[all.indexOf(row)]) / 1000;
  const scale = Math.min(
    ...(['forward', 'inverse', 'step'] as const).map((name) => timeOf(mujoco.rows[name]) / LISTED[name]),
  );
  const fastest = Math.min(timeOf(mujoco.rows.forward), timeOf(mujoco.rows.inverse));
  const verdict = (value: number, bound: number): string => `${value <= bound ? 'met' : 'NOT MET'}`;
  const targets = (Object.keys(PINOCCHIO) as (keyof typeof PINOCCHIO)[]).map((name) => {
    const us = timeOf(balls.poise.rows[WORK.indexOf(name)]);
    const bound = ALLOWED * PINOCCHIO[name] * scale;
    return [
      name,
      us.toFixed(2),
      `${(fastest / us).toFixed(2)}x ${verdict(us, fastest)}`,
      bound.toFixed(2),
      verdict(us, bound),
    ];
  });
  const report = [
    '# Dynamics beside MuJoCo',
    [
      ...head,
      `- MuJoCo wasm ${packageVersion('@mujoco/mujoco')} (no contacts, no constraints), poise ${packageVersion('poise')}`,
      `- ${POSES} random motions (seed ${seed}), taken in turn; ${rounds} rounds of half a millisecond, rows in turn; us a call, median over the rounds`,
      `- largest difference from MuJoCo on the figure of 51, relative to the largest number (limit ${AGREEMENT}): ${Object.entries(
        gaps,
      )
        .map(([name, gap]) => `${name} ${gap.toExponential(1)}`)
        .join(', ')}`,
      `- inverseDynamics(forwardDynamics(tau)) against tau, likewise: ${figures.map(({ name }, k) => `${name} ${returned[k].toExponential(1)}`).join(', ')}`,
    ].join('\n'),
    'Measured twice: before MuJoCo is loaded, and beside it, where V8 checks every typed-array access (README, Kinematics).',
    ...figures.map(({ name, figure, poise: own }, f) =>
      [
        `## ${name}: ${figure.dof} coordinates, ${figure.bones.length} bones`,
        markdownTable(
          [
            'work',
            'us / call',
            'fastest round',
            '90th percentile',
            'beside MuJoCo',
            'fastest round ',
            '90th percentile ',
          ],
          [...own.rows, ...(f === 0 ? peers : [])].map((row) => [
            `${peers.includes(row) ? 'MuJoCo wasm' : 'poise'}: ${row.name}`,
            ...spread(before[all.indexOf(row)]),
            ...spread(after[all.indexOf(row)]),
          ]),
        ),
      ].join('\n\n'),
    ),
    '## Targets',
    `On the figure of 51, beside MuJoCo: faster than both mj_forward and mj_inverse, and within ${ALLOWED} times what Pinocchio C++ is listed with (${Object.values(PINOCCHIO).join(', ')} us), scaled by MuJoCo here over MuJoCo as listed there (forward ${LISTED.forward.toFixed(1)}, inverse ${LISTED.inverse}, step ${LISTED.step} us): ${scale.toFixed(3)}, the smallest of the three.`,
    markdownTable(['work', 'us', 'faster than MuJoCo', 'bound, us', 'within it'], targets),
  ].join('\n\n');
  console.log(report);
  if (options.quick && options.out === undefined) return;
  const numbers = (samples: readonly number[] | undefined): string =>
    `[${(samples ?? []).map((ns) => ns.toFixed(0)).join(',')}]`;
  const owners = [...figures.flatMap(({ name }) => WORK.map(() => name)), ...peers.map(() => balls.name)];
  const lines = all.map(
    (row, r) =>
      `{ "figure": ${JSON.stringify(owners[r])}, "work": ${JSON.stringify(row.name)}, "before": ${numbers(before[r])}, "besideMujoco": ${numbers(after[r])} }`,
  );
  const raw = rowsJson({ seed, unit: 'ns per call' }, lines);
  writeResults({ 'dynamics.md': `${report}\n`, 'raw/dynamics.json': raw }, options.out);
}

await main();
