import { parseArgs } from 'node:util';
import { createMotionSampler, samplePose } from 'poise/motion';
import { createLiveRetargeter, createRetargeter, retargetPose } from 'poise/retarget';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { type Character, readPairs, type SourceClip } from './retarget/pairs.js';
import { markdownTable, percentile } from './statistics.js';

const USAGE = `npm run bench -- live-retarget [options]
retargetPose, frame by frame at 60 a second, of every recorded clip of the shared data on the built-in human.
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: { out: { type: 'string' }, help: { type: 'boolean', default: false } },
});

const CHARACTER = 'built-in human';
/** Frames a second. */
const RATE = 60;
/** Runs of a clip whose times count, after those that compile. */
const RUNS = 9;
const WARM_UP = 3;
/** us of a frame, which 99 of 100 frames are to be under. */
const GOAL = 300;

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const pairs = readPairs();
  if (pairs === undefined) {
    console.log('the shared data are not there (POISE_DATA): nothing to measure');
    return;
  }
  const machine = machineLines('npm run bench -- live-retarget');
  const character = pairs.characters.find(({ name }) => name === CHARACTER) as Character;
  const measured = pairs.clips.map((clip) => ({ name: clip.name, times: frameTimes(clip, character) }));
  const all = measured.flatMap(({ times }) => times);
  const text = [
    '# Live retargeting',
    '',
    ...machine,
    '',
    `\`retargetPose\` of every recorded clip of the shared data on the built-in human, with its limits, at ${RATE} frames a second; us of a frame. A frame has the least time of ${RUNS} runs, which do the same work: what is left out is other work of the machine. The goal is a p99 under ${GOAL} us.`,
    '',
    markdownTable(
      ['clip', 'frames', 'p50', 'p99', 'max'],
      [...measured.map(({ name, times }) => row(name, times)), row('all', all)],
    ),
    '',
  ].join('\n');
  console.log(text);
  writeResults({ 'live-retarget.md': text }, options.out);
}

/** Of each frame, us. */
function frameTimes({ figure, motion }: SourceClip, character: Character): number[] {
  const retargeter = createRetargeter(figure, character.figure);
  const sampler = createMotionSampler(figure, motion);
  const count = Math.floor((motion.end - motion.start) * RATE) + 1;
  const poses = Array.from({ length: count }, (_, f) =>
    samplePose(sampler, motion.start + f / RATE, new Float64Array(figure.dof)),
  );
  const least = new Array<number>(count).fill(Number.POSITIVE_INFINITY);
  for (let run = -WARM_UP; run < RUNS; run++) {
    const live = createLiveRetargeter(retargeter);
    const out = new Float64Array(retargeter.target.dof);
    for (let f = 0; f < count; f++) {
      const began = process.hrtime.bigint();
      retargetPose(live, poses[f], f / RATE, out);
      const spent = Number(process.hrtime.bigint() - began) / 1000;
      if (run >= 0) least[f] = Math.min(least[f], spent);
    }
  }
  return least;
}

function row(name: string, times: readonly number[]): string[] {
  const of = (p: number): string => percentile(times, p).toFixed(0);
  return [name, String(times.length), of(0.5), of(0.99), of(1)];
}

main();
