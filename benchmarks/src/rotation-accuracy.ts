import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as rotation from 'poise/rotation';
import { type AccuracyRow, measureRotationAccuracy } from '../../scripts/oracles/rotation-accuracy.js';
import { machineLines } from './machine.js';
import { drawSeed } from './prng.js';
import { repositoryRoot } from './problems.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- rotation-accuracy [options]
Accuracy of the rotation-vector formulas in each band of angle, against double-double values.
  --quick          300 directions a band, nothing written
  --seed N         instead of a seed drawn at run time
  --directions N   rotation vectors a band (default 4000)
  --out DIR        where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    directions: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** One line for each quantity, one column for each band. */
function errorTable(rows: readonly AccuracyRow[]): string {
  const short = (x: number): string => (x === 0 ? '0' : x.toExponential(1));
  const names = Object.keys(rows[0].errors);
  return markdownTable(
    ['error', ...rows.map((row) => row.band)],
    [
      ...names.map((name) => [name, ...rows.map((row) => short(row.errors[name]))]),
      ['bound of J^-1, rates', ...rows.map((row) => short(row.inverseBound))],
      ['within the bounds', ...rows.map((row) => (row.withinBounds ? 'yes' : 'NO'))],
    ],
  );
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const directions = Number(options.directions ?? (options.quick ? 300 : 4000));
  const rows = measureRotationAccuracy(rotation, directions, seed);
  const report = [
    '# Accuracy of the rotation-vector formulas',
    [
      ...machineLines(`npm run bench -- rotation-accuracy --seed ${seed} --directions ${directions}`),
      `- largest Frobenius-relative error over ${directions} rotation vectors a band, seed ${seed}`,
      '- truth: double-double arithmetic, itself held against mpmath at 80 digits and more by the tests',
    ].join('\n'),
    'Asked for: q, dq, d2q, R, dR, d2R and J at most 7e-16 up to pi (reported beyond); J^-1 and the rates at most ' +
      '4 eps x/|sin x|, x = theta/2, everywhere. The rows from velocityWorld on are reported.',
    errorTable(rows),
  ].join('\n\n');
  console.log(report);
  if (rows.some((row) => !row.withinBounds)) process.exitCode = 1;

  if (options.quick && options.out === undefined) return;
  const folder = options.out ?? join(repositoryRoot(), 'benchmarks', 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rotation-accuracy.md'), `${report}\n`);
  console.log(`\nwritten to ${folder}`);
}

main();
