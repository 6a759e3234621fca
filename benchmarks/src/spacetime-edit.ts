import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EditedMotion, editMotion } from 'poise/editing';
import { machineLines } from './machine.js';
import { dataFolder } from './problems.js';
import { writeResults } from './results.js';
import { type RealClip, realClips } from './spacetime-edit/clips.js';
import { type Edit, handWithFeet, otherEdits, timeAtFraction } from './spacetime-edit/edits.js';
import { joinsOf, WALK } from './spacetime-edit/joins.js';
import { type Judgement, judge } from './spacetime-edit/judge.js';
import { spread, type Times, timeOnce } from './spacetime-edit/stopwatch.js';
import { markdownTable, median } from './statistics.js';

const USAGE = `npm run bench -- spacetime-edit [options]
Edits of real clips of four to seven seconds (bvh/ of the shared data): a hand moved at one time with the feet pinned, and others.
  --quick    the middle moment, five runs each, nothing written
  --out DIR  where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Required time of an edit of a 5 s clip, ms. */
const TARGET = 100;
const PARTS = options.quick ? [0.5] : [0.3, 0.5, 0.7];
const WARM_UP = 3;
const RUNS = options.quick ? 5 : 15;

interface Row {
  readonly clip: RealClip;
  readonly edit: Edit;
  readonly solution: EditedMotion['solution'];
  readonly judgement: Judgement;
  readonly times: Times;
}

function rowOf(clip: RealClip, edit: Edit): Row {
  const { motion, solution } = run(clip, edit);
  return {
    clip,
    edit,
    solution,
    judgement: judge(clip, edit, motion),
    times: { wallTime: [], processor: [] },
  };
}

function run({ figure, motion }: RealClip, { moves, options: asked }: Edit): EditedMotion {
  return editMotion(figure, motion, moves, asked);
}

const millimetres = (metres: number): string => (1e3 * metres).toFixed(2);

const JUDGED = [
  'status',
  'iterations',
  'miss, m',
  'standing feet, mm',
  'feet, mm',
  'wall time, ms',
  'range',
  'processor, ms',
  'range',
];

function judged({ solution, judgement, times }: Row): string[] {
  return [
    solution.status,
    String(solution.iterations),
    judgement.miss.toExponential(1),
    millimetres(judgement.standing),
    millimetres(judgement.anywhere),
    ...spread(times.wallTime),
    ...spread(times.processor),
  ];
}

function verdict(rows: readonly Row[]): string {
  const within = (which: keyof Times): number =>
    rows.filter(({ times }) => median(times[which]) < TARGET).length;
  return `Under ${TARGET} ms: ${within('wallTime')} of ${rows.length} by wall time, ${within('processor')} by processor time.`;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const { clips, missing } = realClips();
  if (missing.length > 0)
    console.log(`not in ${join(dataFolder(), 'bvh')} (POISE_DATA): ${missing.join(', ')}`);
  if (clips.length === 0) {
    console.log('Without clips there is nothing to time.');
    return;
  }
  const machine = machineLines(`npm run bench -- spacetime-edit${options.quick ? ' --quick' : ''}`);
  const cold: Times = { wallTime: [], processor: [] };
  timeOnce(() => run(clips[0], handWithFeet(clips[0], timeAtFraction(clips[0], 0.5))), cold);
  const pinned = clips.flatMap((clip) =>
    PARTS.map((fraction) => rowOf(clip, handWithFeet(clip, timeAtFraction(clip, fraction)))),
  );
  const others = clips.flatMap((clip) => otherEdits(clip).map((edit) => rowOf(clip, edit)));
  const walk = clips.find(({ file }) => file === WALK);
  const joins = (walk ? joinsOf(walk) : []).map((each) => ({
    ...each,
    times: { wallTime: [], processor: [] } as Times,
  }));
  for (let round = -WARM_UP; round < RUNS; round++) {
    console.error(round < 0 ? 'warm-up' : `round ${round + 1} of ${RUNS}`);
    const unread: Times = { wallTime: [], processor: [] };
    for (const { clip, edit, times } of [...pinned, ...others]) {
      timeOnce(() => run(clip, edit), round < 0 ? unread : times);
    }
    for (const { work, times } of joins) timeOnce(work, round < 0 ? unread : times);
  }
  const lines = [
    '# Edits of real clips',
    '',
    ...machine,
    '',
    `The whole of \`editMotion\`, result included; ${WARM_UP} rounds before the clock, then ${RUNS}, rows in turn: medians, least and most. Processor time is that of all threads of the engine.`,
    'Miss: how far moved points are from where they were to come. Feet: the farthest that an ankle or a toe comes from where the clip has it, while the toe stands and all along.',
    `The first edit of the process (${clips[0].file}, hand and feet) took ${cold.wallTime[0].toFixed(0)} ms of wall time, ${cold.processor[0].toFixed(0)} ms of processor time.`,
    '',
    '## A hand 0.2 m up at one time, ankles and toes pinned',
    '',
    markdownTable(
      ['clip', 'length, s', 'coordinates', 'at, s', ...JUDGED],
      pinned.map((row) => [
        row.clip.file,
        (row.clip.motion.end - row.clip.motion.start).toFixed(1),
        String(row.clip.figure.dof),
        Number(row.edit.moves[0].at).toFixed(2),
        ...judged(row),
      ]),
    ),
    '',
    verdict(pinned),
    '',
    '## Other edits, about the middle',
    '',
    markdownTable(
      ['clip', 'edit', ...JUDGED],
      others.map((row) => [row.clip.file, row.edit.name, ...judged(row)]),
    ),
    '',
    verdict(others),
    '',
  ];
  if (joins.length > 0) {
    lines.push(
      `## Joining and looping ${WALK}`,
      '',
      markdownTable(
        ['work', 'wall time, ms', 'range', 'processor, ms', 'range'],
        joins.map(({ name, times }) => [name, ...spread(times.wallTime), ...spread(times.processor)]),
      ),
      '',
    );
  }
  const report = lines.join('\n');
  console.log(report);
  if (options.quick) return;
  writeResults({ 'spacetime-edit.md': report }, options.out);
}

main();
