import { parseArgs } from 'node:util';
import { createPose, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createDifferentialControl,
  type DifferentialOptions,
  type Goal,
  stepDifferentialControl,
} from 'poise/ik';
import { sampleHeap } from './allocation.js';
import { machineLines } from './machine.js';
import { writeResults } from './results.js';
import { formatMicroseconds, markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- differential [options]
Cost of a step of differential control on the built-in human, and how well it follows a moving hand.
  --quick     fewer frames, nothing written
  --out DIR   where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const figure = createHumanFigure();
const DT = 1 / 60;
const hand = new Float64Array(3);
const rotation = new Float64Array(4);

/** A hand that moves at up to about 1 m/s through the space before the figure, and turns. */
function place(frame: number): void {
  const t = frame * DT;
  hand.set([0.3 + 0.25 * Math.sin(2 * t), 1.25 + 0.25 * Math.cos(1.3 * t), 0.3 + 0.15 * Math.sin(1.7 * t)]);
  rotation.set([Math.sin(0.4 * Math.sin(t)), 0, 0, Math.cos(0.4 * Math.sin(t))]);
}

interface Scene {
  readonly name: string;
  readonly goals: readonly Goal[];
  readonly options: DifferentialOptions;
}

const reach: Goal = { type: 'position', bone: 'leftHand', target: hand };
const posture = { reference: createPose(figure) };
const feet: readonly Goal[] = [
  { type: 'position', bone: 'leftFoot', target: [0.1, 0.08, 0] },
  { type: 'position', bone: 'rightFoot', target: [-0.1, 0.08, 0] },
];
const scenes: readonly Scene[] = [
  { name: 'a hand, hips locked', goals: [reach], options: { locked: ['hips'] } },
  { name: 'the same with a posture', goals: [reach], options: { locked: ['hips'], posture } },
  {
    name: 'a hand and its turn, posture',
    goals: [reach, { type: 'orientation', bone: 'leftHand', target: rotation }],
    options: { locked: ['hips'], posture },
  },
  {
    name: 'feet first, then a hand, then a look; posture',
    goals: [
      ...feet,
      { ...reach, priority: 1 },
      { type: 'points-at', bone: 'head', axis: [0, 0, 1], target: hand, priority: 2 },
    ],
    options: { posture },
  },
];

async function measure({ name, goals, options: settings }: Scene, frames: number): Promise<string[]> {
  const control = createDifferentialControl(figure, goals, settings);
  const pose = createPose(figure);
  let frame = 0;
  const run = (steps: number): void => {
    for (let k = 0; k < steps; k++, frame++) {
      place(frame);
      stepDifferentialControl(control, pose, DT);
    }
  };
  run(2000);
  const times: number[] = [];
  let far = 0;
  let worst = 0;
  const { index } = control.result.goals.find(({ bone }) => bone === 'leftHand') ?? { index: 0 };
  for (let k = 0; k < frames; k++, frame++) {
    place(frame);
    const started = performance.now();
    stepDifferentialControl(control, pose, DT);
    times.push(1000 * (performance.now() - started));
    far += control.result.goals[index].error / frames;
    worst = Math.max(worst, limitViolation(figure, pose));
  }
  const { bytesPerCall } = await sampleHeap(run, 5000);
  const { problem } = control.workspace;
  return [
    name,
    String(problem.coordinates.length),
    String(problem.rows),
    formatMicroseconds(median(times)),
    formatMicroseconds(percentile(times, 0.99)),
    `${(1000 * far).toFixed(1)} mm`,
    worst.toExponential(0),
    bytesPerCall.toFixed(0),
  ];
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const rows: string[][] = [];
  for (const scene of scenes) rows.push(await measure(scene, options.quick ? 1000 : 10_000));
  const report = [
    '# Differential control: cost of a step',
    [
      ...machineLines(`npm run bench -- differential${options.quick ? ' --quick' : ''}`),
      '- the built-in human follows a moving left hand at 60 frames a second, gain 20, without being told its velocity; the trail is the mean ' +
        'distance of hand and target before a step, v / gain where nothing holds it back',
      '- bytes: growth of the used heap per step; numbers that V8 boxes between functions, no object of the control',
    ].join('\n'),
    markdownTable(['scene', 'columns', 'rows', 'median', 'p99', 'trail', 'over a limit', 'bytes'], rows),
  ].join('\n\n');
  console.log(report);
  if (options.quick && options.out === undefined) return;
  writeResults({ 'differential.md': `${report}\n` }, options.out);
}

await main();
