import { parseArgs } from 'node:util';
import { REVISION } from 'three';
import { type HeapSample, sampleHeap } from './allocation.js';
import { randomPoses } from './humanoid.js';
import { AGREEMENT, agreementLine, compareWithMujoco, compareWithThree } from './kinematics/agreement.js';
import { mujocoRows } from './kinematics/mujoco-rows.js';
import { poiseRows } from './kinematics/poise-rows.js';
import { POSES, type Row } from './kinematics/row.js';
import { threeRows } from './kinematics/three-rows.js';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { drawSeed } from './prng.js';
import { rowsJson, writeResults } from './results.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- kinematics [options]
Forward kinematics and point Jacobians of a humanoid with 25 ball joints (81 degrees of freedom).
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

const CALLS = 2000;
/** Nanoseconds a call for each row and round, rows in turn within a round, the first row moving on each round. */
function timeRows(rows: readonly Row[], rounds: number): number[][] {
  const samples: number[][] = rows.map(() => []);
  for (const row of rows) row.loop(20_000);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < rows.length; k++) {
      const r = (k + round) % rows.length;
      const before = performance.now();
      rows[r].loop(CALLS);
      samples[r].push(((performance.now() - before) * 1e6) / CALLS);
    }
  }
  return samples;
}

/** Median, fastest and 90th percentile in microseconds; dashes where a row was not run. */
function spread(nanoseconds: readonly number[] | undefined): string[] {
  if (!nanoseconds) return ['-', '-', '-'];
  return [median(nanoseconds), Math.min(...nanoseconds), percentile(nanoseconds, 0.9)].map((ns) =>
    (ns / 1000).toFixed(3),
  );
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const head = machineLines(
    `npm run bench -- kinematics${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`,
  );
  const poses = randomPoses(POSES, seed);
  const rounds = options.quick ? 30 : 300;
  const calls = options.quick ? 100_000 : 1_000_000;

  const poise = poiseRows(poses);
  const three = threeRows(poses);
  const differences = compareWithThree(poses, poise, three);
  const common: Row[] = [
    poise.rows.kinematics,
    three.rows.bare,
    three.rows.vectors,
    poise.rows.jacobiansV,
    poise.rows.jacobiansQ,
    poise.rows.rotated,
    three.rows.rotated,
  ];
  const before = timeRows(common, rounds);
  const heap: [string, HeapSample][] = [];
  for (const row of [poise.rows.kinematics, poise.rows.jacobiansV, poise.rows.jacobiansQ]) {
    heap.push([row.name, await sampleHeap(row.loop, calls)]);
  }

  const mujoco = await mujocoRows(poses);
  Object.assign(differences, compareWithMujoco(poses, poise, mujoco));
  const all = [...common, mujoco.rows.kinematics, mujoco.rows.jacobians];
  const after = timeRows(all, rounds);

  // MuJoCo's rows are there only beside MuJoCo: against them, "before" is Poise on its own.
  const ratio = (samples: readonly (readonly number[])[], slow: Row, fast: Row): number =>
    median(samples[all.indexOf(slow)] ?? after[all.indexOf(slow)]) / median(samples[all.indexOf(fast)]);
  const targets: [string, Row, Row, number][] = [
    [
      'forward kinematics against three.js given rotation vectors',
      three.rows.vectors,
      poise.rows.kinematics,
      3,
    ],
    ['forward kinematics against a bare updateMatrixWorld', three.rows.bare, poise.rows.kinematics, 1.3],
    ['with 5 point Jacobians against MuJoCo wasm', mujoco.rows.jacobians, poise.rows.jacobiansV, 6],
  ];
  const verdict = (value: number, wanted: number): string =>
    `${value.toFixed(2)}x ${value >= wanted ? 'met' : 'NOT MET'}`;
  const report = [
    '# Kinematics of a humanoid: 25 ball joints, 81 degrees of freedom',
    [
      ...head,
      `- three.js r${REVISION}, MuJoCo wasm ${packageVersion('@mujoco/mujoco')}, poise ${packageVersion('poise')}`,
      `- ${POSES} random poses (seed ${seed}), taken in turn; ${rounds} rounds of ${CALLS} calls, rows in turn; median over the rounds`,
      `- largest difference from Poise's outputs, all poses, all bodies (limit ${AGREEMENT}): ${agreementLine(differences)}`,
    ].join('\n'),
    'Measured twice: before MuJoCo is loaded, and beside it. When its WebAssembly memory first grows, V8 drops the ' +
      'assumption that no ArrayBuffer of the process is ever detached, and from then on checks every typed-array access; a ' +
      'page that transfers a buffer to a worker does the same. three.js keeps its numbers in plain arrays and feels nothing.',
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
      all.map((row, r) => [row.name, ...spread(before[r]), ...spread(after[r])]),
    ),
    markdownTable(
      ['target', 'wanted', 'before', 'beside MuJoCo'],
      targets.map(([name, slow, fast, wanted]) => [
        name,
        `at least ${wanted}x`,
        verdict(ratio(before, slow, fast), wanted),
        verdict(ratio(after, slow, fast), wanted),
      ]),
    ),
    markdownTable(
      ['allocation', 'calls', 'bytes / call', 'collections'],
      heap.map(([name, sample]) => [
        name,
        String(sample.calls),
        sample.bytesPerCall.toFixed(3),
        String(sample.collections),
      ]),
    ),
  ].join('\n\n');
  console.log(report);

  if (options.quick && options.out === undefined) return;
  const numbers = (samples: readonly number[] | undefined): string =>
    `[${(samples ?? []).map((ns) => ns.toFixed(1)).join(',')}]`;
  const lines = all.map(
    (row, r) =>
      `{ "work": ${JSON.stringify(row.name)}, "before": ${numbers(before[r])}, "besideMujoco": ${numbers(after[r])} }`,
  );
  const raw = rowsJson({ seed, callsPerRound: CALLS, unit: 'ns per call' }, lines);
  writeResults({ 'kinematics.md': `${report}\n`, 'raw/kinematics.json': raw }, options.out);
}

await main();
