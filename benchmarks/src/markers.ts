import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, humanFigure } from 'poise/figure';
import { acquirePose, createIk, createMarkerTracker, solveIk, trackMarkers } from 'poise/ik';
import { machineLines } from './machine.js';
import { type Accuracy, accuracyOf } from './markers/accuracy.js';
import { type Clip, measure, reach, walk } from './markers/clips.js';
import { markerSet } from './markers/marker-set.js';
import { createPrng, drawSeed } from './prng.js';
import { repositoryRoot } from './problems.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- markers [options]
Marker tracking: 31 markers on the built-in human (22 bones, 53 coordinates), clips with a known answer.
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
/** What the tracker must reach, frames a second on one core. */
const WANTED = 500;

interface Row {
  readonly clip: Clip;
  readonly noise: number;
  readonly frames: readonly Float64Array[];
  readonly accuracy: Accuracy;
  /** Of each round; microseconds of the frames of the last round. */
  readonly rounds: Times[];
  readonly single: number[];
}

/** Microseconds a frame: on the wall, and of processor time (user), which other work on the machine hardly changes. */
interface Times {
  readonly wall: number;
  readonly processor: number;
}

function startClock(): (frames: number) => Times {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  return (frames) => ({
    wall: ((performance.now() - begun) * 1000) / frames,
    processor: process.cpuUsage(cpu).user / frames,
  });
}

/** Tracks all frames but the first, which is acquired, and times each. */
function timeClip(figure: Figure, frames: readonly Float64Array[], into: number[]): Times {
  const tracker = createMarkerTracker(figure, markerSet);
  const pose = new Float64Array(figure.dof);
  acquirePose(tracker, frames[0], pose);
  into.length = 0;
  const clock = startClock();
  for (let f = 1; f < frames.length; f++) {
    const before = performance.now();
    trackMarkers(tracker, frames[f], pose);
    into.push((performance.now() - before) * 1000);
  }
  return clock(frames.length - 1);
}

/** The same least squares as 31 position goals of the general solver, every marker there, without restarts. */
function timeGoals(figure: Figure, frames: readonly Float64Array[]): Times {
  const targets = markerSet.map(() => new Float64Array(3));
  const ik = createIk(
    figure,
    markerSet.map(({ bone, point = [0, 0, 0] }, m) => ({
      type: 'position',
      bone,
      point,
      target: targets[m],
    })),
    { restarts: 0 },
  );
  const pose = new Float64Array(figure.dof);
  const put = (frame: Float64Array): void => {
    targets.forEach((target, m) => {
      target.set(frame.subarray(3 * m, 3 * m + 3));
    });
  };
  put(frames[0]);
  acquirePose(createMarkerTracker(figure, markerSet), frames[0], pose);
  const clock = startClock();
  for (let f = 1; f < frames.length; f++) {
    put(frames[f]);
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
  const figure = humanFigure();
  const count = options.quick ? 120 : 600;
  const rounds = options.quick ? 3 : 9;
  const prng = createPrng(seed);
  const rows: Row[] = [walk(figure, count, prng), reach(figure, count, prng)].flatMap((clip) =>
    NOISES.map((noise) => {
      const frames = measure(figure, markerSet, clip, noise, MISSING, prng);
      return {
        clip,
        noise,
        frames,
        accuracy: accuracyOf(figure, clip, frames, noise),
        rounds: [],
        single: [],
      };
    }),
  );
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) row.rounds.push(timeClip(figure, row.frames, row.single));
  }
  const whole = measure(figure, markerSet, rows[0].clip, 0.005, 0, prng);
  const single: number[] = [];
  const pairs = Array.from({ length: options.quick ? 1 : 5 }, () => [
    timeGoals(figure, whole),
    timeClip(figure, whole, single),
  ]);
  const report = reportOf(seed, head, rows, count, rounds, pairs);
  console.log(report);
  if (options.quick && options.out === undefined) return;
  const folder = options.out ?? join(repositoryRoot(), 'benchmarks', 'results');
  mkdirSync(join(folder, 'raw'), { recursive: true });
  writeFileSync(join(folder, 'markers.md'), `${report}\n`);
  const lines = rows.map(
    ({ clip, noise, rounds: each }) =>
      `    { "clip": "${clip.name}", "noise": ${noise}, "wall": [${each.map(({ wall }) => wall.toFixed(1)).join(',')}], "processor": [${each.map(({ processor }) => processor.toFixed(1)).join(',')}] }`,
  );
  writeFileSync(
    join(folder, 'raw', 'markers.json'),
    `{\n  "seed": ${seed},\n  "framesPerRound": ${count - 1},\n  "unit": "us per frame",\n  "rows": [\n${lines.join(',\n')}\n  ]\n}\n`,
  );
  console.log(`\nwritten to ${folder}`);
}

function reportOf(
  seed: number,
  head: readonly string[],
  rows: readonly Row[],
  count: number,
  rounds: number,
  pairs: readonly (readonly Times[])[],
): string {
  const name = ({ clip, noise }: Row): string =>
    `${clip.name}, ${noise === 0 ? 'no noise' : `${noise * 1000} mm`}`;
  const number = (x: number, digits = 3): string => (Number.isFinite(x) ? x.toPrecision(digits) : '-');
  return [
    '# Marker tracking: 31 markers, 22 bones, 53 coordinates',
    [
      ...head,
      `- clips of ${count} frames at 120 a second, seed ${seed}; ${MISSING * 100} % of the markers missing, each frame its own; ${rounds} rounds, rows in turn`,
      '- the first frame is sought from rest; the others start from the frame before; defaults only',
    ].join('\n'),
    '## Speed',
    'Frames a second of one core, by processor time (user); on a quiet machine the wall shows the same.',
    markdownTable(
      [
        'clip',
        'frames / s',
        'us / frame',
        'on the wall',
        'p99 on the wall',
        'poses tried',
        `${WANTED} a second`,
      ],
      rows.map((row) => {
        const processor = median(row.rounds.map((times) => times.processor));
        return [
          name(row),
          (1e6 / processor).toFixed(0),
          processor.toFixed(0),
          median(row.rounds.map(({ wall }) => wall)).toFixed(0),
          percentile(row.single, 0.99).toFixed(0),
          row.accuracy.iterations.toFixed(1),
          1e6 / processor >= WANTED ? 'met' : 'NOT MET',
        ];
      }),
    ),
    `The same clip without gaps (walk, 5 mm) as 31 position goals of \`createIk\`, no restarts: ${median(pairs.map(([goals]) => goals.processor)).toFixed(0)} us of processor time a frame, the tracker ${median(pairs.map(([, tracker]) => tracker.processor)).toFixed(0)}.`,
    '## How the frames ended',
    markdownTable(
      [
        'clip',
        'converged',
        'out-of-reach',
        'limit-blocked',
        'stalled',
        'iteration-limit',
        'worst stationarity',
        'marker rms, mm',
      ],
      rows.map((row) => [
        name(row),
        ...['converged', 'out-of-reach', 'limit-blocked', 'stalled', 'iteration-limit'].map((status) =>
          String(row.accuracy.statuses[status] ?? 0),
        ),
        row.accuracy.stationarity.toExponential(1),
        number(1000 * row.accuracy.rms),
      ]),
    ),
    '## Errors',
    'Coordinates without a part in an unseen direction (singular value of W^1/2 J under 1e-3 length scales per radian). "Error / bound" is the ' +
      'root mean square of error over the Cramer-Rao bound at the known pose, over joints at no active limit; the worst coordinate is among ' +
      'those free in 30 frames or more. Wanted: 1e-6 rad without noise, 2 with it.',
    markdownTable(
      [
        'clip',
        'compared',
        'largest error, rad',
        'median error, deg',
        'error / bound',
        'worst',
        'coordinate',
        'free',
        'wanted',
      ],
      rows.map((row) => {
        const a = row.accuracy;
        const met = row.noise === 0 ? a.largest <= 1e-6 : a.worstOverBound <= 2;
        return [
          name(row),
          `${(100 * a.compared).toFixed(0)} %`,
          number(a.largest, 2),
          number((180 / Math.PI) * a.typical),
          row.noise === 0 ? '-' : a.overBound.toFixed(2),
          row.noise === 0 ? '-' : a.worstOverBound.toFixed(2),
          row.noise === 0 ? '-' : a.worstCoordinate,
          row.noise === 0 ? '-' : `${(100 * a.free).toFixed(0)} %`,
          met ? 'met' : 'NOT MET',
        ];
      }),
    ),
  ].join('\n\n');
}

main();
