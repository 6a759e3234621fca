import { parseArgs } from 'node:util';
import { createIk, solveIk } from 'poise/ik';
import { machineLines } from './machine.js';
import { accuracyOf } from './markers/accuracy.js';
import { measure, reach, walk } from './markers/clips.js';
import { isMet, type Row, reportOf, type Times } from './markers/report.js';
import { type Subject, subjects } from './markers/subjects.js';
import { createPrng, drawSeed } from './prng.js';
import { rowsJson, writeResults } from './results.js';

const USAGE = `npm run bench -- markers [options]
Marker tracking (31 markers on the built-in human) and landmark fits (33 points of a body, 21 of a hand): clips with a known answer.
Ends with 1 where a row does not reach what is wanted.
  --quick      fewer frames and rounds, nothing written
  --seed N     instead of a seed drawn at run time
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const NOISES = [0, 0.005, 0.02];
const MISSING = 0.1;

function startClock(): (frames: number) => Times {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  return (frames) => ({
    wallTime: ((performance.now() - begun) * 1000) / frames,
    processor: process.cpuUsage(cpu).user / frames,
  });
}

/** Solves all frames, the first of them before the clock starts, and times each. */
function timeClip(subject: Subject, frames: readonly Float64Array[], into: number[]): Times {
  const { solve } = subject.begin();
  const pose = new Float64Array(subject.figure.dof);
  solve(frames[0], pose);
  into.length = 0;
  const clock = startClock();
  for (let f = 1; f < frames.length; f++) {
    const before = performance.now();
    solve(frames[f], pose);
    into.push((performance.now() - before) * 1000);
  }
  return clock(frames.length - 1);
}

/** The same least squares as 31 position goals of the general solver, every marker there, without restarts. */
function timeGoals(subject: Subject, frames: readonly Float64Array[]): Times {
  const { figure, markers } = subject;
  const targets = markers.map(() => new Float64Array(3));
  const ik = createIk(
    figure,
    markers.map(({ bone, point = [0, 0, 0] }, m) => ({
      type: 'position',
      bone,
      point,
      target: targets[m],
    })),
    { restarts: 0 },
  );
  const pose = new Float64Array(figure.dof);
  subject.begin().solve(frames[0], pose);
  const clock = startClock();
  for (let f = 1; f < frames.length; f++) {
    targets.forEach((target, m) => {
      target.set(frames[f].subarray(3 * m, 3 * m + 3));
    });
    solveIk(ik, pose);
  }
  return clock(frames.length - 1);
}

function main(): void {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const head = machineLines(
    `npm run bench -- markers${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`,
  );
  const count = options.quick ? 120 : 600;
  const rounds = options.quick ? 3 : 7;
  const prng = createPrng(seed);
  const { lab, body, hand } = subjects();
  const clips = [
    { subject: lab, clip: walk(lab.figure, count, prng) },
    { subject: lab, clip: reach(lab.figure, count, prng) },
    { subject: body, clip: reach(body.figure, count, prng) },
    { subject: hand, clip: reach(hand.figure, count, prng) },
  ];
  const rows: Row[] = clips.flatMap(({ subject, clip }) =>
    NOISES.map((noise) => {
      const frames = measure(subject, clip, noise, MISSING, prng);
      return {
        subject,
        clip,
        noise,
        frames,
        accuracy: accuracyOf(subject, clip, frames, noise),
        rounds: [],
        single: [],
      };
    }),
  );
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) row.rounds.push(timeClip(row.subject, row.frames, row.single));
  }
  const whole = measure(lab, rows[0].clip, 0.005, 0, prng);
  const pairs = Array.from({ length: options.quick ? 1 : 5 }, () => ({
    goals: timeGoals(lab, whole),
    tracker: timeClip(lab, whole, []),
  }));
  const report = reportOf({ seed, head, rows, count, missing: MISSING, rounds, pairs });
  console.log(report);
  const unmet = rows.filter((row) => !isMet(row));
  if (unmet.length > 0) {
    console.error(`\n${unmet.length} of ${rows.length} rows do not reach what is wanted (seed ${seed})`);
    process.exitCode = 1;
  }
  if (options.quick && options.out === undefined) return;
  const lines = rows.map(
    ({ subject, clip, noise, rounds: each }) =>
      `{ "points": "${subject.name}", "clip": "${clip.name}", "noise": ${noise}, "wallTime": [${each.map(({ wallTime }) => wallTime.toFixed(1)).join(',')}], "processor": [${each.map(({ processor }) => processor.toFixed(1)).join(',')}] }`,
  );
  const raw = rowsJson({ seed, framesPerRound: count - 1, unit: 'us per frame' }, lines);
  writeResults({ 'markers.md': `${report}\n`, 'raw/markers.json': raw }, options.out);
}

main();
