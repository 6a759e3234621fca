import { parseArgs } from 'node:util';
import { runRandomProblems, type Tally } from '../../scripts/oracles/ik/random-run.js';
import { machineLines } from './machine.js';
import { drawSeed } from './prng.js';
import { reportOf } from './random-figures/report.js';
import { solveWithPoise } from './random-figures/solve.js';
import { writeResults } from './results.js';

const USAGE = `npm run bench -- random-figures [options]
10,000 random figures x goals x limits of a fixed seed and 10,000 of a drawn one: every accepted iterate and every status is
judged by an oracle that imports nothing of Poise (scripts/oracles/ik). Ends with 1 when a verdict fails.
  --seed N    instead of a seed drawn at run time
  --count N   so many of each seed; nothing written
  --out DIR   where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const FIXED_SEED = 1;
const COUNT = 10_000;
/** Problems between two progress messages. */
const PART = 1000;

function run(seed: number, count: number): Tally[] {
  const tallies: Tally[] = [];
  for (let from = 0; from < count; from += PART) {
    tallies.push(runRandomProblems(seed, from, Math.min(PART, count - from), solveWithPoise));
    console.error(`seed ${seed}: ${Math.min(count, from + PART)} of ${count}`);
  }
  return tallies;
}

function main(): number {
  const count = options.count === undefined ? COUNT : Number(options.count);
  const drawn = options.seed === undefined ? drawSeed() : Number(options.seed);
  console.error(`drawn seed ${drawn} (repeat: npm run bench -- random-figures --seed ${drawn})`);
  const machine = machineLines(`npm run bench -- random-figures --seed ${drawn}`);
  const runs = [FIXED_SEED, drawn].map((seed) => ({ seed, tallies: run(seed, count) }));
  const { text, failures } = reportOf(runs, count, machine);
  console.log(text);
  if (options.count === undefined) {
    writeResults({ 'random-figures.md': text }, options.out);
  }
  return failures === 0 ? 0 : 1;
}

if (options.help) console.log(USAGE);
else process.exitCode = main();
