import { parseArgs } from 'node:util';
import { type Joined, judgeLoop, judgeTransition, seeded } from './joined-clips/judge.js';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { type SharedClip, sharedClips } from './shared-clips/read-clips.js';
import { markdownTable, median } from './statistics.js';

const USAGE = `npm run bench -- joined-clips [options]
Loops and transitions of every clip of the shared data at random times: how much faster than in the clips a bone is.
  --only TEXT  the clips whose names contain it; nothing is written
  --all        each loop and transition in a line
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Loops and transitions of a recording, and of an animation. */
const OF_RECORDING = 20;
const OF_ANIMATION = 6;
/** What no bone is to exceed. */
const FACTOR = 1.2;

interface Row {
  readonly clip: SharedClip;
  readonly joined: readonly Joined[];
}

function rowOf(clip: SharedClip, next: SharedClip): Row {
  const count = clip.file.endsWith('.bvh') ? OF_RECORDING : OF_ANIMATION;
  const [ofLoops, ofTransitions] = [seeded(7), seeded(11)];
  const joined = Array.from({ length: count }, (_, n) => [
    judgeLoop(clip, ofLoops),
    // Into itself and into the next animation in turn.
    judgeTransition(clip, n % 2 === 0 ? clip : next, ofTransitions),
  ]).flat();
  return { clip, joined };
}

function cells({ clip, joined }: Row): string[] {
  return [
    clip.file,
    ...(['loop', 'transition'] as const).flatMap((work) => {
      const own = joined.filter((each) => each.work === work);
      const worst = own.reduce((a, b) => (b.ratio > a.ratio ? b : a));
      return [
        worst.ratio.toFixed(2),
        String(own.filter(({ ratio }) => ratio > FACTOR).length),
        Math.max(...own.map(({ bare }) => bare)).toFixed(1),
        (1e3 * Math.max(...own.map(({ contactError }) => contactError))).toFixed(2),
        (1e3 * Math.max(...own.map(({ dip }) => dip))).toFixed(0),
        rangeOf(own.flatMap(({ windows }) => windows)),
        median(own.map(({ time }) => time)).toFixed(0),
        worst.where,
      ];
    }),
  ];
}

/** The least and the largest of some times, s. */
function rangeOf(times: readonly number[]): string {
  const [least, largest] = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(2));
  return least === largest ? least : `${least} to ${largest}`;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const { clips, missing } = sharedClips();
  if (missing.length > 0) console.log(`not in the shared data (POISE_DATA): ${missing.join(', ')}`);
  const { only } = options;
  const machine = machineLines('npm run bench -- joined-clips');
  const rows: Row[] = [];
  clips.forEach((clip, k) => {
    if (only !== undefined && !clip.file.includes(only)) return;
    const after = clips[k + 1];
    const row = rowOf(clip, after?.figure === clip.figure ? after : clip);
    console.error(cells(row).join(' | '));
    if (options.all) {
      for (const { work, ratio, where, time } of row.joined)
        console.error(`    ${work} ${ratio.toFixed(2)} ${where}, ${time.toFixed(0)} ms`);
    }
    rows.push(row);
  });
  const joined = rows.flatMap((row) => row.joined);
  const columns = [
    'largest',
    `over ${FACTOR}`,
    'without way',
    'contact error, mm',
    'feet below, mm',
    'window, s',
    'ms',
    'where',
  ];
  const report = [
    '# Loops and transitions of every shared clip',
    '',
    ...machine,
    '',
    'Speed of the fastest origin or tip of a bone, less 0.1 m/s for a figure of human height, over the larger of its largest speeds in the sources with the way between its places',
    'in the time given (the rate of 10 s^3 - 15 s^4 + 6 s^5 at its largest); without the way it says how much of it is that. Feet below: how far feet come below where they are in the sources. Loops of 1.3 s, transitions of 0.5 s, shorter for short clips, at random times.',
    'Window: how long the clip is changed at an end of a loop, 0 where the other end takes all, which loops choose; of transitions it is given.',
    '',
    markdownTable(
      ['clip', ...columns.map((name) => `loops: ${name}`), ...columns.map((name) => `transitions: ${name}`)],
      rows.map(cells),
    ),
    '',
    `${joined.filter(({ ratio }) => ratio > FACTOR).length} of ${joined.length} exceed ${FACTOR}; the largest is ${Math.max(...joined.map(({ ratio }) => ratio)).toFixed(2)}.`,
    '',
  ].join('\n');
  console.log(report);
  if (only === undefined) writeResults({ 'joined-clips.md': report }, options.out);
}

main();
