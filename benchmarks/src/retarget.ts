import { parseArgs } from 'node:util';
import { limitViolation } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import { createRetargeter, retargetMotion } from 'poise/retarget';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { contactHeight, judge, type Verdict } from './retarget/judge.js';
import { type Character, readPairs, type SourceClip } from './retarget/pairs.js';
import { samplesOf, worldFrames } from './retarget/sample.js';
import { retargetByThree } from './retarget/three-retarget.js';
import { markdownTable, median } from './statistics.js';
import { throughput } from './throughput.js';

const USAGE = `npm run bench -- retarget [options]
Every recorded clip of the shared data on every character, and SkeletonUtils.retargetClip of three.js on the same pairs, judged by sampled positions.
  --only TEXT  pairs whose clip or character contains it; nothing is written
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean', default: false } },
});

const HEAD = [
  'clip',
  'character',
  'contacts',
  'sliding max, mm',
  'median, mm',
  'penetration, mm',
  'kept, %',
  'jerk',
  'limits, rad',
  'first call, frames/s',
  'frames/s',
];

/** Frames a second of processor time: of the first call, and of warm ones. */
interface Speed {
  readonly first: number;
  readonly warm: number;
}

interface Row {
  readonly clip: string;
  readonly character: string;
  readonly poise: Verdict;
  readonly violation: number;
  readonly speed: Speed;
  readonly three: (Verdict & { readonly speed: Speed }) | undefined;
}

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
  const machine = machineLines('npm run bench -- retarget');
  const rows: Row[] = [];
  for (const clip of pairs.clips) {
    for (const character of pairs.characters) {
      const { only } = options;
      if (only !== undefined && ![clip.name, character.name].some((name) => name.includes(only))) continue;
      rows.push(measure(clip, character));
    }
  }
  const lines = [
    '# Retargeting',
    '',
    ...machine,
    '',
    'Every recorded clip of the shared data on every character, judged by positions sampled at the frames (`benchmarks/src/retarget/judge.ts`, which imports nothing of Poise): contacts are those of the source by its own thresholds; sliding is the largest distance from where a contact began; penetration that of any vertex of the sole. three.js gets rest poses aligned by offsets, the scale of the legs and the height at which its contacts are on the ground on the median. Frames a second are of processor time of the whole process, collections of garbage and compilation included: of the first call on a pair, and the median of calls for a second, once that is no faster than the second before.',
    '',
    '## Poise',
    '',
    markdownTable(
      HEAD,
      rows.map((row) => cells(row, row.poise, row.violation.toExponential(0), row.speed)),
    ),
    '',
    '## three.js, SkeletonUtils.retargetClip',
    '',
    markdownTable(
      HEAD,
      rows.flatMap((row) => (row.three ? [cells(row, row.three, '-', row.three.speed)] : [])),
    ),
    '',
    '## All together',
    '',
    markdownTable(
      [
        '',
        'sliding max, mm',
        'median of medians',
        'penetration, mm',
        'kept: least, %',
        'kept: mean, %',
        'jerk: most',
        'frames/s: least',
        'frames/s: median',
      ],
      [
        summary(
          'Poise, characters without limits',
          rows.filter(({ three }) => three).map(({ poise, speed }) => ({ ...poise, speed })),
        ),
        summary(
          'Poise, with limits',
          rows.filter(({ three }) => !three).map(({ poise, speed }) => ({ ...poise, speed })),
        ),
        summary(
          'three.js',
          rows.flatMap(({ three }) => (three ? [three] : [])),
        ),
      ],
    ),
    '',
  ];
  const text = lines.join('\n');
  console.log(text);
  if (options.only === undefined) writeResults({ 'retarget.md': text }, options.out);
}

function measure({ name, figure, motion }: SourceClip, character: Character): Row {
  const { vertices } = character;
  const retargeter = createRetargeter(
    figure,
    character.figure,
    vertices === undefined ? {} : { targetVertices: vertices },
  );
  const speed = throughput(
    () => retargetMotion(retargeter, motion),
    ({ report }) => report.times.length,
  );
  const { motion: result, report } = speed.result;
  const { times } = report;
  const step = (times[times.length - 1] - times[0]) / (times.length - 1);
  const source = worldFrames(figure, motion, times);
  const samples = samplesOf(
    retargeter,
    character,
    step,
    source,
    worldFrames(retargeter.target, result, times),
  );
  const sampler = createMotionSampler(retargeter.target, result);
  const pose = new Float64Array(retargeter.target.dof);
  let violation = 0;
  for (const time of times)
    violation = Math.max(violation, limitViolation(retargeter.target, samplePose(sampler, time, pose)));
  const row = {
    clip: name,
    character: character.name,
    poise: judge(samples),
    violation,
    speed,
  };
  if (character.hasLimits) return { ...row, three: undefined };
  const { frames, first, warm } = retargetByThree(retargeter, motion, times);
  const before = contactHeight(samplesOf(retargeter, character, step, source, frames));
  for (const world of frames) for (let i = 10; i < world.length; i += 12) world[i] -= before;
  const three = judge(samplesOf(retargeter, character, step, source, frames));
  return { ...row, three: { ...three, speed: { first, warm } } };
}

function cells(
  { clip, character }: Row,
  verdict: Verdict,
  violation: string,
  { first, warm }: Speed,
): string[] {
  return [
    clip,
    character,
    String(verdict.contacts),
    verdict.maxSliding.toFixed(1),
    verdict.medianSliding.toFixed(2),
    verdict.maxPenetration.toFixed(1),
    (100 * verdict.kept).toFixed(1),
    verdict.jerk.toFixed(2),
    violation,
    first.toFixed(0),
    warm.toFixed(0),
  ];
}

function summary(name: string, verdicts: readonly (Verdict & { readonly speed: Speed })[]): string[] {
  const of = (key: 'maxSliding' | 'medianSliding' | 'maxPenetration' | 'kept' | 'jerk'): number[] =>
    verdicts.map((verdict) => verdict[key]);
  if (verdicts.length === 0) return [name];
  const kept = of('kept');
  return [
    name,
    Math.max(...of('maxSliding')).toFixed(1),
    median(of('medianSliding')).toFixed(2),
    Math.max(...of('maxPenetration')).toFixed(1),
    (100 * Math.min(...kept)).toFixed(1),
    ((100 * kept.reduce((a, b) => a + b, 0)) / kept.length).toFixed(1),
    Math.max(...of('jerk')).toFixed(2),
    Math.min(...verdicts.map(({ speed }) => speed.warm)).toFixed(0),
    median(verdicts.map(({ speed }) => speed.warm)).toFixed(0),
  ];
}

main();
