import type { Ragdoll } from 'poise/dynamics';
import { createPrng } from '../prng.js';
import { median } from '../statistics.js';
import type { Block } from './depth.js';
import { drawPose } from './draw-pose.js';
import { joltRunner } from './jolt-runner.js';
import { mujocoRunner } from './mujoco-runner.js';
import { poiseRunner } from './poise-runner.js';
import { processorTime } from './processor-time.js';
import { rapierRunner } from './rapier-runner.js';
import { type RagdollRunner, runScenario, type Verdict } from './scenario.js';
import { joined } from './verdicts.js';

/** Duration of each drop, s. */
const SECONDS = 2;
const DROPS = 20;

export interface PeerRow {
  readonly name: string;
  /** us of processor time a step of 1/120 s in the 2 s after a drop: the median of drops, and their mean. */
  readonly time: readonly [number, number];
  readonly verdict: Verdict;
}

/** Every engine on the same drops, one after the other; then the runs of the judge. */
export async function comparePeers(
  ragdoll: Ragdoll,
  blocks: readonly Block[],
  seeds: readonly number[],
): Promise<PeerRow[]> {
  const runners = [
    poiseRunner(ragdoll, blocks),
    await rapierRunner(ragdoll, blocks, 'impulse'),
    await rapierRunner(ragdoll, blocks, 'multibody'),
    await joltRunner(ragdoll, blocks),
    await mujocoRunner(ragdoll, blocks, 1),
    await mujocoRunner(ragdoll, blocks, 4),
  ];
  const times = timeDrops(ragdoll, runners, seeds[0]);
  return runners.map((runner, r) => {
    const verdicts = seeds.map((seed) => runScenario(ragdoll, blocks, runner, createPrng(seed), 'blows'));
    runner.close();
    return { name: runner.name, time: times[r], verdict: joined(verdicts) };
  });
}

function timeDrops(
  ragdoll: Ragdoll,
  runners: readonly RagdollRunner[],
  seed: number,
): (readonly [number, number])[] {
  const samples = runners.map((): number[] => []);
  const steps = SECONDS * 120;
  const random = createPrng(seed);
  for (let drop = -2; drop < DROPS; drop++) {
    const { pose, bodies } = drawPose(ragdoll, random);
    runners.forEach((runner, r) => {
      runner.place(pose, bodies);
      const start = processorTime();
      for (let k = 0; k < steps; k++) runner.step();
      if (drop >= 0) samples[r].push((1000 * (processorTime() - start)) / steps);
    });
  }
  return samples.map((all) => [median(all), all.reduce((sum, us) => sum + us, 0) / all.length] as const);
}
