import { parseArgs } from 'node:util';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { createPrng } from './prng.js';
import { timeCrowds } from './ragdoll/crowd.js';
import { type Block, staircase } from './ragdoll/depth.js';
import { comparePeers } from './ragdoll/peers.js';
import { poiseRunner } from './ragdoll/poise-runner.js';
import { humanRig, type Rig, realRigs, weighedHumanRig } from './ragdoll/rigs.js';
import { type Pushes, runScenario, type Verdict } from './ragdoll/scenario.js';
import { faults, joined, millimetres, VERDICT_HEAD, verdictCells } from './ragdoll/verdicts.js';
import { writeResults } from './results.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- ragdoll [options]
Ragdolls of the built-in human and of files dropped, pushed and thrown on stairs for 60 s, judged step by step; 100 at once; Rapier, Jolt and MuJoCo beside.
  --quick      one run each, nothing written
  --part NAME  only 'runs', 'crowd' or 'peers', nothing written
  --rig TEXT   only rigs with that in the name; tells what happens
  --seed N     the first seed (default 1)
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    rig: { type: 'string' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const RUNS = options.quick ? 1 : 5;
const seeds = Array.from({ length: RUNS }, (_, k) => Number(options.seed) + k);
const us = (x: number): string => x.toFixed(x < 100 ? 1 : 0);

function stairsFor({ ragdoll }: Rig): Block[] {
  const scale = ragdoll.height / 1.75;
  return staircase(6, 0.17 * scale, 0.28 * scale, 8 * scale);
}

/** A rig and whose joints it has. */
interface Case {
  readonly rig: Rig;
  readonly joints: string;
}

function judge(rig: Rig, pushes: Pushes, seeds: readonly number[]): Verdict {
  const blocks = stairsFor(rig);
  const trace = options.rig === undefined ? undefined : console.log;
  const run = (seed: number): Verdict =>
    runScenario(rig.ragdoll, blocks, poiseRunner(rig.ragdoll, blocks), createPrng(seed), pushes, trace);
  return joined(seeds.map(run));
}

function runsSection(): string {
  const wanted = ({ name }: Rig): boolean => options.rig === undefined || name.includes(options.rig);
  const rigs: readonly Case[] = [
    { joints: 'its own', of: [humanRig()] },
    { joints: 'its own', of: realRigs('given') },
    { joints: 'of a body', of: realRigs('anatomical') },
  ].flatMap(({ joints, of }) => of.filter(wanted).map((rig) => ({ rig, joints })));
  const table = (
    pushes: Pushes,
    rigs: readonly Case[],
    seeds: readonly number[],
  ): { readonly text: string; readonly missed: string[] } => {
    const missed: string[] = [];
    let disagreement = 0;
    const rows = rigs.map(({ rig, joints }) => {
      const verdict = judge(rig, pushes, seeds);
      console.error(`${pushes}: ${rig.name}, joints ${joints}`);
      const found = faults(verdict);
      if (found.length > 0) missed.push(`${rig.name}, joints ${joints}: ${found.join(', ')}`);
      disagreement = Math.max(disagreement, verdict.disagreement);
      const { figure, height, mass, shapes } = rig.ragdoll;
      const size = `${height.toFixed(2)} m, ${mass.toFixed(0)} kg`;
      return [rig.name, joints, size, `${figure.dof}`, `${shapes.length}`, ...verdictCells(verdict)];
    });
    const text = markdownTable(['rig', 'joints', 'size', 'coordinates', 'shapes', ...VERDICT_HEAD], rows);
    return {
      text: `${text}\n\nThe judge's energy and that of Poise's mass matrix differ by ${disagreement.toExponential(1)} of the span.`,
      missed,
    };
  };
  const blows = table('blows', rigs, seeds);
  const own = rigs.filter(({ joints }) => joints === 'its own');
  const hard = table('hard', own, seeds.slice(0, 2));
  return `## 60 s of drops, pushes and stairs

Maxima over all steps of ${RUNS} runs each, seeds ${seeds.join(', ')}. Pushes at a bone's centre of mass, for 74 kg and in proportion for others: 20 to 200 N s on bones over 5 % of the mass
(trunk, head, thighs), 20 to 60 N s over 1.5 % (arms, shanks), 5 to 20 N s below (hands, feet).

${blows.text}

Asked: finite; limits within 0.5 degree, depth under 10 mm, kinetic energy without a push never up but by what gravity gives, no sleep before 1 s, asleep at the end. "All up" is kinetic and
potential energy together: what lies too deep is lifted out. ${blows.missed.length === 0 ? 'Met by all.' : `NOT met: ${blows.missed.join('; ')}.`}

### The same with 20 to 200 N s on any bone

200 N s on a hand is a velocity of some 400 m/s. Not asked for. Two runs each.

${hard.text}

${hard.missed.length === 0 ? 'All of it met here too.' : `Missed here: ${hard.missed.join('; ')}.`}`;
}

function crowdSection(): string {
  const times = timeCrowds(humanRig(), createPrng(Number(options.seed)));
  const rows = times.map(({ name, moving, lying, frame, processor, slowest, asleep }) => [
    name,
    us(moving),
    us(lying),
    processor.toFixed(2),
    slowest.toFixed(2),
    ...frame.map((ms) => ms.toFixed(2)),
    `${asleep}`,
  ]);
  const met = times[0].slowest <= 1000 / 60;
  return `## 100 ragdolls on one core

The built-in human 100 times, dropped from 2 m on stairs, 2.4 m from each other, 10 s at 1/120 s. A ragdoll and step may take 83.3 us, a frame of two steps 16.67 ms. Processor time,
and beside it means, p99 and worst frames by the clock, which other work on the machine lengthens.

${markdownTable(
  [
    '',
    'us a step, first 2 s',
    'us a step, then',
    'frame, ms',
    'in the slowest second',
    'by the clock',
    'p99',
    'worst',
    'asleep after 10 s',
  ],
  rows,
)}

Real time in every second of the one simulation with sleep: ${met ? 'yes' : 'NO'}; over the 10 s: ${times[0].processor <= 1000 / 60 ? 'yes' : 'NO'}.`;
}

async function peersSection(): Promise<string> {
  const rig = weighedHumanRig();
  const rows = await comparePeers(rig.ragdoll, stairsFor(rig), seeds);
  const cells = rows.map(({ name, time, verdict }) => [
    name,
    us(time[0]),
    us(time[1]),
    millimetres(verdict.gap),
    ...verdictCells(verdict),
  ]);
  return `## Other engines

The built-in human with collar bones that weigh something, which others need: the same masses, inertias, shapes, joint places and axes, pairs that do not meet, friction 0.8, the same drops and pushes (those of the
first table), the same judge. Processor time: the 2 s after each of 20 drops, all engines on a drop in turn.

- Rapier ${packageVersion('@dimforge/rapier3d-compat')}: 4 solver iterations; from JavaScript only hinges take limits, and in a multibody nothing does; shoulders and ankles are balls; angular damping 1/s of all bodies
  in place of damping in joints; a multibody starts each drop with its joints at rest.
- Jolt ${packageVersion('jolt-physics')}: hinges, and swing-twist constraints with the ellipse about the middle of the range; its own damping of bodies (0.05 1/s) and caps on speed (47 rad/s); no damping in joints.
- MuJoCo ${packageVersion('@mujoco/mujoco')}: a free joint and hinges in a row in place of balls, with the ranges of swing and twist; the same damping; soft limits and contacts, Newton, its defaults. It has no sleep here.
- Limits are judged against what each engine was given. "Gap": the farthest that a bone is from its place on its parent.

${markdownTable(['engine', 'us a step', 'mean', 'gap, mm', ...VERDICT_HEAD], cells)}`;
}

async function main(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const wants = (section: string): boolean => options.part === undefined || options.part === section;
  const head = machineLines(`npm run bench -- ragdoll${options.quick ? ' --quick' : ''}`);
  // Times first, before MuJoCo is loaded, which slows typed arrays.
  const crowd = wants('crowd') && options.rig === undefined ? [crowdSection()] : [];
  const peers = wants('peers') && options.rig === undefined ? [await peersSection()] : [];
  const runs = wants('runs') ? [runsSection()] : [];
  const report = [
    '# Ragdolls on stairs',
    [
      ...head,
      `- poise ${packageVersion('poise')}, 1/120 s a step`,
      '- world: floor and 6 steps of 0.17 by 0.28 m, solid boxes; friction 0.8, no restitution; all in proportion for rigs of another height than 1.75 m',
      '- a run: 60 s; a drop with the lowest point 2 m above the floor, tilted at random, joints within 0.4 rad of rest; every 5 s to 45 s a push, or every third time a lift into another drop; then left alone',
      '- the judge shares nothing with Poise: kinematics by quaternions, limits, depth and energy by its own formulas, after every step (src/ragdoll)',
    ].join('\n'),
    ...runs,
    ...crowd,
    ...peers,
  ].join('\n\n');
  console.log(report);
  if (options.quick || options.part !== undefined || options.rig !== undefined) {
    if (options.out === undefined) return;
  }
  writeResults({ 'ragdoll.md': `${report}\n` }, options.out);
}

await main();
