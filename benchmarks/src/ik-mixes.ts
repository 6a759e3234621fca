import { parseArgs } from 'node:util';
import { PoiseError } from 'poise';
import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { KEPT, type MixTally, runMixes, type SolveMix } from '../../scripts/oracles/ik/mix-run.js';
import { startOf } from '../../scripts/oracles/ik/random-mix.js';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- ik-mixes [options]
25,000 mixes of goals of every type and three priorities, on the human and on small trees: how each ends, and whether a lower
priority unmakes a goal that a higher one met. Ends with 1 where one does, or where "converged" is said of a goal that is not met.
  --seed N    default 1
  --count N   so many mixes; nothing written
  --from N    from this number on, to look at one
  --out DIR   where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const COUNT = 25_000;
/** As near to frame-to-frame use as to a search: what the first descent and two restarts reach. */
const RESTARTS = 2;

const human = createHumanFigure();

const solve: SolveMix = (mix, last) => {
  const figure = mix.bones === undefined ? human : createFigure({ bones: mix.bones });
  const goals = mix.goals.map((goal) => (goal.priority > last ? { ...goal, weight: 0 } : goal)) as Goal[];
  try {
    const pose = createPose(figure);
    pose.set(startOf(mix, figure.dof));
    return solveIk(createIk(figure, goals, { locked: mix.locked, restarts: RESTARTS }), pose);
  } catch (error) {
    if (!(error instanceof PoiseError) || error.code !== 'immovable-goal') throw error;
    return undefined;
  }
};

function reportOf(tally: MixTally, machine: readonly string[]): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
  const statuses = Object.entries(tally.statuses).sort((a, b) => b[1] - a[1]);
  const types = Object.entries(tally.byType).sort(
    (a, b) => b[1].loose / b[1].mixes - a[1].loose / a[1].mixes,
  );
  const rows = types.map(([type, { mixes, loose }]) => [
    type,
    String(mixes),
    String(loose),
    percent(loose, mixes),
  ]);
  return [
    '# Mixes of goals with priorities',
    '',
    ...machine,
    '- mixes of two to four goals of any type, priorities 0 to 2, weights, masks, targets in the world and on the figure; half on the human,',
    `  half on trees of two to eight bones with limits; starts at rest and off it; ${RESTARTS} restarts`,
    `- a *met* goal is compared with a solve in which the priorities below it have weight 0; *unmade*: farther off by more than ${KEPT} (rad, or`,
    '  of the length scale)',
    '',
    markdownTable(
      ['status', 'mixes', 'share'],
      [
        ...statuses.map(([status, count]) => [status, String(count), percent(count, tally.solved)]),
        [
          '`stalled` and `iteration-limit`',
          String(tally.loose.length),
          percent(tally.loose.length, tally.solved),
        ],
      ],
    ),
    '',
    `${tally.kept} met goals had lower priorities after them; ${tally.unmade.length} were unmade. ${tally.falseConverged.length} false \`converged\`.`,
    '',
    markdownTable(['mixes with a goal of the type', 'mixes', 'stalled or at the limit', 'share'], rows),
    '',
  ].join('\n');
}

function main(): number {
  const count = options.count === undefined ? COUNT : Number(options.count);
  const machine = machineLines(`npm run bench -- ik-mixes --seed ${options.seed} --count ${count}`);
  const tally = runMixes(Number(options.seed), Number(options.from), count, solve);
  const text = reportOf(tally, machine);
  console.log(text);
  const shown = tally.loose.slice(0, 40).map(({ number, status }) => `${number} ${status}`);
  console.log(`stalled or at the limit: ${shown.join(', ')}`);
  for (const one of tally.unmade) console.log(`unmade: ${JSON.stringify(one)}`);
  if (options.count === undefined) writeResults({ 'ik-mixes.md': text }, options.out);
  return tally.unmade.length + tally.falseConverged.length === 0 ? 0 : 1;
}

if (options.help) console.log(USAGE);
else process.exitCode = main();
