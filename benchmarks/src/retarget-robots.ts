import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readMjcf, readUrdf } from '@poise/formats';
import { type Figure, limitViolation } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import { createRetargeter, type RetargetedMotion, retargetMotion } from 'poise/retarget';
import { machineLines } from './machine.js';
import { dataFolder } from './problems.js';
import { writeResults } from './results.js';
import { readPairs, type SourceClip } from './retarget/pairs.js';
import { markdownTable, median } from './statistics.js';

const USAGE = `npm run bench -- retarget-robots [options]
Every recorded clip of the shared data on robots whose joints are hinges in series.
  --only TEXT  pairs whose clip or robot contains it; nothing is written
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean', default: false } },
});

/** Runs of a pair, of which the fastest counts. */
const RUNS = 4;

const ROBOTS: Readonly<Record<string, (folder: string) => Figure>> = {
  'Unitree G1': (folder) => readMjcf(readFileSync(join(folder, 'mjcf/unitree_g1.xml'))).figure,
  'PAL Talos': (folder) => readMjcf(readFileSync(join(folder, 'mjcf/pal_talos.xml'))).figure,
  Atlas: (folder) => readUrdf(readFileSync(join(folder, 'urdf/atlas_minimal_contact.urdf'))).figure,
};

interface Row {
  readonly cells: readonly string[];
  readonly robot: string;
  readonly speed: number;
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const folder = dataFolder();
  const pairs = readPairs();
  if (pairs === undefined || folder === undefined) {
    console.log('the shared data are not there (POISE_DATA): nothing to measure');
    return;
  }
  const machine = machineLines('npm run bench -- retarget-robots');
  const robots = Object.entries(ROBOTS).map(([name, read]) => ({ name, figure: read(folder) }));
  const rows: Row[] = [];
  for (const clip of pairs.clips) {
    for (const { name, figure } of robots) {
      const { only } = options;
      if (only !== undefined && ![clip.name, name].some((each) => each.includes(only))) continue;
      rows.push(measure(clip, name, figure));
    }
  }
  const text = [
    '# Retargeting to robots',
    '',
    ...machine,
    '',
    `\`retargetMotion\` of every recorded clip of the shared data on robots with hinges in series, by its own report: sliding, penetration and kept contacts at the soles that are taken from the proportions, jerk of all bones over the source's. Fastest: largest speed of a hinge between frames. Frames/s by processor time, the fastest of ${RUNS} runs.`,
    '',
    markdownTable(
      [
        'clip',
        'robot',
        'frames',
        'sliding max, mm',
        'penetration, mm',
        'kept, %',
        'jerk',
        'off, degrees',
        'fastest, rad/s',
        'limits, rad',
        'frames/s',
      ],
      rows.map(({ cells }) => [...cells]),
    ),
    '',
    ...robots.map(
      ({ name }) =>
        `- ${name}: ${median(rows.filter(({ robot }) => robot === name).map(({ speed }) => speed)).toFixed(0)} frames/s at the median of the clips`,
    ),
    '',
  ].join('\n');
  console.log(text);
  if (options.only === undefined) writeResults({ 'retarget-robots.md': text }, options.out);
}

function measure({ name, figure, motion }: SourceClip, robot: string, target: Figure): Row {
  const retargeter = createRetargeter(figure, target);
  let least = Number.POSITIVE_INFINITY;
  let result: RetargetedMotion | undefined;
  for (let run = 0; run < RUNS; run++) {
    const begin = process.cpuUsage();
    result = retargetMotion(retargeter, motion);
    least = Math.min(least, process.cpuUsage(begin).user / 1e6);
  }
  const { summary, times } = (result as RetargetedMotion).report;
  const sampler = createMotionSampler(retargeter.target, (result as RetargetedMotion).motion);
  const hinges = retargeter.target.bones.filter(({ joint }) => joint.type === 'hinge');
  let violation = 0;
  let fastest = 0;
  let before: Float64Array | undefined;
  times.forEach((time, f) => {
    const pose = samplePose(sampler, time, new Float64Array(retargeter.target.dof));
    violation = Math.max(violation, limitViolation(retargeter.target, pose));
    for (const { coordinate } of before === undefined ? [] : hinges) {
      const way = Math.abs(pose[coordinate] - (before as Float64Array)[coordinate]);
      fastest = Math.max(fastest, way / (time - times[f - 1]));
    }
    before = Float64Array.from(pose);
  });
  const speed = summary.frames / least;
  return {
    robot,
    speed,
    cells: [
      name,
      robot,
      String(summary.frames),
      summary.maxSliding.toFixed(1),
      summary.maxPenetration.toFixed(1),
      (100 * summary.contactsKept).toFixed(1),
      summary.jerkRatio.toFixed(2),
      summary.meanOrientationError.toFixed(1),
      fastest.toFixed(0),
      violation.toExponential(0),
      speed.toFixed(0),
    ],
  };
}

main();
