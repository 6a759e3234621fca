import { parseArgs } from 'node:util';
import { REVISION } from 'three';
import { type HeapSample, sampleHeap } from './allocation.js';
import { machineLines } from './machine.js';
import {
  type AnalyticMotion,
  analyticMotion,
  BONES,
  DURATION,
  FRAME_RATE,
  FRAMES,
  keysOf,
  keyTimes,
} from './motion/analytic.js';
import { poiseRows } from './motion/poise-rows.js';
import type { Row } from './motion/row.js';
import { threeRows } from './motion/three-rows.js';
import { packageVersion } from './peers/peer.js';
import { drawSeed } from './prng.js';
import { rowsJson, writeResults } from './results.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- motion [options]
${BONES} bones x ${FRAMES} frames of one clip: rotation-vector curves beside three.js's quaternion tracks.
  --quick      a tenth of the rounds, nothing written
  --seed N     instead of a seed drawn at run time
  --keys LIST  keys a second (default 10,30)
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    keys: { type: 'string', default: '10,30' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Milliseconds a whole clip for each row and round, rows in turn within a round, the first row moving on each round. */
function timeRows(rows: readonly Row[], times: Float64Array, rounds: number): number[][] {
  const samples: number[][] = rows.map(() => []);
  for (const row of rows) for (let i = 0; i < 2; i++) row.play(times);
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < rows.length; k++) {
      const r = (k + round) % rows.length;
      const before = performance.now();
      rows[r].play(times);
      samples[r].push(performance.now() - before);
    }
  }
  return samples;
}

/** Largest and root-mean-square angle (rad) from the analytic motion, over all bones and the frames given. */
function errorsOf(row: Row, motion: AnalyticMotion, times: Float64Array): { largest: number; rms: number } {
  const wanted = [0, 0, 0, 1];
  const one = new Float64Array(1);
  let largest = 0;
  let squares = 0;
  for (const t of times) {
    one[0] = t;
    row.play(one);
    for (let bone = 0; bone < BONES; bone++) {
      motion.evaluate(bone, t, wanted);
      const q = row.read(bone);
      // Half the chord of the two quaternions is the sine of a quarter of the angle; single precision is not of unit length.
      const length = Math.hypot(q[0], q[1], q[2], q[3]);
      const side = wanted.reduce((sum, x, k) => sum + x * q[k], 0) < 0 ? -1 : 1;
      const chord = Math.hypot(...wanted.map((x, k) => x - (side * q[k]) / length));
      const angle = 4 * Math.asin(Math.min(1, chord / 2));
      largest = Math.max(largest, angle);
      squares += angle * angle;
    }
  }
  return { largest, rms: Math.sqrt(squares / (BONES * times.length)) };
}

/** One clip with so many keys a second, played by all. */
interface Measured {
  readonly perSecond: number;
  readonly rows: readonly Row[];
  /** ms a clip, by row and round. */
  readonly samples: readonly (readonly number[])[];
  readonly tables: string;
}

async function measure(
  perSecond: number,
  motion: AnalyticMotion,
  times: Float64Array,
  rounds: number,
): Promise<Measured> {
  const keys = keysOf(motion, keyTimes(perSecond));
  const rows = [...poiseRows(keys), ...(await threeRows(keys))];
  const samples = timeRows(rows, times, rounds);
  const errors = rows.map((row) => errorsOf(row, motion, times));
  const [hermite, spline, slerp, cubic] = [0, 1, 2, 3];
  const duels: [string, number, number][] = [
    ['keys alone: C2 spline against QuaternionKeyframeTrack', spline, slerp],
    ['keys and rates: Hermite against glTF CUBICSPLINE', hermite, cubic],
    ['Hermite against QuaternionKeyframeTrack', hermite, slerp],
  ];
  const verdict = (ratio: number): string => `${ratio.toFixed(2)}x ${ratio > 1 ? 'met' : 'NOT MET'}`;
  const heap: HeapSample[] = [];
  for (const row of rows.slice(0, 2))
    heap.push(await sampleHeap((calls) => row.play(times.subarray(0, calls)), 250_000));
  const tables = [
    `## ${perSecond} keys a second, ${keys.times.length} a bone`,
    markdownTable(
      [
        'row',
        'given',
        'ms / clip',
        'ns / bone',
        'fastest round',
        '90th percentile',
        'largest error',
        'rms error',
      ],
      rows.map(({ name, given }, r) => [
        name,
        given,
        median(samples[r]).toFixed(2),
        ((median(samples[r]) * 1e6) / (BONES * FRAMES)).toFixed(1),
        Math.min(...samples[r]).toFixed(2),
        percentile(samples[r], 0.9).toFixed(2),
        errors[r].largest.toExponential(2),
        errors[r].rms.toExponential(2),
      ]),
    ),
    markdownTable(
      ['target: faster, with less error', 'faster by', 'largest error less by', 'rms error less by'],
      duels.map(([name, ours, theirs]) => [
        name,
        verdict(median(samples[theirs]) / median(samples[ours])),
        verdict(errors[theirs].largest / errors[ours].largest),
        verdict(errors[theirs].rms / errors[ours].rms),
      ]),
    ),
    heap
      .map(({ bytesPerCall, collections }, r) => {
        return `${rows[r].name}: ${bytesPerCall.toFixed(3)} bytes a frame allocated (the moment, boxed for the call, is 16), ${collections} collections.`;
      })
      .join('\n'),
  ].join('\n\n');
  return { perSecond, rows, samples, tables };
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const seed = options.seed === undefined ? drawSeed() : Number(options.seed);
  const densities = options.keys.split(',').map(Number);
  const head = machineLines(
    `npm run bench -- motion${process.argv.length > 2 ? ` ${process.argv.slice(2).join(' ')}` : ''}`,
  );
  const motion = analyticMotion(seed);
  const times = Float64Array.from({ length: FRAMES }, (_, i) => i / FRAME_RATE);
  const rounds = options.quick ? 3 : 30;
  const measured: Measured[] = [];
  for (const perSecond of densities) measured.push(await measure(perSecond, motion, times, rounds));
  const report = [
    `# A clip of ${BONES} bones at ${FRAMES} moments`,
    [
      ...head,
      `- three.js r${REVISION}, poise ${packageVersion('poise')}`,
      `- one smooth analytic motion (seed ${seed}), ${DURATION.toFixed(1)} s; ${FRAMES} frames, ${FRAME_RATE} a second, forwards; the same keys for all`,
      `- ${rounds} rounds of the whole clip, rows in turn; median over the rounds`,
      "- errors: angle from the analytic motion in rad, all bones, all frames; three.js's tracks keep single precision, as shipped",
    ].join('\n'),
    ...measured.map(({ tables }) => tables),
  ].join('\n\n');
  console.log(report);

  if (options.quick && options.out === undefined) return;
  const lines = measured.flatMap(({ perSecond, rows, samples }) =>
    rows.map(({ name }, r) => {
      const ms = samples[r].map((value) => value.toFixed(3)).join(',');
      return `{ "keysPerSecond": ${perSecond}, "row": ${JSON.stringify(name)}, "ms": [${ms}] }`;
    }),
  );
  const raw = rowsJson({ seed, unit: 'ms per clip' }, lines);
  writeResults({ 'motion.md': `${report}\n`, 'raw/motion.json': raw }, options.out);
}

await main();
