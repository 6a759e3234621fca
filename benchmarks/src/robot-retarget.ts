import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { qposFromPose, readBvh, readGmrConfig, readMjcf } from '@poise/formats';
import { limitViolation } from 'poise/figure';
import { createMotionSampler, samplePose } from 'poise/motion';
import {
  createHumanReader,
  createRobotRetargeter,
  type HumanFrame,
  LAFAN1_FEET,
  type RobotFrame,
  type RobotRetargeter,
  type RobotRetargetOptions,
  readHuman,
  resetRobotRetargeter,
  retargetToRobot,
} from 'poise/robot';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { writeResults } from './results.js';
import { loadPeer, type Peer, type PeerFrame } from './robot-retarget/peer.js';
import { markdownTable, median, percentile } from './statistics.js';

const USAGE = `npm run bench -- robot-retarget [options]
Human clips on the Unitree G1: Poise and GMR in TypeScript (on MuJoCo's WebAssembly build), frame by frame in one run, judged by MuJoCo's kinematics.
  --rounds N   rounds of timing, both in each (default 15); fewer write nothing
  --out DIR    where to write (default benchmarks/results)`;

const ROUNDS = 15;
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: String(ROUNDS) },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Corners of the G1's soles in the frame of the ankle: the spheres of its contact geoms. */
const SOLES = ['left', 'right'].map((side) => ({
  bone: `${side}_ankle_roll_link`,
  points: [
    [-0.05, 0.025, -0.03],
    [-0.05, -0.025, -0.03],
    [0.12, 0.03, -0.03],
    [0.12, -0.03, -0.03],
  ] as const,
}));

interface Run {
  readonly poses: readonly Float64Array[];
  readonly frames: readonly RobotFrame[];
}

function play(retargeter: RobotRetargeter, human: readonly HumanFrame[]): Run {
  resetRobotRetargeter(retargeter);
  const pose = new Float64Array(retargeter.figure.dof);
  const poses: Float64Array[] = [];
  const frames = human.map((frame) => {
    const result = retargetToRobot(retargeter, frame, pose);
    poses.push(pose.slice());
    return result;
  });
  return { poses, frames };
}

/** Frames a second of one run over all frames. */
function speedOf(frames: number, run: () => void): number {
  const start = performance.now();
  run();
  return (1e3 * frames) / (performance.now() - start);
}

/** Rounds of which the least time of each frame counts: other work may run beside it. */
const TIMED_ROUNDS = 7;

/** Least time of each frame, ms. */
function frameTimes(retargeter: RobotRetargeter, human: readonly HumanFrame[]): number[] {
  const least = human.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    resetRobotRetargeter(retargeter);
    const pose = new Float64Array(retargeter.figure.dof);
    human.forEach((frame, k) => {
      const start = performance.now();
      retargetToRobot(retargeter, frame, pose);
      least[k] = Math.min(least[k], performance.now() - start);
    });
  }
  return least;
}

function measure(peer: Peer, clip: string, rounds: number) {
  const model = readMjcf(peer.xml);
  const config = readGmrConfig(peer.config);
  const create = (extra: RobotRetargetOptions = {}) =>
    createRobotRetargeter(model.figure, config, { humanHeight: 1.75, ...extra });
  const retargeter = create();
  const { figure, motion, frameTime } = readBvh(readFileSync(clip, 'utf8'), { scale: 0.01 });
  const reader = createHumanReader(figure, retargeter.humanBodies, { joined: LAFAN1_FEET });
  const sampler = createMotionSampler(figure, motion);
  const frames = peer.framesOf(clip);
  const human = frames.map((_, k): HumanFrame => {
    const frame = readHuman(reader, samplePose(sampler, k * frameTime, new Float64Array(figure.dof)));
    return { positions: Float64Array.from(frame.positions), rotations: Float64Array.from(frame.rotations) };
  });

  const engine = peer.createEngine();
  const targets: PeerFrame[] = [];
  const peerQpos = frames.map((frame) => {
    const qpos = engine.retargetFrame(frame);
    targets.push(engine.lastScaledHuman);
    return qpos;
  });
  const ours = play(retargeter, human);
  const peerObjectives = peerQpos.map((qpos, k) => peer.objectiveOf(qpos, targets[k]));
  const objectives = ours.poses.map((pose, k) => peer.objectiveOf(qposFromPose(model, pose), targets[k]));

  const speeds = { ours: [] as number[], peer: [] as number[], ratio: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    engine.reset();
    const theirs = speedOf(frames.length, () => {
      for (const frame of frames) engine.retargetFrame(frame);
    });
    const mine = speedOf(frames.length, () => void play(retargeter, human));
    // The first round warms up.
    if (round < 0) continue;
    speeds.peer.push(theirs);
    speeds.ours.push(mine);
    speeds.ratio.push(mine / theirs);
  }

  const speedLimited = play(create({ frameTime, speedLimit: 10 }), human);
  const unbalanced = play(create({ balance: { feet: SOLES, weight: 1e-9 } }), human);
  const balancing = create({ balance: { feet: SOLES } });
  const balanced = play(balancing, human);
  return {
    clip: basename(clip, '.bvh'),
    frames: frames.length,
    speeds,
    objectives,
    peerObjectives,
    ours,
    violation: Math.max(...ours.poses.map((pose) => limitViolation(model.figure, pose))),
    options: [
      ['speed limit 10 rad/s', speedLimited],
      ['balance', balanced],
    ] as const,
    unbalanced,
    fastest: (run: Run) =>
      Math.max(
        ...run.poses.flatMap((pose, k) =>
          k === 0
            ? []
            : Array.from(pose.subarray(6), (x, i) => Math.abs(x - run.poses[k - 1][i + 6]) / frameTime),
        ),
      ),
    balanceTimes: frameTimes(balancing, human),
  };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
const thousands = (x: number): string => Math.round(x).toLocaleString('en');

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const rounds = Number(options.rounds);
  if (!(rounds >= 1)) throw new Error(USAGE);
  const machine = machineLines('npm run bench -- robot-retarget');
  const peer = await loadPeer();
  if (peer === undefined) {
    console.log('no ../shared/peers/gmr-web: nothing to measure beside');
    return;
  }
  const results = peer.clips.map((clip) => measure(peer, clip, rounds));
  const report = [
    '# Human clips on a robot',
    '',
    ...machine,
    `- peer: Robot_Retarget_Online b436951 (GMR in TypeScript), its defaults, on @mujoco/mujoco ${packageVersion('@mujoco/mujoco')}; judge: the kinematics of the same MuJoCo`,
    `- robot: Unitree G1 of GMR, 29 joints and a free root; GMR's mapping of LAFAN1; medians of ${rounds} rounds, both in each`,
    '',
    'Objective: that of the second table, sum w_p^2 |x - x*|^2 + w_r^2 |log(R* R^-1)|^2, mean over the frames. Residual: largest |g| / sqrt(2 f H) of a coordinate that could go downhill within its bounds; 0 at a minimum.',
    '',
    markdownTable(
      [
        'clip',
        'frames',
        'peer, frames/s',
        'Poise, frames/s',
        'Poise / peer',
        'objective of the peer',
        'of Poise',
        'frames at most the peer’s',
        'residual',
        'Newton steps a frame',
        'joints at a bound',
        'limits exceeded by',
      ],
      results.map(({ clip, frames, speeds, objectives, peerObjectives, ours, violation }) => [
        clip,
        String(frames),
        thousands(median(speeds.peer)),
        thousands(median(speeds.ours)),
        median(speeds.ratio).toFixed(1),
        mean(peerObjectives).toFixed(1),
        mean(objectives).toFixed(1),
        `${((100 * objectives.filter((f, k) => f <= peerObjectives[k]).length) / frames).toFixed(1)} %`,
        Math.max(...ours.frames.map(({ residual }) => residual)).toExponential(1),
        mean(ours.frames.map(({ iterations }) => iterations)).toFixed(1),
        mean(ours.frames.map(({ atBound }) => atBound)).toFixed(2),
        String(violation),
      ]),
    ),
    '',
    `Options. Fastest: largest speed of a joint between frames. Outside: how far the centre of mass is outside of the feet on the ground less 10 mm, the worst frame and the share of frames over 0.1 mm; a foot stands where its target has it within 30 mm of the lower one, none where that is more than 150 mm above where one was lowest: in flight, and with legs up. Times: the least of ${TIMED_ROUNDS} rounds for each frame; of these the median and the 99th percentile.`,
    '',
    markdownTable(
      [
        'clip',
        'fastest, rad/s',
        'with a speed limit of 10',
        'objective',
        'outside, mm',
        'frames',
        'with balance, mm',
        'frames',
        'objective',
        'ms a frame',
        'at p99',
      ],
      results.map(
        ({ clip, frames, ours, options: [[, limited], [, balanced]], unbalanced, fastest, balanceTimes }) => {
          const outside = (run: Run) => {
            const gaps = run.frames.map(({ imbalance }) => imbalance);
            return [
              (1e3 * Math.max(...gaps)).toFixed(1),
              `${((100 * gaps.filter((gap) => gap > 1e-4).length) / frames).toFixed(0)} %`,
            ];
          };
          const objective = (run: Run) => mean(run.frames.map((frame) => frame.objective)).toFixed(0);
          return [
            clip,
            fastest(ours).toFixed(1),
            fastest(limited).toFixed(1),
            objective(limited),
            ...outside(unbalanced),
            ...outside(balanced),
            objective(balanced),
            median(balanceTimes).toFixed(2),
            percentile(balanceTimes, 0.99).toFixed(2),
          ];
        },
      ),
    ),
    '',
  ].join('\n');
  console.log(report);
  if (rounds >= ROUNDS || options.out !== undefined)
    writeResults({ 'robot-retarget.md': report }, options.out);
}

await main();
process.exit(0);
