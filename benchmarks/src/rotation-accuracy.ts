import { parseArgs } from 'node:util';
import { createFigure, createState, forwardKinematics, updateMotionSubspaceQ } from 'poise/figure';
import * as rotation from 'poise/rotation';
import {
  type AccuracyRow,
  type BallFigure,
  FIGURE_BOUND,
  measureRotationAccuracy,
} from '../../scripts/oracles/rotation-accuracy.js';
import { machineLines } from './machine.js';
import { drawSeed } from './prng.js';
import { writeResults } from './results.js';
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

/** The same for what a figure computes, which is not the public functions. */
function figureTable(rows: readonly AccuracyRow[]): string {
  const short = (x: number): string => (x === 0 ? '0' : x.toExponential(1));
  return markdownTable(
    ['error', ...rows.map((row) => row.band)],
    [
      ['R, forwardKinematics', ...rows.map((row) => short(row.figureErrors.R))],
      ['Jr, in columnsQ', ...rows.map((row) => short(row.figureErrors.Jr))],
      ['R Jr, columnsQ of a root', ...rows.map((row) => short(row.figureErrors.Jl))],
      [`R and Jr within ${FIGURE_BOUND}`, ...rows.map((row) => allowed(row))],
    ],
  );
}

function allowed(row: AccuracyRow): string {
  if (row.angle > Math.PI) return 'reported';
  return row.figureWithinBound ? 'yes' : 'NO';
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const directions = Number(options.directions ?? (options.quick ? 300 : 4000));
  const state = createState(createFigure({ bones: [{ name: 'ball', joint: { type: 'ball' } }] }));
  const ball: BallFigure<typeof state> = { state, forwardKinematics, updateMotionSubspaceQ };
  const rows = measureRotationAccuracy(rotation, ball, directions, seed);
  const report = [
    '# Accuracy of the rotation-vector formulas',
    [
      ...machineLines(`npm run bench -- rotation-accuracy --seed ${seed} --directions ${directions}`),
      `- largest Frobenius-relative error over ${directions} rotation vectors a band, seed ${seed}`,
      '- truth: double-double arithmetic (about 32 digits) by power series at each vector. The tests hold it, within 1e-18 of ' +
        'the largest entry, to values that mpmath gave at 80 digits and more, kept to 20',
    ].join('\n'),
    'Asked for: q, dq, d2q, R, dR, d2R and J at most 7e-16 up to pi (reported beyond); J^-1 and the rates at most ' +
      '4 eps x/|sin x|, x = theta/2, everywhere. The rows from velocityWorld on are reported.',
    errorTable(rows),
    '## What a figure computes',
    'These are not the public functions: the loops of `forwardKinematics` and `updateMotionSubspaceQ` write R and J_r out once ' +
      'more, for speed, R without the form of B that gains the last bit around pi ' +
      '(packages/core/src/figure/kinematics/forward-kinematics.ts). ' +
      `Asked for: R and J_r at most ${FIGURE_BOUND} up to pi (reported beyond). The columns of a root are the product of the ` +
      'two, J_l, whose error is about their sum: reported.',
    figureTable(rows),
  ].join('\n\n');
  console.log(report);
  if (rows.some((row) => !row.withinBounds || !row.figureWithinBound)) process.exitCode = 1;

  if (options.quick && options.out === undefined) return;
  writeResults({ 'rotation-accuracy.md': `${report}\n` }, options.out);
}

main();
