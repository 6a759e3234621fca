/** Runs a simulation: steps a ragdoll, applies pushes, and collects the data of the report. */
import { performance } from 'node:perf_hooks';
import {
  applyImpulse,
  computeMomentum,
  createDynamics,
  createSimulation,
  kineticEnergy,
  potentialEnergy,
  type Ragdoll,
  type Simulation,
  type SimulationWarning,
  stepSimulation,
  type WorldShape,
} from 'poise/dynamics';
import { limitViolation, type Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import type { PushSpec } from './parse-push.js';
import { createRecorder, type Recorder, record } from './recorder.js';

/** Input of a run. */
export interface Scenario {
  readonly ragdoll: Ragdoll;
  readonly pose: Numbers;
  readonly world: readonly WorldShape[];
  readonly gravity: Triple;
  /** Factor on the ragdoll's damping. */
  readonly damping: number;
  readonly pushes: readonly PushSpec[];
  readonly steps: number;
  /** Steps per second. */
  readonly rate: number;
  /** Recorded poses per second. */
  readonly fps: number;
  /** Interval between lines of the report, s. */
  readonly every: number;
}

/** State at a time. */
export interface Sample {
  /** s */
  readonly time: number;
  /** J; potential energy is zero at the world's origin. */
  readonly kinetic: number;
  readonly potential: number;
  readonly total: number;
  /** Contacts with an impulse in the last step. */
  readonly touching: number;
  /** Largest penetration of the world or of itself since the last sample, m. */
  readonly depth: number;
  /** Of the fastest bone, and of the centre of mass, m/s. */
  readonly fastest: number;
  readonly speed: number;
  readonly centerOfMass: Triple;
  readonly velocity: Triple;
  readonly asleep: boolean;
}

export interface PushReport {
  /** The option as typed. */
  readonly option: string;
  readonly bone: string;
  readonly impulse: Triple;
  /** Time of the step at whose start it was applied, s. */
  readonly time: number;
  readonly point?: Triple;
  /** Velocity of the centre of mass before the step and after it, m/s. */
  readonly before: Triple;
  readonly after: Triple;
  /** Energy that the figure gained in the step, J. */
  readonly gained: number;
}

export interface Outcome {
  readonly samples: readonly Sample[];
  readonly pushes: readonly PushReport[];
  /** Largest energy increase in a step without a push, J, and its time, s. */
  readonly rise: { readonly energy: number; readonly time: number };
  /** Largest penetration of the world and of itself in any step, m. */
  readonly depth: { readonly world: number; readonly self: number };
  /** Largest limit violation after any step, rad or m. */
  readonly limitViolation: number;
  /** Time since which no bone has been faster than {@link REST_SPEED}, and since which it is asleep, s. */
  readonly stillSince?: number;
  readonly asleepSince?: number;
  /** Number of steps with each warning, and the first time, s. */
  readonly warnings: ReadonlyMap<RunWarning, { readonly steps: number; readonly first: number }>;
  /** Total time of all steps, ms. */
  readonly milliseconds: number;
  readonly recorder: Recorder;
  /** The last pose of the ragdoll. */
  readonly pose: Float64Array;
}

/** A warning of a step, or that it stopped the figure. */
export type RunWarning = SimulationWarning | 'stopped';

/** Contact capacity per shape. */
const CONTACTS_PER_SHAPE = 16;
/** Speed of the fastest bone below which a figure counts as at rest, m/s. */
const REST_SPEED = 0.03;

/**
 * Runs a scenario.
 *
 * @throws PoiseError for a figure or world that cannot be simulated.
 */
export function runSimulation(scenario: Scenario): Outcome {
  const { ragdoll, gravity, damping, rate, steps, fps, every, world } = scenario;
  const { figure, shapes, exclude } = ragdoll;
  const simulation = createSimulation(
    [{ figure, shapes, pose: scenario.pose, damping: ragdoll.damping.map((d) => d * damping) }],
    { gravity, world, collide: { exclude }, contacts: Math.max(64, CONTACTS_PER_SHAPE * shapes.length) },
  );
  const [actor] = simulation.actors;
  const dynamics = createDynamics(figure, { gravity });
  const recorder = createRecorder();
  const samples: Sample[] = [];
  const pushes: PushReport[] = [];
  const warnings = new Map<RunWarning, { steps: number; first: number }>();
  const rise = { energy: 0, time: 0 };
  const depth = { world: 0, self: 0 };
  let excess = limitViolation(figure, actor.pose);
  let milliseconds = 0;
  let deepest = 0;
  let stillSince: number | undefined = 0;
  let asleepSince: number | undefined;

  const energies = (): { kinetic: number; potential: number } => ({
    kinetic: kineticEnergy(dynamics, actor.pose, actor.velocity),
    potential: potentialEnergy(dynamics, actor.pose),
  });
  const velocity = (): Triple => tripleOf(computeMomentum(dynamics, actor.pose, actor.velocity).velocity);
  const sample = (time: number, touching: number): void => {
    const { kinetic, potential } = energies();
    const { center, velocity: v } = computeMomentum(dynamics, actor.pose, actor.velocity);
    samples.push({
      time,
      kinetic,
      potential,
      total: kinetic + potential,
      touching,
      depth: deepest,
      fastest: fastestBone(simulation),
      speed: Math.hypot(v[0], v[1], v[2]),
      centerOfMass: tripleOf(center),
      velocity: tripleOf(v),
      asleep: actor.asleep,
    });
    deepest = 0;
  };

  const start = energies();
  let energy = start.kinetic + start.potential;
  sample(0, 0);
  record(recorder, 0, actor.pose);
  for (let n = 0; n < steps; n++) {
    const time = n / rate;
    const end = (n + 1) / rate;
    const given = scenario.pushes.filter((push) => stepOf(push, rate) === n);
    const before = given.length > 0 ? velocity() : undefined;
    for (const { bone, impulse, point } of given) applyImpulse(simulation, 0, bone, impulse, point);
    const began = performance.now();
    const report = stepSimulation(simulation, 1 / rate);
    milliseconds += performance.now() - began;
    const gained = report.kinetic + report.potential - energy;
    energy += gained;
    if (before) {
      const after = velocity();
      for (const { text, bone, impulse, point } of given) {
        pushes.push({ option: text, bone, impulse, time, ...(point && { point }), before, after, gained });
      }
    } else if (gained > rise.energy) {
      rise.energy = gained;
      rise.time = end;
    }
    const occurred: RunWarning[] = [...report.warnings, ...(report.status === 'done' ? [] : [report.status])];
    for (const warning of occurred) {
      const known = warnings.get(warning);
      warnings.set(warning, { steps: (known?.steps ?? 0) + 1, first: known?.first ?? time });
    }
    deepest = Math.max(deepest, recordDepth(simulation, depth));
    excess = Math.max(excess, limitViolation(figure, actor.pose));
    if (fastestBone(simulation) > REST_SPEED) stillSince = undefined;
    else stillSince ??= end;
    if (actor.asleep) asleepSince ??= end;
    else asleepSince = undefined;
    const last = n + 1 === steps;
    if (last || isDue(n, fps, rate)) record(recorder, end, actor.pose);
    if (last || isDue(n, 1 / every, rate)) sample(end, report.touching);
  }
  return {
    samples,
    pushes,
    rise,
    depth,
    limitViolation: excess,
    ...(stillSince !== undefined && { stillSince }),
    ...(asleepSince !== undefined && { asleepSince }),
    warnings,
    milliseconds,
    recorder,
    pose: actor.pose,
  };
}

/** The step at whose start a push is applied: the first that starts at or after its time. */
export function stepOf({ time }: PushSpec, rate: number): number {
  return Math.ceil(time * rate - 1e-6);
}

/** Whether step n contains a multiple of 1 / frequency, its end included. */
function isDue(n: number, frequency: number, rate: number): boolean {
  const count = (step: number): number => Math.floor((step * frequency) / rate + 1e-6);
  return count(n + 1) > count(n);
}

function fastestBone({ boneVelocity: v }: Simulation): number {
  let fastest = 0;
  for (let o = 3; o < v.length; o += 6) fastest = Math.max(fastest, Math.hypot(v[o], v[o + 1], v[o + 2]));
  return fastest;
}

/** Updates the maximal depths with those at the start of the last step. @returns the largest of that step, m. */
function recordDepth({ contacts }: Simulation, depth: { world: number; self: number }): number {
  let deepest = 0;
  for (let c = 0; c < contacts.count; c++) {
    const into = contacts.bodyB[c] < 0 ? 'world' : 'self';
    depth[into] = Math.max(depth[into], -contacts.separation[c]);
    deepest = Math.max(deepest, -contacts.separation[c]);
  }
  return deepest;
}

function tripleOf(v: Numbers): Triple {
  return [v[0], v[1], v[2]];
}
