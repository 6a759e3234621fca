import { createSimulation, type Simulation, stepSimulation } from 'poise/dynamics';
import type { Prng } from '../prng.js';
import { percentile } from '../statistics.js';
import { staircase, worldShapes } from './depth.js';
import { drawPose } from './draw-pose.js';
import { processorTime } from './processor-time.js';
import type { Rig } from './rigs.js';
import { DT, GRAVITY } from './scenario.js';

const COUNT = 100;
/** s of fall and tumble, and of all. */
const MOVING = 2;
const SECONDS = 10;
/** Distance between neighbours, m: they never touch. */
const APART = 2.4;

/** How long 100 ragdolls take that fall on stairs at the same time. */
export interface CrowdTimes {
  readonly name: string;
  /** us of processor time a ragdoll and step of 1/120 s, over the first 2 s and the rest. */
  readonly moving: number;
  readonly lying: number;
  /** ms a frame of 1/60 s by the clock: mean, p99, worst. */
  readonly frame: readonly [number, number, number];
  /** Greatest mean over a second, ms of processor time a frame. */
  readonly slowest: number;
  /** Mean over all, likewise. */
  readonly processor: number;
  readonly asleep: number;
}

/** All in one simulation, side by side along stairs; and one in each of 100 simulations, their times added frame by frame. */
export function timeCrowds({ ragdoll }: Rig, random: Prng): CrowdTimes[] {
  const { figure, shapes, damping, exclude } = ragdoll;
  const poses = Array.from({ length: COUNT }, () => drawPose(ragdoll, random).pose);
  const options = { collide: { exclude }, gravity: [0, -GRAVITY, 0] as const };
  const together = (sleep: boolean): Simulation[] => {
    const actors = poses.map((pose, k) => {
      const moved = Float64Array.from(pose);
      moved[2] += APART * (k - COUNT / 2);
      return { figure, shapes, damping, pose: moved };
    });
    const world = worldShapes(staircase(6, 0.17, 0.28, APART * (COUNT + 10)));
    return [createSimulation(actors, { ...options, world, sleep })];
  };
  const apart = (sleep: boolean): Simulation[] =>
    poses.map((pose) =>
      createSimulation([{ figure, shapes, damping, pose }], {
        ...options,
        world: worldShapes(staircase(6, 0.17, 0.28, 8)),
        sleep,
      }),
    );
  // Once beforehand, for the compiler.
  timeCrowd('', apart(false).slice(0, 30));
  return [
    timeCrowd('one simulation, sleep on', together(true)),
    timeCrowd('one simulation, sleep off', together(false)),
    timeCrowd('100 simulations, sleep on', apart(true)),
    timeCrowd('100 simulations, sleep off', apart(false)),
  ];
}

function timeCrowd(name: string, simulations: readonly Simulation[]): CrowdTimes {
  const frames: number[] = [];
  const busy: number[] = [];
  const perFrame = Math.round(1 / (60 * DT));
  for (let frame = 0; frame < SECONDS * 60; frame++) {
    const start = performance.now();
    const before = processorTime();
    for (const simulation of simulations) for (let k = 0; k < perFrame; k++) stepSimulation(simulation, DT);
    busy.push(processorTime() - before);
    frames.push(performance.now() - start);
  }
  const mean = (of: readonly number[], from: number, to: number): number => {
    const times = of.slice(60 * from, 60 * to);
    return times.reduce((sum, ms) => sum + ms, 0) / times.length;
  };
  const us = (ms: number): number => (1000 * ms) / (perFrame * COUNT);
  const seconds = Array.from({ length: SECONDS }, (_, k) => mean(busy, k, k + 1));
  return {
    name,
    moving: us(mean(busy, 0, MOVING)),
    lying: us(mean(busy, MOVING, SECONDS)),
    frame: [mean(frames, 0, SECONDS), percentile(frames, 0.99), Math.max(...frames)],
    processor: mean(busy, 0, SECONDS),
    slowest: Math.max(...seconds),
    asleep: simulations.reduce((sum, { report }) => sum + report.asleep, 0),
  };
}
