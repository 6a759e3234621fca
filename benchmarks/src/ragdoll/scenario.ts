import type { Ragdoll } from 'poise/dynamics';
import type { Prng } from '../prng.js';
import { length, plus, rotate, type V } from '../rigid/vectors.js';
import { type Bodies, createBodies } from './bodies.js';
import { type Block, deepest } from './depth.js';
import { drawPose } from './draw-pose.js';
import { energies } from './energy.js';
import { judgeJoints } from './limits.js';

export const GRAVITY = 9.81;
export const DT = 1 / 120;
const SECONDS = 60;
const EVERY = 5;
const LAST = 45;
/** Body mass for which the impulses are defined, kg. */
const USUAL_MASS = 74;

/** Range of impulses, N s, by the bone's fraction of the mass: `blows` as in a fight, `hard` the same for all. */
export type Pushes = 'blows' | 'hard';

function pushRange(pushes: Pushes, share: number): readonly [number, number] {
  if (pushes === 'hard' || share > 0.05) return [20, 200];
  return share > 0.015 ? [20, 60] : [5, 20];
}

/** An engine with one ragdoll in it. */
export interface RagdollRunner {
  readonly name: string;
  /** All bones there and at rest, awake. */
  place(pose: Float64Array, bodies: Bodies): void;
  /** Impulse at the bone's centre of mass; world axes, N s and m; takes effect in the next step. */
  push(bone: number, impulse: V, point: V): void;
  step(): void;
  read(out: Bodies): void;
  asleep(): boolean;
  /** Degrees beyond the limits that the engine was given, where these are not the figure's. */
  limitExcess?(bodies: Bodies): number;
  /** Energy by the engine's own mass matrix, J. */
  energy?(): number;
  close(): void;
}

/** The worst of one run, judged after every step. */
export interface Verdict {
  readonly finite: boolean;
  /** Limit violation, or rotation outside the joint's degrees of freedom, degrees. */
  readonly limit: number;
  /** At a joint, and through floor or stairs, m. */
  readonly gap: number;
  readonly depth: number;
  /** Largest rise of kinetic energy in a step without an impulse, less the work of gravity, J. */
  readonly speedUp: number;
  /** Largest rise of kinetic plus potential energy in a step without a push, sum of all rises, and the largest energy above that at the end, J. */
  readonly rise: number;
  readonly rises: number;
  readonly energy: number;
  /** s from a disturbance to sleep, the least; infinite where it never slept. */
  readonly sleepAfter: number;
  readonly asleep: boolean;
  /** Largest speed of a bone's origin over the last second, m/s, from positions. */
  readonly restSpeed: number;
  /** Largest difference between the judge's energy and the engine's, of the largest energy. */
  readonly disagreement: number;
}

/**
 * 60 s: a drop; every 5 s until 45 s an impulse (for 74 kg; in proportion for others) on a random bone with a shape, every third time a lift and a drop
 * instead; then no disturbance.
 *
 * @param trace - Called with each disturbance, and for a step deeper than 5 mm or with an energy rise above 1 mJ.
 */
export function runScenario(
  ragdoll: Ragdoll,
  blocks: readonly Block[],
  runner: RagdollRunner,
  random: Prng,
  pushes: Pushes,
  trace?: (line: string) => void,
): Verdict {
  const { figure, shapes } = ragdoll;
  const bodies = createBodies(figure);
  const worst = { limit: 0, gap: 0, depth: 0, speedUp: 0, rise: 0, rises: 0, restSpeed: 0, disagreement: 0 };
  let sleepAfter = Number.POSITIVE_INFINITY;
  let wokenAt = 0;
  let energy = Number.POSITIVE_INFINITY;
  let [kineticBefore, potentialBefore] = [Number.POSITIVE_INFINITY, 0];
  let [max, min] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const steps = Math.round(SECONDS / DT);
  const every = Math.round(EVERY / DT);
  const verdict = (finite: boolean): Verdict => ({
    ...worst,
    finite,
    energy: max - min,
    sleepAfter,
    asleep: finite && runner.asleep(),
    disagreement: worst.disagreement / (max - min),
  });

  for (let step = 0; step < steps; step++) {
    if (step % every === 0 && step * DT <= LAST + DT / 2) {
      const event = disturb(ragdoll, runner, random, step / every, bodies, pushes);
      trace?.(event);
      wokenAt = step * DT;
      energy = Number.POSITIVE_INFINITY;
      kineticBefore = Number.POSITIVE_INFINITY;
    }
    runner.step();
    const time = (step + 1) * DT;
    const before = [...bodies.position];
    runner.read(bodies);
    const { kinetic, potential } = energies(figure, bodies, GRAVITY);
    const joints = judgeJoints(figure, bodies);
    const limit = runner.limitExcess?.(bodies) ?? Math.max(joints.limit, joints.off);
    const depth = deepest(figure, shapes, bodies, blocks);
    if (!Number.isFinite(kinetic + potential + limit + joints.gap + depth)) return verdict(false);
    worst.limit = Math.max(worst.limit, limit);
    worst.gap = Math.max(worst.gap, joints.gap);
    worst.depth = Math.max(worst.depth, depth);
    const rise = Math.max(0, kinetic + potential - energy);
    worst.rise = Math.max(worst.rise, rise);
    worst.rises += rise;
    const given = Math.max(0, potentialBefore - potential);
    worst.speedUp = Math.max(worst.speedUp, kinetic - kineticBefore - given);
    [kineticBefore, potentialBefore] = [kinetic, potential];
    energy = kinetic + potential;
    max = Math.max(max, energy);
    min = Math.min(min, energy);
    if (depth > 5e-3) trace?.(`  ${time.toFixed(3)} s: ${(1000 * depth).toFixed(1)} mm deep`);
    if (rise > 1e-3)
      trace?.(
        `  ${time.toFixed(3)} s: energy up by ${rise.toPrecision(3)} J, kinetic ${kinetic.toPrecision(3)} J`,
      );
    const own = step % 12 === 0 ? runner.energy?.() : undefined;
    if (own !== undefined) worst.disagreement = Math.max(worst.disagreement, Math.abs(own - energy));
    if (runner.asleep()) sleepAfter = Math.min(sleepAfter, time - wokenAt);
    if (time < SECONDS - 1) continue;
    for (const [b, was] of before.entries()) {
      worst.restSpeed = Math.max(worst.restSpeed, length(plus(bodies.position[b], was, -1)) / DT);
    }
  }
  return verdict(true);
}

/** Event number `event`. @returns what it is. */
function disturb(
  ragdoll: Ragdoll,
  runner: RagdollRunner,
  random: Prng,
  event: number,
  bodies: Bodies,
  pushes: Pushes,
): string {
  const { figure, shapes, mass } = ragdoll;
  if (event % 3 === 0) {
    const drawn = drawPose(ragdoll, random);
    runner.place(drawn.pose, drawn.bodies);
    return `${event * EVERY} s: lifted`;
  }
  const bones = [...new Set(shapes.map(({ bone }) => bone))];
  const name = bones[Math.floor(bones.length * random.uniform())];
  const bone = typeof name === 'number' ? name : figure.bones.findIndex((each) => each.name === name);
  const direction = [random.normal(), random.normal(), random.normal()];
  const { centerOfMass = [0, 0, 0], mass: kg = 0 } = figure.bones[bone];
  const [min, max] = pushRange(pushes, kg / mass);
  const size = ((min + (max - min) * random.uniform()) * mass) / USUAL_MASS;
  const point = plus(bodies.position[bone], rotate(bodies.rotation[bone], centerOfMass));
  const scale = size / length(direction);
  runner.push(
    bone,
    direction.map((x) => scale * x),
    point,
  );
  return `${event * EVERY} s: ${size.toFixed(0)} N s on ${name} of ${kg.toFixed(2)} kg`;
}
