import { parseArgs } from 'node:util';
import { JUMP, REGIONS } from '../../examples/parameterizations/model/drag.js';
import { figures } from '../../examples/parameterizations/model/figures.js';
import { machineLines } from './machine.js';
import { largestDisagreement } from './parameterizations/agreement.js';
import { LITTLE, measureParameterizations, type ParameterizationRow } from './parameterizations/rows.js';
import { createPrng, drawSeed } from './prng.js';
import { writeResults } from './results.js';
import { formatMicroseconds, markdownTable } from './statistics.js';

const USAGE = `npm run bench -- parameterizations [options]
The paper's parameterizations of rotations side by side under differential control, on one dragging task.
  --quick     3 paths a figure and seed instead of 10; nothing written
  --seed N    instead of a seed drawn at run time
  --out DIR   where to write (default benchmarks/results)`;

/** Seed of the paths that are the same in every run. */
const FIXED_SEED = 1997;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const degrees = (rad: number): string =>
  Number.isFinite(rad) ? ((180 * rad) / Math.PI).toPrecision(3) : '-';
const millimetres = (metres: number): string => (1000 * metres).toPrecision(3);
const short = (x: number): string => (x === 0 ? '0' : x.toExponential(1));

function table(rows: readonly ParameterizationRow[], paths: number): string {
  return markdownTable(
    [
      'parameterization',
      'unknowns',
      'dead',
      'region needed',
      'mean, worst angle then (deg)',
      `paths of ${paths} that jump at ${short(LITTLE)}`,
      'joint turn (deg)',
      'coordinate change (deg)',
      'worst angle (deg)',
      'worst distance (mm)',
      '1/cond B',
      'norm drift',
      'step',
    ],
    rows.map(({ parameterization, unknowns, constraints, dead, region, jumps, little, calm, step }) => [
      parameterization.name,
      constraints > 0 ? `${unknowns}, ${constraints} constraints` : String(unknowns),
      String(dead),
      region === Number.POSITIVE_INFINITY ? `over ${REGIONS[REGIONS.length - 1]}` : region.toPrecision(2),
      `${degrees(calm.meanAngle)}, ${degrees(calm.worstAngle)}`,
      String(jumps),
      degrees(little.jump),
      degrees(little.coordinateJump),
      degrees(little.worstAngle),
      millimetres(little.worstDistance),
      short(little.minReciprocalCondition),
      short(little.drift),
      formatMicroseconds(step),
    ]),
  );
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const paths = options.quick ? 3 : 10;
  const disagreement = largestDisagreement(createPrng(seed), 1000);
  if (!(disagreement < 1e-13))
    throw new Error(`the parameterizations differ from poise/rotation by ${disagreement}`);
  const sections = figures.flatMap((figure) =>
    [FIXED_SEED, seed].map((first) => {
      const seeds = Array.from({ length: paths }, (_, n) => (first + n) >>> 0);
      const kind = first === FIXED_SEED ? 'fixed' : 'drawn at this run';
      return `## ${figure.name}, seeds ${seeds[0]} to ${seeds[paths - 1]} (${kind})\n\n${table(
        measureParameterizations(figure, seeds, options.quick ? 3 : 7),
        paths,
      )}`;
    }),
  );
  const report = [
    "# The paper's parameterizations under differential control",
    [
      ...machineLines(`npm run bench -- parameterizations --seed ${seed}${options.quick ? ' --quick' : ''}`),
      '- one task: the hand is dragged along a path of 12 s at 60 frames a second, position and orientation, by `stepDifferentialControl` ' +
        'with its default gain and rate limits; the joints are solved in one parameterization each (`options.parameterization`), all else is the same. Last joint: at ' +
        '2.5 s across gimbal lock of XYZ at 0.02 rad, from 5 s on round and round, 0.02 rad beside the identity. How and why: docs/differential.md',
      `- region needed: the least \`singularRegion\` (${REGIONS[0].toPrecision(2)} to ${REGIONS[REGIONS.length - 1]} by doubling; the default is 0.05) from which on no joint turns and no ` +
        `coordinate changes more than ${degrees(JUMP)} degrees in a frame, the largest over the paths; the column after it is at that region, then all ` +
        `others at ${LITTLE.toPrecision(2)}, the worst over the paths`,
      '- dead: rates less constraints less the rank of what they turn, all joints, in general position. Least turning: the least singular value of a ' +
        "joint's angular velocity by its rates, over the largest, along the paths; 0 is a lock. Step: median, the whole call",
      `- parameterizations against poise/rotation, rotations and angular velocities of 1000 random rotations: ${short(disagreement)} apart at most`,
    ].join('\n'),
    ...sections,
  ].join('\n\n');
  console.log(report);
  if (options.quick && options.out === undefined) return;
  writeResults({ 'parameterizations.md': `${report}\n` }, options.out);
}

main();
