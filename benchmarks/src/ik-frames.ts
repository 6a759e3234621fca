import { parseArgs } from 'node:util';
import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, type IkOptions, solveIk } from 'poise/ik';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { formatMicroseconds, markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- ik-frames [options]
Warm frames of the human: a hand follows a closed path of 120 frames (2 s at 60 Hz), feet planted or not, with a posture in a priority of its
own or in the first. Each solve starts from the pose of the frame before.
  --quick     a fifth of the rounds; nothing written
  --out DIR   where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const FRAMES = 120;
const WARM_UP_ROUNDS = 3;
const ROUNDS = options.quick ? 4 : 20;

const human = createHumanFigure();
const hand = { type: 'position' as const, bone: 'leftHand', target: [0, 0, 0] };
const feet = ['left', 'right'].flatMap((side, n): Goal[] => [
  { type: 'position', bone: `${side}Foot`, target: [n === 0 ? 0.1 : -0.1, 0.08, 0] },
  { type: 'orientation', bone: `${side}Foot`, target: [0, 0, 0, 1] },
]);
const posture: Goal = { type: 'posture' };
/** A quadratic term of the first priority. */
const light: Goal = { type: 'posture', priority: 0, weight: 1e-3 };
const standing: IkOptions = {};
const rooted: IkOptions = { locked: ['hips'] };

const scenes: readonly (readonly [string, readonly Goal[], IkOptions])[] = [
  ['hand', [hand], rooted],
  ['hand, posture after it', [hand, posture], rooted],
  ['hand, posture beside it', [hand, light], rooted],
  ['hand, planted feet', [hand, ...feet], standing],
  ['hand, planted feet, posture after them', [hand, ...feet, posture], standing],
  ['hand, planted feet, posture beside them', [hand, ...feet, light], standing],
];

function setTarget(frame: number): void {
  const angle = (2 * Math.PI * frame) / FRAMES;
  hand.target[0] = 0.35 + 0.12 * Math.cos(angle);
  hand.target[1] = 1.2 + 0.15 * Math.sin(angle);
  hand.target[2] = 0.3 + 0.05 * Math.sin(2 * angle);
}

function rowOf([name, goals, given]: (typeof scenes)[number]): string[] {
  const ik = createIk(human, goals, given);
  const pose = createPose(human);
  const times: number[] = [];
  const statuses = new Set<string>();
  let iterations = 0;
  let stationarity = 0;
  for (let n = 0; n < (WARM_UP_ROUNDS + ROUNDS) * FRAMES; n++) {
    setTarget(n);
    const begin = performance.now();
    const result = solveIk(ik, pose);
    const time = performance.now() - begin;
    if (n < WARM_UP_ROUNDS * FRAMES) continue;
    times.push(1e3 * time);
    statuses.add(result.status);
    iterations += result.iterations;
    stationarity = Math.max(
      stationarity,
      result.lowerPriorities?.[0].stationarity ?? result.stationarity ?? 0,
    );
  }
  return [
    name,
    formatMicroseconds(median(times)),
    formatMicroseconds(percentile(times, 0.99)),
    (iterations / times.length).toFixed(1),
    stationarity.toExponential(1),
    Array.from(statuses).join(', '),
  ];
}

function main(): void {
  const machine = machineLines('npm run bench -- ik-frames');
  const text = [
    '# Warm frames',
    '',
    ...machine,
    `- the human, ${FRAMES} frames a round, ${ROUNDS} rounds after ${WARM_UP_ROUNDS} of warming up; times are those of one \`solveIk\`, result included`,
    '- *posture after*: in a priority of its own, the default; *beside*: in the first priority, weight 0.001',
    '- stationarity: the largest of any frame',
    '',
    markdownTable(['goals', 'median', 'p99', 'iterations', 'stationarity', 'status'], scenes.map(rowOf)),
    '',
  ].join('\n');
  console.log(text);
  if (!options.quick) writeResults({ 'ik-frames.md': text }, options.out);
}

if (options.help) console.log(USAGE);
else main();
